"""Read RTF with striprtf."""

from __future__ import annotations

import re
from collections.abc import Callable

from striprtf.striprtf import rtf_to_text

from summc.documents.paragraphs import meant_lines
from summc.documents.raw import Content
from summc.text.dates import read_property_date

_CREATED = re.compile(r"\\creatim\\yr(\d{4})\\mo(\d\d?)\\dy(\d\d?)")
_to_text: Callable[..., str] = rtf_to_text


def read(data: bytes, _place: str, _encoding: str) -> Content:
    """Return the paragraphs and the day of creation of an RTF document; notes and headers are left out."""
    text = data.decode("latin-1")
    created = _CREATED.search(text)
    day = "-".join(f"{int(number):02}" for number in created.groups()) if created else ""
    lines = _to_text(text, errors="replace").replace("|", "\n")  # striprtf writes a bar after a table cell
    return Content(meant_lines(lines), file_date=read_property_date(day))
