"""Draw the figures of the paper, maps over mu and beta, curves over the budget K, and evaluations.

Only this module uses matplotlib, and only when it draws. Figures are as wide as one or two columns of a
journal. Their colours can be told apart by colour-blind readers (M. Okabe and K. Ito, "Color Universal
Design", 2008). In vector formats text is stored as text, not as outlines. The same data always gives the same
bytes.
"""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from summc.errors import OutputError, SettingError, as_typed
from summc.lab.evaluation.intervals import Interval
from summc.lab.evaluation.report import ScoreRow, score_rows
from summc.lab.experiments.budgets import Length, mean_shares
from summc.lab.experiments.phase_map import Row
from summc.lab.experiments.random_graphs import BASE, MethodRow
from summc.lab.experiments.sweep import WEIGHT, SweepRow, best, measures_of
from summc.records import Floats, Outcome
from summc.report.summaries import amount
from summc.system.outputs import write_whole
from summc.system.versions import version
from summc.text.numbers import shown
from summc.text.screens import shortened

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
#: Width in inches of one column of a journal, and of two columns with the gap between them.
ONE_COLUMN, TWO_COLUMNS = 3.4, 7.0
DPI = 300

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
BLACK, GREY = "#000000", "#666666"

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib, so it is the same on every machine
    "font.size": 7,
    "axes.labelsize": 7.5,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 3,
    "svg.fonttype": "none",
    "svg.hashsalt": "summc",
    "pdf.fonttype": 42,
    "savefig.dpi": DPI,
}
_POINT = 1 / 72  # in inches
_AXIS = 0.5  # inches to the left of a panel, for its y axis
#: The style of the caption, and of the signature below it: size in points, font, colour, characters per inch.
_CAPTION = (6.0, "DejaVu Sans", BLACK, 22)
_SIGNATURE = (3.8, "DejaVu Sans Mono", GREY, 29)  # monospaced, so that "fi" is not drawn as a ligature

_CURVES = ((BLUE, "o"), (GREEN, "s"), (PURPLE, "^"))
_LEVELS = (
    (VERMILION, "--"),
    (GREY, ":"),
    (ORANGE, "-."),
    (SKY, (0, (6, 2, 1, 2, 1, 2))),
    (BLACK, (0, (1, 3))),
)

_MU = r"chemical potential $\mu$ (weight per word)"
_BETA = r"inverse temperature $\beta$ (1 / weight)"

#: Axis of a map -> its label.
_AXES = {
    "sentences": "sentences $N$",
    "left": "degrees of sentences",
    "right": "degrees of words",
    "weights": "weights of words",
    "costs": "costs of sentences",
    "levels": "levels of a word",
    "budget": "budget (share of all costs)",
    "beta": r"$\beta$ times the mean weight",
    "mu": r"relative $\mu$",
}

_ERROR_BARS: dict[str, Any] = {"capsize": 2, "elinewidth": 0.8, "capthick": 0.8, "zorder": 3}
_MOST_BANDS = 2
#: The most characters of a system's name.
_LONGEST = 24
#: How far the panel of differences in Figure 2 goes below 0, as a multiple of the best points' intervals.
_AROUND = 1.5


def check_drawable(path: str) -> None:
    """Raise if a picture cannot be written to ``path``, so that a run fails before the work, not after it."""
    if Path(path).suffix.lower() not in SUFFIXES:
        known = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise SettingError(as_typed("plot"), f"must end in {known}, got {path}", "rename the file")
    if find_spec("matplotlib") is None:
        raise SettingError(as_typed("plot"), "drawing needs matplotlib", "pip install 'summc[plots]'")
    if not Path(path).parent.is_dir():
        raise OutputError(path, "cannot be written (no such folder)", "make the folder first")


def save(figure: Figure, path: str, signature: str, dpi: int = DPI) -> None:
    """Write a figure to a file in the format of its suffix, with the signature in the metadata.

    ``dpi`` is the resolution of a PNG. The file is written whole or not at all. The metadata has no dates, so
    that the same figure always gives the same file.
    """
    suffix = Path(path).suffix.lower()
    made_by = f"summc {version('summc')}, matplotlib {version('matplotlib')}"
    metadata: dict[str, dict[str, Any]] = {
        ".png": {"Software": made_by, "Description": signature},
        ".svg": {"Creator": made_by, "Description": signature, "Date": None},
        ".pdf": {"Creator": made_by, "Subject": signature, "CreationDate": None},
    }
    stream = io.BytesIO()
    with styled(), warnings.catch_warnings():
        # Suppress matplotlib's warning for each letter that the font lacks.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(stream, format=suffix[1:], dpi=dpi, metadata=metadata[suffix])
    write_whole(path, [stream.getvalue()])


@contextmanager
def styled() -> Iterator[None]:
    """Apply summc's matplotlib style while drawing, and ignore the user's own matplotlib settings."""
    # Hide matplotlib's messages that it builds its font cache or, on import, that it cannot store the cache.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl  # noqa: PLC0415 (an extra, and half a second of imports)

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def make_panels(
    rows: int,
    columns: int,
    panel_height: float,
    caption: str,
    signature: str,
    *,
    width: float = ONE_COLUMN,
    share: Literal["x", "y"] = "x",
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, row by row. The panels share their x axis, or their y axis.

    ``width`` is that of the figure and ``panel_height`` that of a panel, in inches. The caption and the
    signature are below the panels; an empty signature is not drawn.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (an extra)

    texts = [(line, *_CAPTION) for line in textwrap.wrap(caption, int(width * _CAPTION[-1]))]
    texts += [(line, *_SIGNATURE) for line in _broken(signature, int(width * _SIGNATURE[-1]))]
    below = sum(1.25 * size for _, size, *_ in texts) * _POINT + 0.06
    height = rows * panel_height + below
    figure = Figure(figsize=(width, height), layout="constrained")
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, below / height, 1, 1 - below / height), wspace=0.06)  # type: ignore[call-arg]
    y = below - 0.03
    for text, size, font, colour, _ in texts:
        figure.text(
            0.06 / width, y / height, text, size=size, family=font, color=colour, va="top", parse_math=False
        )
        y -= 1.25 * size * _POINT
    axes = figure.subplots(rows, columns, sharex=share == "x", sharey=share == "y", squeeze=False)
    return figure, list(axes.flat)


def legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """Draw one legend for all panels above the first panel, in as many columns as fit, up to three."""
    named: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        named = dict(zip(labels, handles, strict=True)) | named
    for columns in range(min(len(named), 3), 0, -1):
        made = panels[0].legend(
            named.values(), named, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=columns,
            frameon=False, handlelength=2.2, columnspacing=1.2, borderaxespad=0.1,
        )  # fmt: skip
        if made.get_window_extent().width <= (figure.get_figwidth() - _AXIS) * figure.dpi:
            break


def _broken(signature: str, characters: int) -> list[str]:
    """Return a signature as lines of at most ``characters``, broken at "|"; longer parts are broken too."""
    # ``wrap`` breaks at spaces, so they change places with "|".
    swapped = signature.translate(str.maketrans(" |", "\N{NO-BREAK SPACE} "))
    lines = textwrap.wrap(swapped, characters, break_on_hyphens=False)
    return [line.translate(str.maketrans("\N{NO-BREAK SPACE} ", " |")) for line in lines]


# The figures


@styled()
def draw_sweep(rows: Sequence[SweepRow], about: Mapping[str, Any], signature: str) -> Figure:
    """Return Figure 3 or 4 of the paper: covered weight and scores over mu or beta, or a map if both vary."""
    swept = [row.point for row in rows if row.point.is_swept]
    mus, betas = {point.mu for point in swept}, {point.beta for point in swept}
    if len(mus) > 1 and len(betas) > 1:
        return _draw_maps(rows, about, signature)
    return _draw_lines(rows, about, "beta" if len(betas) > 1 else "mu", signature)


@styled()
def draw_random_graphs(
    rows: Sequence[MethodRow], mus: Mapping[str, tuple[str, float]], about: Mapping[str, Any], signature: str
) -> Figure:
    """Return Figure 2 of the paper: mean covered weight over mu, a curve for each selector that has a mu.

    Below it is the paired difference from g-greedy on the same graphs, which differ much more in weight than
    the methods do. ``mus`` maps each method that has a mu to its selector and its mu.
    """
    kind = f"({about['left_degree']},{about['right_degree']})-biregular"
    caption = (
        f"{about['graphs']} random {kind} graphs, N = {about['sentences']}, K = {about['k']}. "
        "Top: mean, with standard errors. Bottom: mean paired difference on the same graphs, near 0, with "
        "95% t intervals."
    )
    means = {row.method: (row.mean, (row.mean - row.error, row.mean + row.error)) for row in rows}
    differences = {row.method: (row.difference, row.difference_ci or (row.difference,) * 2) for row in rows}
    figure, panels = make_panels(2, 1, 1.9, caption, signature)
    _draw_methods(panels[0], means, mus)
    _draw_methods(panels[1], differences, mus)
    _enlarge(panels[1], differences, mus)
    panels[0].set_ylabel("mean covered weight")
    panels[1].set_ylabel(f"difference from {BASE}")
    panels[1].set_xlabel(r"chemical potential $\mu$ (weight per unit of cost)")
    figure.align_ylabels(panels)
    legend(figure, panels)
    return figure


def _draw_methods(
    axes: Axes, found: Mapping[str, tuple[float, Interval]], mus: Mapping[str, tuple[str, float]]
) -> None:
    """Draw methods without a mu as horizontal lines, and those of one selector with a mu as a curve.

    ``found`` maps each method to its value and its interval, ``mus`` to its selector and its mu.
    """
    levels = [method for method in found if method not in mus]
    for method, style in zip(levels, cycle(_LEVELS), strict=False):
        value, ends = found[method]
        _draw_level(axes, method, value, ends, style)
    names = dict.fromkeys(name for name, _ in mus.values())
    for name, (colour, marker) in zip(names, cycle(_CURVES), strict=False):
        own = sorted((mu, method) for method, (selector, mu) in mus.items() if selector == name)
        x, y = [mu for mu, _ in own], [found[method][0] for _, method in own]
        errors = _errors(y, [found[method][1] for _, method in own])
        axes.errorbar(
            x, y, yerr=errors, color=colour, marker=marker, label=name, capsize=1.5,
            elinewidth=0.7, capthick=0.7, zorder=3,
        )  # fmt: skip


def _enlarge(
    axes: Axes, differences: Mapping[str, tuple[float, Interval]], mus: Mapping[str, tuple[str, float]]
) -> None:
    """Cut off the low end of the y axis, so that one can see how far the best points are from 0."""
    methods = [[each for each in mus if mus[each][0] == name] for name, _ in mus.values()]
    bests = [max(differences[each] for each in own) for own in methods]
    scale = max((abs(end) for _, ends in bests for end in ends), default=0.0)
    if scale:
        axes.set_ylim(bottom=max(axes.get_ylim()[0], -_AROUND * scale))


@styled()
def draw_curves(curves: Sequence[Sequence[Length]], signature: str) -> Figure:
    """Return a figure of the share of the total weight that is covered, and of its bound, over the budget K.

    For several clusters the curves are means, with a thin line for each cluster behind them.
    """
    means = mean_shares(curves)
    whose = curves[0][0].cluster if len(curves) == 1 else f"Mean of {len(curves)} clusters, a thin line each"
    caption = f"{whose}. Shaded: not covered, and not proven impossible."
    figure, (axes,) = make_panels(1, 1, 2.4, caption, signature)
    budgets = [budget for budget, *_ in means]
    covered, possible = ([100 * mean[i] for mean in means] for i in (1, 2))
    axes.fill_between(budgets, covered, possible, color=VERMILION, alpha=0.15, linewidth=0)
    if len(curves) > 1:
        for curve in curves:
            axes.plot(budgets, [100 * row.share for row in curve], color=BLUE, alpha=0.35, linewidth=0.5)
    axes.plot(budgets, possible, color=VERMILION, linestyle="--", label="proven bound")
    axes.plot(budgets, covered, color=BLUE, marker="o", label="covered")
    axes.set_xlabel("budget $K$ (words)")
    axes.set_ylabel("covered weight (% of all)")
    axes.set_ylim(bottom=0)
    legend(figure, [axes])
    return figure


@styled()
def draw_phases(
    rows: Sequence[Row], shown_axes: tuple[str, str], about: Mapping[str, Any], signature: str
) -> Figure:
    """Return a phase diagram for each selector: its difference from g-greedy across two axes of a map."""
    names = list(dict.fromkeys(row.selector for row in rows))
    caption = (
        f"Difference from g-greedy in % of what it covers, mean over {about['graphs']} graphs a cell. "
        "Grey: within noise, as the 95% t interval holds 0."
    )
    width, height = TWO_COLUMNS if len(names) > 1 else ONE_COLUMN, len({r.axes[shown_axes[1]] for r in rows})
    panel_height = 0.8 + 0.25 * max(height, 3)
    figure, panels = make_panels(1, len(names), panel_height, caption, signature, width=width)
    most = max(abs(row.difference) for row in rows) or 1.0
    for axes, name in zip(panels, names, strict=True):
        _draw_cells(axes, [row for row in rows if row.selector == name], shown_axes, most)
        axes.set_title(f"{name} less g-greedy, %", size=7.5)
    for axes in panels[1:]:
        axes.set_yticklabels([])
    panels[0].set_ylabel(_AXES.get(shown_axes[1], shown_axes[1]))
    return figure


def _draw_cells(axes: Axes, rows: Sequence[Row], shown_axes: tuple[str, str], most: float) -> None:
    """Draw a cell for each row; its colour is the difference as a share of ``most``, the largest of all."""
    across, upwards = ([*dict.fromkeys(row.axes[axis] for row in rows)] for axis in shown_axes)
    values = np.full((len(upwards), len(across)), np.nan)
    for row in rows:
        x, y = across.index(row.axes[shown_axes[0]]), upwards.index(row.axes[shown_axes[1]])
        if not row.is_noise:
            values[y, x] = row.difference
        axes.text(
            x, y, f"{row.difference:+.2f}", ha="center", va="center", size=6,
            color=GREY if row.is_noise else BLACK, style="italic" if row.is_noise else "normal",
        )  # fmt: skip
    # Square roots, so that small differences have a colour beside large ones. The scale ends beyond the
    # largest difference, where colours are too dark for the figures.
    colour = np.sign(values) * np.sqrt(np.abs(values) / most)
    axes.imshow(colour, cmap="PuOr_r", vmin=-1.5, vmax=1.5, origin="lower", aspect="auto")
    axes.set_facecolor("#eeeeee")
    axes.set_xticks(range(len(across)), [f"{x}" for x in across])
    axes.set_yticks(range(len(upwards)), [f"{y}" for y in upwards])
    axes.tick_params(length=0, labelsize=6)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel(_AXES.get(shown_axes[0], shown_axes[0]))


def _draw_lines(rows: Sequence[SweepRow], about: Mapping[str, Any], over: str, signature: str) -> Figure:
    measures = measures_of(rows)
    swept = [row for row in rows if row.point.is_swept]
    levels = [row for row in rows if not row.point.is_swept]
    unsettled = [row for row in swept if row.converged is not None and row.converged < 1]
    fixed = ("mu", swept[0].point.mu) if over == "beta" else ("beta", swept[0].point.beta)
    caption = (
        f"{about['dataset']}, {amount(about['clusters'], 'clusters')}, K = {about['k']}, "
        f"{fixed[0]} = {shown(fixed[1] or 0)}. Bands: 95% t intervals. "
        + ("Open: BP did not settle on every cluster." if unsettled else "")
    )
    figure, panels = make_panels(len(measures), 1, 2.1, caption, signature)
    for axes, measure in zip(panels, measures, strict=True):
        for row, style in zip(levels, cycle(_LEVELS), strict=False):
            if measure in row.means:
                mean = row.means[measure]
                # Many overlapping bands are unreadable. So with many horizontal lines only the first one,
                # which all others are compared with, gets a band.
                band = mean.ci if row is levels[0] or len(levels) <= _MOST_BANDS else None
                _draw_level(axes, row.point.label, mean.mean, band, style)
        means = [row.means[measure] for row in swept]
        low, high = zip(*(mean.ci or (mean.mean,) * 2 for mean in means), strict=True)
        x = [getattr(row.point, over) for row in swept]
        axes.fill_between(x, low, high, color=BLUE, alpha=0.15, linewidth=0)
        y = [mean.mean for mean in means]
        axes.plot(x, y, color=BLUE, marker="o", zorder=3, label=swept[0].point.selector)
        axes.plot(
            [getattr(row.point, over) for row in unsettled],
            [row.means[measure].mean for row in unsettled],
            color=BLUE, linestyle="none", marker="o", markerfacecolor="white", markeredgewidth=0.8, zorder=4,
        )  # fmt: skip
        axes.set_ylabel(_label(rows, measure))
    panels[-1].set_xlabel(_BETA if over == "beta" else _MU)
    panels[-1].locator_params(axis="x", nbins=6)
    figure.align_ylabels(panels)
    legend(figure, panels)
    return figure


def _draw_level(axes: Axes, label: str, value: float, band: Interval | None, style: tuple[str, Any]) -> None:
    """Draw a value that does not depend on x as a horizontal line; ``style`` is its colour and line style."""
    colour, dashes = style
    if band is not None:
        axes.axhspan(*band, color=colour, alpha=0.10, linewidth=0, zorder=0)
    axes.axhline(value, color=colour, linestyle=dashes, label=label, zorder=2)


def _draw_maps(rows: Sequence[SweepRow], about: Mapping[str, Any], signature: str) -> Figure:
    measures, base = measures_of(rows), rows[0]
    data = f"{about['dataset']}, {amount(about['clusters'], 'clusters')}, K = {about['k']}"
    caption = f"{rows[-1].point.selector} on {data}. Ring: the best. Line on the scale: {base.point.label}."
    figure, panels = make_panels(1, len(measures), 2.6, caption, signature, width=TWO_COLUMNS)
    for axes, measure in zip(panels, measures, strict=True):
        level = base.means[measure].mean if measure in base.means else None
        mus, betas, values = _grid(rows, measure)
        shown = [float(np.nanmin(values)), float(np.nanmax(values)), *([] if level is None else [level])]
        drawn = axes.pcolormesh(
            mus, betas, values, cmap="cividis", vmin=min(shown), vmax=max(shown), rasterized=True,
        )  # fmt: skip
        bar = figure.colorbar(drawn, ax=axes, pad=0.03, label=_label(rows, measure))
        if level is not None:
            for colour, width in (("white", 2.4), (VERMILION, 1.2)):  # not clipped at the ends of the scale
                bar.ax.axhline(level, color=colour, linewidth=width, clip_on=False, zorder=9)
        top = best(rows, measure).point
        there = ([top.mu or 0], [top.beta if isinstance(top.beta, float | int) else 0])
        for colour, width in (("white", 2.6), (VERMILION, 1.3)):
            axes.plot(
                *there, marker="o", markersize=7, markerfacecolor="none", markeredgecolor=colour,
                markeredgewidth=width, clip_on=False, zorder=5,
            )  # fmt: skip
        axes.set_xlabel(_MU)
    panels[0].set_ylabel(_BETA)
    return figure


def _label(rows: Sequence[SweepRow], measure: str) -> str:
    """Return the axis label of a measure; for the covered weight it says so if the weights are TF-IDF."""
    if measure == WEIGHT:
        is_tfidf = rows[-1].point.config.weigh.weighting == "tfidf"
        return "covered weight (sum of TF-IDF)" if is_tfidf else "covered weight"
    return _recall(measure)


def _recall(metric: str) -> str:
    return f"ROUGE-{metric.removeprefix('rouge').replace('W', 'W-1.2')} recall"


def _grid(rows: Sequence[SweepRow], measure: str) -> tuple[list[float], list[float], Floats]:
    """Return the rising values of mu, those of beta, and the measure at each pair, shape (betas, mus)."""
    found = {(row.point.beta, row.point.mu): row.means[measure].mean for row in rows if row.point.is_swept}
    mus = sorted({mu for _, mu in found if mu is not None})
    betas = sorted({beta for beta, _ in found if isinstance(beta, float | int)})
    return mus, betas, np.array([[found.get((beta, mu), np.nan) for mu in mus] for beta in betas])


@styled()
def draw_comparison(
    outcomes: Sequence[Outcome], versus: str, about: Mapping[str, Any], signature: str
) -> Figure:
    """Return a figure of an evaluation, with two panels for each metric and a line for each system.

    On the left are bars of the mean recall, on the right the paired differences (``versus`` is that of
    ``score_rows``). These show which system is better, even if clusters differ more than systems do.
    """
    rows = score_rows(outcomes, versus)
    metrics, names = list(rows[0].figures), [row.selector for row in rows]
    several = len(names) > 1
    base = f"from {names[0]}" if versus == "first" else "from the row above"
    caption = f"{about['dataset']}, {amount(about['clusters'], 'clusters')}. Lines: 95% t intervals. "
    if several:
        caption += (
            f"Right: mean paired difference {base} on the same clusters; grey: the interval includes 0."
        )
    shape = len(metrics), 1 + several, 0.5 + 0.2 * len(names)
    figure, panels = make_panels(*shape, caption, signature, width=TWO_COLUMNS, share="y")
    for number, metric in enumerate(metrics):
        bars, *others = panels[number * (1 + several) :][: 1 + several]
        figures = [row.figures[metric] for row in rows]
        recalls = [each.recall for each in figures]
        errors = _errors(recalls, [each.ci for each in figures])
        bars.barh(range(len(rows)), recalls, height=0.6, color=SKY, xerr=errors, error_kw=_ERROR_BARS)
        bars.set_xlabel(_recall(metric))
        for axes in others:
            _draw_differences(axes, rows, metric)
            axes.set_xlabel(f"{_recall(metric)}, difference {base}")
    short = [shortened(name, _LONGEST) for name in names]
    panels[0].set_yticks(range(len(names)), short, parse_math=False)
    panels[0].set_ylim(len(names) - 0.4, -0.6)  # in the order of the table
    return figure


def _draw_differences(axes: Axes, rows: Sequence[ScoreRow], metric: str) -> None:
    axes.axvline(0, color=GREY, linewidth=0.6, zorder=1)
    axes.grid(axis="y", color=GREY, alpha=0.2, linewidth=0.5)  # leads the eye to the names on the left
    axes.tick_params(axis="y", length=0)
    for line, row in enumerate(rows):
        versus = row.figures[metric].versus
        if versus is not None:
            low, high = versus.ci or (0.0, 0.0)
            colour = BLUE if low > 0 else VERMILION if high < 0 else GREY
            errors = _errors([versus.difference], [versus.ci])
            axes.errorbar(versus.difference, line, xerr=errors, color=colour, marker="o", **_ERROR_BARS)


def _errors(values: Sequence[float], intervals: Sequence[Interval | None]) -> Floats:
    """Return how far the ends of each interval are from its value, shape (2, values)."""
    ends = [ci or (value, value) for value, ci in zip(values, intervals, strict=True)]
    return np.abs(np.transpose(ends) - values)
