"""Turn a text into the tokens that ROUGE metrics compare."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from summc.rouge import engine
from summc.rouge.cuts import cut_at_bytes, cut_at_words, cut_at_words_of_every_script, cut_lines_at_bytes
from summc.rouge.scripts import ASCII
from summc.rouge.stems import stem

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
