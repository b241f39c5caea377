"""The Python API: what ``import summc`` offers."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import itertools
import json
import logging
import pickle
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import summc
from summc.api import config_of
from summc.selectors import BeliefPropagation
from summc.settings import settings_of
from summc.system.json_objects import dump
from tests.api import api_user
from tests.api.api_user import TEXTS
from tests.conftest import ROOT, Cli, examples
from tests.support.small import DAM, write_lines


@pytest.fixture(scope="module")
def summary() -> summc.Summary:
    return summc.summarize(DAM, 60)


# Names


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
    for name in summc.__all__:
        value = getattr(summc, name)
        assert value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        summc.nothing  # type: ignore[attr-defined]  # noqa: B018 (the access is the test; mypy refuses it too)


def test_public_names_are_not_names_of_modules() -> None:
    modules = {path.stem for path in (ROOT / "summc").iterdir()}
    assert not modules & set(summc.__all__)  # a module would replace the function once it is imported
    assert (ROOT / "summc" / "py.typed").exists()  # so that type checkers read the package


@pytest.mark.parametrize(
    "name",
    [
        "summc",
        "summc.settings.config",
        *(
            f"summc.api.{path.stem}".removesuffix(".__init__")
            for path in (ROOT / "summc" / "api").glob("*.py")
        ),
    ],
)
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


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
    assert api_user.errors()[2:] == ["nowhere.txt", "texts"]
    assert {"bp", "tfidf"} <= set(api_user.names())
    used = Path(api_user.__file__).read_text()
    assert {name for name in summc.__all__ if f"summc.{name}" not in used} <= {"SummcError"}


# Sources


def test_a_str_is_a_text_and_a_path_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("report.txt", "-"):  # "-" is not standard input here
        Path(name).write_text("The dam broke.")
        assert summc.summarize(Path(name), 5).text == "The dam broke."
    assert summc.load("report.txt")[0].sentences[0].text == "report.txt"
    with pytest.raises(summc.NotFoundError, match=r"gone.txt: no such file or folder"):
        summc.summarize(Path("gone.txt"))


@pytest.mark.parametrize(
    ("text", "warned"),
    [("docs/", True), ("gone.txt", True), ("Flood.", False), ("See a/b for more.", False), ("洪水。", False)],
)
def test_a_text_that_looks_like_a_path_is_warned_of(
    text: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    summc.load(text)
    told = f"{text}: taken as a text; to read a file or folder, give a pathlib.Path"
    assert caplog.messages == ([told] if warned else [])


def test_documents_have_the_names_that_a_mapping_gives_them() -> None:
    summary = summc.summarize({"2009-06-09 late": TEXTS[1], "2009-06-08 early": TEXTS[0]}, 60)
    places = [(s.document, s.date, s.position) for s in summary.sentences]
    assert places[0] == ("2009-06-08 early", "2009-06-08", 0)
    assert places[-1][:2] == ("2009-06-09 late", "2009-06-09")


def test_several_clusters_are_summarized_one_by_one(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "two.jsonl")
    with pytest.raises(
        summc.InputError, match=r"2 clusters, where one .*; summarize each cluster of summc.load"
    ):
        summc.summarize(path)
    clusters = summc.load(path)
    assert summc.load(clusters) == clusters
    assert [summc.summarize(each, "1s").cluster.id for each in clusters] == [each.id for each in clusters]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "must not be int; give texts"),
        (b"text", "must not be bytes; give texts"),
        ([3], "must not be int; give texts"),
        (io.StringIO("A line.\nAnother."), "must not be StringIO; give texts"),
        (["a text", Path("a.txt")], "texts, paths and clusters are mixed"),
        ({"a": 3}, "names and texts must be str, not int"),
        ({1: "a"}, "names and texts must be str, not int"),
        ([], "no text"),
        (" \n", "no text"),
        ("The d\ud800am broke.", "sources: hold half a surrogate pair; write it as whole characters"),
    ],
)
def test_other_sources_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(summc.InputError, match=message):
        summc.summarize(wrong)


# Settings


@pytest.mark.parametrize(
    ("budget", "settings"),
    [
        (50, (50.0, "words")),
        (np.int64(50), (50.0, "words")),
        ("50", (50.0, "words")),
        ("50w", (50.0, "words")),
        ("5s", (5.0, "sentences")),
        ("600 c", (600.0, "characters")),
        ("10%", (10.0, "percent")),
        (None, (100.0, "words")),
    ],
)
def test_budgets_have_the_units_of_the_command_line(budget: Any, settings: tuple[float, str]) -> None:
    select = config_of(budget=budget).select
    assert (select.budget, select.unit) == settings
    assert config_of({"unit": "sentences"}, budget=5).select.unit == "sentences"


def test_every_common_setting_reaches_the_configuration() -> None:
    given: dict[str, Any] = {
        "budget": 20.0, "language": "fr", "query": "Who?", "selector": "bp", "weighting": "tfidf",
        "must": ("dam",), "boost": ("dam=2",), "ignore": ("mayor",), "order": "given", "reading": 0.5,
        "fill": "truncate",
    }  # fmt: skip
    parameters = inspect.signature(summc.summarize).parameters
    assert list(parameters) == ["sources", *given, "config"]
    made = config_of(None, **given)
    found = {name: value for table in made.tables.values() for name, value in settings_of(table).items()}
    assert {name: found[name] for name in given} == given
    assert all(parameter.default is None for parameter in list(parameters.values())[1:])
    assert list(parameters.values())[1:] == list(inspect.signature(summc.Summarizer).parameters.values())


def test_settings_may_have_the_forms_that_python_users_expect(tmp_path: Path) -> None:
    assert config_of(boost={"dam": 2, "mayor": 0.5}).weigh.boost == ("dam=2", "mayor=0.5")
    assert config_of(must="dam").select.must == ("dam",)
    assert config_of(selector=BeliefPropagation(beta=3.0)).selector == BeliefPropagation(beta=3.0)
    assert config_of("paper") == summc.Config().with_file("paper")
    (tmp_path / "own.toml").write_text("[select]\nbudget = 7\n")
    for path in (tmp_path / "own.toml", str(tmp_path / "own.toml")):
        assert config_of(path).select.budget == 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": "5x"}, "`budget`: '5x' is not a length; write 100, 5s, 600c or 10%"),
        ({"budget": True}, "`budget`: must be a number at least 1, got true"),
        ({"budget": [5]}, "`budget`: must be a number at least 1, got "),
        ({"budget": 10**400}, "`budget`: must be a number at most 1000000000000000, got inf"),
        ({"order": "random"}, '`order`: must be one of dates, given, got "random"'),
        ({"selector": "gready"}, '`selector`: must be one of .*; perhaps "greedy"'),
        ({"selector": 3}, "`selector`: must be the name of a selector, or an object of a class in SELECTORS"),
        ({"selector": BeliefPropagation(beta=-3.0)}, "`beta`: must be a number above 0, or auto, got -3"),
        ({"boost": {"dam": -1}}, "`boost`: must be WORD=FACTOR, got dam=-1"),
        ({"language": "klingon"}, '`language`: unknown language "klingon"'),
        ({"config": {"unit": "sentences"}, "budget": "5w"}, "`unit`: sentences, where `budget` counts words"),
        ({"config": {"bbeta": 3}}, '`bbeta`: unknown setting; perhaps "beta"'),
        ({"config": 3}, "`config`: must be a Config, a mapping of settings, a TOML file or .*, got int"),
    ],
)  # fmt: skip
def test_an_error_names_the_setting(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(summc.SettingError, match=message):
        summc.summarize(TEXTS, **settings)


# Summaries


def test_a_summary_is_the_one_that_the_command_line_writes(summc: Cli, summary: Any) -> None:
    assert (
        dump(summary.to_dict(), indent=2) + "\n"
        == summc("summarize", *DAM, "-k", "60", "--format", "json").out
    )
    assert str(summary.explain("water")) == summc("explain", *DAM, "-k", "60", "--why-not", "water").out
    told = json.loads(summc("explain", *DAM, "-k", "60", "--format", "json").out)
    assert {"id": summary.cluster.id, **summary.explain().to_dict()} == json.loads(dump(told))


def test_sentences_say_where_they_come_from(summary: summc.Summary) -> None:
    documents = {document.id: document for document in summary.cluster.documents}
    assert summary.text == "\n".join(map(str, summary.sentences))
    for sentence, member in zip(summary.sentences, summary.to_dict()["sentences"], strict=True):
        assert documents[sentence.document].sentences[sentence.position].text == sentence.text
        given = {name: value for name, value in asdict(sentence).items() if value not in (None, "")}
        assert given == member


def test_a_notebook_shows_a_summary_as_harmless_html() -> None:
    summary = summc.summarize({"<script>": "The <b>dam</b> & the town broke."}, 10)
    shown = summary._repr_html_()
    assert "<li>The &lt;b&gt;dam&lt;/b&gt; &amp; the town broke. <small>(&lt;script&gt;, sentence 1)" in shown
    assert 'dir="rtl"' in summc.summarize("انهار السد عند الفجر.", 10, language="ar")._repr_html_()


def test_summaries_can_be_compared_pickled_and_printed(summary: summc.Summary) -> None:
    again = pickle.loads(pickle.dumps(summary))  # noqa: S301 (our own)
    assert again == summary
    assert hash(again) == hash(summary)
    assert again.to_dict() == summary.to_dict()
    assert summary != summc.summarize(DAM, 20)
    assert repr(summary).startswith("<Summary of EQW20320310+1: ")


# Stages


@pytest.mark.parametrize(
    "config",
    [
        {"budget": "12w"},
        {"budget": "2s", "query": "Who warned of cracks?"},
        {"budget": "60c", "weighting": "tfidf", "selector": "bp"},
        {"budget": "50%", "must": "mayor resigned"},
        {"budget": 14, "fill": "truncate", "boost": {"dam": 3}, "order": "given"},
    ],
)
def test_the_stages_together_are_summarize(config: dict[str, Any]) -> None:
    def composed() -> summc.Summary:
        (cluster,) = summc.load(TEXTS, config)
        tokenized = summc.tokenize(cluster, config)
        weights = summc.weigh(tokenized, config)
        graph = summc.build_graph(tokenized, weights, config)
        selection = summc.select(tokenized, graph, config)
        return summc.render(tokenized, weights, graph, selection, config)

    made, expected = composed(), summc.summarize(TEXTS, config=config)
    assert dump(made.to_dict()) == dump(expected.to_dict())
    assert str(made.explain()) == str(expected.explain())


# Problems


@examples(60)
@given(st.data())
def test_solve_finds_the_best_choice_of_small_problems(data: st.DataObject) -> None:
    sets, elements = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    number = st.integers(0, 9)
    levels = st.lists(number, min_size=1, max_size=3).map(lambda found: sorted(found, reverse=True))
    costs = data.draw(st.lists(number, min_size=sets, max_size=sets))
    weights = data.draw(st.lists(number | levels, min_size=elements, max_size=elements))
    pair = st.tuples(st.integers(0, sets - 1), st.integers(0, elements - 1))
    edges = data.draw(st.lists(pair | st.tuples(*[st.integers(0, 0)] * 2, st.integers(1, 3)), max_size=9))
    budget = data.draw(st.integers(0, 20))
    answer = summc.solve(summc.Problem(costs, weights, edges), budget, "exact")

    def covered(chosen: tuple[int, ...]) -> float:
        count = [0] * elements
        for i, a, *more in edges:
            count[a] += (more[0] if more else 1) if i in chosen else 0
        worth = [each if isinstance(each, list) else [each] for each in weights]
        return sum(sum(values[:n]) for values, n in zip(worth, count, strict=True))

    choices = itertools.chain.from_iterable(itertools.combinations(range(sets), n) for n in range(sets + 1))
    best = max(covered(c) for c in choices if sum(costs[i] for i in c) <= budget)
    assert answer.covered_weight == pytest.approx(covered(answer.chosen)) == pytest.approx(best)
    assert answer.cost == sum(costs[i] for i in answer.chosen) <= budget
    assert answer.bound is not None
    assert answer.bound >= best - 1e-9


def test_arrays_are_as_good_as_lists() -> None:
    costs, weights, edges = [2, 2, 3], [[5, 1], [4, 2], [3, 3]], [(0, 0, 2), (1, 1, 1), (2, 1, 1), (2, 2, 1)]
    lists = summc.Problem(costs, weights, edges)
    arrays = summc.Problem(np.array(costs), np.array(weights, dtype=float), np.array(edges, dtype=np.int32))
    assert repr(lists) == repr(arrays) == "<Problem of 3 sets, 3 elements, 4 edges>"
    assert summc.solve(lists, 5) == summc.solve(arrays, np.float64(5))
    pairs = summc.Problem(iter(costs), range(1, 4), np.array(edges, dtype=np.uint64)[:, :2])
    assert summc.solve(pairs, 4).chosen == summc.solve(summc.Problem(costs, [1, 2, 3], edges), 4).chosen


@pytest.mark.parametrize("problem", [([5], [1], [(0, 0)]), ([], [], []), ([1], [0], [])])
def test_if_no_set_fits_none_is_chosen(problem: Any) -> None:
    answer = summc.solve(summc.Problem(*problem), 2)
    assert (answer.chosen, answer.covered_weight, answer.bound) == ((), 0, 0)


def test_the_graph_of_a_text_is_a_problem_too() -> None:
    (cluster,) = summc.load(TEXTS)
    tokenized = summc.tokenize(cluster)
    graph = summc.build_graph(tokenized, summc.weigh(tokenized))
    answer = summc.solve(graph, 12, "exact")
    assert answer.covered_weight == pytest.approx(answer.bound)
    assert answer.covered_weight >= summc.solve(graph, 12, "greedy").covered_weight


def test_the_bound_can_be_left_out() -> None:
    problem = summc.Problem([1, 1], [2, 3], [(0, 0), (1, 1)])
    assert summc.solve(problem, 1, "greedy", certify=False).bound is None
    assert summc.solve(problem, 0.5).chosen == ()


@pytest.mark.parametrize(
    ("costs", "weights", "edges", "message"),
    [
        ([1, -1], [1], [], r"costs\[1\]: must be 0 or a number from 1e-100 to 1e100, got -1"),
        ([float("nan")], [1], [], r"costs\[0\]: must be 0 or a number .*, got nan"),
        (np.array([1.0, np.inf]), [1], [], r"costs\[1\]: must be 0 or a number .*inf"),
        (3, [1], [], "costs: must be a list, got 3"),
        ([1], np.array(2), [], r"weights: must be a list, got array\(2\)"),
        ([1], [1], None, "edges: must be a list, got None"),
        ([1, "2"], [1], [], r"costs\[1\]: must be .*, got '2'"),
        ([[1]], [1], [], r"costs\[0\]: must be .*, got \[1\]"),
        ([1], [1, 1e101], [], r"weights\[1\]: must be .*, got 1e\+101"),
        ([1], [[1, 2]], [], r"weights\[0\]\[1\]: must be at most 1, the weight before it, got 2"),
        ([1], [2, []], [], r"weights\[1\]: must be a number, or a list of one or more, got an empty list"),
        ([1], [2, [1, None]], [], r"weights\[1\]\[1\]: must be 0 or a number .*, got None"),
        ([1], ["3"], [], r"weights\[0\]: must be 0 or a number .*, got '3'"),
        ([1], [1], [(0, 0), (1, 0)], r"edges\[1\]: no set 1; the last one is 0"),
        ([1], [1], [(0, -1)], r"edges\[0\]: no element -1; the last one is 0"),
        ([1], [], [(0, 0)], r"edges\[0\]: no element 0; the problem has none"),
        ([1], [1], [(0, 0, 0)], r"edges\[0\]: must be .* or \(set, element, count\), got \(0, 0, 0\)"),
        ([1], [1], [(0, 0), (0,)], r"edges\[1\]: must be \(set, element\) or"),
        ([1], [1], [(0, 0.0)], r"edges\[0\]: must be \(set, element\) or"),
        ([1], [1], [(0, 10**30)], r"edges\[0\]: must be \(set, element\) or"),
        ([1], [1], [3], r"edges\[0\]: must be \(set, element\) or .*, got 3"),
    ],
)  # fmt: skip
def test_a_malformed_problem_is_refused(costs: Any, weights: Any, edges: Any, message: str) -> None:
    with pytest.raises(summc.InputError, match=message):
        summc.Problem(costs, weights, edges)


def test_a_budget_or_selector_that_cannot_be_used_is_refused() -> None:
    problem = summc.Problem([1], [1], [(0, 0)])
    for budget in (-1, float("nan"), "5", True):
        with pytest.raises(summc.SettingError, match="`budget`: must be a number from 0 to 1e100, got "):
            summc.solve(problem, budget)  # type: ignore[arg-type]
    with pytest.raises(summc.SettingError, match=r'`selector`: must be one of .*; perhaps "exact"'):
        summc.solve(problem, 1, "exacct")


# Scores


def test_scores_are_those_of_the_command_line(summc: Cli, tmp_path: Path) -> None:
    from summc import score

    (tmp_path / "a.txt").write_text("The dam broke.")
    (tmp_path / "b.txt").write_text("The dams were breaking at dawn.")
    found = score("The dam broke.", "The dams were breaking at dawn.", stem=True)
    assert list(found) == ["rouge1", "rouge2", "rougeL"]
    told = json.loads(
        summc("score", tmp_path / "a.txt", "--reference", tmp_path / "b.txt", "--stem", "--metrics",
              "rouge1,rouge2,rougeL", "--format", "json").out
    )  # fmt: skip
    for metric, figures in found.items():
        assert told[metric] == {"recall": figures.recall, "precision": figures.precision, "f1": figures.f1}
    assert (
        score("the dam", ["the dam broke"], metrics="rouge1", rouge="official", limit=2)["rouge1"].recall == 1
    )


@pytest.mark.parametrize(
    ("references", "settings", "message"),
    [
        (["a"], {"metrics": "rouge9"}, "`metrics`: must be some of rouge1, "),
        (["a"], {"rouge": "other"}, "`rouge`: must be one of paper, official"),
        ([], {}, "no reference to score against"),
        ([3], {}, "references: must be a text, got int"),
        (["a"], {"limit": 0}, "limit: must be a whole number at least 1, got 0"),
    ],
)
def test_scoring_names_what_is_wrong(references: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(summc.SummcError, match=message):
        summc.score("a", references, **settings)


# scikit-learn

CLUSTERS = [
    TEXTS,
    "Rain fell. Rain fell for a week in the hills. Farmers lost their crops.",
    ["The council met. It voted for a new bridge.", "The bridge will cost three million."],
    "The ferry sank at night. Fishermen saved all nine passengers.",
]
REFERENCES = [
    ["The dam broke on Monday."],
    "Rain fell for a week.",
    ["A bridge.", "A vote."],
    "The ferry sank.",
]


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


def test_the_estimator_names_what_is_wrong() -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="not fitted yet"):
        summc.Summarizer().transform(CLUSTERS)
    with pytest.raises(summc.SettingError, match="`order`: must be one of dates, given"):
        summc.Summarizer(order="random").fit(CLUSTERS)  # type: ignore[arg-type]
    with pytest.raises(summc.SettingError, match='`must`: no sentence holds "whale"'):
        summc.Summarizer(must="whale").fit(CLUSTERS)
    with pytest.raises(summc.InputError, match="X: must be a list of clusters"):
        summc.Summarizer().fit("a text")
    with pytest.raises(summc.NoSummaryError) as refused:
        summc.Summarizer(4).fit_transform(["The dam broke.", "The mayor of the town resigned."])
    assert refused.value.__notes__ == ["in X[1]"]
    with pytest.raises(summc.InputError, match="y: has references of 1 clusters, where X has 4"):
        summc.Summarizer(5).fit(CLUSTERS).score(CLUSTERS, ["a"])
