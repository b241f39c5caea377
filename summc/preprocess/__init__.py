"""Stage 2: find the terms of each sentence, the concepts they form, and the sentences that may be chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from summc.preprocess.analysis import Analysis
from summc.preprocess.candidates import Candidates
from summc.preprocess.datelines import cut_datelines
from summc.preprocess.order import in_order_of_dates
from summc.preprocess.required import required
from summc.records import Cluster, TokenizedCluster


def preprocess(
    cluster: Cluster, analysis: Analysis, candidates: Candidates, must: Sequence[str] = ()
) -> TokenizedCluster:
    """Return a cluster with its concepts and candidates.

    Documents are put in reading order, and datelines are cut if the settings say so. ``must`` holds
    texts by which the user requires sentences; a sentence that contains one is always a candidate.
    """
    read = _as_read(cluster, analysis, candidates)
    wanted = frozenset(required(must, read).values()) if must else frozenset()
    marked = candidates.mark(analysis.concepts_of(read), wanted)
    if marked.candidates is None or not wanted:
        return marked
    return dataclasses.replace(marked, candidates=tuple(sorted({*marked.candidates, *wanted})))


def _as_read(cluster: Cluster, analysis: Analysis, candidates: Candidates) -> Cluster:
    if analysis.settings.order == "dates":
        cluster = in_order_of_dates(cluster)
    return cut_datelines(cluster) if candidates.datelines == "cut" else cluster
