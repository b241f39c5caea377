"""Draw an evaluation: the mean scores of the systems, and how much each differs from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from summc.lab.evaluation.intervals import Interval
from summc.lab.evaluation.table import ScoreRow, score_rows
from summc.lab.experiments.figures import LABELS
from summc.lab.experiments.pictures import BLACK, BLUE, GREY, SKY, TWO_COLUMNS, VERMILION, make_panels, styled
from summc.lab.experiments.sweep_report import counted
from summc.records import Outcome
from summc.text.screens import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The most columns of a system's name.
_LONGEST = 24
#: Inches of a panel for each system, and for the axis below them.
_SYSTEM, _AXIS = 0.2, 0.5
_LINES: dict[str, Any] = {"linestyle": "none", "capsize": 2, "elinewidth": 0.8, "capthick": 0.8, "zorder": 3}


def draw_comparison(
    outcomes: Sequence[Outcome], versus: str, about: Mapping[str, Any], signature: str
) -> Figure:
    """Return a figure of an evaluation, with two panels for each metric and a line for each system.

    On the left are bars of the mean recall with 95% intervals. On the right are the paired differences with
    their 95% intervals: from the first system, or from the one before if ``versus`` is "before". They show
    which system is better, which the bars hide if clusters differ more than systems do. ``about`` has the
    ``dataset`` and the number of ``clusters``.
    """
    metrics = next(outcome.scores for outcome in outcomes if not outcome.problem)
    rows = score_rows(outcomes, versus)
    names = [row.selector for row in rows]
    several = len(names) > 1
    base = f"from {names[0]}" if versus == "first" else "from the row above"
    caption = (
        f"{about['dataset']}, {counted(about['clusters'])}. Lines: 95% t intervals. "
        + (f"Right: mean paired difference {base} on the same clusters; " if several else "")
        + ("grey: the interval includes 0." if several else "")
    )
    with styled():
        figure, panels = make_panels(
            len(metrics), 1 + several, width=TWO_COLUMNS, panel_height=_AXIS + _SYSTEM * len(names),
            caption=caption, signature=signature, share="y",
        )  # fmt: skip
        for number, metric in enumerate(metrics):
            bars, *others = panels[number * (1 + several) :][: 1 + several]
            label = LABELS.get(metric, metric)
            _draw_means(bars, rows, metric)
            bars.set_xlabel(label)
            for axes in others:
                _draw_differences(axes, rows, metric)
                axes.set_xlabel(f"{label}, difference {base}")
        panels[0].set_yticks(
            range(len(names)), [shortened(name, _LONGEST) for name in names], parse_math=False
        )
        panels[0].set_ylim(len(names) - 0.4, -0.6)  # in the order of the table
        return figure


def _draw_means(axes: Axes, rows: Sequence[ScoreRow], metric: str) -> None:
    figures = [row.figures[metric] for row in rows]
    lines = range(len(rows))
    axes.barh(lines, [figure.recall for figure in figures], height=0.6, color=SKY)
    for line, figure in zip(lines, figures, strict=True):
        _draw_interval(axes, line, figure.recall, figure.ci, BLACK, "")


def _draw_differences(axes: Axes, rows: Sequence[ScoreRow], metric: str) -> None:
    axes.axvline(0, color=GREY, linewidth=0.6, zorder=1)
    axes.grid(axis="y", color=GREY, alpha=0.2, linewidth=0.5)  # leads the eye to the names on the left
    axes.tick_params(axis="y", length=0)
    for line, row in enumerate(rows):
        versus = row.figures[metric].versus
        if versus is not None:
            low, high = versus.ci or (0.0, 0.0)
            colour = BLUE if low > 0 else VERMILION if high < 0 else GREY
            _draw_interval(axes, line, versus.difference, versus.ci, colour, "o")


def _draw_interval(
    axes: Axes, line: int, value: float, ci: Interval | None, colour: str, marker: str
) -> None:
    ends = ci or (value, value)
    beside = [[max(0.0, value - ends[0])], [max(0.0, ends[1] - value)]]
    axes.errorbar([value], [line], xerr=beside, color=colour, marker=marker, **_LINES)
