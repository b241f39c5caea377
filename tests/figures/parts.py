"""The parts: functions that run commands and return a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from summc.lab.evaluation.intervals import Estimate, compared, estimate, holm, p_text
from tests.figures import Cells, Record, as_lines
from tests.figures.commands import Commands
from tests.figures.intervals import DRAWS, coverages
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


def interval(difference: Estimate | None) -> str:
    """Return a difference with its interval, such as "+0.0116 [-0.0000, +0.0233]"."""
    if difference is None or difference.ci is None:
        return ""
    return f"{difference.mean:+.4f} [{difference.ci[0]:+.4f}, {difference.ci[1]:+.4f}]"


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
        difference = interval(compared(now, before)) if before else ""
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


def figure_2(run: Commands) -> Cells:
    """Return what BP covers on random graphs by mu."""
    names = ("bp", "bp-decimation")
    command = f"experiment random-graphs --config paper-fig2 --graphs 50 --selector {','.join(names)}"
    rows = [row for mus in ("4:6:0.5", "8:8:1", "15:15:1") for row in run(f"{command} --mu {mus}")["rows"]]
    cells: dict[str, list[str]] = {}
    for row in rows:
        name, _, mu = row["method"].partition(", ")
        if mu:
            low, high = row["difference_ci"]
            difference = f"{row['mean']:.1f}, {row['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"
            cells.setdefault(mu, ["", ""])[names.index(name)] = difference
    heading = [f"g-greedy: {rows[0]['mean']:.1f}", *(f"{name}, less g-greedy" for name in names)]
    return [heading, *([mu, *differences] for mu, differences in cells.items())]


def sweeps(run: Commands) -> Cells:
    """Return the best points of the sweeps of Figures 3 and 4, on the sample."""
    table = [["", "best by", "mu", "bp", "g-greedy", "greedy", "difference from g-greedy, 95% interval"]]
    for config in ("paper-fig3", "paper-fig4"):
        found = run(f"sweep --dataset sample --config {config} --versus g-greedy,greedy")
        rows = by_name(found)
        for measure, name in {"weight": "covered weight", "rouge1": "ROUGE-1"}.items():
            best = found["best"][measure]
            others = [f"{rows[other][measure]['mean']:.3f}" for other in ("g-greedy", "greedy")]
            low, high = best["difference_ci"]
            table.append([
                f"`{config}`", name, f"{best['mu']:g}", f"{best['mean']:.3f}", *others,
                f"{best['difference']:+.3f} [{low:+.3f}, {high:+.3f}]",
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


def _news_damping(run: Commands, config: str) -> Cells:
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
    versus = row["rouge1"]["versus"]
    return f"{versus['difference']:+.4f} [{versus['ci'][0]:+.4f}, {versus['ci'][1]:+.4f}]"


def news_damping_3(run: Commands) -> Cells:
    """Return what damping does to BP on news without stop words."""
    return _news_damping(run, "paper-fig3")


def news_damping_4(run: Commands) -> Cells:
    """Return what damping does to BP on news with stop words."""
    return _news_damping(run, "paper-fig4")


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


def updates(run: Commands) -> Cells:
    """Return what BP covers on random problems by its updates and its damping."""
    axes = "--vary costs=equal,uniform --vary right=regular:3,power:3 --graphs 20"
    command = f"experiment map --selector bp --vary {{}} {axes}"
    counts, dampings = (1, 2, 5, 20, 150), (0, 0.3, 0.5, 0.8)
    found = [
        *run(command.format(f"iterations={','.join(map(str, counts))}"))["rows"],
        *run(command.format(f"damping={','.join(map(str, dampings))}"))["rows"],
    ]
    rows = [row for row in found if row["selector"] == "bp"]

    def row_of(right: str, costs: str, axis: str, value: float) -> Record:
        return next(r for r in rows if (r["right"], r["costs"], r.get(axis)) == (right, costs, value))

    heading = [
        "`bp` after",
        *map(str, counts),
        *(f"150, damping {each:g}" for each in dampings),
        "settled, by damping",
    ]
    table = [heading]
    for right in ("regular:3", "power:3"):
        for costs in ("equal", "uniform"):
            cells = [row_of(right, costs, "iterations", each) for each in counts]
            damped = [row_of(right, costs, "damping", each) for each in dampings]
            shares = " / ".join(f"{row['converged']:.0%}" for row in damped)
            differences = [f"{row['difference']:+.2f}" for row in (*cells, *damped)]
            table.append([f"{right}, {costs} costs", *differences, shares])
    return table


def degrees(run: Commands) -> Cells:
    """Return the differences from g-greedy by degrees and weights of words."""
    names = ("bp", "bp-decimation", "g-greedy-24")
    axes = "--vary right=regular:3,poisson:3,power:3 --vary weights=equal,uniform,exponential,lognormal"
    rows = run(f"experiment map --selector {','.join(names)} {axes} --vary costs=equal --graphs 20")["rows"]
    return _by("degrees and weights of words", rows, ("right", "weights"), "selector", names)


#: Problems in which costs matter.
_COSTS = (
    "--vary left=poisson:9 --vary right=power:3 --vary costs=equal,equal:degree,uniform,exponential,lognormal"
)


def costs(run: Commands) -> Cells:
    """Return the differences from g-greedy by kind of costs."""
    names = ("bp", "bp-decimation", "g-greedy-24")
    command = f"experiment map --selector {','.join(names)} {_COSTS} --vary budget=0.2 --graphs 20"
    return _by("costs", run(command)["rows"], ("costs",), "selector", names)


def levels(run: Commands) -> Cells:
    """Return the differences from g-greedy by the number of levels."""
    axes = "--vary levels=1,2,4 --vary left=poisson:9 --vary right=power:3 --vary costs=equal:degree"
    rows = run(f"experiment map {axes} --graphs 20")["rows"]
    return _by("levels", rows, ("levels",), "selector", ("bp", "bp-decimation"))


def like_news(run: Commands) -> Cells:
    """Return the differences from g-greedy on random problems that resemble word graphs of news."""
    axes = "--vary left=poisson:14 --vary right=power:2.4,power:3.4 --vary weights=equal:degree"
    names = ("bp", "g-greedy-24", "auto")
    command = (
        f"experiment map --selector {','.join(names)} --vary sentences=175 {axes} --vary costs=equal:degree"
    )
    rows = run(f"{command} --vary budget=0.03,0.07 --graphs 20")["rows"]
    return _by("words, budget", rows, ("right", "budget"), "selector", names)


def price(run: Commands) -> Cells:
    """Return the differences of BP by mu, and of g-greedy-24, from g-greedy at 1,000 sentences."""
    rights = ("regular:3", "power:3")
    axes = f"--vary sentences=1000 --vary right={','.join(rights)} --vary mu=0.2,0.25,0.3,0.35,0.4,0.5,auto"
    rows = run(f"experiment map --selector bp,g-greedy-24 {axes} --graphs 6")["rows"]
    return _by("mu", [row for row in rows if row["selector"] != "g-greedy"], ("mu",), "right", rights)


def _by(title: str, rows: Sequence[Record], axes: Sequence[str], column: str, names: Sequence[str]) -> Cells:
    """Return a table of differences: a row for the values of ``axes``, a column for each of ``names``."""
    table: dict[str, list[str]] = {}
    for row in rows:
        if row[column] in names:
            name = ", ".join(str(row.get(axis, row["selector"])) for axis in axes)
            table.setdefault(name, []).append(percent(row))
    return [[title, *names], *([name, *cells] for name, cells in table.items())]


_SIZES = "--vary left=poisson:9 --vary right=power:3 --vary costs=uniform,equal:degree --seed 48"


def size(run: Commands) -> Cells:
    """Return what ``auto`` and BP cover by the number of sentences."""
    graphs = [
        graph
        for sentences, number in (("100,300,1000,3000", 6), ("10000", 2))
        for graph in run.graphs(
            f"experiment map --selector bp,auto --vary sentences={sentences} {_SIZES} --graphs {number}"
        )
    ]
    return _paired(run, graphs, ("sentences", "costs"), "auto", ("bp",))


def large(run: Commands) -> Cells:
    """Return the weight that selectors cover where there are 100,000 sentences."""
    names = ("g-greedy", "bp", "auto", "auto-high")
    command = f"experiment map --selector {','.join(names[1:])} --vary sentences=100000 {_SIZES} --graphs 1"
    table = [["costs", *names, "bound", "seconds"]]
    for graph in run.graphs(command):
        seconds = " / ".join(f"{graph[name]['seconds']:.1f}" for name in names)
        weights = [f"{graph[name]['weight']:,.0f}" for name in (*names, "bound")]
        table.append([graph["costs"], *weights, "" if run.small else seconds])
    return table


def small_budgets(run: Commands) -> Cells:
    """Return what BP covers with small budgets, beside two controls."""
    controls = ("g-greedy-24", "auto")
    command = (
        f"experiment map --selector bp,{','.join(controls)} {_COSTS} --vary budget=0.03,0.05 --graphs 40"
    )
    return _paired(run, run.graphs(command), ("costs", "budget"), "bp", controls)


def _paired(
    run: Commands, graphs: Sequence[Record], axes: Sequence[str], selector: str, controls: Sequence[str]
) -> Cells:
    """Return gains over g-greedy in %, and paired differences of a selector from controls.

    The p-values are corrected for the number of comparisons in the table by the method of Holm. Seconds
    change from run to run, so a small table has none.
    """
    cells: dict[str, list[Record]] = {}
    for graph in graphs:
        name = ", ".join(f"{graph[axis]:,}" if axis == "sentences" else str(graph[axis]) for axis in axes)
        cells.setdefault(name, []).append(graph)
    table, differences = [], []
    for name, group in cells.items():
        gains = {
            method: [100 * (each[method]["weight"] / each["g-greedy"]["weight"] - 1) for each in group]
            for method in (selector, *controls)
        }
        seconds = " / ".join(f"{fmean(each[method]['seconds'] for each in group):.2f}" for method in gains)
        means = [f"{fmean(values):+.2f}" for values in gains.values()]
        table.append([name, str(len(group)), *means, "" if run.small else seconds])
        differences += [
            estimate([a - b for a, b in zip(gains[selector], gains[control], strict=True)])
            for control in controls
        ]
    p_values = holm([1.0 if each.p is None else each.p for each in differences])
    compared_cells = [
        f"{each.mean:+.2f} [{each.ci[0]:+.2f}, {each.ci[1]:+.2f}], {p_text(p)}"
        if each.ci
        else f"{each.mean:+.2f}"
        for each, p in zip(differences, p_values, strict=True)
    ]
    rows = [
        [*row[:-1], *compared_cells[i * len(controls) : (i + 1) * len(controls)], row[-1]]
        for i, row in enumerate(table)
    ]
    against = [f"{selector} less {control}, p" for control in controls]
    return [[", ".join(axes), "graphs", selector, *controls, *against, "seconds"], *rows]


def published(run: Commands) -> Cells:
    """Return how near ``auto`` comes to the best known values of published problems."""
    groups: dict[str, list[list[str]]] = {}
    for row in run.published():
        groups.setdefault(", K = ".join(row[0].split("_")[2:]), []).append(row)
    efforts = ("normal", "high")
    heading = [f"{effort}: {part}" for effort in efforts for part in ("reached", "largest gap", "seconds")]
    table = [["density, K", "problems", *heading]]
    for name, rows in groups.items():
        cells = []
        for first in (2, 5):
            gaps, seconds = ([float(row[first + place].rstrip("%")) for row in rows] for place in (1, 2))
            reached = sum(gap <= 0 for gap in gaps)
            cells += [str(reached), f"{max(gaps):.2f}%", "" if run.small else f"{sum(seconds):.1f}"]
        table.append([name, str(len(rows)), *cells])
    return table


def percent(row: Record) -> str:
    """Return a difference in percent with its interval."""
    return f"{row['difference']:+.2f} [{row['difference_low']:+.2f}, {row['difference_high']:+.2f}]"


def unweighted(run: Commands) -> Cells:
    """Return what the selectors cover where all costs and weights are 1."""
    table = [["degrees, K, mu", "greedy", "bp", "bp-decimation", "auto"]]
    for left, right, budget, mu in (
        (3, 3, 20, 2.5), (3, 3, 30, 2.5), (9, 3, 20, 7), (9, 3, 30, 7),
        (6, 6, 10, 5), (6, 6, 20, 3), (3, 9, 10, 2),
    ):  # fmt: skip
        size = (
            f"--sentences {99 if right == 9 else 100} --left-degree {left} --right-degree {right} -k {budget}"
        )
        found = run(
            f"experiment random-graphs --costs 1:1 --weights 1:1 {size} --beta 3 --mu {mu}"
            " --graphs 100 --selector bp,bp-decimation,auto"
        )["rows"]
        cells = [f"{row['difference']:+.2f} ± {row['difference_error']:.2f}" for row in found[1:]]
        table.append([f"({left},{right}), {budget}, {mu:g}", f"{found[0]['mean']:.2f}", *cells])
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


PARTS: Mapping[str, Callable[[Commands], Cells]] = {
    part.__name__.replace("_", "-"): part
    for part in (
        presets, ladder, damping, rouge_stopwords, figure_2, sweeps,
        news, news_damping_3, news_damping_4, news_stopwords,
        updates, degrees, costs, small_budgets, price, size, large, levels, like_news,
        unweighted, optimizers, published, bounds, texts, stories, coverage_of_intervals,
    )
}  # fmt: skip


def small(name: str) -> list[str]:
    """Return the table of a part as the suite makes it, in seconds."""
    return as_lines(PARTS[name](Commands(small=True)))
