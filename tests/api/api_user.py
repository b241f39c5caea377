"""A script as a user would write it, with everything public. mypy checks its types; test_api.py runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import summc

TEXTS = [
    "The dam broke at dawn. Water covered the lower town. Nobody was hurt.",
    "The dam above the town broke on Monday. Engineers had warned of cracks. The mayor resigned.",
]


def summaries(folder: Path) -> list[str]:
    summary = summc.summarize(TEXTS, "12w", language="en", selector="g-greedy", must="the mayor resigned")
    assert_type(summary, summc.Summary)
    assert_type(summary.text, str)
    assert_type(summary.words, int)
    assert_type(summary.signature, str)
    assert_type(summary.forecast, float | None)
    assert_type(summary.to_dict(), dict[str, Any])
    sentence: summc.SummarySentence = summary.sentences[0]
    assert_type((sentence.document, sentence.date, sentence.position), tuple[str, str, int])
    assert_type(summc.keywords(TEXTS, 3), list[summc.Keyword])
    why: summc.Explanation = summary.explain("engineers")
    assert_type(why.to_dict(), dict[str, Any])
    named = summc.summarize(
        {"monday": TEXTS[0], "tuesday": TEXTS[1]}, 12, weighting="tfidf", boost={"dam": 2}, ignore=["mayor"],
        order="given", reading=0, fill="truncate", config="paper",
    )  # fmt: skip
    beliefs = summc.summarize(folder, "50%", selector=summc.SELECTORS["bp"](beta=3), query="Who resigned?")
    tuned = summc.summarize([folder / "a.txt"], "2s", config={"least_words": 2})
    return [summary.text, str(why), str(named), beliefs.text, tuned.to_html()]


def stages() -> summc.Summary:
    config = summc.Config().with_settings({"budget": 12})
    clusters: list[summc.Cluster] = summc.load(TEXTS, config)
    tokenized = summc.stages.preprocess(clusters[0], config)
    weights = summc.stages.weigh(tokenized, config, others=[tokenized])
    graph = summc.stages.graph(tokenized, weights, config)
    selection = summc.stages.select(tokenized, graph, config)
    assert_type(tokenized, summc.TokenizedCluster)
    assert_type(weights, summc.WordWeights)
    assert_type(graph, summc.CoverageGraph)
    assert_type(selection, summc.Selection)
    assert_type(summc.SELECTORS["bp"](), summc.Selector)
    return summc.stages.render(tokenized, weights, graph, selection, config)


def problems() -> tuple[tuple[int, ...], float | None]:
    problem = summc.Problem([1, 2.5], [3, [2, 1]], [(0, 0), (1, 1, 2)])
    answer = summc.solve(problem, 3, selector="exact")
    assert_type(answer, summc.Solution)
    assert_type(summc.propagate(problem, mu=1.0), summc.Beliefs)
    assert_type(summc.propagate([problem], mu=1.0, include=[0]), list[summc.Beliefs])
    assert summc.least_budget(problem, 1).cost == answer.cost + 2.5
    return answer.chosen, answer.bound


def scores(summary: summc.Summary) -> float:
    found = summc.score(summary, [TEXTS[0]], metrics=["rouge1", "rougeL"], stem=True)
    assert_type(found, dict[str, summc.Score])
    return found["rouge1"].recall


def study(clusters: list[summc.Cluster]) -> list[dict[str, object]]:
    per_cluster = summc.evaluate(clusters, ["auto", "lead"], per_cluster=True, budget="10w")
    swept = summc.sweep(clusters, mu=[0.1], budget=10)
    return [*summc.compare(per_cluster), *swept, *summc.curve(clusters, [10])]


def estimator() -> list[str]:
    model = summc.Summarizer("1s", weighting="tfidf").fit([TEXTS, "Rain fell. Rain fell for a week."])
    assert_type(model, summc.Summarizer)
    assert_type(model.get_params(), dict[str, Any])
    assert_type(model.score([TEXTS], [["The dam broke."]]), float)
    assert_type(model.set_params(budget=10).summaries([TEXTS]), list[summc.Summary])
    return model.transform([TEXTS])


def errors() -> list[str]:
    found = []
    for budget in (0, 2):
        try:
            summc.summarize(TEXTS, budget)
        except (summc.SettingError, summc.NoSummaryError) as error:
            found.append(error.problem)
    for source in (Path("nowhere.txt"), ""):
        try:
            summc.load(source)
        except (summc.NotFoundError, summc.InputError) as error:
            found.append(error.place)
    return found


def names() -> list[str]:
    assert_type(summc.__version__, str)
    return [*summc.SELECTORS, *summc.WEIGHTINGS]
