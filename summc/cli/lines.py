"""The JSON lines that stage commands pass on: a line for each cluster, to which each stage adds a member.

In all functions ``place`` is the file and the number of a line, for error messages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from summc.errors import InputError, NoSummaryError, SummcError
from summc.records import Cluster, CoverageGraph, Run

Line = dict[str, Any]


def signature_of(line: Line, place: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the signature on a line, stage -> settings of the stage, or {} if the line has no signature."""
    signature = line.get("signature", {})
    if not isinstance(signature, dict) or not all(isinstance(part, dict) for part in signature.values()):
        raise InputError(place, "signature must be an object of objects", "leave it out")
    return signature


#: The stages in order, each with the members that it may add to a line.
STAGES = {
    "load": ("cluster",),
    "preprocess": ("tokenized",),
    "weigh": ("weights",),
    "graph": ("graph",),
    "select": ("selection", "failure"),
}


_OWN = {"signature", *(name for members in STAGES.values() for name in members)}


def add(line: Line, place: str, member: str, value: Any, settings: Mapping[str, Any] | None = None) -> Line:
    """Return a line with ``member`` added, and the ``settings`` of its stage added to the signature.

    Members and settings of this stage and of later stages that the line had before are removed.
    """
    names = list(STAGES)
    first = next(i for i, members in enumerate(STAGES.values()) if member in members)
    stale = {old for stage in names[first:] for old in STAGES[stage]}
    kept = {stage: part for stage, part in signature_of(line, place).items() if stage in names[:first]}
    signature = kept if settings is None else {**kept, names[first]: settings}
    passed_on = {name: part for name, part in line.items() if name not in stale}
    return {**passed_on, "signature": signature, member: value}


def read_summaries(path: str) -> Iterator[Run | SummcError]:
    """Yield for each line its summary, or the error that stage 5 recorded on the line."""
    import numpy as np

    from summc.graph import total_weight
    from summc.method import sentences_of
    from summc.records import ConceptIndex, TokenizedCluster, WordWeights
    from summc.report import codec
    from summc.settings.signatures import signature_text

    for place, line in codec.read_lines(path):
        if isinstance(line.get("failure"), str):
            yield NoSummaryError("", line["failure"])
            continue
        cluster = codec.decode_cluster(line, place)
        others = {name: value for name, value in line.items() if name not in _OWN}
        cluster = dataclasses.replace(cluster, members={**cluster.members, **others})
        graph = codec.decode_graph(line, place)
        check_sentences(graph, cluster, place)
        selection = codec.decode_selection(line, place)
        text = TokenizedCluster(cluster, ConceptIndex.of([()] * len(cluster.sentences)))
        yield Run(
            text,
            WordWeights((), np.zeros(0), ""),
            graph,
            selection,
            sentences_of(cluster, graph, selection),
            total_weight(graph),
            signature_text(signature_of(line, place)),
        )


def check_sentences(graph: CoverageGraph, cluster: Cluster, place: str) -> None:
    """Raise ``InputError`` if the sentences of a graph cannot be those of the cluster on the same line."""
    if graph.sentence_ids.max(initial=0) >= len(cluster.sentences):
        problem = "graph.sentence_ids names a sentence the cluster does not have"
        raise InputError(place, problem, "build it again")
    if len(set(graph.sentence_ids.tolist())) < len(graph.sentence_ids):
        raise InputError(place, "graph.sentence_ids names a sentence twice", "build it again")
