"""Find the stories of a data set again, where each cluster is one story."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import chain

from summc.config import Config
from summc.method import preprocess
from summc.preprocess.order import numbered
from summc.preprocess.topics import by_topic
from summc.records import Cluster


def cells(clusters: Sequence[Cluster]) -> list[str]:
    """Return how many clusters are told as one story, and how ``--by-topic`` groups all of them."""
    one = sum(preprocess(cluster, Config()).cluster.stories == 1 for cluster in clusters)
    groups, index = _grouped(clusters)
    return [f"{one} of {len(clusters)}", str(groups), f"{index:.2f}"]


def _grouped(clusters: Sequence[Cluster]) -> tuple[int, float]:
    """Return the number of groups in a folder with all documents, and the adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    documents = numbered(
        dataclasses.replace(document, id=f"{number} {document.id}")
        for number, cluster in enumerate(clusters)
        for document in cluster.documents
    )
    folder = dataclasses.replace(clusters[0], documents=tuple(documents))
    groups = [
        [document.id for document in group.documents] for group in by_topic([folder], Config().preprocessor)
    ]
    labels = [number for number, ids in enumerate(groups) for _ in ids]
    topics = [name.split()[0] for name in chain.from_iterable(groups)]
    return len(groups), float(adjusted_rand_score(topics, labels))
