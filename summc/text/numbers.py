"""Numbers as people write them."""

from __future__ import annotations

from typing import Any


def plain(number: float) -> float | int:
    """Return a number as people write it: 100, not 100.0."""
    return int(number) if abs(number) <= 1e15 and float(number).is_integer() else number  # noqa: PLR2004 (exact below)


def shown(value: Any) -> Any:
    """Return a setting as people write it: a number plainly, a word as it is."""
    return plain(value) if isinstance(value, float) else value


def figure(value: float, digits: int) -> str:
    """Return a measured number in so many digits, or as many as it has before the point."""
    is_long = 10**digits - 0.5 <= value < 1e15  # noqa: PLR2004 (exact below)
    return f"{value:.0f}" if is_long else f"{value:.{digits}g}"
