"""Decide which letters can be part of a word: only ASCII letters, as in ROUGE-1.5.5, or all letters."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import regex

log = logging.getLogger("summc")

ASCII = "ascii"
EVERY_SCRIPT = "every-script"

_ASCII_LETTER = regex.compile(r"[A-Za-z]")
_OTHER_LETTER = regex.compile(r"[\p{L}--[A-Za-z]]", regex.VERSION1)

# Scripts that have no spaces between words, and in which a single character is not a word either. So summc
# cannot find words in them.
_UNSEGMENTED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_LETTER = regex.compile(r"[\p{L}\p{M}]")


def is_mostly_ascii(texts: Sequence[str]) -> bool:
    """Tell whether at least half of the letters in the texts are ASCII letters."""
    joined = " ".join(texts)
    if joined.isascii():
        return True
    return len(_OTHER_LETTER.findall(joined)) <= len(_ASCII_LETTER.findall(joined))


def warn_of_unsegmented(references: Sequence[str], place: str) -> None:
    """Warn if a reference is in a script that summc cannot split into words, such as Thai.

    Hardly any words would match, so scores would be far too low. ``place`` names the cluster or file.
    """
    if any(2 * len(_UNSEGMENTED.findall(text)) > len(_LETTER.findall(text)) for text in references):
        problem = "references in a language that writes no spaces between words, which are not told apart"
        log.warning("%s: %s; scores will be far too low", place, problem)
