"""Score a summary against references, under one of two protocols.

``paper``: as the paper defines ROUGE. Each reference is compared by itself, and the scores are averaged.
``official``: the scores that ROUGE-1.5.5 prints. All texts are cut at K words or N bytes, the references are
pooled, and recall and precision are rounded to five digits before F is computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from summc.errors import InputError, named
from summc.files.versions import version
from summc.records import Score
from summc.rouge.matches import pooled
from summc.rouge.metrics import OFFICIAL, PAPER, Metric
from summc.rouge.scripts import ASCII, EVERY_SCRIPT, is_mostly_ascii
from summc.rouge.texts import Reading, Text, read

PROTOCOLS = ("paper", "official")

#: Digits after the point to which ROUGE-1.5.5 rounds, also before it computes F and means.
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Rouge:
    """A ROUGE scorer with its options.

    ``limit`` cuts every text after that many words, ``byte_limit`` after that many bytes; give at most one.
    ``stem`` compares ROUGE-1.5.5's stems. ``remove_stopwords`` leaves out its 598 English stop words.
    """

    metrics: tuple[str, ...] = ("rouge1",)
    protocol: str = "paper"
    stem: bool = False
    remove_stopwords: bool = False
    limit: int | None = None
    byte_limit: int | None = None

    def score(
        self, summary: str, references: Sequence[str], *, language: str = "en", place: str = "summary"
    ) -> dict[str, Score]:
        """Return the score by each metric; ``place`` names the summary in errors."""
        script = self.script([summary, *references], language)
        mine = read(summary, self._reading(script))
        theirs = self._read_references(references, script, place)
        figures = _official_figures if self.protocol == "official" else _paper_figures
        known = OFFICIAL if self.protocol == "official" else PAPER
        return {
            name: Score(*figures(known[name], mine, theirs), self.signature(name, len(references), script))
            for name in self.metrics
        }

    def script(self, texts: Sequence[str], language: str) -> str:
        """Return which letters make words in these texts: ``ascii`` or ``every-script``.

        ROUGE-1.5.5 knows only ASCII letters. Official scores do the same, unless most letters are not ASCII.
        The paper's protocol does so under the same condition, and only in English.
        """
        may_be_ascii = self.protocol == "official" or language == "en"
        return ASCII if may_be_ascii and is_mostly_ascii(texts) else EVERY_SCRIPT

    def tokens(self, text: str, script: str) -> list[str]:
        """Return the tokens of a text, as the scorer compares them."""
        return list(read(text, self._reading(script)).tokens)

    def reference_tokens(
        self, references: Sequence[str], script: str, place: str = "summary"
    ) -> list[list[str]]:
        """Return the tokens of each reference."""
        return [list(text.tokens) for text in self._read_references(references, script, place)]

    def signature(self, metric: str, references: int | str, script: str) -> str:
        """Return every option on one line; ``references`` is their number, or a range such as 2-4."""
        pooling = "pooled" if self.protocol == "official" else "mean"
        limit = self.limit or "none"
        parts: Mapping[str, object] = {
            "references": f"{references},{pooling}",
            "case": "lower",
            "tokenizer": script,
            "stem": "rouge-1.5.5" if self.stem else "none",
            "stopwords": "removed" if self.remove_stopwords else "kept",
            "limit": f"{self.byte_limit}-bytes" if self.byte_limit else limit,
            "sumeval": version("sumeval"),
            "summc": version("summc"),
        }
        return "|".join([metric, *(f"{name}:{value}" for name, value in parts.items())])

    def _reading(self, script: str) -> Reading:
        return Reading(script, self.limit, self.byte_limit, self.remove_stopwords, self.stem)

    def _read_references(self, references: Sequence[str], script: str, place: str) -> list[Text]:
        """Return the references as tokens; raise ``InputError`` if they lack words.

        Official scores pool the references, so one with words is enough. A mean needs words in each of them.
        """
        if not references:
            raise InputError(place, "no reference to score against", f"name one with {named('references')}")
        texts = [read(reference, self._reading(script)) for reference in references]
        empty = [i for i, text in enumerate(texts, start=1) if not text.tokens]
        advice = "give a reference that holds text"
        if len(empty) == len(texts) > 1:
            raise InputError(place, "no reference has words", advice)
        if empty and (self.protocol == "paper" or len(texts) == 1):
            raise InputError(place, f"reference {empty[0]} has no words", advice)
        return texts


def rouge1(summary: str, references: Sequence[str], *, place: str = "summary") -> Score:
    """Return ROUGE-1 under the paper's protocol."""
    return Rouge().score(summary, references, place=place)["rouge1"]


def _official_figures(
    metric: Metric, summary: Text, references: Sequence[Text]
) -> tuple[float, float, float]:
    """Return recall, precision and F of the pooled counts of all references, rounded as in ROUGE-1.5.5."""
    matches = pooled(metric.count(summary, reference) for reference in references)
    recall, precision = round(metric.recall(matches), _DIGITS), round(metric.precision(matches), _DIGITS)
    return recall, precision, round(_f_measure(recall, precision), _DIGITS)


def _paper_figures(metric: Metric, summary: Text, references: Sequence[Text]) -> tuple[float, float, float]:
    """Return the means of recall, precision and F over the references."""
    each = [metric.count(summary, reference) for reference in references]
    recalls, precisions = list(map(metric.recall, each)), list(map(metric.precision, each))
    return fmean(recalls), fmean(precisions), fmean(map(_f_measure, recalls, precisions))


def _f_measure(recall: float, precision: float) -> float:
    mean = 0.5 * precision + 0.5 * recall
    return precision * recall / mean if mean else 0.0
