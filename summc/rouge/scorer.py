"""Score a summary against references, under one of two protocols.

``paper``: ROUGE as the paper defines it. The summary is compared with each reference alone, and the scores
are averaged.

``official``: the scores that ROUGE-1.5.5 prints. All texts are cut after K words or N bytes. The counts of
all references are added up. Recall and precision are rounded to five digits before F is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from summc.errors import InputError, as_typed
from summc.records import Score
from summc.rouge import counts
from summc.rouge.counts import POWER, Matches
from summc.rouge.texts import ASCII, EVERY_SCRIPT, Text, is_mostly_ascii, read
from summc.system.versions import version
from summc.text.arithmetic import power

#: ROUGE-1.5.5 rounds every score to this many digits after the point, even before it computes F and means.
_DIGITS = 5

Count = Callable[[Text, Text], Matches]
#: Name -> how the official protocol counts, as ROUGE-1.5.5 does.
OFFICIAL: Mapping[str, Count] = {
    **{f"rouge{n}": partial(counts.gram_matches, partial(counts.ngrams, n=n)) for n in (1, 2, 3, 4)},
    "rougeL": counts.lcs_matches,
    "rougeW": counts.weighted_lcs_matches,
    "rougeSU4": partial(counts.gram_matches, counts.skip_bigrams),
}
#: The same for the paper's protocol. Only ROUGE-L differs: SumEval's compares whole texts, not line by line.
PAPER: Mapping[str, Count] = {**OFFICIAL, "rougeL": counts.whole_lcs_matches}


@dataclass(frozen=True, slots=True)
class Rouge:
    """A ROUGE scorer with its options.

    ``limit`` cuts every text after that many words, ``byte_limit`` after that many bytes; give at most one of
    them. With ``stem``, words are compared by the stems of ROUGE-1.5.5. ``remove_stopwords`` leaves out the
    598 English stop words of ROUGE-1.5.5. The argument ``place`` of methods names the summary in errors.
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
        """Return the scores of a summary against its references: metric -> score."""
        script = self.script([summary, *references], language)
        mine, theirs = self.read(summary, script), self.read_references(references, script, place)
        return {
            name: Score(*self._figures(name, mine, theirs), self.signature(name, len(references), script))
            for name in self.metrics
        }

    def _figures(self, name: str, summary: Text, references: Sequence[Text]) -> tuple[float, float, float]:
        """Return recall, precision and F by a metric."""
        # ROUGE-W counts lengths raised to a power. Its recall and precision undo this.
        root = 1 / POWER if name == "rougeW" else 1
        if self.protocol == "official":
            matches = [OFFICIAL[name](summary, reference) for reference in references]
            pooled = Matches(*map(sum, zip(*matches, strict=True)))
            recall, precision = (round(figure, _DIGITS) for figure in shares(pooled, root))
            return recall, precision, round(f_measure(recall, precision), _DIGITS)
        pairs = [shares(PAPER[name](summary, reference), root) for reference in references]
        recalls, precisions = zip(*pairs, strict=True)
        return fmean(recalls), fmean(precisions), fmean(map(f_measure, recalls, precisions))

    def script(self, texts: Sequence[str], language: str) -> str:
        """Return which letters can be part of a word in these texts: "ascii" or "every-script".

        Letters are ASCII unless most are not, as in ROUGE-1.5.5; in the paper's protocol only for English.
        """
        may_be_ascii = self.protocol == "official" or language == "en"
        return ASCII if may_be_ascii and is_mostly_ascii(texts) else EVERY_SCRIPT

    def signature(self, metric: str, references: int | str, script: str) -> str:
        """Return the metric, the number (or range) of references and every option on one line."""
        pooling = "pooled" if self.protocol == "official" else "mean"
        limit = f"{self.byte_limit}-bytes" if self.byte_limit else self.limit or "none"
        parts: Mapping[str, object] = {
            "references": f"{references},{pooling}", "case": "lower", "tokenizer": script,
            "stem": "rouge-1.5.5" if self.stem else "none",
            "stopwords": "removed" if self.remove_stopwords else "kept", "limit": limit,
            "sumeval": version("sumeval"), "summc": version("summc"),
        }  # fmt: skip
        return "|".join([metric, *(f"{name}:{value}" for name, value in parts.items())])

    def read(self, text: str, script: str) -> Text:
        """Return a text as the tokens that the scorer compares; ``Rouge.script`` finds the ``script``."""
        options = {"remove_stopwords": self.remove_stopwords, "stemmed": self.stem}
        return read(text, script, self.limit, self.byte_limit, **options)

    def read_references(self, references: Sequence[str], script: str, place: str) -> list[Text]:
        """Return the references as tokens; raise ``InputError`` if references have no words to compare.

        For summed counts one reference with words is enough, but for a mean each reference must have some.
        """
        if not references:
            remedy = f"name one with {as_typed('references')}"
            raise InputError(place, "no reference to score against", remedy)
        texts = [self.read(reference, script) for reference in references]
        empty = [i for i, text in enumerate(texts, start=1) if not text.tokens]
        if len(empty) == len(texts) or (empty and self.protocol == "paper"):
            raise InputError(place, f"reference {empty[0]} has no words", "give a reference that holds text")
        return texts


def shares(matches: Matches, root: float = 1) -> list[float]:
    """Return recall and precision: the shares of the reference and of the summary that match."""
    matched, *sizes = matches
    return [float(power(matched / size, root)) if size else 0.0 for size in sizes]


def f_measure(recall: float, precision: float) -> float:
    """Return the harmonic mean of recall and precision, or 0 if both are 0."""
    mean = 0.5 * precision + 0.5 * recall
    return precision * recall / mean if mean else 0.0
