"""95% intervals and p-values of means over clusters, both from Student's t, so that they always agree.

The paired randomization test is a second opinion, which does not assume a distribution.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

import numpy as np

Interval = tuple[float, float]

#: An interval excludes 0 exactly if its p-value is below this.
SIGNIFICANT = 0.05
#: Intervals are rounded to this many decimals and p-values to this many significant digits, so that they do
#: not depend on the processor or on the release of SciPy.
_DIGITS = 6
_STEP = 10.0**-_DIGITS
#: Values are rounded to this many decimals before their spread is measured: less is a rounding error.
_EXACT = 9
#: The randomization test tries all changes of signs if there are at most this many, else this many random
#: ones. Python's random numbers stay the same from release to release.
_FLIPS, _SEED = 2**14, 2004


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95% t interval, and the p-value of the t test that the mean is 0.

    ``p_random`` is the p-value of the randomization test, if it was made. One value has no interval and no
    p-value: they are None.
    """

    mean: float
    ci: Interval | None
    p: float | None
    p_random: float | None = None


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of values, at least one, with its interval and p-value; each cluster has a value."""
    mean, n = fmean(values), len(values)
    if n == 1:
        return Estimate(mean, None, None)
    # Student's t by the incomplete beta function: scipy's own quantile of t (stdtrit) has only nine correct
    # digits in older releases.
    from scipy.special import betainc, betaincinv  # noqa: PLC0415 (a quarter of a second of imports)

    exact = [round(value, _EXACT) for value in values]
    centre, error = fmean(exact), stdev(exact) / math.sqrt(n)
    t = abs(centre) / error if error else math.inf if centre else 0.0
    freedom = n - 1
    p = _rounded(float(betainc(freedom / 2, 0.5, freedom / (freedom + t * t))))
    half = math.sqrt(freedom / float(betaincinv(freedom / 2, 0.5, SIGNIFICANT)) - freedom) * error
    near, far = round(abs(centre) - half, _DIGITS), round(abs(centre) + half, _DIGITS)
    near = max(near, _STEP) if p < SIGNIFICANT else min(near, 0.0)  # rounding must not contradict p
    far = max(near, far)
    return Estimate(mean, (near, far) if centre >= 0 else (-far, 0.0 - near), p)


def compared(group: Mapping[str, float], base: Mapping[str, float]) -> Estimate | None:
    """Return the mean paired difference, group minus base, over the clusters that both have, if any."""
    differences = [value - base[cluster] for cluster, value in group.items() if cluster in base]
    return replace(estimate(differences), p_random=randomized(differences)) if differences else None


def randomized(differences: Sequence[float]) -> float | None:
    """Return the p-value of the paired randomization test, two-sided; None for one difference.

    It is the share of all changes of signs that make the mean difference at least as large as it is.
    """
    n = len(differences)
    if n == 1:
        return None
    whole = np.array([round(value * 10**_EXACT) for value in differences])  # integers have exact sums
    if 2**n <= _FLIPS:
        flips = np.arange(2**n)[:, None] >> np.arange(n)
    else:
        noise = random.Random(_SEED).randbytes(_FLIPS * n)  # noqa: S311 (not for secrets)
        flips = np.frombuffer(noise, dtype=np.uint8).reshape(-1, n).astype(np.int64)
        flips[0] = 0  # the signs as they are, so that p is never 0
    extreme = abs((1 - 2 * (flips & 1)) @ whole) >= abs(whole.sum())
    return _rounded(float(extreme.mean()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by the method of Holm, in the same order."""
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = _rounded(largest)
    return corrected


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are known, or None if none is."""
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def p_text(p: float | None) -> str:
    """Return a p-value as text of four decimals, or of more if it would be rounded up to 0.05."""
    if p is None:
        return "-"
    if p < 1e-4:  # noqa: PLR2004 (the least that four decimals show)
        return "<0.0001"
    text = f"{p:.4f}"
    return text if (float(text) < SIGNIFICANT) == (p < SIGNIFICANT) else f"{p}"


def _rounded(p: float) -> float:
    return float(f"{p:.{_DIGITS}g}")
