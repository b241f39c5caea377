"""Render a map of random problems as text, Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from summc.lab.evaluation.intervals import interval_text
from summc.lab.experiments.phase_map import BASE, Row
from summc.system.json_objects import dump
from summc.text.tables import render_cells, render_numbers

#: The widest line of a text table.
_WIDTH = 80
#: The columns of a text table that may be left out if it is too wide, in the order of leaving them out.
_SPARE = ("seconds", "graphs", "better", "share", "converged")

NOTE = f"""Differences in % of what {BASE} covers: means of paired differences, with 95%
t intervals; * if the interval does not hold 0. share: of the proven
optimum, or of the proven bound."""


def render_map(about: Mapping[str, Any], rows: Sequence[Row], format_: str, *, timed: bool) -> str:
    """Return the table of a map: in text and Markdown a table for each selector, else one with all columns.

    The mean seconds are shown only if ``timed``, because they vary from run to run.
    """
    if format_ == "json":
        return dump({**about, "rows": [_as_object(row, timed=timed) for row in rows]}, indent=2) + "\n"
    if format_ == "csv":
        return render_numbers([_as_object(row, timed=timed) for row in rows])
    parts = []
    for name in dict.fromkeys(row.selector for row in rows):
        own = [row for row in rows if row.selector == name]
        varying = [axis for axis in own[0].axes if len({row.axes[axis] for row in own}) > 1]
        if name != BASE:
            tables = _tables(own, varying or list(own[0].axes), format_, timed=timed)
            parts.append("\n".join([_title(name, format_), *tables]))
    signature = "|".join(f"{name}:{value}" for name, value in about.items())
    return "\n".join([*parts, NOTE, "", signature, ""])


def _title(name: str, format_: str) -> str:
    title = f"{name} against {BASE}"
    return f"**{title}**\n" if format_ == "md" else f"{title}:"


def _tables(rows: Sequence[Row], axes: Sequence[str], format_: str, *, timed: bool) -> Iterator[str]:
    """Yield the tables of a selector: usually one, with a column for each axis.

    ``axes`` are names of settings that vary over the map. If a text table is too wide even without its least
    important columns, it is split: one table for each value of ``axes[0]``, which then needs no column. A
    Markdown table is never split. With ``timed``, there is a column of seconds.
    """
    columns = _columns(rows, axes, timed=timed)
    for spare in _SPARE:
        if format_ == "md" or _width(columns) <= _WIDTH:
            break
        columns.pop(spare, None)
    if format_ == "md" or len(axes) <= 1 or _width(columns) <= _WIDTH:
        yield render_cells([list(columns), *map(list, zip(*columns.values(), strict=True))], format_)
        return
    first, *others = axes
    for value in dict.fromkeys(row.axes[first] for row in rows):
        part = [row for row in rows if row.axes[first] == value]
        for table in _tables(part, others, format_, timed=timed):
            yield f"{first} = {value}{', ' if ' = ' in table.partition(chr(10))[0] else chr(10)}{table}"


def _columns(rows: Sequence[Row], axes: Sequence[str], *, timed: bool) -> dict[str, list[str]]:
    """Return the columns of a text table: heading -> cells. If ``timed``, there is one of the seconds."""
    columns = {axis: [f"{row.axes[axis]}" for row in rows] for axis in axes}
    columns["share"] = [f"{row.share:.4f}" for row in rows]
    columns["difference"] = [f"{row.difference:+.2f}{' ' if row.is_noise else '*'}" for row in rows]
    columns["interval"] = [interval_text(row.ci, "+.2f") for row in rows]
    columns["better"] = [f"{row.better:.0%}" for row in rows]
    if any(row.converged is not None for row in rows):
        columns["converged"] = ["-" if row.converged is None else f"{row.converged:.0%}" for row in rows]
    columns["graphs"] = [str(row.graphs) for row in rows]
    if timed:
        columns["seconds"] = [f"{row.seconds:.3f}" for row in rows]
    return columns


def _width(columns: Mapping[str, Sequence[str]]) -> int:
    return sum(2 + max(map(len, [name, *cells])) for name, cells in columns.items()) - 2


def _as_object(row: Row, *, timed: bool) -> dict[str, Any]:
    found = {
        "selector": row.selector,
        **row.axes,
        "graphs": row.graphs,
        "share": row.share,
        "difference": row.difference,
        "difference_low": row.ci and row.ci[0],
        "difference_high": row.ci and row.ci[1],
        "better": row.better,
        "worse": row.worse,
        "solved": row.solved,
        "converged": row.converged,
    }
    return {**found, "seconds": row.seconds} if timed else found
