"""Draw the figures of the paper, maps over mu and beta, curves over the budget K, and evaluations.

Only this module uses matplotlib, and only when it draws. Figures are as wide as one or two columns of a
journal, in the style of ``figures.mplstyle``. Their colours can be told apart by colour-blind readers
(M. Okabe and K. Ito, "Color Universal Design", 2008). The same data always gives the same bytes.
"""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from summc.errors import SettingError, as_typed
from summc.lab.evaluation.intervals import Interval
from summc.lab.evaluation.report import WEIGHT, score_rows
from summc.lab.experiments.budgets import Length, mean_shares
from summc.lab.experiments.runs import BASE, Row, is_noise
from summc.lab.experiments.sweep import SweepRow, best, measures_of
from summc.records import Floats, Outcome
from summc.report.screens import shortened
from summc.report.summaries import amount
from summc.system.outputs import check_writable, write_whole
from summc.system.versions import version
from summc.text.numbers import shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: A value with its interval, if it has one.
Value = tuple[float, Interval | None]
#: Label -> value at each x. The value of a method that does not depend on x is at None.
Series = Mapping[str, Mapping[Any, Value]]

SUFFIXES = (".png", ".svg", ".pdf")
#: Width in inches of one column of a journal, and of two columns with the gap between them.
ONE_COLUMN, TWO_COLUMNS = 3.4, 7.0

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
BLACK, GREY = "#000000", "#666666"
_CURVES = ((BLUE, "o"), (GREEN, "s"), (PURPLE, "^"))
_LEVELS = (
    (VERMILION, "--"), (GREY, ":"), (ORANGE, "-."), (SKY, (0, (6, 2, 1, 2, 1, 2))), (BLACK, (0, (1, 3))),
)  # fmt: skip

#: The style of the caption, and of the signature below it, and how many of their characters fit an inch. The
#: font of the signature has no ligature of "fi".
_CAPTION: dict[str, Any] = {"size": 6.0, "family": "DejaVu Sans", "color": BLACK}
_SIGNATURE: dict[str, Any] = {"size": 3.8, "family": "DejaVu Sans Mono", "color": GREY}
_CAPTION_FITS, _SIGNATURE_FITS = 22, 29
#: Characters of a legend that fit an inch, and those that its lines and gaps take in a column.
_LEGEND_FITS, _BESIDE_LABEL = 18, 7
_AXIS = 0.5  # inches to the left of a panel, for its y axis

_MU = r"chemical potential $\mu$ (weight per word)"
_BETA = r"inverse temperature $\beta$ (1 / weight)"
#: Axis of a map -> its label.
_AXES = {
    "sentences": "sentences $N$", "left": "degrees of sentences", "right": "degrees of words",
    "weights": "weights of words", "costs": "costs of sentences", "levels": "levels of a word",
    "budget": "budget (share of all costs)", "beta": r"$\beta$ times the mean weight",
    "mu": r"relative $\mu$",
}  # fmt: skip

#: Many overlapping bands are unreadable. So with more horizontal lines than this, only the first one, which
#: all others are compared with, gets a band.
_MOST_BANDS = 2
#: The most characters of a system's name.
_LONGEST = 24
#: How far the panel of differences in Figure 2 goes below 0, as a multiple of the best points' intervals.
_AROUND = 1.5


def check_drawable(path: str) -> None:
    """Raise if a picture cannot be written to ``path``, so that a run fails before the work, not after it."""
    if Path(path).suffix.lower() not in SUFFIXES:
        endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise SettingError(as_typed("plot"), f"must end in {endings}, got {path}", "rename the file")
    if find_spec("matplotlib") is None:
        raise SettingError(as_typed("plot"), "drawing needs matplotlib", "pip install 'summc[plots]'")
    check_writable(path)


def save(figure: Figure, path: str, signature: str) -> None:
    """Write a figure to a file in the format of its suffix, with the signature in the metadata.

    The file is written whole or not at all. The metadata has no dates, so that the same figure always gives
    the same file.
    """
    suffix = Path(path).suffix.lower()
    software = f"summc {version('summc')}, matplotlib {version('matplotlib')}"
    metadata: dict[str, dict[str, Any]] = {
        ".png": {"Software": software, "Description": signature},
        ".svg": {"Creator": software, "Description": signature, "Date": None},
        ".pdf": {"Creator": software, "Subject": signature, "CreationDate": None},
    }
    stream = io.BytesIO()
    with styled(), warnings.catch_warnings():
        # Suppress matplotlib's warning for each letter that the font lacks.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(stream, format=suffix[1:], metadata=metadata[suffix])
    write_whole(path, [stream.getvalue()])


@contextmanager
def styled() -> Iterator[None]:
    """Apply summc's matplotlib style while drawing, and ignore the user's own matplotlib settings."""
    # Hide matplotlib's messages that it builds its font cache or, on import, that it cannot store the cache.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl  # noqa: PLC0415 (an extra, and half a second of imports)

    with mpl.rc_context(fname=Path(__file__).with_suffix(".mplstyle")):
        yield


def make_panels(
    rows: int, columns: int, panel_height: float, caption: str, signature: str,
    *, width: float = ONE_COLUMN, share_x: bool = True,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """Return a figure and its panels, row by row. The panels of a row share y; all may share x.

    ``width`` is the width of the figure, and ``panel_height`` the height of a panel, in inches. The caption
    and the signature are below the panels; an empty signature is not drawn.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (an extra)

    figure, below = Figure(), 0.03
    in_inches: dict[str, Any] = {"transform": figure.dpi_scale_trans, "va": "bottom", "linespacing": 1.25}
    for lines, style in (
        (_broken(signature, int(_SIGNATURE_FITS * width)), _SIGNATURE),
        (textwrap.wrap(caption, int(_CAPTION_FITS * width)), _CAPTION),
    ):
        figure.text(0.06, below, "\n".join(lines), parse_math=False, **in_inches, **style)
        below += len(lines) * 1.25 * style["size"] / 72
    height = rows * panel_height + below
    figure.set_size_inches(width, height)
    figure.set_layout_engine("constrained", rect=(0, below / height, 1, 1 - below / height), wspace=0.06)
    return figure, list(figure.subplots(rows, columns, sharex=share_x, sharey="row", squeeze=False).flat)


def _broken(signature: str, characters: int) -> list[str]:
    """Return a signature as lines of at most ``characters``, broken at "|"; longer parts are broken too."""
    # ``wrap`` breaks at spaces, so they change places with "|".
    swapped = signature.translate(str.maketrans(" |", "\N{NO-BREAK SPACE} "))
    lines = textwrap.wrap(swapped, characters, break_on_hyphens=False)
    return [line.translate(str.maketrans("\N{NO-BREAK SPACE} ", " |")) for line in lines]


def _draw_series(axes: Axes, series: Series, hollow: Collection[float] = ()) -> None:
    """Draw a curve for each method, or a horizontal line if it does not depend on x; intervals are bands.

    Points of curves whose x is in ``hollow`` have an open marker.
    """
    levels = {label: values[None] for label, values in series.items() if None in values}
    curves = {label: values for label, values in series.items() if label not in levels}
    for label, (colour, dashes) in zip(levels, cycle(_LEVELS), strict=False):
        value, band = levels[label]
        if band and (len(levels) <= _MOST_BANDS or label == next(iter(levels))):
            axes.axhspan(*band, color=colour, alpha=0.10, linewidth=0, zorder=0)
        axes.axhline(value, color=colour, linestyle=dashes, label=label, zorder=2)
    for label, (colour, marker) in zip(curves, cycle(_CURVES), strict=False):
        x = sorted(curves[label])
        y, bands = zip(*(curves[label][at] for at in x), strict=True)
        low, high = zip(*(band or (value, value) for value, band in zip(y, bands, strict=True)), strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(x, y, color=colour, marker=marker, zorder=3, label=label)
        open_ = [i for i, at in enumerate(x) if at in hollow]
        axes.plot(
            [x[i] for i in open_], [y[i] for i in open_], color=colour, linestyle="none", marker=marker,
            markerfacecolor="white", markeredgewidth=0.8, zorder=4,
        )  # fmt: skip


def _finish(figure: Figure, panels: Sequence[Axes], x_label: str) -> None:
    """Label the x axis, and draw one legend for all panels above the first, in up to three columns."""
    panels[-1].set_xlabel(x_label)
    figure.align_ylabels(panels)
    named: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        named = dict(zip(labels, handles, strict=True)) | named
    room, lengths = _LEGEND_FITS * (figure.get_figwidth() - _AXIS), sorted(map(len, named))
    columns = [n for n in (2, 3) if sum(lengths[-n:]) + n * _BESIDE_LABEL <= room]
    panels[0].legend(
        named.values(), named, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=max(columns, default=1)
    )


# The figures


@styled()
def draw_sweep(rows: Sequence[SweepRow], about: Mapping[str, Any], signature: str) -> Figure:
    """Return Figure 3 or 4 of the paper: covered weight and scores over mu or beta, or a map if both vary."""
    swept = [row.point for row in rows if row.point.is_swept]
    mus, betas = {point.mu for point in swept}, {point.beta for point in swept}
    data = f"{about['dataset']}, {amount(about['clusters'], 'clusters')}, K = {about['k']}"
    if len(mus) > 1 and len(betas) > 1:
        return _draw_maps(rows, data, signature)
    over, fixed = ("beta", "mu") if len(betas) > 1 else ("mu", "beta")
    unsure = [row.point for row in rows if row.point.is_swept and row.converged not in (None, 1)]
    unsettled = [getattr(point, over) for point in unsure]
    caption = f"{data}, {fixed} = {shown(getattr(swept[0], fixed) or 0)}. Bands: 95% t intervals."
    caption += " Open: BP did not settle on every cluster." if unsettled else ""
    measures = measures_of(rows)
    figure, panels = make_panels(len(measures), 1, 2.1, caption, signature)
    for axes, measure in zip(panels, measures, strict=True):
        series: dict[str, dict[Any, Value]] = {}
        for row in rows:
            if mean := row.means.get(measure):
                series.setdefault(row.point.selector, {})[getattr(row.point, over)] = (mean.mean, mean.ci)
        _draw_series(axes, series, unsettled)
        axes.set_ylabel(_label(rows, measure))
    panels[-1].locator_params(axis="x", nbins=6)
    _finish(figure, panels, _BETA if over == "beta" else _MU)
    return figure


def _draw_maps(rows: Sequence[SweepRow], data: str, signature: str) -> Figure:
    measures, base = measures_of(rows), rows[0]
    caption = f"{rows[-1].point.selector} on {data}. Ring: the best. Line on the scale: {base.point.label}."
    figure, panels = make_panels(1, len(measures), 2.6, caption, signature, width=TWO_COLUMNS)
    for axes, measure in zip(panels, measures, strict=True):
        mean_at: dict[Any, float] = {
            (row.point.beta, row.point.mu): row.means[measure].mean for row in rows if row.point.is_swept
        }
        betas, mus = (sorted(set(values)) for values in zip(*mean_at, strict=True))
        values = np.array([[mean_at.get((beta, mu), np.nan) for mu in mus] for beta in betas])
        levels = [base.means[measure].mean] if measure in base.means else []
        scale = np.append(values, levels)
        drawn = axes.pcolormesh(
            mus, betas, values, cmap="cividis", vmin=np.nanmin(scale), vmax=np.nanmax(scale), rasterized=True
        )
        bar = figure.colorbar(drawn, ax=axes, pad=0.03, label=_label(rows, measure))
        top: Any = best(rows, measure).point
        for colour, width in (("white", 2.6), (VERMILION, 1.3)):  # not clipped at the ends of the scale
            bar.ax.hlines(levels, 0, 1, color=colour, linewidth=width, clip_on=False, zorder=9)
            axes.plot(
                top.mu, top.beta, marker="o", markersize=7, markerfacecolor="none", markeredgecolor=colour,
                markeredgewidth=width, clip_on=False, zorder=5,
            )  # fmt: skip
        axes.set_xlabel(_MU)
    panels[0].set_ylabel(_BETA)
    return figure


def _label(rows: Sequence[SweepRow], measure: str) -> str:
    """Return the axis label of a measure; for the covered weight it says so if the weights are TF-IDF."""
    if measure != WEIGHT:
        return _recall(measure)
    is_tfidf = rows[-1].point.config.weigh.weighting == "tfidf"
    return "covered weight (sum of TF-IDF)" if is_tfidf else "covered weight"


def _recall(metric: str) -> str:
    return f"ROUGE-{metric.removeprefix('rouge').replace('W', 'W-1.2')} recall"


@styled()
def draw_random_graphs(
    rows: Sequence[Row], mus: Mapping[str, tuple[str, float]], about: Mapping[str, Any], signature: str
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
    means, differences = dict[str, dict[Any, Value]](), dict[str, dict[Any, Value]]()
    for row in rows:
        label, mu = mus.get(row["method"], (row["method"], None))
        mean, error = row["mean"], row["error"]
        means.setdefault(label, {})[mu] = (mean, (mean - error, mean + error))
        differences.setdefault(label, {})[mu] = (row["difference"], row["difference_ci"])
    figure, panels = make_panels(2, 1, 1.9, caption, signature)
    _draw_series(panels[0], means)
    _draw_series(panels[1], differences)
    # Cut off the low end of the differences, so that one can see how far the best points are from 0.
    bests = [max(values.values()) for values in differences.values() if None not in values]
    scale = max((abs(end) for value, ci in bests for end in ci or (value,)), default=0.0)
    if scale:
        panels[1].set_ylim(bottom=max(panels[1].get_ylim()[0], -_AROUND * scale))
    panels[0].set_ylabel("mean covered weight")
    panels[1].set_ylabel(f"difference from {BASE}")
    _finish(figure, panels, r"chemical potential $\mu$ (weight per unit of cost)")
    return figure


@styled()
def draw_curves(curves: Sequence[Sequence[Length]], signature: str) -> Figure:
    """Return a figure of the share of the total weight that is covered, and of its bound, over the budget K.

    For several clusters the curves are means, with a thin line for each cluster behind them.
    """
    budgets, covered, possible = np.transpose(mean_shares(curves)) * [[1], [100], [100]]
    several = f"Mean of {len(curves)} clusters, a thin line each"
    whose = several if len(curves) > 1 else curves[0][0]["cluster"]
    caption = f"{whose}. Shaded: not covered, and not proven impossible."
    figure, (axes,) = make_panels(1, 1, 2.4, caption, signature)
    axes.fill_between(budgets, covered, possible, color=VERMILION, alpha=0.15, linewidth=0)
    for curve in curves if len(curves) > 1 else ():
        axes.plot(budgets, [100 * row["share"] for row in curve], color=BLUE, alpha=0.35, linewidth=0.5)
    axes.plot(budgets, possible, color=VERMILION, linestyle="--", label="proven bound")
    axes.plot(budgets, covered, color=BLUE, marker="o", label="covered")
    axes.set_ylabel("covered weight (% of all)")
    axes.set_ylim(bottom=0)
    _finish(figure, [axes], "budget $K$ (words)")
    return figure


@styled()
def draw_phases(
    rows: Sequence[Row], shown_axes: tuple[str, str], about: Mapping[str, Any], signature: str
) -> Figure:
    """Return a phase diagram for each selector: its difference from g-greedy across two axes of a map."""
    names = list(dict.fromkeys(row["selector"] for row in rows))
    across, upwards = ([*dict.fromkeys(row[axis] for row in rows)] for axis in shown_axes)
    caption = (
        f"Difference from g-greedy in % of what it covers, mean over {about['graphs']} graphs a cell. "
        "Grey: within noise, as the 95% t interval holds 0."
    )
    width, height = TWO_COLUMNS if len(names) > 1 else ONE_COLUMN, 0.8 + 0.25 * max(len(upwards), 3)
    figure, panels = make_panels(1, len(names), height, caption, signature, width=width)
    figure.set_dpi(160)  # it has no fine lines, so fewer dots make a smaller file
    most = max(abs(row["difference"]) for row in rows) or 1.0
    for axes, name in zip(panels, names, strict=True):
        values = np.full((len(upwards), len(across)), np.nan)
        for row in [row for row in rows if row["selector"] == name]:
            x, y = across.index(row[shown_axes[0]]), upwards.index(row[shown_axes[1]])
            values[y, x] = np.nan if is_noise(row) else row["difference"]
            look: dict[str, Any] = {"color": GREY, "style": "italic"} if is_noise(row) else {"color": BLACK}
            axes.text(x, y, f"{row['difference']:+.2f}", ha="center", va="center", size=6, **look)
        # Square roots, so that small differences have a colour beside large ones. The scale ends beyond the
        # largest difference, where colours are too dark for the figures.
        colour = np.sign(values) * np.sqrt(np.abs(values) / most)
        axes.imshow(colour, cmap="PuOr_r", vmin=-1.5, vmax=1.5, origin="lower", aspect="auto")
        axes.set_facecolor("#eeeeee")
        axes.set_xticks(range(len(across)), [str(x) for x in across])
        axes.set_yticks(range(len(upwards)), [str(y) for y in upwards])
        axes.tick_params(length=0, labelsize=6)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(_AXES.get(shown_axes[0], shown_axes[0]))
        axes.set_title(f"{name} less g-greedy, %", size=7.5)
    panels[0].set_ylabel(_AXES.get(shown_axes[1], shown_axes[1]))
    return figure


@styled()
def draw_comparison(
    outcomes: Sequence[Outcome], versus: str, about: Mapping[str, Any], signature: str
) -> Figure:
    """Return a figure of an evaluation, with two panels for each metric and a line for each system.

    On the left are bars of the mean recall, on the right the paired differences (``versus`` is as in
    ``score_rows``). These show which system is better, even if clusters differ more than systems do.
    """
    rows = score_rows(outcomes, versus)
    metrics, names = list(rows[0].scores), [shortened(row.selector, _LONGEST) for row in rows]
    several = len(names) > 1
    base = f"from {names[0]}" if versus == "first" else "from the row above"
    caption = f"{about['dataset']}, {amount(about['clusters'], 'clusters')}. Lines: 95% t intervals."
    right = f" Right: mean paired difference {base} on the same clusters; grey: the interval includes 0."
    caption += right if several else ""
    shape = len(metrics), 1 + several, 0.5 + 0.2 * len(names)
    figure, panels = make_panels(*shape, caption, signature, width=TWO_COLUMNS, share_x=False)
    for number, metric in enumerate(metrics):
        bars, *difference_panels = panels[number * (1 + several) :][: 1 + several]
        means = [row.means[metric] for row in rows]
        errors = _errors([(mean.mean, mean.ci) for mean in means])
        bars.barh(range(len(rows)), [mean.mean for mean in means], height=0.6, color=SKY, xerr=errors)
        bars.set_xlabel(_recall(metric))
        bars.set_yticks(range(len(names)), names, parse_math=False)
        bars.set_ylim(len(names) - 0.4, -0.6)  # in the order of the table
        for axes in difference_panels:
            axes.axvline(0, color=GREY, linewidth=0.6, zorder=1)
            axes.grid(axis="y", color=GREY, alpha=0.2, linewidth=0.5)  # leads the eye to the names
            axes.tick_params(axis="y", length=0)
            axes.set_xlabel(f"{_recall(metric)}, difference {base}")
            for line, mean in enumerate(means):
                if mean.difference is not None:
                    low, high = mean.difference_ci or (0.0, 0.0)
                    colour = BLUE if low > 0 else VERMILION if high < 0 else GREY
                    errors = _errors([(mean.difference, mean.difference_ci)])
                    axes.errorbar(mean.difference, line, xerr=errors, color=colour, marker="o")
    return figure


def _errors(values: Sequence[Value]) -> Floats:
    """Return how far the ends of each interval are from its value, shape (2, values)."""
    return abs(np.transpose([np.subtract(ci or (value, value), value) for value, ci in values]))
