"""The Python API: what ``import summc`` offers. What users type and see is in examples.txt."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import logging
import pickle
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import summc
from summc.api import config_of
from summc.selectors import BeliefPropagation
from summc.settings import settings_of
from summc.system.json_objects import dump
from tests.api import api_user
from tests.api.api_user import TEXTS
from tests.conftest import ROOT, Cli
from tests.support.small import DAM


def test_libraries_are_loaded_when_they_are_needed() -> None:
    code = (
        "import sys, summc; dir(summc); summc.__version__; summc.SettingError; print(*sys.modules)\n"
        "summc.summarize('The dam broke.'); summc.Problem; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = (set(line.split()) for line in ran.stdout.splitlines())
    assert not first & {"numpy", "scipy", "sklearn", "click", "regex"}
    assert {"summc.api.problems", "numpy"} <= second
    assert not second & {"sklearn", "jinja2", "click"}


def test_the_public_names_can_be_listed_and_imported() -> None:
    assert set(summc.__all__) == set(dir(summc)) - {"__version__"}
    assert all(getattr(summc, name).__doc__ for name in summc.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        summc.nothing  # type: ignore[attr-defined]  # noqa: B018 (the access is the test; mypy refuses it too)
    modules = {path.stem for path in (ROOT / "summc").iterdir()}
    assert not modules & set(summc.__all__)  # a module would replace the function once it is imported
    assert (ROOT / "summc" / "py.typed").exists()  # so that type checkers read the package


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = [f"summc.api.{path.stem}" for path in (ROOT / "summc" / "api").glob("[a-z]*.py")]
    for name in ("summc", "summc.config", "summc.api", *modules):
        assert doctest.testmod(importlib.import_module(name)).failed == 0, name
    monkeypatch.chdir(tmp_path)
    path = str(Path(__file__).with_name("examples.txt"))
    assert doctest.testfile(path, False, optionflags=doctest.ELLIPSIS, encoding="utf-8").failed == 0


def test_a_script_with_everything_public_runs(tmp_path: Path) -> None:
    for name, text in zip("ab", TEXTS, strict=True):
        (tmp_path / f"{name}.txt").write_text(text)
    made = api_user.summaries(tmp_path)
    assert "The mayor resigned." in made[0]
    assert "<!doctype html>" in made[4]
    assert api_user.stages().words <= 12
    assert api_user.problems() == ((0,), 3.0)
    assert 0 < api_user.scores(api_user.stages()) <= 1
    assert len(api_user.estimator()) == 1
    clusters = [replace(*summc.load(text), id=text, references=(text,)) for text in TEXTS[:2]]
    assert len(api_user.study(clusters)) > 4
    assert api_user.errors()[2:] == ["nowhere.txt", "texts"]
    assert {"bp", "tfidf"} <= set(api_user.names())
    used = Path(api_user.__file__).read_text()
    assert {name for name in summc.__all__ if f"summc.{name}" not in used} <= {"SummcError"}


def test_a_text_that_looks_like_a_path_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    for text in ("docs/", "gone.txt", "Flood.", "See a/b for more.", "洪水。"):
        summc.load(text)
    told = "taken as a text; to read a file or folder, give a pathlib.Path"
    assert caplog.messages == [f"docs/: {told}", f"gone.txt: {told}"]


def test_every_common_setting_reaches_the_configuration() -> None:
    given: dict[str, Any] = {
        "budget": 20.0, "language": "fr", "query": "Who?", "selector": "bp", "weighting": "tfidf",
        "must": ("dam",), "without": ("ferry",), "boost": ("dam=2",), "ignore": ("mayor",), "order": "given",
        "reading": 0.5, "fill": "truncate",
    }  # fmt: skip
    parameters = inspect.signature(summc.summarize).parameters
    assert list(parameters) == ["sources", *given, "config"]
    made = config_of(None, **given)
    found = {name: value for table in made.tables.values() for name, value in settings_of(table).items()}
    assert {name: found[name] for name in given} == given
    assert all(parameter.default is None for parameter in list(parameters.values())[1:])
    assert list(parameters.values())[1:] == list(inspect.signature(summc.Summarizer).parameters.values())


# Summaries


@pytest.fixture(scope="module")
def summary() -> summc.Summary:
    return summc.summarize(DAM, 60)


def test_a_summary_is_the_one_that_the_command_line_writes(summc: Cli, summary: Any) -> None:
    flags = (*DAM, "-k", "60")
    as_json = summc("summarize", *flags, "--format", "json").out
    assert dump(summary.to_dict(), indent=2) + "\n" == as_json
    assert str(summary.explain("water")) == summc("explain", *flags, "--why-not", "water").out
    told = json.loads(summc("explain", *flags, "--format", "json").out)
    assert {"id": summary.cluster.id, **summary.explain().to_dict()} == json.loads(dump(told))


def test_sentences_say_where_they_come_from(summary: summc.Summary) -> None:
    documents = {document.id: document for document in summary.cluster.documents}
    assert summary.text == "\n".join(map(str, summary.sentences))
    for sentence, member in zip(summary.sentences, summary.to_dict()["sentences"], strict=True):
        assert documents[sentence.document].sentences[sentence.position].text == sentence.text
        given = {name: value for name, value in asdict(sentence).items() if value not in (None, "", [])}
        assert given == member


def test_summaries_can_be_compared_and_pickled(summary: summc.Summary) -> None:
    again = pickle.loads(pickle.dumps(summary))  # noqa: S301 (our own)
    assert again == summary
    assert hash(again) == hash(summary)
    assert again.to_dict() == summary.to_dict()
    assert summary != summc.summarize(DAM, 20)


@pytest.mark.parametrize(
    "config",
    [
        {"budget": "2s", "query": "Who warned of cracks?"},
        {"budget": "60c", "weighting": "tfidf", "selector": "bp"},
        {"budget": "50%", "must": "mayor resigned"},
        {"budget": 14, "fill": "truncate", "boost": {"dam": 3}, "order": "given"},
    ],
)
def test_the_stages_together_are_summarize(config: dict[str, Any]) -> None:
    (cluster,) = summc.load(TEXTS, config)
    tokenized = summc.stages.preprocess(cluster, config)
    weights = summc.stages.weigh(tokenized, config)
    graph = summc.stages.graph(tokenized, weights, config)
    selection = summc.stages.select(tokenized, graph, config)
    made = summc.stages.render(tokenized, weights, graph, selection, config)
    expected = summc.summarize(TEXTS, config=config)
    assert dump(made.to_dict()) == dump(expected.to_dict())
    assert str(made.explain()) == str(expected.explain())


def test_scores_are_those_of_the_command_line(summc: Cli, tmp_path: Path) -> None:
    from summc import score

    texts = {"a": "The dam broke.", "b": "The dams were breaking at dawn."}
    a, b = (tmp_path / name for name in texts)
    for path in (a, b):
        path.write_text(texts[path.name])
    found = score(texts["a"], texts["b"], stem=True)
    metrics = "rouge1,rouge2,rougeL"
    flags = ("--reference", b, "--stem", "--metrics", metrics, "--format", "json")
    told = json.loads(summc("score", a, *flags).out)
    assert ",".join(found) == metrics
    for metric, figures in found.items():
        assert told[metric] == {"recall": figures.recall, "precision": figures.precision, "f1": figures.f1}


# scikit-learn

CLUSTERS = [
    TEXTS,
    "Rain fell. Rain fell for a week in the hills. Farmers lost their crops.",
    ["The council met. It voted for a new bridge.", "The bridge will cost three million."],
    "The ferry sank at night. Fishermen saved all nine passengers.",
]
REFERENCES = [["The dam broke on Monday."], "Rain fell for a week.", ["A bridge.", "A vote."], "It sank."]


class OfRows(summc.Summarizer):
    """Turns rows of numbers into texts, and summaries into numbers, for the checks of scikit-learn."""

    def _tokenized(self, X: Any) -> Any:  # noqa: N803 (scikit-learn's name)
        rows = (np.ravel(row) for row in np.asarray(X))
        return super()._tokenized(
            [" ".join(f"The field {'abcdefghij'[i % 10]} is {v}." for i, v in enumerate(row)) for row in rows]
        )

    def transform(self, X: Any) -> Any:  # noqa: N803 (scikit-learn's name)
        return np.array([[len(text)] for text in super().transform(X)])

    def score(self, X: Any, y: Any) -> float:  # noqa: N803 (scikit-learn's name)
        return super().score(X, [str(value) for value in y])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


#: The checks of scikit-learn that apply. Those of sparse matrices, and of the type and shape of transformed
#: numbers (``check_transformer_general``, ``check_transformer_preserve_dtypes``), are expected to fail and
#: left out, because a Summarizer takes texts and returns texts.
CHECKS = """
    check_estimator_cloneable check_estimator_tags_renamed check_valid_tag_types check_estimator_repr
    check_no_attributes_set_in_init check_parameters_default_constructible check_get_params_invariance
    check_set_params check_do_not_raise_errors_in_init_or_set_params check_mixin_order
    check_estimators_unfitted check_transformers_unfitted check_estimators_overwrite_params
    check_dont_overwrite_parameters check_estimators_fit_returns_self check_fit_check_is_fitted
    check_dict_unchanged check_methods_subset_invariance
"""


@pytest.mark.parametrize("check", CHECKS.split())
def test_the_estimator_passes_the_checks_of_scikit_learn(
    check: str, caplog: pytest.LogCaptureFixture
) -> None:
    from sklearn.utils import estimator_checks

    if not hasattr(estimator_checks, check):
        pytest.skip("this version of scikit-learn has no such check")
    caplog.set_level(logging.ERROR, "summc")
    getattr(estimator_checks, check)("OfRows", OfRows(20, selector="g-greedy", weighting="tfidf"))


def test_the_estimator_summarizes_as_summarize_does() -> None:
    made = summc.Summarizer(12).fit(CLUSTERS).summaries(CLUSTERS)
    assert made == [summc.summarize(cluster, 12) for cluster in CLUSTERS]
    assert summc.Summarizer(12).fit_transform(CLUSTERS) == [each.text for each in made]
    with pytest.raises(summc.InputError, match="X: has no clusters to score"):
        summc.Summarizer(12).fit(CLUSTERS).score([], [])


def test_the_estimator_counts_words_over_the_clusters_of_fit() -> None:
    from summc.method import summarize

    clusters = [summc.load(each)[0] for each in CLUSTERS]
    model = summc.Summarizer(12, weighting="tfidf").fit(clusters[:3])
    together = list(summarize(clusters[:3], config_of(budget=12, weighting="tfidf")))
    assert [each.run for each in model.summaries(clusters[:3])] == together
    (new,) = model.summaries(clusters[3:])
    assert "idf:cluster/4|" in new.signature
    assert "ferry" in new.text


def test_the_estimator_works_with_the_tools_of_scikit_learn() -> None:
    from sklearn.base import clone
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    model = summc.Summarizer("1s", boost={"dam": 2}, selector=BeliefPropagation(beta=3.0))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(copy.fit(CLUSTERS))).transform(CLUSTERS) == model.fit_transform(CLUSTERS)  # noqa: S301
    counts = make_pipeline(summc.Summarizer("1s"), CountVectorizer()).fit_transform(CLUSTERS)
    assert counts.shape[0] == len(CLUSTERS)
    search = GridSearchCV(summc.Summarizer(), {"budget": [6, np.int64(12)], "weighting": ["position"]}, cv=2)
    search.fit(CLUSTERS, REFERENCES)
    assert search.best_params_["budget"] == 12
    assert 0 < search.best_score_ <= 1
