"""Logarithms, exponentials and powers that are the same to the last bit on every machine.

The last digits of NumPy's own functions depend on the processor. A search can turn such a difference into
another summary or another proven share. These functions are computed in C (``compiled/arithmetic.c``), by
operations that IEEE 754 defines to the last bit. Their relative error is below 1e-15, that of powers below
1e-14.
"""

from __future__ import annotations

import numpy as np

from summc.records import Floats
from summc.system.compiled import library


def log(x: Floats | float) -> Floats:
    """Return ln x; it is -inf for 0, and inf for inf."""
    return _elementwise("log", x)


def exp(x: Floats | float) -> Floats:
    """Return e^x."""
    return _elementwise("exp", x)


def _elementwise(function: str, x: Floats | float) -> Floats:
    values = np.asarray(x, dtype=np.float64, order="C")
    result = np.empty(values.shape)
    getattr(library(), f"summc_{function}")(values.size, values.ctypes.data, result.ctypes.data)
    return result


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
