"""Render a map of random problems as text, Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from summc.experiments.phase_map import BASE, Row
from summc.files.json_objects import dump
from summc.text.tables import render_cells

#: The widest line of a text table.
_WIDTH = 80
#: The columns of a text table that may be left out if it is too wide, the first ones first.
_SPARE = ("seconds", "graphs", "better", "share", "converged")

NOTE = f"% of what {BASE} covers, mean of paired differences, 95% interval; * if it does not hold 0."


def render_map(about: Mapping[str, Any], rows: Sequence[Row], format_: str, *, timed: bool) -> str:
    """Return the table of a map: in text and Markdown a table for each selector, else one with all columns.

    The mean seconds are shown only if ``timed``, because they vary from run to run.
    """
    if format_ == "json":
        return dump({**about, "rows": [_as_object(row, timed=timed) for row in rows]}, indent=2) + "\n"
    if format_ == "csv":
        return _csv(rows, timed=timed)
    base = {tuple(row.axes.items()): row for row in rows if row.selector == BASE}
    names = [name for name in dict.fromkeys(row.selector for row in rows) if name != BASE]
    parts = [f"{_title(name, format_)}\n{_table(rows, name, base, format_, timed=timed)}" for name in names]
    signature = "|".join(f"{name}:{value}" for name, value in about.items())
    return "\n".join([*parts, NOTE, "", signature, ""])


def _title(name: str, format_: str) -> str:
    title = f"{name} against {BASE}"
    return f"**{title}**\n" if format_ == "md" else f"{title}:"


def _table(
    rows: Sequence[Row], name: str, base: Mapping[Any, Row], format_: str, *, timed: bool
) -> str:
    own = [row for row in rows if row.selector == name]
    columns: dict[str, list[str]] = {axis: [f"{row.axes[axis]}" for row in own] for axis in own[0].axes}
    columns["share"] = [f"{row.share:.4f}" for row in own]
    columns["difference"] = [f"{row.difference:+.2f}{' ' if row.is_noise else '*'}" for row in own]
    columns["interval"] = [f"[{row.ci[0]:+.2f}, {row.ci[1]:+.2f}]" for row in own]
    columns["better"] = [f"{row.better:.0%}" for row in own]
    if own[0].converged is not None:
        columns["converged"] = ["-" if row.converged is None else f"{row.converged:.0%}" for row in own]
    columns["graphs"] = [str(row.graphs) for row in own]
    if timed:
        columns["seconds"] = [f"{row.seconds:.3f}" for row in own]
    for spare in _SPARE:
        if format_ == "md" or _width(columns) <= _WIDTH:
            break
        columns.pop(spare, None)
    return render_cells([list(columns), *map(list, zip(*columns.values(), strict=True))], format_)


def _width(columns: Mapping[str, Sequence[str]]) -> int:
    return sum(2 + max(map(len, [name, *cells])) for name, cells in columns.items()) - 2


def _csv(rows: Sequence[Row], *, timed: bool) -> str:
    objects = [_as_object(row, timed=timed) for row in rows]
    names = list(dict.fromkeys(name for each in objects for name in each))
    cells = [["" if each.get(name) is None else f"{each[name]}" for name in names] for each in objects]
    return render_cells([names, *cells], "csv")


def _as_object(row: Row, *, timed: bool) -> dict[str, Any]:
    found = {
        "selector": row.selector,
        **row.axes,
        "graphs": row.graphs,
        "share": row.share,
        "difference": row.difference,
        "difference_low": row.ci[0],
        "difference_high": row.ci[1],
        "better": row.better,
        "worse": row.worse,
        "solved": row.solved,
        "converged": row.converged,
    }
    return {**found, "seconds": row.seconds} if timed else found
