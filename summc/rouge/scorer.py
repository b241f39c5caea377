"""Score a summary against references, under one of two protocols.

A reference is a summary that a person wrote. The protocols are:

``paper``: ROUGE as the paper defines it. The summary is compared with each reference alone, and the scores
are averaged.

``official``: the scores that ROUGE-1.5.5 prints. All texts are cut after K words or N bytes. The counts of
all references are added up. Recall and precision are rounded to five digits before F is computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from summc.errors import InputError, as_typed
from summc.records import Score
from summc.rouge.metrics import OFFICIAL, PAPER, Metric
from summc.rouge.ngrams import pooled
from summc.rouge.texts import ASCII, EVERY_SCRIPT, Reading, Text, is_mostly_ascii, read
from summc.system.versions import version

PROTOCOLS = ("paper", "official")

#: ROUGE-1.5.5 rounds every score to this many digits after the point, even before it computes F and means.
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Rouge:
    """A ROUGE scorer with its options.

    ``limit`` cuts every text after that many words, ``byte_limit`` after that many bytes; give at most one of
    them. With ``stem``, words are compared by the stems of ROUGE-1.5.5. ``remove_stopwords`` leaves out the
    598 English stop words of ROUGE-1.5.5.
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
        """Return the scores of a summary against its references: metric -> score.

        ``place`` names the summary in error messages.
        """
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
        """Return which letters can be part of a word in these texts: "ascii" or "every-script".

        Official protocol: ASCII letters, as in ROUGE-1.5.5, unless most letters in the texts are not ASCII.
        Paper's protocol: the same if the language is English, else letters of every script.
        """
        may_be_ascii = self.protocol == "official" or language == "en"
        return ASCII if may_be_ascii and is_mostly_ascii(texts) else EVERY_SCRIPT

    def tokens(self, text: str, script: str) -> list[str]:
        """Return the tokens of a text that the scorer compares.

        The text is cut, stop words are removed and words are stemmed as the options say. ``script`` says
        which letters can be part of a word, "ascii" or "every-script"; ``Rouge.script`` finds it.
        """
        return list(read(text, self._reading(script)).tokens)

    def reference_tokens(
        self, references: Sequence[str], script: str, place: str = "summary"
    ) -> list[list[str]]:
        """Return, for each reference, its tokens that the scorer compares.

        ``script`` says which letters can be part of a word, "ascii" or "every-script"; ``Rouge.script`` finds
        it. ``place`` names the summary in error messages.
        """
        return [list(text.tokens) for text in self._read_references(references, script, place)]

    def signature(self, metric: str, references: int | str, script: str) -> str:
        """Return the metric and every option on one line, so that a score can be reproduced.

        ``references`` is the number of references, or a range such as 2-4. ``script`` is "ascii" or
        "every-script".
        """
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
        """Return the references as tokens; raise ``InputError`` if references have no words to compare.

        ``place`` names the summary in the error. The official protocol adds up the counts of all references,
        so one reference with words is enough. The paper's protocol takes a mean over the references, so each
        reference must have words.
        """
        if not references:
            raise InputError(
                place, "no reference to score against", f"name one with {as_typed('references')}"
            )
        texts = [read(reference, self._reading(script)) for reference in references]
        empty = [i for i, text in enumerate(texts, start=1) if not text.tokens]
        advice = "give a reference that holds text"
        if len(empty) == len(texts) > 1:
            raise InputError(place, "no reference has words", advice)
        if empty and (self.protocol == "paper" or len(texts) == 1):
            raise InputError(place, f"reference {empty[0]} has no words", advice)
        return texts


def _official_figures(
    metric: Metric, summary: Text, references: Sequence[Text]
) -> tuple[float, float, float]:
    """Return recall, precision and F as ROUGE-1.5.5 prints them: from the summed counts of all references."""
    matches = pooled(metric.count(summary, reference) for reference in references)
    recall, precision = round(metric.recall(matches), _DIGITS), round(metric.precision(matches), _DIGITS)
    return recall, precision, round(_f_measure(recall, precision), _DIGITS)


def _paper_figures(metric: Metric, summary: Text, references: Sequence[Text]) -> tuple[float, float, float]:
    """Return recall, precision and F, each as the mean over the references."""
    each = [metric.count(summary, reference) for reference in references]
    recalls, precisions = list(map(metric.recall, each)), list(map(metric.precision, each))
    return fmean(recalls), fmean(precisions), fmean(map(_f_measure, recalls, precisions))


def _f_measure(recall: float, precision: float) -> float:
    mean = 0.5 * precision + 0.5 * recall
    return precision * recall / mean if mean else 0.0
