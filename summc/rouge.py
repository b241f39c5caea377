"""Stage 6: ROUGE-1 of a summary against references, through SumEval.

As the paper defines it: the share of a reference's words that the summary has, averaged over the references.
SumEval pools several references, so it is asked once for each; its stemming stems one side only, so it is
never used; its English tokenizer knows ASCII letters only, so other scripts get one that knows all letters.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import version
from statistics import fmean
from typing import Any

import regex
from sumeval.metrics.lang.base_lang import BaseLang
from sumeval.metrics.rouge import RougeCalculator

from summc.errors import InputError
from summc.records import Score

_ASCII_LETTER = regex.compile(r"[A-Za-z]")
_OTHER_LETTER = regex.compile(r"[\p{L}--[A-Za-z]]", regex.VERSION1)
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+",
    regex.VERSION1,
)


class EveryScript(BaseLang):  # type: ignore[misc]  # SumEval has no types
    """A language for SumEval in which the letters and digits of every script make words."""

    def __init__(self) -> None:
        super().__init__("every-script")

    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text."""
        return _WORD.findall(text)


def rouge1(summary: str, references: Sequence[str], *, place: str = "summary") -> Score:
    """Return ROUGE-1 recall, precision and F1, each the mean over the references."""
    if not references:
        raise InputError(place, "no reference to score against", "name one with --reference FILE")
    script = script_of([summary, *references])
    calculator = _calculator(script)
    folded = " ".join(summary.split())
    for i, reference in enumerate(references):
        if not calculator.tokenize(reference):
            raise InputError(place, f"reference {i + 1} has no words", "give a reference that holds text")
    each = [_scores(calculator, folded, " ".join(reference.split())) for reference in references]
    recall, precision, f1 = (fmean(score[i] for score in each) for i in range(3))
    return Score(recall, precision, f1, _signature(len(references), script))


def script_of(texts: Sequence[str]) -> str:
    """Return which tokenizer suits texts: ``ascii``, SumEval's own, or ``every-script``."""
    joined = " ".join(texts)
    outside = len(_OTHER_LETTER.findall(joined))
    return "every-script" if outside > len(_ASCII_LETTER.findall(joined)) else "ascii"


def _scores(calculator: Any, summary: str, reference: str) -> tuple[float, float, float]:
    # SumEval returns the F measure of a given alpha: at 0 it is the recall, at 1 the precision.
    recall, precision, f1 = (calculator.rouge_1(summary, reference, alpha=alpha) for alpha in (0, 1, 0.5))
    return recall, precision, f1


@functools.cache
def _calculator(script: str) -> Any:
    lang = "en" if script == "ascii" else EveryScript()
    return RougeCalculator(stopwords=False, stemming=False, word_limit=-1, length_limit=-1, lang=lang)


def _signature(references: int, script: str) -> str:
    return (
        f"rouge-1|references:{references},mean|case:lower|tokenizer:{script}|stem:none|stopwords:kept"
        f"|limit:none|sumeval:{version('sumeval')}|summc:{version('summc')}"
    )
