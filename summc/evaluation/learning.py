"""Weights learned from people's summaries, and what they are worth on topics they were not learned from.

Of every concept that two documents or more share, the share of the references that hold it is the target of
a logistic regression, one for words and one for bigrams. What is learned from a topic is never judged on it:
a topic is left out in all languages at once, since a translation of it is no other topic.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from summc.config import Config
from summc.documents import cluster_of_texts
from summc.documents.paragraphs import without_controls
from summc.errors import InputError, NoSummaryError
from summc.evaluation.baselines import mean_scores
from summc.evaluation.cases import Case, make_case
from summc.evaluation.outcomes import evaluate_case
from summc.lengths import first_words
from summc.pipeline import preprocess, with_capitals
from summc.records import Cluster, Floats, Outcome, TokenizedCluster
from summc.signatures import preprocess_signature
from summc.weights.base import Counts
from summc.weights.learned import (
    KINDS,
    Elsewhere,
    Model,
    Predicted,
    Regression,
    encode_model,
    features_of,
    standardized,
)
from summc.weights.shape import bigrams_among

#: Newton's method ends where no coefficient moves by more, which takes about ten steps.
_TOLERANCE, _MOST_STEPS = 1e-10, 100


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What one cluster teaches: features, targets and kinds of its concepts that count.

    ``elsewhere`` are the documents of its language, among which its words are rare or not: of a topic that is
    to be judged on these texts are seen, and no references.
    """

    topic: str
    tokenized: TokenizedCluster
    elsewhere: Elsewhere
    features: Floats
    target: Floats
    bigram: Floats


def make_lessons(clusters: Sequence[Cluster], config: Config) -> list[Lesson]:
    """Return what clusters with references, of one language, teach."""
    tokenized = [with_capitals(preprocess(cluster, config), config) for cluster in clusters]
    elsewhere = Elsewhere.among(tokenized)
    return [_make_lesson(each, elsewhere, config) for each in tokenized]


def _make_lesson(tokenized: TokenizedCluster, elsewhere: Elsewhere, config: Config) -> Lesson:
    """Return what a cluster teaches; of each reference the first K words count."""
    cluster, counts = tokenized.cluster, Counts(tokenized)
    references = [
        _concepts_in(reference, cluster, f"reference {i}", config)
        for i, reference in enumerate(cluster.references, start=1)
    ]
    target = [fmean(word in held for held in references) for word in counts.words]
    shared = counts.documents >= min(2, counts.size)
    return Lesson(
        cluster.id,
        tokenized,
        elsewhere,
        features_of(counts, elsewhere)[shared],
        np.array(target)[shared],
        bigrams_among(counts.words)[shared].astype(float),
    )


def _concepts_in(reference: str, cluster: Cluster, name: str, config: Config) -> set[str]:
    cut = first_words(reference, int(config.select.budget))
    if not any(map(str.isalnum, cut)):
        raise InputError(cluster.id, f"{name} has no words", "give a reference that holds text")
    tokenized = preprocess(cluster_of_texts([cut], language=cluster.language), config)
    return {term for terms in tokenized.tokens for term in terms}


def learn(lessons: Sequence[Lesson], ridge: float) -> Model:
    """Return the model that fits lessons best, large coefficients held back by ``ridge``."""
    model = {}
    for number, kind in enumerate(KINDS):
        rows = [lesson.bigram == number for lesson in lessons]
        features = np.concatenate([lesson.features[row] for lesson, row in zip(lessons, rows, strict=True)])
        target = np.concatenate([lesson.target[row] for lesson, row in zip(lessons, rows, strict=True)])
        if not len(target):
            raise NoSummaryError(kind, "none to learn from", "give more clusters, or concepts words+bigrams")
        model[kind] = regress(features, target, ridge)
    return model


def regress(features: Floats, target: Floats, ridge: float) -> Regression:
    """Return the logistic regression of targets from 0 to 1, by Newton's method on standardized features.

    A feature that is not known of a concept (NaN) has no part in means and scales; one that is known of none
    has a coefficient of 0.
    """
    known = np.isfinite(features)
    filled = np.where(known, features, 0.0)
    often = np.maximum(known.sum(axis=0), 1)
    mean = filled.sum(axis=0) / often
    scale = np.sqrt((np.where(known, features - mean, 0.0) ** 2).sum(axis=0) / often)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack([np.ones(len(target)), standardized(features, mean, scale)])
    penalty = np.diag([0.0, *[ridge] * features.shape[1]])
    beta = np.zeros(design.shape[1])
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-design @ beta))
        slope = design.T @ (target - chance) - penalty @ beta
        curvature = design.T @ (design * (chance * (1 - chance))[:, None]) + penalty
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        beta = beta + step
        if np.abs(step).max() < _TOLERANCE:
            break
    return Regression(float(beta[0]), beta[1:], mean, scale)


def cross_validate(lessons: Sequence[Lesson], config: Config, ridge: float) -> list[Outcome]:
    """Return how summaries score whose weights were learned from the other topics, as rows ``learned``."""
    outcomes = []
    for topic in dict.fromkeys(lesson.topic for lesson in lessons):
        model = learn([lesson for lesson in lessons if lesson.topic != topic], ridge)
        for lesson in lessons:
            if lesson.topic == topic:
                weigher = Predicted(model, config.weigh.power, "cross-validated", lesson.elsewhere)
                case = make_case(lesson.tokenized, weigher, config)
                outcomes.append(named(case, "learned", config))
    return outcomes


def named(case: Case, name: str, config: Config) -> Outcome:
    """Return what the configured selector made of a cluster, as a row of that name."""
    (made,) = evaluate_case(case, [config.select.selector], config)
    cluster = f"{case.cluster.id}.{case.cluster.language}"
    return dataclasses.replace(made, selector=name, cluster=cluster)


def by_topic(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the mean over languages of what each row has of a topic: translations are no other topics.

    A cluster that some row has nothing of is left out of all of them; its failure stays.
    """
    failed = {outcome.cluster for outcome in outcomes if outcome.problem}
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.cluster not in failed:
            topic = outcome.cluster.rpartition(".")[0]
            groups.setdefault((outcome.selector, topic), []).append(outcome)
    means = [_mean_outcome(topic, group) for (_, topic), group in groups.items()]
    return [*means, *(outcome for outcome in outcomes if outcome.problem)]


def _mean_outcome(topic: str, group: Sequence[Outcome]) -> Outcome:
    first, covered = group[0], [each.selection.covered_weight for each in group if each.selection]
    return dataclasses.replace(
        first,
        cluster=topic,
        words=fmean(each.words for each in group),
        scores=mean_scores([each.scores for each in group]),
        selection=dataclasses.replace(first.selection, covered_weight=fmean(covered))
        if first.selection
        else None,
    )


def describe_model(
    model: Model, lessons: Sequence[Lesson], dataset: str, config: Config, ridge: float, judged: Any
) -> dict[str, Any]:
    """Return a model as a file says it: what it is, how it was made, of what, and what it is worth."""
    languages = list(dict.fromkeys(lesson.tokenized.cluster.language for lesson in lessons))
    return {
        "made": {
            "by": "summc learn",
            "dataset": without_controls(dataset),
            "languages": languages,
            "clusters": len(lessons),
            "topics": sorted({lesson.topic for lesson in lessons}),
            "concepts": {
                kind: sum(int((lesson.bigram == n).sum()) for lesson in lessons)
                for n, kind in enumerate(KINDS)
            },
            "reference_words": int(config.select.budget),
            "ridge": ridge,
            "preprocess": preprocess_signature(lessons[0].tokenized.cluster, config),
            "cross_validated": judged,
        },
        **encode_model(model),
    }
