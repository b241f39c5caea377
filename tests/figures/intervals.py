"""Simulate how often 95% intervals hold the true mean.

A row is a number of clusters, and a column a way to draw their differences. A cell has the percentages of
three intervals: summc's, which is the t interval, and SciPy's percentile and BCa bootstrap intervals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from summc.lab.evaluation.intervals import estimate

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
#: Distribution of the differences -> how to draw them, and their true mean.
DRAWS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "two exponentials": (lambda rng, shape: rng.exponential(size=shape) - rng.exponential(size=shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal": (lambda rng, shape: rng.lognormal(size=shape), float(np.exp(0.5))),
}


def coverages(draw: Draw, mean: float, clusters: int, sizes: tuple[int, int]) -> str:
    """Return the percentage of t, percentile and BCa intervals that hold the true mean.

    ``sizes`` are the numbers of samples for summc's intervals, and for the slow bootstrap.
    """
    from scipy.stats import bootstrap

    samples = draw(np.random.default_rng(clusters), (sizes[0], clusters))
    ends = np.array([estimate(sample).ci for sample in samples.tolist()])
    held = [np.mean((ends[:, 0] <= mean) & (mean <= ends[:, 1]))]
    for method in ("percentile", "BCa"):
        found = bootstrap(
            (samples[: sizes[1]],), np.mean, axis=1, vectorized=True, n_resamples=2000, batch=50,
            method=method, rng=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        held.append(np.mean((found.low <= mean) & (mean <= found.high)))
    return " / ".join(f"{100 * share:.1f}" for share in held)
