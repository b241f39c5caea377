"""Baselines: simple ways to make a summary, whose scores are compared with those of the selectors.

A selector sees only the coverage graph. A baseline may also read the text or the reference summaries.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import numpy as np

from summc.errors import InputError
from summc.lab.evaluation.cases import Case, as_selection, scored
from summc.lab.evaluation.oracle import best_extract
from summc.records import Outcome, Score
from summc.rouge import Rouge
from summc.selectors.base import fill_in_order
from summc.text.numbers import count_words

#: The baseline ``random`` reports the mean scores of this many random summaries.
DRAWS = 10
_SEED = 2004


def lead(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the scored lead summary: the first sentences of all documents, then the second ones, and so on.

    A sentence that does not fit into the rest of the budget is skipped.
    """
    sentences = case.cluster.sentences
    order = sorted(range(len(sentences)), key=lambda i: (sentences[i].position, sentences[i].document))
    chosen = fill_in_order(case.costs, order, budget)
    return scored(case, "lead", chosen, as_selection(case, chosen, budget, "lead"), rouge)


def random(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the mean scores of ten random summaries, with the text of the first one.

    Each summary takes sentences in random order. A sentence that does not fit into the rest of the budget is
    skipped.
    """
    # Seed by the cluster's name, so that the draws do not depend on other clusters or on the worker process.
    rng = np.random.default_rng([_SEED, zlib.crc32(case.cluster.id.encode())])
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
    """Return the mean score of the references, each scored as a summary against the other references."""
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
    """Return the scored extract of at most ``budget`` words that has the highest ROUGE-1 recall.

    The setting ``rouge_bytes`` scores only the first bytes of a summary. The search ignores this setting, so
    with it another extract may score higher.
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


#: Name of a baseline, as a user types it -> function that makes and scores the summary of a case.
BASELINES: Mapping[str, Callable[[Case, float, Rouge], Outcome]] = {
    "lead": lead,
    "random": random,
    "human": human,
    "oracle": oracle,
}


def mean_scores(scores: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """Return the mean recall, precision and F1 of each metric; each mapping has the scores of one summary."""

    def mean(metric: str, figure: str) -> float:
        return fmean(getattr(each[metric], figure) for each in scores)

    return {
        metric: Score(mean(metric, "recall"), mean(metric, "precision"), mean(metric, "f1"), first.signature)
        for metric, first in scores[0].items()
    }
