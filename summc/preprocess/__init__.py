"""Stage 2: find the terms of each sentence, the concepts they form, and the sentences that may be chosen.

A term is a word in lower case, reduced to its stem. A concept is what a summary should cover: a term, or a
bigram of two neighbouring terms. A candidate is a sentence that may be chosen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from summc.preprocess.analysis import Analysis
from summc.preprocess.candidates import Candidates
from summc.preprocess.order import cut_datelines, in_order_of_dates, with_dates
from summc.preprocess.required import required
from summc.records import Cluster, TokenizedCluster


def preprocess(
    cluster: Cluster, analysis: Analysis, candidates: Candidates, must: Sequence[str] = ()
) -> TokenizedCluster:
    """Return a cluster with its concepts and candidates.

    If the settings say so, documents are sorted by date and datelines are cut. ``analysis`` finds the terms
    and concepts. ``must`` has texts that the user gave: for each, a sentence that contains it is required in
    the summary, and is always a candidate.
    """
    read = _as_read(cluster, analysis, candidates)
    wanted = frozenset(required(must, read).values()) if must else frozenset()
    marked = candidates.mark(analysis.concepts_of(read), wanted)
    if marked.candidates is None or not wanted:
        return marked
    return dataclasses.replace(marked, candidates=tuple(sorted({*marked.candidates, *wanted})))


def _as_read(cluster: Cluster, analysis: Analysis, candidates: Candidates) -> Cluster:
    cluster = in_order_of_dates(cluster) if analysis.settings.order == "dates" else with_dates(cluster)
    return cut_datelines(cluster) if candidates.datelines == "cut" else cluster
