"""Parse the length of a summary as a user writes it.

``100`` means words, ``5s`` sentences, ``600c`` characters, and ``10%`` a tenth of the words.
"""

from __future__ import annotations

import re

from summc.errors import SettingError

#: Unit of a length -> the suffix that follows the number. A number without a suffix is a number of words.
SUFFIXES = {"words": "", "sentences": "s", "characters": "c", "percent": "%"}
UNITS = tuple(SUFFIXES)

_AMOUNT = re.compile(r"\s*([^\s%]*?)\s*(%|[a-z]?)\s*", re.IGNORECASE)


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
