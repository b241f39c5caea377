"""Fit word rates on summaries by people, and test the rates on clusters that were held out.

The rate of a word says how often people write it: its expected share of the words of a summary. The model:
the count of word w in a reference summary is Poisson with mean L exp(theta f_w). L is the number of words in
the reference, and f_w holds the features of w in the documents. The rates that summc uses without fitting are
called the formula (``summc/weights/expected.py``).

Words and bigrams are two families of concepts, and each family has a regression of its own. A cluster is
always tested with rates that were fitted on other clusters.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from summc.documents import cluster_of_texts
from summc.documents.paragraphs import without_controls
from summc.errors import InputError, NoSummaryError
from summc.lab.evaluation.cases import check_unit, make_case
from summc.lab.evaluation.intervals import Interval, estimate, interval_text
from summc.lab.evaluation.outcomes import evaluate_case
from summc.method import tokenize
from summc.preprocess.analysis import is_bigram
from summc.records import Cluster, Floats, Indices, Outcome, TokenizedCluster
from summc.settings import own_of
from summc.settings.config import Config, of_all, preprocess_signature
from summc.system.versions import version
from summc.weights import Expected
from summc.weights.base import Counts
from summc.weights.rates import FAMILIES, Rates, features_of

#: The names of the two kinds of rates that are compared: the formula's, and those fitted on summaries.
FORMULA, FITTED = "formula", "fitted"
#: Newton's method stops when no component of the gradient exceeds the tolerance. That takes about ten steps;
#: the second number is the limit.
_TOLERANCE, _MOST_STEPS = 1e-9, 1000
#: A feature counts as constant if its standard deviation is at most this times max(abs(mean), 1).
_NO_SCALE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The training data of one cluster: its concepts, and how often each reference uses them.

    The keys of all mappings are the families of concepts, "words" and "bigrams". In the shapes, m is the
    number of concepts, F that of features and R that of references.

    Attributes:
        tokenized: the cluster with the terms of each sentence.
        rows: the indices of the family's concepts among all concepts of the cluster, shape (m,).
        features: the features of each concept, shape (m, F).
        written: how often each reference has each concept, shape (R, m).
        length: the number of words, or bigrams, in each reference, shape (R,).
    """

    tokenized: TokenizedCluster
    rows: Mapping[str, Indices]
    features: Mapping[str, Floats]
    written: Mapping[str, Floats]
    length: Mapping[str, Floats]

    @property
    def families(self) -> list[str]:
        """The families that can be tested: those that occur in both the documents and the references."""
        return [family for family in FAMILIES if len(self.rows[family]) and self.length[family].sum()]


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of the formula's rates and of the fitted rates on one held-out cluster.

    ``deviance[family][kind]`` measures how badly the rates of a kind, ``FORMULA`` or ``FITTED``, predict the
    references: the Poisson deviance per word, or per bigram. ``outcomes`` has the two scored summaries,
    formula first.
    """

    deviance: Mapping[str, Mapping[str, float]]
    outcomes: tuple[Outcome, Outcome]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean of one measure over clusters, with the formula's rates and with the fitted rates.

    ``difference`` is the mean of fitted minus formula, and ``ci`` is its 95% interval.
    """

    measure: str
    formula: float
    fitted: float
    difference: float
    ci: Interval | None
    clusters: int


def make_lesson(cluster: Cluster, config: Config) -> Lesson:
    """Return the training data of a cluster; raise ``InputError`` if it has no references."""
    if not cluster.references:
        raise InputError(cluster.id, "no references", "give some or leave the cluster out")
    tokenized = tokenize(cluster, config)
    counts = Counts(tokenized)
    made = features_of(counts)
    texts = [
        _concepts_in(reference, cluster, f"reference {i}", config)
        for i, reference in enumerate(cluster.references, start=1)
    ]
    rows = {family: found for family, (found, _) in made.items()}
    written = {
        family: np.array(
            [[text[counts.words[a]] for a in rows[family].tolist()] for text in texts], dtype=np.float64
        ).reshape(len(texts), -1)
        for family in made
    }
    length = {
        family: np.array([_length(text, bigrams=family == "bigrams") for text in texts], dtype=np.float64)
        for family in made
    }
    return Lesson(tokenized, rows, {family: found for family, (_, found) in made.items()}, written, length)


def _concepts_in(reference: str, cluster: Cluster, name: str, config: Config) -> Counter[str]:
    if not any(map(str.isalnum, reference)):
        raise InputError(cluster.id, f"{name} has no words", "give a reference that holds text")
    tokenized = tokenize(cluster_of_texts([reference], language=cluster.language), config)
    return Counter(term for terms in tokenized.tokens for term in terms)


def _length(text: Counter[str], *, bigrams: bool) -> int:
    return sum(times for concept, times in text.items() if is_bigram(concept) == bigrams)


def learn(lessons: Sequence[Lesson], ridge: float) -> Rates:
    """Return the word rates that fit the training data best; there is a lesson for each cluster.

    ``ridge`` is the strength of the penalty on large coefficients: a larger one gives smaller coefficients.
    """
    made = {}
    for family, names in FAMILIES.items():
        used = [lesson for lesson in lessons if len(lesson.rows[family])]
        if not used:
            continue
        features = np.concatenate([lesson.features[family] for lesson in used])
        written = np.concatenate([lesson.written[family].sum(axis=0) for lesson in used])
        exposure = np.concatenate(
            [np.full(len(lesson.rows[family]), lesson.length[family].sum()) for lesson in used]
        )
        if not written.sum():
            problem = f"no reference has any of the documents' {family}"
            raise NoSummaryError(used[0].tokenized.cluster.id, problem, "give more clusters")
        theta = regress(features, written, exposure, ridge)
        made[family] = dict(zip(names, theta.tolist(), strict=True))
    return Rates(made)


def regress(features: Floats, written: Floats, exposure: Floats, ridge: float) -> Floats:
    """Return theta, shape (F,), of a Poisson regression on ``features``, shape (m, F).

    The model: the counts ``written`` have the means exposure * exp(constant + features theta). ``written``
    and ``exposure`` have shape (m,). The penalty is ``ridge`` / 2 times the sum of the squared coefficients
    of the standardized features.
    """
    from sklearn.linear_model import PoissonRegressor  # noqa: PLC0415 (a second of imports)

    mean, scale = features.mean(axis=0), features.std(axis=0)
    is_constant = scale <= _NO_SCALE * np.maximum(np.abs(mean), 1.0)
    scale = np.where(is_constant, 1.0, scale)
    standardized = np.where(is_constant, 0.0, (features - mean) / scale)
    # scikit-learn divides the likelihood by the sum of the exposures, but not the penalty, so we divide the
    # penalty here.
    model = PoissonRegressor(
        alpha=ridge / exposure.sum(), solver="newton-cholesky", tol=_TOLERANCE, max_iter=_MOST_STEPS
    )
    made: Floats = model.fit(standardized, written / exposure, sample_weight=exposure).coef_ / scale
    return made


def cross_validate(lessons: Sequence[Lesson], config: Config, ridge: float, folds: int) -> Iterator[Judged]:
    """Yield the results on each cluster, with rates that were fitted on the clusters of all other folds.

    ``lessons`` has the training data of each cluster. ``ridge`` is the penalty on large coefficients.
    Fold n has the clusters n, n + ``folds``, n + 2 * ``folds``, and so on. The results come fold by fold.
    """
    check_unit(config)
    formula = Expected(**own_of(config.weigh, Expected))
    for fold in range(min(folds, len(lessons))):
        rest = [lesson for n, lesson in enumerate(lessons) if n % folds != fold]
        fitted = formula.by(learn(rest, ridge))
        for lesson in lessons[fold::folds]:
            yield _judge(lesson, {FORMULA: formula, FITTED: fitted}, config)


def _judge(lesson: Lesson, weighers: Mapping[str, Expected], config: Config) -> Judged:
    counts = Counts(lesson.tokenized)
    rates = {name: weigher.rates(counts) for name, weigher in weighers.items()}
    deviance = {
        family: {name: _deviance(lesson, family, rate[lesson.rows[family]]) for name, rate in rates.items()}
        for family in lesson.families
    }
    first, second = (_outcome(lesson, name, weigher, config) for name, weigher in weighers.items())
    return Judged(deviance, (first, second))


def _deviance(lesson: Lesson, family: str, rate: Floats) -> float:
    mean = np.outer(lesson.length[family], rate)
    return poisson_deviance(lesson.written[family], mean) / float(lesson.length[family].sum())


def poisson_deviance(written: Floats, mean: Floats) -> float:
    """Return the Poisson deviance, 2 sum(y ln(y/m) - y + m), of the counts y (``written``) with the means m.

    A term with y = 0 is just m, because 0 ln 0 is 0.
    """
    least = np.maximum(mean, 1e-300)
    ratio = np.where(written > 0, written / least, 1.0)
    return float(2 * (written * np.log(ratio) - written + mean).sum())


def _outcome(lesson: Lesson, name: str, weigher: Expected, config: Config) -> Outcome:
    case = make_case(lesson.tokenized, weigher, config)
    (made,) = evaluate_case(case, [config.select.selector], config)
    return dataclasses.replace(made, selector=name)


def compare(judged: Sequence[Judged]) -> list[Comparison]:
    """Return for each measure its mean with the built-in rates and with the fitted rates, and the difference.

    The built-in rates are those of the formula in ``weights/expected.py``. The first measures are the Poisson
    deviances of words and of bigrams, which say how badly the rates predict the references. Then comes the
    recall of each ROUGE metric. ``judged`` has the results on each held-out cluster.
    """
    scored = [each.outcomes for each in judged if not any(outcome.problem for outcome in each.outcomes)]
    found = [
        (f"deviance of {family}", [
            (each.deviance[family][FORMULA], each.deviance[family][FITTED])
            for each in judged if family in each.deviance
        ])
        for family in FAMILIES
    ]  # fmt: skip
    metrics = list(scored[0][0].scores) if scored else []
    found += [
        (metric, [(a.scores[metric].recall, b.scores[metric].recall) for a, b in scored])
        for metric in metrics
    ]
    return [_comparison(measure, pairs) for measure, pairs in found if pairs]


def _comparison(measure: str, pairs: Sequence[tuple[float, float]]) -> Comparison:
    before, after = zip(*pairs, strict=True)
    difference = estimate([fitted - formula for formula, fitted in pairs])
    return Comparison(measure, fmean(before), fmean(after), difference.mean, difference.ci, len(pairs))


def comparison_cells(rows: Sequence[Comparison]) -> list[list[str]]:
    """Return the cells of the comparison table, heading first."""
    cells = [["measure", FORMULA, FITTED, "difference", "95% interval", "clusters"]]
    for row in rows:
        figures = [f"{row.formula:.4f}", f"{row.fitted:.4f}", f"{row.difference:+.4f}"]
        cells.append([row.measure, *figures, interval_text(row.ci, "+.4f"), str(row.clusters)])
    return cells


def describe(
    lessons: Sequence[Lesson],
    rows: Sequence[Comparison],
    dataset: str,
    config: Config,
    ridge: float,
    folds: int,
) -> dict[str, Any]:
    """Return the description to store with fitted rates: how they were fitted, and their test results."""
    clusters = [lesson.tokenized.cluster for lesson in lessons]
    return {
        "by": "summc learn",
        "dataset": without_controls(dataset),
        "languages": list(dict.fromkeys(cluster.language for cluster in clusters)),
        "clusters": len(lessons),
        "references": sum(len(cluster.references) for cluster in clusters),
        "ridge": ridge,
        "budget": f"{config.select.budget:g} {config.select.unit}",
        "selector": config.select.selector,
        "preprocess": of_all(preprocess_signature, clusters, config),
        "folds": min(folds, len(lessons)),
        "cross_validated": [_rounded(row) for row in rows],
        "versions": {name: version(name) for name in ("summc", "numpy", "scikit-learn")},
    }


def _rounded(row: Comparison) -> dict[str, Any]:
    # Rounded, because the last digits differ between linear algebra libraries.
    figures = {name: round(getattr(row, name), 6) for name in (FORMULA, FITTED, "difference")}
    return {
        "measure": row.measure,
        **figures,
        "ci": row.ci and list(row.ci),
        "clusters": row.clusters,
    }
