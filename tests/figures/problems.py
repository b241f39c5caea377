"""Parts about random and published problems: functions that run commands and return a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from summc.lab.evaluation.intervals import estimate, holm, p_text
from tests.figures import Cells, Record
from tests.figures.commands import Commands


def interval(difference: float, ends: Sequence[float] | None, digits: int = 4) -> str:
    """Return a difference with its interval if there is one, such as "+0.0116 [-0.0000, +0.0233]"."""
    values = (difference, *(ends or ()))
    mean, *limits = (f"{value:+.{digits}f}" for value in values)
    return f"{mean} [{', '.join(limits)}]" if limits else mean


def figure_2(run: Commands) -> Cells:
    """Return what BP covers on random graphs by mu."""
    names = ("bp", "bp-decimation")
    command = f"experiment random-graphs --config paper-fig2 --graphs 50 --selector {','.join(names)}"
    rows = [row for mus in ("4:6:0.5", "8:8:1", "15:15:1") for row in run(f"{command} --mu {mus}")["rows"]]
    cells: dict[str, list[str]] = {}
    for row in rows:
        name, _, mu = row["method"].partition(", ")
        if mu:
            difference = interval(row["difference"], row["difference_ci"], 1)
            cells.setdefault(mu, ["", ""])[names.index(name)] = f"{row['mean']:.1f}, {difference}"
    heading = [f"g-greedy: {rows[0]['mean']:.1f}", *(f"{name}, less g-greedy" for name in names)]
    return [heading, *([mu, *differences] for mu, differences in cells.items())]


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
            ends = (row["difference_low"], row["difference_high"])
            table.setdefault(name, []).append(interval(row["difference"], ends, 2))
    return [[title, *names], *([name, *cells] for name, cells in table.items())]


_SIZES = "--vary left=poisson:9 --vary right=power:3 --seed 48 --vary costs="


def size(run: Commands) -> Cells:
    """Return what ``auto`` and BP cover by the number of sentences."""
    command = f"experiment map --selector bp,auto {_SIZES}uniform,equal:degree --vary sentences="
    graphs = [
        *run.graphs(f"{command}100,300,1000,3000 --graphs 6"), *run.graphs(f"{command}10000 --graphs 2"),
    ]  # fmt: skip
    return _paired(run, graphs, ("sentences", "costs"), "auto", ("bp",))


def large(run: Commands) -> Cells:
    """Return the weight that selectors cover where there are 100,000 sentences."""
    command = (
        f"experiment map --selector bp,auto,auto-high {_SIZES}uniform --vary sentences=100000 --graphs 1"
    )
    graph, table = run.graphs(command)[0], [["selector", "covers", "gain", "share of the bound", "seconds"]]
    greedy, bound = graph["g-greedy"]["weight"], graph["bound"]["weight"]
    for name in ("g-greedy", "bp", "auto", "auto-high"):
        weight, seconds = graph[name]["weight"], graph[name]["seconds"]
        cells = f"{weight:,.0f}", f"{weight / greedy - 1:+.2%}", f"{weight / bound:.4f}", f"{seconds:.0f}"
        table.append([name, *cells])
    return [row[:-1] for row in table] if run.small else table


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
        interval(each.mean, each.ci, 2) + (f", {p_text(p)}" if each.ci else "")
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
