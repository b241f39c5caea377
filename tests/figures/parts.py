"""The parts: functions that run commands and return a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from summc.lab.evaluation.intervals import Estimate, compared
from tests.figures import Cells, Commands, Record, as_lines

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
    command = "experiment random-graphs --config paper-fig2 --graphs 200 --selector bp,bp-decimation"
    rows = [row for mus in ("3:6:0.5", "8:8:1", "15:15:1") for row in run(f"{command} --mu {mus}")["rows"]]
    table = [["", "mean weight", "less g-greedy, 95% interval"]]
    for row in {row["method"]: row for row in rows}.values():
        low, high = row["difference_ci"]
        difference = (
            "" if row["method"] == "g-greedy" else f"{row['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"
        )
        table.append([row["method"], f"{row['mean']:.1f}", difference])
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


def _news_runs(run: Commands, config: str, change: str) -> Iterator[dict[str, Record]]:
    for language in LANGUAGES[:3]:
        flags = f"{MULTILING} {language} --config {config} --selector g-greedy,bp,greedy {change}"
        yield by_name(run(f"evaluate {flags}"))


def _news_damping(run: Commands, config: str) -> Cells:
    rows: dict[str, list[str]] = {}
    for name, change in _CHANGES.items():
        found = list(_news_runs(run, config, change))
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
    """Return ROUGE-1 without stop words of the paper's methods, on news with stop words kept."""
    table = [["", "bp", "g-greedy", "greedy", "bp less g-greedy"]]
    for language, rows in zip(
        LANGUAGES, _news_runs(run, "paper-fig4", "--rouge-stopwords removed"), strict=False
    ):
        cells = [f"{rows[name]['rouge1']['recall']:.4f}" for name in ("bp", "g-greedy", "greedy")]
        table.append([language.title(), *cells, _versus(rows["bp"])])
    return table


PARTS: Mapping[str, Callable[[Commands], Cells]] = {
    part.__name__.replace("_", "-"): part
    for part in (
        presets, ladder, damping, rouge_stopwords, figure_2, sweeps,
        news, news_damping_3, news_damping_4, news_stopwords,
    )
}  # fmt: skip


def small(name: str) -> list[str]:
    """Return the table of a part as the suite makes it, in seconds."""
    return as_lines(PARTS[name](Commands(small=True)))
