"""Stage 6: ROUGE of a summary against references, through SumEval.

Two protocols. ``paper``, as the paper defines it: the share of a reference's words that the summary has,
averaged over the references; SumEval pools several references, so it is asked once for each. ``official``,
what ROUGE-1.5.5 prints with ``-n 1 -l K``: references pooled, all texts cut at K words. In Chinese and
Japanese, of which that tool knows nothing, a character is a word, to be compared and where a text is cut.

SumEval's stemming stems one side only, so it is never used: where stems are wanted, both sides are stemmed
first. Its English tokenizer knows ASCII letters only, so other languages get one that knows all letters; its
stop words are English.
"""

from __future__ import annotations

import functools
import logging
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import regex

from summc.errors import InputError
from summc.lengths import first_words
from summc.records import Score
from summc.stemmers import MOST_KEPT, porter
from summc.versions import version

log = logging.getLogger("summc")

METRICS = ("rouge1", "rouge2", "rougeL")
PROTOCOLS = ("paper", "official")

_ASCII_LETTER = regex.compile(r"[A-Za-z]")
_OTHER_LETTER = regex.compile(r"[\p{L}--[A-Za-z]]", regex.VERSION1)
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERSION1,
)

# Scripts that write no spaces between words and whose characters are no words either.
_UNSEGMENTED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_LETTER = regex.compile(r"[\p{L}\p{M}]")

Tokens = list[str]


@dataclass(frozen=True, slots=True)
class Rouge:
    """A way of scoring.

    ``limit`` cuts every text at so many words (None: never); ``stem`` takes Porter stems on both sides;
    ``remove_stopwords`` leaves out the 598 words of SumEval's list.
    """

    metrics: tuple[str, ...] = ("rouge1",)
    protocol: str = "paper"
    stem: bool = False
    remove_stopwords: bool = False
    limit: int | None = None

    def score(
        self, summary: str, references: Sequence[str], *, language: str = "en", place: str = "summary"
    ) -> dict[str, Score]:
        """Return the score by each metric."""
        script = self.script([summary, *references], language)
        mine = self.tokens(summary, script)
        theirs = self.reference_tokens(references, script, place)
        groups = [theirs] if self.protocol == "official" else [[tokens] for tokens in theirs]
        found = {}
        for metric in self.metrics:
            each = [_figures(metric, mine, group) for group in groups]
            recall, precision, f1 = (fmean(figures[i] for figures in each) for i in range(3))
            found[metric] = Score(recall, precision, f1, self.signature(metric, len(references), script))
        return found

    def script(self, texts: Sequence[str], language: str) -> str:
        """Return which tokenizer suits texts: ``ascii``, SumEval's own, or ``every-script``.

        ROUGE-1.5.5 knows ASCII letters only, so official scores keep to them where the texts leave a choice;
        other scores do so in English alone. Text of other letters for the most part is not English, whatever
        was said.
        """
        joined = " ".join(texts)
        foreign = len(_OTHER_LETTER.findall(joined)) > len(_ASCII_LETTER.findall(joined))
        ascii_enough = self.protocol == "official" or language == "en"
        return "ascii" if ascii_enough and not foreign else "every-script"

    def tokens(self, text: str, script: str) -> Tokens:
        """Return the words of a text that are compared."""
        return list(_tokens(text, script, self.limit, stopwords=self.remove_stopwords, stem=self.stem))

    def reference_tokens(
        self, references: Sequence[str], script: str, place: str = "summary"
    ) -> list[Tokens]:
        """Return the words of each reference; every one must have some."""
        if not references:
            raise InputError(place, "no reference to score against", "name one with --reference FILE")
        theirs = [self.tokens(reference, script) for reference in references]
        for i, tokens in enumerate(theirs, start=1):
            if not tokens:
                raise InputError(place, f"reference {i} has no words", "give a reference that holds text")
        return theirs

    def signature(self, metric: str, references: int | str, script: str) -> str:
        """Return every option on one line; how many references may be a range, as 2-4."""
        pooling = "pooled" if self.protocol == "official" else "mean"
        parts: Mapping[str, object] = {
            "references": f"{references},{pooling}",
            "case": "lower",
            "tokenizer": script,
            "stem": "porter" if self.stem else "none",
            "stopwords": "removed" if self.remove_stopwords else "kept",
            "limit": self.limit or "none",
            "sumeval": version("sumeval"),
            "summc": version("summc"),
        }
        return "|".join([metric, *(f"{name}:{value}" for name, value in parts.items())])


def warn_of_unsegmented(references: Sequence[str], place: str) -> None:
    """Warn where the words of references cannot be told apart: hardly any would be found in a summary."""
    if any(2 * len(_UNSEGMENTED.findall(text)) > len(_LETTER.findall(text)) for text in references):
        problem = "references in a language that writes no spaces between words, which are not told apart"
        log.warning("%s: %s; scores will be far too low", place, problem)


def rouge1(summary: str, references: Sequence[str], *, place: str = "summary") -> Score:
    """Return ROUGE-1 as the paper has it."""
    return Rouge().score(summary, references, place=place)["rouge1"]


def _figures(metric: str, summary: Tokens, references: list[Tokens]) -> tuple[float, float, float]:
    calculator = _calculator("every-script", stopwords=False)
    measure = {"rouge1": calculator.rouge_1, "rouge2": calculator.rouge_2, "rougeL": calculator.rouge_l}[
        metric
    ]
    # SumEval returns the F measure of a given alpha: at 0 it is the recall, at 1 the precision.
    recall, precision, f1 = (measure(summary, references, alpha=alpha) for alpha in (0, 1, 0.5))
    return recall, precision, f1


@functools.lru_cache(maxsize=1024)  # the references are the same for every selector and setting
def _tokens(text: str, script: str, limit: int | None, *, stopwords: bool, stem: bool) -> tuple[str, ...]:
    if script != "ascii":
        text = unicodedata.normalize("NFC", text)  # a letter and its mark are one, however they are written
    words = text.split()  # as the official tool counts, which knows of no script without spaces
    if limit is not None:
        words = words[:limit] if script == "ascii" else first_words(text, limit).split()
    tokens: Tokens = _calculator(script, stopwords=stopwords).tokenize(" ".join(words))
    return tuple(_stemmer()(token) for token in tokens) if stem else tuple(tokens)


@functools.cache
def _calculator(script: str, *, stopwords: bool) -> Any:
    from sumeval.metrics.lang.base_lang import BaseLang  # noqa: PLC0415 (not needed to print help)
    from sumeval.metrics.rouge import RougeCalculator  # noqa: PLC0415

    class EveryScript(BaseLang):  # type: ignore[misc]  # SumEval has no types
        """A language for SumEval in which the letters and digits of every script make words."""

        def tokenize(self, text: str) -> list[str]:
            return _WORD.findall(text)

    lang = "en" if script == "ascii" else EveryScript(script)
    return RougeCalculator(stopwords=stopwords, stemming=False, word_limit=-1, length_limit=-1, lang=lang)


@functools.cache
def _stemmer() -> Callable[[str], str]:
    stem = porter()
    return functools.lru_cache(MOST_KEPT)(lambda token: stem(token.lower()))
