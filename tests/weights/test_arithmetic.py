"""Logarithms and powers of our own: right to 15 digits, the same to the last bit everywhere."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.records import Floats
from summc.text.arithmetic import exp, expm1, log, log1p, power

DIGITS = 60


def error(found: float, expected: Decimal) -> float:
    """Return the relative error of a number."""
    return float(abs((Decimal(found) - expected) / expected)) if expected else abs(found)


@given(st.floats(1e-300, 1e300), st.floats(-700, 700), st.floats(1e-18, 700))
def test_logarithms_and_exponentials_are_those_of_decimal(base: float, exponent: float, small: float) -> None:
    with localcontext(prec=DIGITS):
        assert error(float(log(base)), Decimal(base).ln()) < 1e-15
        assert error(float(exp(exponent)), Decimal(exponent).exp()) < 1e-15
        assert error(float(log1p(small)), (1 + Decimal(small)).ln()) < 1e-15
        assert error(float(expm1(small)), Decimal(small).exp() - 1) < 1e-15
        assert error(float(expm1(-small)), Decimal(-small).exp() - 1) < 1e-15


@given(st.floats(1e-6, 1e6), st.floats(-5, 5))
def test_powers_are_those_of_decimal(base: float, exponent: float) -> None:
    with localcontext(prec=DIGITS):
        expected = (Decimal(base).ln() * Decimal(exponent)).exp()
        assert error(float(power(base, exponent)), expected) < 2e-14


def test_limits() -> None:
    assert log(np.array([0.0, 1.0, np.inf])).tolist() == [-np.inf, 0, np.inf]
    assert exp(np.array([-np.inf, -800.0, 0.0, 800.0])).tolist() == [0, 0, 1, np.inf]
    assert expm1(np.array([-800.0, 0.0, 800.0])).tolist() == [-1, 0, np.inf]
    assert power(np.array([0.0, 1.0, 0.3]), 0.6)[:2].tolist() == [0, 1]
    assert power(np.array([0.3]), 1.0).tolist() == [0.3]


@pytest.mark.parametrize(
    ("found", "bits"),
    [
        (log(3.0), "0x1.193ea7aad030bp+0"),
        (exp(1.0), "0x1.5bf0a8b14576ap+1"),
        (log1p(1e-5), "0x1.4f8aea9ae7318p-17"),
        (power(7.0, -0.85), "0x1.87bd23c00be1ap-3"),
    ],
)
def test_the_last_bit_is_fixed(found: Floats, bits: str) -> None:
    assert float(found).hex() == bits
