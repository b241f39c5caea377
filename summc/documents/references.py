"""Reference summaries: plain text, or the HTML of DUC 2003."""

from __future__ import annotations

import re
from dataclasses import dataclass

from summc.documents.decoding import decode
from summc.documents.tree import TreeFile
from summc.errors import InputError, NotFoundError

_HTML_LABEL = re.compile(r"<a\s+name=[^<>]*>\s*\[\d+\]\s*</a>", re.IGNORECASE)
_HTML_HEAD_BEGINS = re.compile(r"<head\b", re.IGNORECASE)
_HTML_HEAD_ENDS = re.compile(r"</head\s*>", re.IGNORECASE)
_HTML_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawReference:
    """A reference as read; ``problem`` says, with its place, why there is no text, if so."""

    text: str = ""
    problem: str = ""


def read_reference(file: TreeFile, encoding: str = "auto") -> RawReference:
    """Return the text of a reference that was found, or what is wrong with it."""
    try:
        text = decode(file.read(), file.place, encoding)
    except (InputError, NotFoundError) as error:  # it may be gone since it was found
        return RawReference(problem=f"{error.place}: {error.problem}")
    if file.path.lower().endswith((".html", ".htm")):
        text = _HTML_TAG.sub(" ", _HTML_LABEL.sub(" ", _without_head(text)))
        text = " ".join(text.split())
    if not text.strip():
        return RawReference(problem=f"{file.place}: an empty reference")
    return RawReference(text.strip())


def _without_head(text: str) -> str:
    """Return a page without its head; there is one, so that no other is looked for."""
    begins = _HTML_HEAD_BEGINS.search(text)
    ends = _HTML_HEAD_ENDS.search(text, begins.end()) if begins else None
    return f"{text[: begins.start()]} {text[ends.end() :]}" if begins and ends else text
