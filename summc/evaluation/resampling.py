"""How sure a mean over clusters is, and whether a difference is more than chance: by resampling, seeded."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from summc.records import Floats

RESAMPLES = 10_000
SEED = 2004
CONFIDENCE = 0.95


def bootstrap_interval(values: Floats) -> tuple[float, float]:
    """Return the 95% percentile-bootstrap interval of the mean; the clusters are what is drawn again."""
    rng = np.random.default_rng(SEED)
    n = len(values)
    means = [values[rng.integers(n, size=(rows, n))].mean(axis=1) for rows in _blocks(n)]
    low, high = np.quantile(np.concatenate(means), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def paired_differences(group: Mapping[str, float], base: Mapping[str, float]) -> Floats:
    """Return the differences from a base, for each cluster that both have."""
    return np.array([value - base[cluster] for cluster, value in group.items() if cluster in base])


def randomization_p(differences: Floats) -> float:
    """Return the two-sided p-value of paired differences: how often random signs give a mean as far from 0.

    Exact, over all signs, where there are few; else over so many random ones, the observed counted in.
    """
    n = len(differences)
    observed = abs(differences.sum())
    # Equal sums may differ in their last digits by the order of their terms.
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
    """Return how many resamples of n values to draw at a time, so that memory does not grow with n."""
    rows = max(1, min(RESAMPLES, 2_000_000 // n))
    return [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
