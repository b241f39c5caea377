"""Parse arguments with several numbers, such as ``50,100`` or ``LOW:HIGH:STEP``, and budgets with units."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import click

from summc.errors import SettingError
from summc.text.numbers import Amount, parse_amount

#: The most numbers that an argument may hold; more numbers suggest a mistyped step.
_MOST = 1000


def numbers_in(text: str, flag: str, meaning: str, example: str) -> list[float]:
    """Return the numbers in the argument ``text`` of a flag, each once, in the order given.

    ``meaning`` (such as "values of mu") and ``example`` (such as "3:8:0.5") are for the error message.
    """
    try:
        found = [number for part in text.split(",") for number in _range(part)]
        if len(found) > _MOST:
            raise ValueError  # noqa: TRY301 (refused with the rest)
    except ValueError:
        remedy = f"write LOW:HIGH:STEP, such as {example}"
        raise SettingError(flag, f"must be {meaning}, got {text}", remedy) from None
    return list(dict.fromkeys(found))


class Budget(click.ParamType):  # type: ignore[type-arg]  # generic only in new versions of click
    """The parameter type of one budget K, such as 100, 5s, 600c or 10%."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the budget as an ``Amount``."""
        del param, ctx  # in click's signature, not needed here
        return _amount(value) if isinstance(value, str) else value


class Budgets(Budget):
    """The parameter type of one or several budgets K, for commands whose ``-k`` takes several."""

    name = "budgets"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the budgets as a tuple of ``Amount``; raise if one of them is not a length."""
        del param, ctx  # in click's signature, not needed here
        if not isinstance(value, str):
            return value
        if ":" in value:
            return tuple(Amount(each, "") for each in numbers_in(value, "--budget", "budgets", "25:400:25"))
        return tuple(dict.fromkeys(_amount(part) for part in value.split(",")))


def _amount(text: str) -> Amount:
    with suppress(ValueError):
        return Amount(float(text), "")
    return Amount(*parse_amount(text, "--budget"))  # which refuses it


def _range(text: str) -> list[float]:
    parts = [float(part) for part in text.split(":")]
    if len(parts) not in (1, 3):
        raise ValueError
    low, high, step = parts if len(parts) == 3 else (parts[0], parts[0], 1.0)  # noqa: PLR2004 (its three parts)
    if not (0 <= low <= high <= 1e9 and step > 0 and (high - low) / step < _MOST):  # noqa: PLR2004 (sane)
        raise ValueError
    if len(parts) == 1:
        return parts
    # The values are rounded, so that 0.1 + 0.2 gives 0.3. The 1e-9 keeps the upper end if it is missed only
    # by a rounding error.
    digits = 9 + max(0, -math.floor(math.log10(step)))
    return [round(low + i * step, digits) for i in range(int((high - low) / step + 1e-9) + 1)]
