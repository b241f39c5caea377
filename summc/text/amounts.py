"""Parse the length of a summary as a user writes it.

``100`` means words, ``5s`` sentences, ``600c`` characters, and ``10%`` a tenth of the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from summc.errors import SettingError, named

#: Unit of a length -> the suffix that follows the number. A number without a suffix is a number of words.
SUFFIXES = {"words": "", "sentences": "s", "characters": "c", "percent": "%"}
UNITS = tuple(SUFFIXES)

_AMOUNT = re.compile(r"\s*([^\s%]*?)\s*(%|[a-z]?)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A budget as the user wrote it; ``unit`` is "" if no unit was written."""

    number: float
    unit: str

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings "budget" and, if a unit was written, "unit".

        ``given`` has all settings that the user gave; raise ``SettingError`` if it has another unit.
        """
        if self.unit and given.get("unit", self.unit) != self.unit:
            problem = f"{given['unit']}, where {named('budget')} counts {self.unit}"
            raise SettingError(named("unit"), problem, "give one of them")
        return {"budget": self.number, **({"unit": self.unit} if self.unit else {})}


def has_unit(text: str) -> bool:
    """Tell whether a length ends in the suffix of a unit, such as ``w`` or ``%``."""
    return text.strip()[-1:].lower() in {*filter(None, SUFFIXES.values()), "w"}


def parse_amount(text: str, place: str) -> tuple[float, str]:
    """Return the number and the unit of a length: 5.0 and "sentences" for ``5s``.

    ``place`` names the setting in the error message.
    """
    number, suffix = _parts(text)
    for unit, known in {**SUFFIXES, "words": "w"}.items():
        if suffix in (known, SUFFIXES[unit]):
            try:
                return float(number), unit
            except ValueError:
                break
    raise SettingError(place, f"{text!r} is not a length", "write 100, 5s, 600c or 10%")


def _parts(text: str) -> tuple[str, str]:
    found = _AMOUNT.fullmatch(text)
    return (found[1], found[2].lower()) if found else (text, "")
