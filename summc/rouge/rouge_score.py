"""ROUGE with the calls of the package ``rouge_score``, for programs that use these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

from summc.errors import SettingError
from summc.rouge.counts import gram_matches, lcs_matches, ngrams, whole_lcs_matches
from summc.rouge.scorer import Count, f_measure, shares
from summc.rouge.texts import EVERY_SCRIPT, Text, read


class Tokenizer(Protocol):
    """An object that splits a text into tokens."""

    def tokenize(self, text: str) -> Sequence[str]:
        """Return the tokens of a text."""
        ...


class Score(NamedTuple):
    """The score of a prediction by a metric, with the names and the order of ``rouge_score``."""

    precision: float
    recall: float
    fmeasure: float


class RougeScorer:
    """Scores a prediction against a target, with the calls of ``rouge_score.rouge_scorer.RougeScorer``.

    ``rouge_types`` are "rouge1" to "rouge9", "rougeL" (whole texts) and "rougeLsum" (line by line).
    With ``use_stemmer``, words are compared by the stems of ROUGE-1.5.5, which are for English. Words have
    the letters of every script, unless ``tokenizer`` finds them.
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,  # noqa: FBT001, FBT002 (as rouge_score takes it)
        *,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self._counts = {name: _count(name) for name in rouge_types}
        self._stems, self._tokenizer = use_stemmer, tokenizer

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the score of a prediction by each metric; texts without words score 0."""
        summary, reference = self._read(prediction), self._read(target)
        scores = {}
        for name, count in self._counts.items():
            recall, precision = shares(count(summary, reference))
            scores[name] = Score(precision, recall, f_measure(recall, precision))
        return scores

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return for each metric the score against the target for which the F-measure is highest."""
        scores = [self.score(target, prediction) for target in targets]
        return {
            name: max((score[name] for score in scores), key=lambda s: s.fmeasure) for name in self._counts
        }

    def _read(self, text: str) -> Text:
        if self._tokenizer is None:
            return read(text, EVERY_SCRIPT, stemmed=self._stems)
        split = self._tokenizer.tokenize
        return Text(tuple(split(text)), tuple(tuple(split(line)) for line in text.split("\n")))


def _count(name: str) -> Count:
    """Return how a metric of ``rouge_score`` counts."""
    if re.fullmatch("rouge[1-9]", name):
        return partial(gram_matches, partial(ngrams, n=int(name[-1])))
    if name not in (by_name := {"rougeL": whole_lcs_matches, "rougeLsum": lcs_matches}):
        raise SettingError(
            "rouge_types", f"{name!r:.40} is unknown", "use rouge1 to rouge9, rougeL or rougeLsum"
        )
    return by_name[name]
