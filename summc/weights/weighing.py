"""Stage 3 on one cluster: weigh its words for a summary of a given length and an optional question."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from summc.records import TokenizedCluster, WordWeights
from summc.weights.base import LengthWeigher, Weigher, WordWeigher
from summc.weights.mixed import ContentWeigher, MixedWeigher, mixed
from summc.weights.relevance import relevance_of
from summc.weights.shape import Shape
from summc.weights.steering import turned_toward


def weigh_words(
    tokenized: TokenizedCluster,
    weigher: Weigher,
    shape: Shape,
    *,
    length: float,
    stop: frozenset[str],
    reach: Callable[[WordWeights], float],
    is_asked: Callable[[str], bool] | None = None,
) -> WordWeights:
    """Return the weights of a cluster's words.

    Args:
        tokenized: the cluster.
        weigher: a fitted weighting.
        shape: the settings that all weightings share.
        length: the length of the summary in words, for weightings that depend on it.
        stop: the terms of stop words.
        reach: a function that returns the weight that a summary of this length can cover, given the weights.
            The weighting ``mixed`` divides the weights of each of its halves by this number.
        is_asked: a function that tells whether a concept belongs to the question, or None without a question.
    """

    def covering(by: WordWeigher) -> WordWeights:
        weights = shape.weigh(tokenized, by)
        return weights if is_asked is None else turned_toward(weights, tokenized, is_asked)

    def overlapping(by: LengthWeigher) -> WordWeights:
        relevance = None if is_asked is None else relevance_of(tokenized, is_asked)
        return by.weigh_for(tokenized, length, relevance)

    if isinstance(weigher, MixedWeigher):
        halves = covering(ContentWeigher(weigher.position, stop)), overlapping(weigher.expected)
        number = tokenized.index.numbers_among(halves[0].words)
        return mixed(*halves, number, [reach(half) for half in halves])
    if weigher.by_length:
        return overlapping(cast("LengthWeigher", weigher))
    return covering(cast("WordWeigher", weigher))
