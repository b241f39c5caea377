"""Fit word rates on summaries by people, and test the rates on clusters that were held out.

The rate of a word says how often people write it: its expected share of the words of a summary. The model:
the count of word w in a reference summary is Poisson with mean L exp(theta f_w). L is the number of words in
the reference, and f_w holds the features of w in the documents. The rates that summc uses without fitting are
called the formula (``summc/weights/expected.py``).

Words and bigrams are two families of concepts, and each family has a regression of its own. A cluster is
always tested with rates that were fitted on other clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from summc.config import Config
from summc.documents.paragraphs import without_controls
from summc.documents.sources import cluster_of_texts
from summc.errors import InputError, NoSummaryError
from summc.lab.evaluation import check_unit, evaluate_case, make_case
from summc.lab.evaluation.intervals import estimate
from summc.method import preprocess as tokenize
from summc.preprocess.concepts import is_bigram
from summc.records import Cluster, Floats, Indices, TokenizedCluster
from summc.report.tables import Column
from summc.settings import values_for
from summc.signatures import of_all, preprocess_signature
from summc.system.versions import version
from summc.weights import Expected
from summc.weights.base import Counts
from summc.weights.rates import FAMILIES, Rates, features_of

#: Newton's method stops when no component of the gradient exceeds the tolerance. That takes about ten steps;
#: the second number is the limit.
_TOLERANCE, _MOST_STEPS = 1e-9, 1000
#: A feature counts as constant if its standard deviation is at most this times max(abs(mean), 1).
_NO_SCALE = 1e-9
#: The columns of the comparison table.
COLUMNS: Sequence[Column] = (
    ("measure", "measure", "", 0), ("formula", "formula", ".4f", 0), ("fitted", "fitted", ".4f", 0),
    ("difference", "difference", "+.4f", 0), ("ci", "95% interval", "+.4f", 0),
    ("clusters", "clusters", "", 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The m concepts of a family in a cluster, with F features each, and how often R references use them."""

    rows: Indices  # the indices of the concepts among all concepts of the cluster, shape (m,)
    features: Floats  # shape (m, F)
    written: Floats  # how often each reference has each concept, shape (R, m)
    length: Floats  # the number of words, or bigrams, in each reference, shape (R,)


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The training data of one cluster, by family: "words" and "bigrams"."""

    tokenized: TokenizedCluster
    families: Mapping[str, Examples]


@dataclass(frozen=True, slots=True)
class Judged:
    """The results on one held-out cluster: each measure by the formula's rates and by the fitted rates.

    The measures are the deviance of the references, per word or per bigram, and the recall by each metric.
    """

    cluster: str
    measures: Mapping[str, tuple[float, float]]
    problems: Sequence[str]


def make_lesson(cluster: Cluster, config: Config) -> Lesson:
    """Return the training data of a cluster; raise ``InputError`` if it has no references."""
    if not cluster.references:
        raise InputError(cluster.id, "no references", "give some or leave the cluster out")
    tokenized = tokenize(cluster, config)
    counts = Counts(tokenized)
    texts = [_concepts_in(cluster, number, config) for number in range(len(cluster.references))]
    families = {}
    for family, (rows, features) in features_of(counts).items():
        concepts = [counts.words[a] for a in rows.tolist()]
        written = np.array([[text[each] for each in concepts] for text in texts], dtype=np.float64)
        length = [
            sum(n for each, n in text.items() if is_bigram(each) == (family == "bigrams")) for text in texts
        ]
        families[family] = Examples(rows, features, written, np.array(length, dtype=np.float64))
    return Lesson(tokenized, families)


def _concepts_in(cluster: Cluster, number: int, config: Config) -> Counter[str]:
    """Return how often a reference has each concept."""
    reference = cluster.references[number]
    if not any(map(str.isalnum, reference)):
        remedy = "give a reference that holds text"
        raise InputError(cluster.id, f"reference {number + 1} has no words", remedy)
    tokenized = tokenize(cluster_of_texts([reference], language=cluster.language), config)
    return Counter(term for terms in tokenized.tokens for term in terms)


def learn(lessons: Sequence[Lesson], ridge: float) -> Rates:
    """Return the word rates that fit the training data best; ``ridge`` keeps the coefficients small."""
    made = {}
    for family, names in FAMILIES.items():
        used = [lesson for lesson in lessons if len(lesson.families[family].rows)]
        if not used:
            continue
        parts = [lesson.families[family] for lesson in used]
        written = np.concatenate([part.written.sum(axis=0) for part in parts])
        exposure = np.concatenate([np.full(len(part.rows), part.length.sum()) for part in parts])
        if not written.sum():
            problem = f"no reference has any of the documents' {family}"
            raise NoSummaryError(used[0].tokenized.cluster.id, problem, "give more clusters")
        theta = regress(np.concatenate([part.features for part in parts]), written, exposure, ridge)
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

    Fold n has the clusters n, n + ``folds``, n + 2 * ``folds``, and so on. The results come fold by fold.
    """
    check_unit(config)
    formula = Expected(**values_for(Expected, config.weigh))
    for fold in range(min(folds, len(lessons))):
        rest = [lesson for n, lesson in enumerate(lessons) if n % folds != fold]
        fitted = formula.by(learn(rest, ridge))
        for lesson in lessons[fold::folds]:
            yield _judge(lesson, formula, fitted, config)


def _judge(lesson: Lesson, formula: Expected, fitted: Expected, config: Config) -> Judged:
    counts = Counts(lesson.tokenized)
    first, second = (weigher.rates(counts) for weigher in (formula, fitted))
    found = {
        f"deviance of {family}": (_deviance(part, first), _deviance(part, second))
        for family, part in lesson.families.items()
        if len(part.rows) and part.length.sum()
    }
    cases = [make_case(lesson.tokenized, weigher, config) for weigher in (formula, fitted)]
    one, other = (evaluate_case((case, "", (config.select.selector, config))) for case in cases)
    problems = [one.problem, other.problem]
    if not any(problems):
        found |= {metric: (score.recall, other.scores[metric].recall) for metric, score in one.scores.items()}
    return Judged(one.cluster, found, problems)


def _deviance(part: Examples, rates: Floats) -> float:
    """Return the Poisson deviance of what the references write, per word or per bigram."""
    from sklearn.metrics import mean_poisson_deviance  # noqa: PLC0415 (a second of imports)

    mean = np.maximum(np.outer(part.length, rates[part.rows]), 1e-300)
    deviance = mean_poisson_deviance(part.written.ravel(), mean.ravel())
    return float(deviance) * mean.size / float(part.length.sum())


def compare(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return a row of means for each measure: the deviances, then the recall of each metric.

    ``ci`` is the 95% interval of the mean difference.
    """
    rows: list[dict[str, Any]] = []
    for measure in dict.fromkeys(measure for each in judged for measure in each.measures):
        pairs = [each.measures[measure] for each in judged if measure in each.measures]
        before, after = zip(*pairs, strict=True)
        mean = estimate([fitted - formula for formula, fitted in pairs])
        means = {"formula": fmean(before), "fitted": fmean(after), "difference": mean.mean}
        rows.append({"measure": measure, **means, "ci": mean.ci, "clusters": len(pairs)})
    return rows


def describe(
    lessons: Sequence[Lesson],
    rows: Sequence[Mapping[str, Any]],
    dataset: str,
    config: Config,
    ridge: float,
    folds: int,
) -> dict[str, Any]:
    """Return the description to store with fitted rates: how they were fitted, and their test results."""
    clusters = [lesson.tokenized.cluster for lesson in lessons]
    # Rounded, because the last digits differ between linear algebra libraries.
    measured = [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in each.items()}
        for each in rows
    ]
    return {
        "by": "summc learn", "dataset": without_controls(dataset),
        "languages": list(dict.fromkeys(cluster.language for cluster in clusters)),
        "clusters": len(lessons), "references": sum(len(cluster.references) for cluster in clusters),
        "ridge": ridge, "budget": f"{config.select.budget:g} {config.select.unit}",
        "selector": config.select.selector, "preprocess": of_all(preprocess_signature, clusters, config),
        "folds": min(folds, len(lessons)), "cross_validated": measured,
        "versions": {name: version(name) for name in ("summc", "numpy", "scikit-learn")},
    }  # fmt: skip
