"""Make print-quality figures with matplotlib.

Only this module, ``figures`` and ``comparison`` use matplotlib, and only when they draw. Figures are as wide
as one or two columns of a journal. Their colours can be told apart by colour-blind readers (M. Okabe and K.
Ito, "Color Universal Design", 2008). In vector formats text is stored as text, not as outlines. The same data
always gives the same bytes.
"""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from summc.errors import OutputError, SettingError, as_typed
from summc.system.outputs import write_whole
from summc.system.versions import version

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
    *,
    width: float,
    panel_height: float,
    caption: str,
    signature: str,
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
    lines = [""]
    for part in signature.split("|"):
        joined = f"{lines[-1]}|{part}" if lines[-1] else part
        if len(joined) <= characters:
            lines[-1] = joined
        else:
            lines.extend(textwrap.wrap(part, characters))
    return [line for line in lines if line]
