"""Rates fitted to summaries by people: the regression, the features, the file and the command."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.config import Config
from summc.documents.sources import cluster_of_texts, load
from summc.errors import InputError, SummcError
from summc.lab.evaluation.learning import (
    Lesson,
    compare,
    cross_validate,
    learn,
    make_lesson,
    regress,
)
from summc.method import fit, preprocess, summarize, weigh
from summc.records import ConceptIndex
from summc.weights import Expected
from summc.weights.base import Counts
from summc.weights.rates import FAMILIES, FEATURES, Rates, encode_rates, features_of, read_rates
from tests.conftest import Cli, examples
from tests.support.small import DAM, write_lines

CONFIG = Config().with_settings({"weighting": "expected", "selector": "g-greedy", "budget": 50})
TEXTS = [
    "The dam broke very early on Tuesday morning. The river rose and the town was flooded by 3 rivers.",
    "The dam in the valley broke in March. Nobody in the town was hurt, the mayor of the town said.",
]


def formula_as_rates(share_power: float) -> Rates:
    """Return rates that equal the formula with early_power 1."""
    given = {"early occurrences": 1.0, "documents": share_power}
    return Rates(
        {family: {name: given.get(name, 0.0) for name in names} for family, names in FAMILIES.items()}
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data set of four clusters with two documents each."""
    return write_lines(tmp_path_factory.mktemp("small") / "small.jsonl", 4)


@pytest.fixture(scope="module")
def lessons(small: Path) -> list[Lesson]:
    return [make_lesson(cluster, CONFIG) for cluster in load([small])]


@pytest.fixture(scope="module")
def counts() -> Counts:
    return Counts(preprocess(cluster_of_texts(TEXTS), CONFIG))


# The regression


@examples(60)
@given(st.integers(0, 1000), st.sampled_from([0.01, 1.0, 50.0]))
def test_the_gradient_of_the_penalized_likelihood_is_zero_at_the_solution(seed: int, ridge: float) -> None:
    rng = np.random.default_rng(seed)
    features, exposure = rng.normal(size=(60, 3)), rng.uniform(1, 9, size=60)
    written = rng.poisson(exposure).astype(float)
    theta = regress(features, written, exposure, ridge)
    scale = features.std(axis=0)
    # The constant is such that the expected number of words equals the written one.
    rate = exposure * np.exp(features @ theta)
    left = written - rate * written.sum() / rate.sum()
    slope = ((features - features.mean(axis=0)) / scale).T @ left - ridge * theta * scale
    assert slope == pytest.approx(np.zeros(3), abs=1e-4)


def test_a_constant_feature_has_coefficient_zero() -> None:
    for value in (0.0, 0.1, 1 / 3, -7.3, 1e6 / 3):
        features = np.column_stack([np.arange(23.0), np.full(23, value)])
        assert regress(features, np.arange(23.0), np.ones(23), 1.0)[1] == 0


# Features and rates


def test_features_match_values_by_hand() -> None:
    config = CONFIG.with_settings({"stemmer": "none"})
    counts = Counts(preprocess(cluster_of_texts(TEXTS), config))
    found: dict[str, list[float]] = {}
    for family, (rows, features) in features_of(counts).items():
        names = [counts.words[a] for a in rows.tolist()]
        found |= dict(zip(names, features.tolist(), strict=True))
        total = counts.occurrences[rows].sum()
        if family == "words":
            early = counts.emphasized(1.0)[rows].sum()
            town = {
                "occurrences": math.log(3 / total), "early occurrences": math.log(1.5 / early),
                "documents": 0, "occurrences^2": math.log(3 / total) ** 2, "documents^2": 0,
                "occurrences x documents": 0, "once": 0, "one document": 0, "leads": 0, "openings": 1,
                "headlines": 0, "first place": 1, "sentences": 2 / 4, "length": 0.4, "number": 0,
            }  # fmt: skip
    assert dict(zip(FEATURES, found["town"], strict=True)) == pytest.approx(town)
    three = dict(zip(FEATURES, found["3"], strict=True))
    assert (three["number"], three["once"], three["one document"]) == (1, 1, 1)
    assert three["documents"] == pytest.approx(math.log(1 / 2))
    begin = sum(counts.occurrences[a] for a in rows.tolist() if counts.words[a].startswith("the "))
    assert found["the town"][-2:] == pytest.approx([math.log(begin / total), math.log(3 / total)])


def test_rates_can_reproduce_the_formula(counts: Counts) -> None:
    formula = Expected(early_power=1.0, share_power=0.6)
    fitted = formula.by(formula_as_rates(0.6))
    assert fitted.rates(counts) == pytest.approx(formula.rates(counts))
    relevance = np.array([0.5, 2.0, 0.5, 1.0])
    assert fitted.rates(counts, relevance) == pytest.approx(formula.rates(counts, relevance))
    tokenized = preprocess(cluster_of_texts(TEXTS), CONFIG)
    one, other = (each.weigh(tokenized, 30) for each in (fitted, formula))
    assert one.weight == pytest.approx(other.weight)


def test_no_coefficient_makes_a_rate_overflow(counts: Counts) -> None:
    for size in (1e6, -1e6):
        huge = Rates({family: dict.fromkeys(names, size) for family, names in FAMILIES.items()})
        rates = huge.of(counts)
        assert np.isfinite(rates).all()
        assert rates.sum() == pytest.approx(2)


@pytest.mark.parametrize("concepts", ["words", "bigrams"])
def test_words_or_bigrams_can_be_learned_alone(lessons: list[Lesson], counts: Counts, concepts: str) -> None:
    config = CONFIG.with_settings({"concepts": concepts})
    clusters = [lesson.tokenized.cluster for lesson in lessons[:2]]
    rates = learn([make_lesson(cluster, config) for cluster in clusters], 1.0)
    assert list(rates.coefficients) == [concepts]
    assert rates.of(Counts(preprocess(clusters[0], config))).sum() == pytest.approx(1)
    with pytest.raises(InputError, match=r"has no rates of (words|bigrams); make it again: `summc learn`"):
        rates.of(counts)


# Learning


def test_a_lesson_counts_the_words_of_each_reference() -> None:
    cluster = cluster_of_texts(TEXTS)
    told = type(cluster)(cluster.id, cluster.documents, ("The dam of the town broke.", "Nobody swam."))
    lesson = make_lesson(told, CONFIG)
    words = [lesson.tokenized.index.words[a] for a in lesson.families["words"].rows.tolist()]
    written = lesson.families["words"].written[:, [words.index(word) for word in ("the", "dam", "nobodi")]]
    assert written.tolist() == [[2, 1, 0], [0, 0, 1]]
    assert lesson.families["words"].length.tolist() == [6, 2]
    assert lesson.families["bigrams"].length.tolist() == [5, 1]


def test_each_cluster_is_judged_by_rates_fitted_on_the_others(lessons: list[Lesson]) -> None:
    judged = list(cross_validate(lessons, CONFIG, 1.0, 2))
    assert [each.cluster for each in judged] == ["d90001t", "d90003t", "d90002t", "d90004t"]
    part = lessons[0].families["words"]
    rate = learn(lessons[1::2], 1.0).of(Counts(lessons[0].tokenized))[part.rows]
    written, mean = part.written, np.outer(part.length, rate)
    logarithms = np.where(written > 0, written * np.log(np.maximum(written, 1) / mean), 0)
    expected = 2 * (logarithms - written + mean).sum() / part.length.sum()
    assert judged[0].measures["deviance of words"][1] == pytest.approx(expected)
    rows = compare(judged)
    assert [row["measure"] for row in rows] == ["deviance of words", "deviance of bigrams", "rouge1"]
    for row in rows:
        assert row["difference"] == pytest.approx(row["fitted"] - row["formula"])
        assert row["ci"] is not None
        assert row["ci"][0] <= row["difference"] <= row["ci"][1]
        assert row["clusters"] == 4


# The file


def test_rates_come_back_from_a_file_and_are_named_by_its_content(
    tmp_path: Path, lessons: list[Lesson]
) -> None:
    rates, path, names = learn(lessons[:2], 1.0), tmp_path / "rates.json", set()
    content = encode_rates(rates, {})
    for leads in (content["coefficients"]["words"]["leads"], 0.5):
        content["coefficients"]["words"]["leads"] = leads
        path.write_text(json.dumps(content))
        again = read_rates(path)
        assert encode_rates(again, {}) == content
        names.add(again.name)
    assert again.coefficients["bigrams"] == pytest.approx(rates.coefficients["bigrams"], rel=1e-5)
    assert len(names) == 2
    assert all(re.fullmatch(r"rates\.json@.{8}", name) for name in names)


def test_a_model_makes_a_forecast_and_weighs_a_cluster_without_words(tmp_path: Path) -> None:
    path = tmp_path / "rates.json"
    path.write_text(json.dumps(encode_rates(formula_as_rates(0.6), {})))
    config = CONFIG.with_settings({"model": str(path)})
    (made,) = summarize([cluster_of_texts(TEXTS)], config)
    assert not isinstance(made, SummcError)
    assert made.summary.forecast is not None
    assert 0 < made.summary.forecast < 1
    empty = dataclasses.replace(preprocess(cluster_of_texts(["Go."]), config), index=ConceptIndex.of([()]))
    assert weigh(empty, fit([empty], config), config).words == ()


# The command


def test_learn_writes_a_model_that_summarize_can_use(
    summc: Cli, tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = tmp_path / "rates.json", sorted(tmp_path.iterdir())
    options = ["--dataset", small, "--selector", "g-greedy"]
    result = summc("learn", *options, "-o", file)
    assert (result.code, result.err) == (0, "")
    heading, *rows = [line.split("  ")[0] for line in result.out.splitlines()]
    assert (heading, rows) == ("measure", ["deviance of words", "deviance of bigrams", "rouge1", "rouge2"])
    assert summc("learn", *options, "-o", "-").out == file.read_text()
    monkeypatch.chdir(tmp_path)
    in_two = summc("learn", *options, "--folds", 2).out
    assert (in_two.startswith("measure  "), in_two == result.out) == (True, False)
    assert sorted(tmp_path.iterdir()) == sorted([*before, file])
    made = json.loads(file.read_text())["made"]
    assert (made["dataset"], made["clusters"], made["references"], made["folds"]) == (str(small), 4, 12, 4)
    assert made["cross_validated"][0]["fitted"] < made["cross_validated"][0]["formula"]
    assert set(made["versions"]) == {"summc", "numpy", "scikit-learn"}
    used = ["summarize", "--weighting", "expected", "--selector", "g-greedy", "--format", "jsonl", *DAM]
    by_model = json.loads(summc(*used, "--model", file).out)
    name = read_rates(file).name
    constants = f"bigrams:{Expected().bigram_share:g}|dispersion:{Expected().dispersion:g}"
    assert f"|weights:expected|model:{name}|{constants}|" in by_model["signature"]
    assert by_model["text"] != json.loads(summc(*used).out)["text"]
    assert "home" in summc(*used, "--model", file, "--query", "evacuees went home").out
