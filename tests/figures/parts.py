"""The parts: functions that run commands and return a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

from summc.lab.evaluation.intervals import compared
from tests.figures import Cells, Record, as_lines
from tests.figures.commands import Commands
from tests.figures.intervals import DRAWS, coverages
from tests.figures.problems import (
    costs,
    degrees,
    figure_2,
    interval,
    large,
    levels,
    like_news,
    price,
    published,
    size,
    small_budgets,
    unweighted,
    updates,
)  # fmt: skip
from tests.figures.stories import cells as story_cells

LANGUAGES = ("english", "french", "czech", "arabic", "hebrew")
MULTILING = "--dataset multiling2011 --language"
OFFICIAL = "--rouge official --metrics rouge1,rouge2"
#: The first default: news as it was summarized before sentences had prices.
FIRST = "--weighting position --reading 0 --selector auto"


# Cells


def scores(row: Record) -> str:
    """Return ROUGE-1 and ROUGE-2, such as "0.5073 / 0.2254"."""
    return f"{row['rouge1']['recall']:.4f} / {row['rouge2']['recall']:.4f}"


def weight(row: Record) -> str:
    """Return ROUGE-1 and, in parentheses, the covered weight."""
    return f"{row['rouge1']['recall']:.4f} ({row['covered_weight']:.3f})"


def settled(row: Record) -> str:
    """Return the share of the clusters on which the messages of BP settled."""
    return f"{row['converged']:.0%}"


def by_name(found: Record) -> dict[str, Record]:
    """Return the rows of ``summc evaluate`` by selector."""
    return {row["selector"]: row for row in found["rows"]}


def rouge1(found: Record, selector: str = "") -> dict[str, float]:
    """Return ROUGE-1 by cluster, of ``summc evaluate --per-cluster``."""
    rows = [row for row in found["per_cluster"] if row["selector"] == (selector or row["selector"])]
    return {row["cluster"]: row["rouge1"]["recall"] for row in rows}


# Parts


def presets(run: Commands) -> Cells:
    """Return the scores of the shipped configurations."""
    columns = {f"{language.title()}, 250": f"{MULTILING} {language} -k 250" for language in LANGUAGES}
    columns |= {
        "English, 100, stems": f"{MULTILING} english -k 100 --stem",
        "sample, 100, stems": "--dataset sample -k 100 --stem",
    }
    names = ("default", "highest", "paper")
    found = [
        by_name(run(f"evaluate {data} {OFFICIAL} --preset {','.join(names)}")) for data in columns.values()
    ]
    return [["", *columns], *([f"`{name}`", *(scores(rows[name]) for rows in found)] for name in names)]


#: Row of the ladder -> the settings that it adds to those of the rows above.
STEPS = {
    "`paper`": "--config paper",
    "bigrams": "--concepts bigrams --order dates --weighting document-frequency --least-documents 3"
    " --bigram-factor 1 --power 1",
    "words and bigrams": "--concepts words+bigrams --bigram-factor 2",
    "frequency": "--least-documents 2 --power 1.5",
    "leads": "--weighting position",
    "whole sentences": "--datelines cut --leave-out fragments,repetitions --least-words 8",
    "places": "--place-bonus 1",
    "first default": FIRST,
    "`default`": "",
    "`highest`": "--config highest",
}
#: Rows of the ladder that are configurations, not additions to the row above.
_COMPLETE = ("first default", "`default`", "`highest`")


def ladder(run: Commands) -> Cells:
    """Return what each step from the paper's settings to the default is worth."""
    columns = {
        "English, 250": f"{MULTILING} english -k 250 {OFFICIAL}",
        "English, 100, stems": f"{MULTILING} english -k 100 --stem {OFFICIAL}",
        "sample, 100, stems": f"--dataset sample -k 100 --stem {OFFICIAL}",
    }
    table = [["row", "settings that it adds", *columns, "ROUGE-1, first column, against the row above"]]
    flags: list[str] = []
    before: dict[str, float] = {}
    for name, added in STEPS.items():
        flags = [added] if name in _COMPLETE else [*flags, added]
        found = [run(f"evaluate {data} --per-cluster {_joined(flags)}") for data in columns.values()]
        now = rouge1(found[0])
        versus = compared(now, before) if before else None
        difference = interval(versus.mean, versus.ci) if versus else ""
        cells = [scores(each["rows"][0]) for each in found]
        table.append([name, f"`{added}`" if added else "", *cells, difference])
        before = now
    return table


def _joined(flags: Sequence[str]) -> str:
    """Return the flags of several rows, where a later value takes the place of an earlier one."""
    values = dict(re.findall(r"(--\S+) (\S+)", " ".join(flags)))
    selector = values.pop("--selector", "g-greedy" if values.get("--config") == "paper" else "auto")
    return " ".join([f"--selector {selector}", *(f"{flag} {value}" for flag, value in values.items())])


def damping(run: Commands) -> Cells:
    """Return what BP covers by its damping: on random graphs, and on the sample."""
    graphs = "experiment random-graphs --config paper-fig2 --mu 5:5:1 --graphs 200 --damping"
    text = "evaluate --dataset sample --selector bp,g-greedy --config"
    rows = {}
    for value, why in {
        "0": "as the paper has it",
        "0.5": "as in the configurations",
        "auto": "the default",
    }.items():
        greedy, bp = (f"{row['mean']:.1f}" for row in run(f"{graphs} {value}")["rows"])
        found = [by_name(run(f"{text} paper-fig{number} --damping {value}")) for number in (3, 4)]
        rows["g-greedy"] = [greedy, *(f"{each['g-greedy']['covered_weight']:.3f}" for each in found)]
        covered = [f"{each['bp']['covered_weight']:.3f}, settled on {settled(each['bp'])}" for each in found]
        rows[f"`bp --damping {value}`, {why}"] = [bp, *covered]
    heading = ["", "figure 2, 200 graphs", "sample, `paper-fig3`", "sample, `paper-fig4`"]
    return [heading, *([name, *cells] for name, cells in rows.items())]


def rouge_stopwords(run: Commands) -> Cells:
    """Return ROUGE-1 with and without the stop words that SumEval removes."""
    table = [["ROUGE-1 on the sample", "kept: bp", "g-greedy", "removed: bp", "g-greedy"]]
    for config in ("paper-fig3", "paper-fig4"):
        command = f"evaluate --dataset sample --config {config} --selector bp,g-greedy --rouge-stopwords"
        rows = [row for words in ("kept", "removed") for row in run(f"{command} {words}")["rows"]]
        table.append([f"`{config}`", *(f"{row['rouge1']['recall']:.4f}" for row in rows)])
    return table


def sweeps(run: Commands) -> Cells:
    """Return the best points of the sweeps of Figures 3 and 4, on the sample."""
    table = [["", "best by", "mu", "bp", "g-greedy", "greedy", "difference from g-greedy, 95% interval"]]
    for config in ("paper-fig3", "paper-fig4"):
        found = run(f"sweep --dataset sample --config {config} --versus g-greedy,greedy")
        rows = by_name(found)
        for measure, name in {"weight": "covered weight", "rouge1": "ROUGE-1"}.items():
            best = found["best"][measure]
            others = [f"{rows[other][measure]['mean']:.3f}" for other in ("g-greedy", "greedy")]
            difference = interval(best["difference"], best["difference_ci"], 3)
            table.append([
                f"`{config}`", name, f"{best['mu']:g}", f"{best['mean']:.3f}", *others, difference,
            ])  # fmt: skip
    return table


def news(run: Commands) -> Cells:
    """Return ROUGE-1 and the covered weight of the paper's methods on news."""
    data = {
        f"{name}, `{config}`": f"{flags} --config {config}"
        for name, flags in {"sample": "--dataset sample", "MultiLing": f"{MULTILING} english -k 250"}.items()
        for config in ("paper-fig3", "paper-fig4")
    }
    names = ("bp", "g-greedy", "greedy")
    found = [by_name(run(f"evaluate {flags} --selector {','.join(names)}")) for flags in data.values()]
    table = [["", *data], *([name, *(weight(rows[name]) for rows in found)] for name in names)]
    return [*table, ["bp settled on", *(settled(rows["bp"]) for rows in found)]]


#: What is changed in the paper's configurations, to tell mu and damping apart.
_CHANGES = {
    "damping 0.3": "--damping 0.3",
    "damping 0.5, as in the configurations": "--damping 0.5",
    "damping 0.7": "--damping 0.7",
    "damping 0.9": "--damping 0.9",
    "damping auto": "--damping auto",
    "damping auto, 2,000 iterations": "--damping auto --iterations 2000",
    "mu, beta and damping auto": "--mu auto --beta auto --damping auto",
}


def news_damping(config: str, run: Commands) -> Cells:
    """Return what damping does to BP on news in the paper's configuration for one of its figures."""
    rows: dict[str, list[str]] = {}
    for name, change in _CHANGES.items():
        flags = f"--config {config} --selector g-greedy,bp,greedy {change}"
        found = [by_name(run(f"evaluate {MULTILING} {language} {flags}")) for language in LANGUAGES[:3]]
        rows |= {other: [weight(each[other]) for each in found] for other in ("g-greedy", "greedy")}
        rows[f"bp, {name}"] = [
            f"{weight(each['bp'])}, {settled(each['bp'])}, {_versus(each['bp'])}" for each in found
        ]
    return [["", *map(str.title, LANGUAGES[:3])], *([name, *cells] for name, cells in rows.items())]


def _versus(row: Record) -> str:
    return interval(row["rouge1"]["versus"]["difference"], row["rouge1"]["versus"]["ci"])


def news_stopwords(run: Commands) -> Cells:
    """Return ROUGE-1 on English news, with stop words kept or removed by ROUGE."""
    names = ("bp", "g-greedy", "greedy")
    command = f"evaluate {MULTILING} english --config paper-fig4 --selector g-greedy,bp,greedy"
    table = [["English, `paper-fig4`", *names, "bp less g-greedy"]]
    for words in ("kept", "removed"):
        rows = by_name(run(f"{command} --rouge-stopwords {words}"))
        cells = [f"{rows[name]['rouge1']['recall']:.4f}" for name in names]
        table.append([f"stop words {words} by ROUGE", *cells, _versus(rows["bp"])])
    return table


_FREE = "bp, its settings found by summc"
_METHODS = (
    "g-greedy",
    "knapsack",
    "bp",
    "bp-decimation",
    "lp-rounding",
    "g-greedy-enumerated",
    "stack",
    "auto",
)


def optimizers(run: Commands) -> Cells:
    """Return the share of the optimum that each selector reaches, and how often it reaches the optimum."""
    methods = ("g-greedy", "bp", "auto") if run.small else _METHODS
    graphs = "experiment random-graphs --config paper-fig2 --graphs 50 --exact --selector"
    found = [*run(f"{graphs} {','.join(methods[1:])} --mu 4.5:4.5:1")["rows"]]
    by_graphs = {row["method"].split(",")[0]: _share(row["share"], row["solved"]) for row in found}
    (_, free, *_) = run(f"{graphs} bp --mu auto")["rows"]
    columns = {"(9,3) graphs": by_graphs | {_FREE: _share(free["share"], free["solved"])}}
    data = {"sample, 100": "--dataset sample -k 100"}
    data |= {f"MultiLing, {words}": f"{MULTILING} english -k {words}" for words in (100, 250)}
    for name, flags in data.items():
        text = f"evaluate {flags} --config paper-fig3 --per-cluster --selector"
        (free,) = _covered(run(f"{text} bp --mu auto --beta auto --damping auto")).values()
        covered = _covered(run(f"{text} exact,{','.join(methods)}")) | {_FREE: free}
        best = covered["exact"]
        columns[name] = {method: _shares(values, best) for method, values in covered.items()}
    rows = [[name, *(column[name] for column in columns.values())] for name in (*methods, _FREE)]
    return [["", *columns], *rows]


def _share(share: float, solved: float) -> str:
    return f"{share:.4f}, {solved:.0%}"


def _covered(found: Record) -> dict[str, list[float]]:
    """Return the weight that each selector covers on each cluster."""
    covered = dict[str, list[float]]()
    for row in found["per_cluster"]:
        covered.setdefault(row["selector"], []).append(row["covered_weight"])
    return covered


def _shares(values: Sequence[float], best: Sequence[float]) -> str:
    """Return the mean share of the optimum that is covered, and how often it is reached."""
    shares = [value / optimum for value, optimum in zip(values, best, strict=True)]
    return _share(fmean(shares), fmean(share > 1 - 1e-9 for share in shares))


def bounds(run: Commands) -> Cells:
    """Return the mean gap that ``--certify`` proves."""
    data = {
        "the sample, K = 100": "--dataset sample",
        "MultiLing English, K = 250": f"{MULTILING} english -k 250",
    }
    command = "evaluate {} --reading 0 --certify --selector auto"
    gaps = [1 - run(command.format(flags))["rows"][0]["proven"] for flags in data.values()]
    return [["problems", "gap"], *([name, f"{gap:.2%}"] for name, gap in zip(data, gaps, strict=True))]


#: Data set -> the length of its summaries in words.
_TEXTS = {
    "sample": 100, "multiling2011": 250, "reviews.jsonl": 20, "contracts.jsonl": 20, "meetings.jsonl": 110,
    "meeting-questions.jsonl": 60, "stories.jsonl": 400, "story-questions.jsonl": 190, "papers.jsonl": 150,
}  # fmt: skip


def texts(run: Commands) -> Cells:
    """Return the scores of shipped configurations and baselines on news and other texts."""
    names = ("default", "highest", "paper-fig3", "lead", "random", "oracle")
    data = " ".join(f"{name}={words}" for name, words in _TEXTS.items())
    table = run.systems(f"{data} {' '.join(f'--system {name}' for name in names)}")
    return [list(row) for row in zip(*table, strict=True)]


def stories(run: Commands) -> Cells:
    """Return how well stories are found again, by data set."""
    data = [("sample", "english"), *(("multiling2011", language) for language in LANGUAGES)]
    rows = [
        [f"{name}, {language.title()}", *story_cells(run.clusters(name, language))]
        for name, language in (data[:1] if run.small else data)
    ]
    return [["", "told as one story", "groups of all in one folder", "adjusted Rand index"], *rows]


def coverage_of_intervals(run: Commands) -> Cells:
    """Return how often 95% intervals hold the true mean."""
    clusters, sizes = ((5, 6), (50, 20)) if run.small else ((5, 6, 10, 20, 50), (10_000, 1_000))
    rows = [[str(n), *(coverages(*draw, n, sizes) for draw in DRAWS.values())] for n in clusters]
    return [["clusters", *DRAWS], *rows]


_NAMED: Sequence[Callable[[Commands], Cells]] = (
    presets, ladder, damping, rouge_stopwords, figure_2, sweeps, news, news_stopwords,
    updates, degrees, costs, small_budgets, price, size, large, levels, like_news,
    unweighted, optimizers, published, bounds, texts, stories, coverage_of_intervals,
)  # fmt: skip
PARTS: Mapping[str, Callable[[Commands], Cells]] = {
    **{part.__name__.replace("_", "-"): part for part in _NAMED},
    **{f"news-damping-{number}": partial(news_damping, f"paper-fig{number}") for number in (3, 4)},
}


def small(name: str) -> list[str]:
    """Return the table of a part as the suite makes it, in seconds."""
    return as_lines(PARTS[name](Commands(small=True)))
