"""Parse the lengths of summaries: ``100`` words, ``5s`` sentences, ``600c`` characters, ``10%`` of words."""

from __future__ import annotations

import re

from summc.errors import SettingError

#: Unit -> its suffix after a number. A number without a suffix counts words.
SUFFIXES = {"words": "", "sentences": "s", "characters": "c", "percent": "%"}
UNITS = tuple(SUFFIXES)

_AMOUNT = re.compile(r"\s*([^\s%]*?)\s*(%|[a-z]?)\s*", re.IGNORECASE)


def parse_amount(text: str, place: str) -> tuple[float, str]:
    """Return the number and the unit of a length such as ``5s``; ``place`` is for the error message."""
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
