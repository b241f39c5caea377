"""Turn a text into the tokens that ROUGE metrics compare: cut it, find its words, and stem them.

Words are of ASCII letters as in ROUGE-1.5.5, or of the letters of every script. SumEval finds them, but we do
not use its stemming, because it stems only the references.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import regex
from sumeval.metrics.lang.base_lang import BaseLang
from sumeval.metrics.rouge import RougeCalculator

from summc.rouge.stems import stem
from summc.system.logs import log
from summc.text.numbers import count_words, first_words

ASCII = "ascii"
EVERY_SCRIPT = "every-script"

# In Chinese and Japanese, which have no spaces between words, each character counts as a word.
_WORD = regex.compile(
    r"(?V1)[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+"
)
_ASCII_LETTER = regex.compile(r"[A-Za-z]")
_OTHER_LETTER = regex.compile(r"(?V1)[\p{L}--[A-Za-z]]")
# Scripts that have no spaces between words, and in which a single character is not a word either. So summc
# cannot find words in them.
_UNSEGMENTED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_LETTER = regex.compile(r"[\p{L}\p{M}]")
_WHITE_SPACE = " \t\n\r\f\v"  # ASCII only: for ROUGE-1.5.5 a no-break space does not separate words
_SEPARATOR = re.compile(f"[{_WHITE_SPACE}]+")

Tokens = tuple[str, ...]
#: How to cut a line. The first function takes a line and a number, and returns that many words (or bytes) of
#: its beginning. The second returns how many the line has.
Cut = tuple[Callable[[str, int], str], Callable[[str], int]]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """The tokens of a text, and the tokens of each line, because ROUGE-L and ROUGE-W compare line by line."""

    tokens: Tokens
    lines: tuple[Tokens, ...]


@functools.lru_cache(maxsize=1024)  # the references are the same for every selector and setting
def read(
    text: str, script: str, word_limit: int | None = None, byte_limit: int | None = None,
    *, remove_stopwords: bool = False, stemmed: bool = False,
) -> Text:  # fmt: skip
    """Return a text as tokens: cut it, find its words, remove stop words, and stem the rest, as asked.

    At most one of the limits is given.
    """
    if script != ASCII:
        text = unicodedata.normalize("NFC", text)  # so that composed and decomposed letters match
    whole = lines = text.split("\n")
    if byte_limit is not None:
        lines = _cut(whole, byte_limit, _BYTES)
    elif word_limit is not None:
        lines = _cut(whole, word_limit, _FIELDS if script == ASCII else _WORDS)
    tokenize = calculator(script, remove_stopwords=remove_stopwords).tokenize

    def tokens(lines: Sequence[str]) -> tuple[Tokens, ...]:
        return tuple(tuple(map(stem, tokenize(line)) if stemmed else tokenize(line)) for line in lines)

    by_line = tokens(lines)
    every = tuple(chain.from_iterable(by_line))
    return Text(every, tokens(_cut(whole, byte_limit, _BYTES, per_line=True)) if byte_limit else by_line)


def _cut(lines: Sequence[str], most: int, by: Cut, *, per_line: bool = False) -> list[str]:
    """Return the lines of the beginning of a text, up to ``most`` words or bytes.

    With ``per_line``, the limit holds for each line alone, and the first line that reaches it is the last. In
    ROUGE-1.5.5 a limit of bytes works so for ROUGE-L and ROUGE-W.
    """
    beginning, (first, size) = list[str](), by
    for line in lines:
        beginning.append(first(line, most))
        left = most - size(line)
        if left <= 0:
            break
        most = most if per_line else left
    return beginning


def _fields(line: str) -> list[str]:
    """Return the words of a line as ROUGE-1.5.5 cuts at them: "well-known" is one word."""
    # White space at the beginning counts as one more word: Perl's ``split`` finds an empty field before it.
    return _SEPARATOR.split(line.rstrip(_WHITE_SPACE)) if line.strip(_WHITE_SPACE) else []


def _first_bytes(line: str, most: int) -> str:
    return line.encode("utf-8", "surrogatepass")[:most].decode("utf-8", "ignore")


def _size(line: str) -> int:
    return len(line.encode("utf-8", "surrogatepass"))  # text from JSON may contain a lone surrogate


_BYTES: Cut = (_first_bytes, _size)
_WORDS: Cut = (first_words, count_words)
_FIELDS: Cut = (lambda line, most: " ".join(_fields(line)[:most]), lambda line: len(_fields(line)))


@functools.cache
def calculator(script: str = EVERY_SCRIPT, *, remove_stopwords: bool = False) -> Any:
    """Return SumEval's calculator, whose parts we call one by one, so that nothing is counted twice."""

    class EveryScript(BaseLang):  # type: ignore[misc]  # SumEval has no types
        """A SumEval language whose words are made of the letters and digits of every script."""

        def tokenize(self, text: str) -> list[str]:
            return _WORD.findall(text)

    lang = "en" if script == ASCII else EveryScript(script)
    return RougeCalculator(
        stopwords=remove_stopwords, stemming=False, word_limit=-1, length_limit=-1, lang=lang
    )


def is_mostly_ascii(texts: Sequence[str]) -> bool:
    """Tell whether at least half of the letters in the texts are ASCII letters."""
    joined = " ".join(texts)
    return joined.isascii() or len(_OTHER_LETTER.findall(joined)) <= len(_ASCII_LETTER.findall(joined))


def warn_of_unsegmented(references: Sequence[str], place: str) -> None:
    """Warn if a reference is in a script that summc cannot split into words, such as Thai."""
    if any(2 * len(_UNSEGMENTED.findall(text)) > len(_LETTER.findall(text)) for text in references):
        problem = "references in a language that writes no spaces between words, which are not told apart"
        log.warning("%s: %s; scores will be far too low", place, problem)
