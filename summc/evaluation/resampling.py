"""Confidence intervals and p-values by resampling clusters, with a fixed seed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from summc.records import Floats

RESAMPLES = 10_000
SEED = 2004
CONFIDENCE = 0.95


def bootstrap_interval(values: Floats) -> tuple[float, float]:
    """Return the 95% interval of a mean, by the percentile bootstrap; there is a value for each cluster."""
    rng = np.random.default_rng(SEED)
    n = len(values)
    means = [values[rng.integers(n, size=(rows, n))].mean(axis=1) for rows in _blocks(n)]
    low, high = np.quantile(np.concatenate(means), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def paired_differences(group: Mapping[str, float], base: Mapping[str, float]) -> Floats:
    """Return the difference, group minus base, for each cluster that occurs in both."""
    return np.array([value - base[cluster] for cluster, value in group.items() if cluster in base])


def randomization_p(differences: Floats) -> float:
    """Return the two-sided p-value of a paired randomization test; there is a difference for each cluster.

    The test changes the signs of the differences in all possible ways. The p-value is the share of these ways
    for which the mean is at least as far from 0 as the observed mean. It is exact if there are at most
    ``RESAMPLES`` ways. Otherwise it is estimated from ``RESAMPLES`` random ways and the observed signs.
    """
    n = len(differences)
    observed = abs(differences.sum())
    # The limit is a little lower than the observed sum: equal sums may differ in their last digits if their
    # terms are added in another order.
    limit = observed - 1e-12 * np.abs(differences).sum()
    if 2**n <= RESAMPLES:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
        return float(np.mean(np.abs(signs @ differences) >= limit))
    rng = np.random.default_rng(SEED)
    as_far = sum(
        int(np.sum(np.abs(rng.choice((-1.0, 1.0), size=(rows, n)) @ differences) >= limit))
        for rows in _blocks(n)
    )
    return (1 + as_far) / (RESAMPLES + 1)


def _blocks(n: int) -> list[int]:
    """Return the sizes of the blocks in which to draw the resamples of n values.

    A block has at most two million numbers, or a single resample, so that memory stays small.
    """
    rows = max(1, min(RESAMPLES, 2_000_000 // n))
    return [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
