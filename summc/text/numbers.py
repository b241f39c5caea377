"""Convert numbers to the form in which people write them."""

from __future__ import annotations

from typing import Any


def plain(number: float) -> float | int:
    """Return a whole number as an integer, so that it prints as 100, not 100.0; return others unchanged."""
    return int(number) if abs(number) <= 1e15 and float(number).is_integer() else number  # noqa: PLR2004 (exact below)


def shown(value: Any) -> Any:
    """Return the value of a setting as people write it: 100.0 becomes 100, other values are unchanged."""
    return plain(value) if isinstance(value, float) else value


def figure(value: float, digits: int) -> str:
    """Return a number as text, rounded to ``digits`` significant digits.

    Digits before the decimal point are never cut: with 3 digits, 12345.6 becomes "12346".
    """
    is_long = 10**digits - 0.5 <= value < 1e15  # noqa: PLR2004 (exact below)
    return f"{value:.0f}" if is_long else f"{value:.{digits}g}"
