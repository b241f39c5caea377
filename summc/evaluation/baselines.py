"""Baselines to compare selectors with. Unlike selectors they read the text or the references."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import numpy as np

from summc.errors import InputError
from summc.evaluation.cases import Case, as_selection, scored
from summc.evaluation.oracle import best_extract
from summc.evaluation.resampling import SEED
from summc.records import Outcome, Score
from summc.rouge import Rouge
from summc.selectors.base import fill_in_order
from summc.text.lengths import count_words

#: Number of random summaries that ``random`` averages over.
DRAWS = 10


def lead(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the lead summary: first sentences of all documents, then second ones, ..., while they fit."""
    sentences = case.cluster.sentences
    order = sorted(range(len(sentences)), key=lambda i: (sentences[i].position, sentences[i].document))
    chosen = fill_in_order(case.costs, order, budget)
    return scored(case, "lead", chosen, as_selection(case, chosen, budget, "lead"), rouge)


def random(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the mean scores of ten random summaries, with the text of the first.

    Each summary takes sentences in random order while they fit.
    """
    # Seed by the cluster's name, so that the draws do not depend on other clusters or on the worker process.
    rng = np.random.default_rng([SEED, zlib.crc32(case.cluster.id.encode())])
    draws = []
    for _ in range(DRAWS):
        chosen = fill_in_order(case.costs, rng.permutation(len(case.costs)).tolist(), budget)
        draws.append(scored(case, "random", chosen, as_selection(case, chosen, budget, "random"), rouge))
    selections = [draw.selection for draw in draws if draw.selection]
    return dataclasses.replace(
        draws[0],
        words=fmean(draw.words for draw in draws),
        scores=mean_scores([draw.scores for draw in draws]),
        selection=dataclasses.replace(
            selections[0], covered_weight=fmean(selection.covered_weight for selection in selections)
        ),
    )


def human(case: Case, _budget: float, rouge: Rouge) -> Outcome:
    """Return the mean score of each reference against the other references."""
    cluster = case.cluster
    if len(cluster.references) < 2:  # noqa: PLR2004 (one to score, one to score against)
        raise InputError(cluster.id, "only one reference", "human needs two or more")
    scores = [
        rouge.score(
            text,
            [*cluster.references[:i], *cluster.references[i + 1 :]],
            language=cluster.language,
            place=cluster.id,
        )
        for i, text in enumerate(cluster.references)
    ]
    words = fmean(count_words(text) for text in cluster.references)
    return Outcome(cluster.id, "human", cluster.references[0], words, mean_scores(scores))


def oracle(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the extract of at most K words with the highest ROUGE-1 recall: no extract scores higher.

    The search ignores the cut of ``rouge_bytes``, so with that setting a higher score may be possible.
    """
    cluster = case.cluster
    script = rouge.script(cluster.references, cluster.language)
    best = best_extract(
        [rouge.tokens(sentence.text, script) for sentence in cluster.sentences],
        case.costs,
        rouge.reference_tokens(cluster.references, script, cluster.id),
        budget,
        pooled=rouge.protocol == "official",
    )
    selection = as_selection(case, best.chosen, budget, "oracle")
    proven = dataclasses.replace(selection, diagnostics={"proven": best.proven})
    return scored(case, "oracle", best.chosen, proven, rouge)


#: Baseline name, as a user types it -> function that returns its outcome on a case.
BASELINES: Mapping[str, Callable[[Case, float, Rouge], Outcome]] = {
    "lead": lead,
    "random": random,
    "human": human,
    "oracle": oracle,
}


def mean_scores(scores: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """Return the mean recall, precision and F1 of several scores, metric by metric."""

    def mean(metric: str, figure: str) -> float:
        return fmean(getattr(each[metric], figure) for each in scores)

    return {
        metric: Score(mean(metric, "recall"), mean(metric, "precision"), mean(metric, "f1"), first.signature)
        for metric, first in scores[0].items()
    }
