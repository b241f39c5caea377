"""Logarithms, exponentials and powers that are the same to the last bit on every machine.

The last digits of NumPy's own functions depend on the processor. A search can turn such a difference into
another summary or another proven share. These functions use only operations that IEEE 754 defines to the last
bit (sums, products, quotients, and scaling by powers of two), one at a time, so that no compiler can fuse
them. Their relative error is below 1e-15, that of powers below 1e-14.
"""

from __future__ import annotations

import math

import numpy as np

from summc.records import Floats

#: ln 2 in two parts. The first has 32 trailing zero bits, so its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_SQRT_HALF = 0.70710678118654752440
#: Terms of the power series, last one first: 2/3, 2/5, ... of ln((1 + s) / (1 - s)), 1/2!, 1/3!, ... of exp.
_OF_LOG = tuple(2.0 / n for n in range(23, 1, -2))
_OF_EXP = tuple(1 / math.factorial(n) for n in range(13, 1, -1))
#: Above the first, exp is inf; below the second, 0.
_LARGEST, _SMALLEST = 709.0, -745.0


def log(x: Floats | float) -> Floats:
    """Return ln x; it is -inf for 0, and inf for inf."""
    values = np.asarray(x, dtype=np.float64)
    usual = (values > 0) & (values < np.inf)
    mantissa, exponent = np.frexp(np.where(usual, values, 1.0))
    below = mantissa < _SQRT_HALF
    mantissa, exponent = np.where(below, 2 * mantissa, mantissa), np.where(below, exponent - 1, exponent)
    # ln m = 2 (s + s^3/3 + s^5/5 + ...) for s = (m - 1) / (m + 1), where m is from sqrt(1/2) to sqrt(2).
    s = (mantissa - 1) / (mantissa + 1)
    square = s * s
    series = _polynomial(_OF_LOG, square) * square
    result = exponent * _LN2_HIGH + (2 * s + (s * series + exponent * _LN2_LOW))
    return np.where(usual, result, np.where(values > 0, np.inf, -np.inf))


def exp(x: Floats | float) -> Floats:
    """Return e^x."""
    values = np.clip(np.asarray(x, dtype=np.float64), _SMALLEST, _LARGEST)
    power = np.rint(values / (_LN2_HIGH + _LN2_LOW))
    rest = (values - power * _LN2_HIGH) - power * _LN2_LOW  # at most ln 2 / 2
    series = rest + rest * rest * _polynomial(_OF_EXP, rest)
    half = np.floor(power / 2)  # in two steps, because 2^power may be below the smallest normal number
    made = np.ldexp(np.ldexp(1 + series, half.astype(np.int32)), (power - half).astype(np.int32))
    return np.where(np.asarray(x) < _SMALLEST, 0.0, np.where(np.asarray(x) > _LARGEST, np.inf, made))


def log1p(x: Floats | float) -> Floats:
    """Return ln(1 + x), accurate for small x."""
    values = np.asarray(x, dtype=np.float64)
    one_more = 1 + values
    # ln(1 + x) is about ln(u) x / (u - 1) for the rounded u = 1 + x (W. Kahan).
    lost = one_more - 1
    return np.where(lost == 0, values, log(one_more) * values / np.where(lost == 0, 1.0, lost))


def expm1(x: Floats | float) -> Floats:
    """Return e^x - 1, accurate for small x."""
    values = np.asarray(x, dtype=np.float64)
    raised = exp(values)
    # e^x - 1 is about (u - 1) x / ln(u) for the rounded u = e^x (W. Kahan).
    usual = (raised != 1) & (raised > 0) & (values < 1)
    logarithm = log(np.where(usual, raised, 2.0))
    return np.where(raised == 1, values, np.where(usual, (raised - 1) * values / logarithm, raised - 1))


def power(base: Floats | float, exponent: float) -> Floats:
    """Return base^exponent for base > 0, and for base = 0 if the exponent is positive."""
    values = np.asarray(base, dtype=np.float64)
    return values if exponent == 1 else exp(exponent * log(values))


def _polynomial(terms: tuple[float, ...], x: Floats) -> Floats:
    """Return what np.polyval does, in half the time: the term of the highest power comes first."""
    value = np.full_like(x, terms[0])
    for term in terms[1:]:
        value *= x
        value += term
    return value
