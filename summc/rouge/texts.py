"""Turn a text into the tokens that ROUGE metrics compare: ASCII letters as in ROUGE-1.5.5, or all letters."""

from __future__ import annotations

import functools
import logging
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from summc.rouge import engine
from summc.rouge.cuts import cut_at_bytes, cut_at_words, cut_at_words_of_every_script, cut_lines_at_bytes
from summc.rouge.stems import stem

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


Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """The tokens of a text, and the tokens of each line, because ROUGE-L and ROUGE-W compare line by line."""

    tokens: Tokens
    lines: tuple[Tokens, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The options for turning a text into tokens.

    ``script`` says which letters can be part of a word: "ascii" or "every-script". At most one of
    ``word_limit`` and ``byte_limit`` is given; the text is cut there.
    """

    script: str
    word_limit: int | None = None
    byte_limit: int | None = None
    remove_stopwords: bool = False
    stem: bool = False


@functools.lru_cache(maxsize=1024)  # the references are the same for every selector and setting
def read(text: str, reading: Reading) -> Text:
    """Return a text as tokens: cut it, find its words, remove stop words, and stem the rest.

    The steps depend on the options in ``reading``.
    """
    if reading.script != ASCII:
        text = unicodedata.normalize("NFC", text)  # so that composed and decomposed letters match
    lines = text.split("\n")
    if reading.byte_limit is not None:
        tokens = _tokens(cut_at_bytes(lines, reading.byte_limit), reading)
        return Text(_joined(tokens), _tokens(cut_lines_at_bytes(lines, reading.byte_limit), reading))
    if reading.word_limit is not None:
        cut = cut_at_words if reading.script == ASCII else cut_at_words_of_every_script
        lines = cut(lines, reading.word_limit)
    tokens = _tokens(lines, reading)
    return Text(_joined(tokens), tokens)


def _tokens(lines: Sequence[str], reading: Reading) -> tuple[Tokens, ...]:
    """Return the tokens of each line."""
    found = (engine.words(line, reading.script, remove_stopwords=reading.remove_stopwords) for line in lines)
    return tuple(tuple(map(stem, words)) if reading.stem else tuple(words) for words in found)


def _joined(lines: Sequence[Tokens]) -> Tokens:
    return tuple(token for line in lines for token in line)
