"""Render the measured numbers as text or JSON, and read those of an earlier run from its JSON."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from typing import Any

from summc.errors import InputError
from summc.system.inputs import opened, read_all
from summc.system.json_objects import parse_object
from summc.system.versions import version
from summc.text.screens import Screen, wrap_lines
from summc.text.tables import render_cells
from tests.bench.measures import Figure
from tests.bench.peers import PEERS

#: Section, name and unit of a measured number, which tell what it measures and are the same in every run.
Key = tuple[str, str, str]


def key(figure: Figure) -> Key:
    """Return the key of a measured number, by which the same measurement is found in an earlier run."""
    return figure.section, figure.name, figure.unit


def render_figures(
    figures: Sequence[Figure],
    about: Mapping[str, Any],
    format_: str,
    before: Mapping[Key, Figure] | None = None,
    screen: Screen | None = None,
) -> str:
    """Return a table for each section, or a JSON object that later runs can be compared with.

    ``about`` describes the run and the machine. ``before`` has the measured numbers of an earlier run, to
    show beside those of this run. Text fits the ``screen``.
    """
    if format_ == "json":
        listed = [_as_object(figure, before) for figure in figures]
        return json.dumps({"machine": about, "figures": listed}, indent=2) + "\n"
    tables = []
    for section, group in itertools.groupby(figures, key=lambda figure: figure.section):
        compared = [] if before is None else ["before", "ratio before", "change"]
        head = [section, "", "", "ratio", *compared]
        rows = [
            [figure.name, _number(figure.value), figure.unit, _ratio(figure), *_compared(figure, before)]
            for figure in group
        ]
        tables.append(render_cells([head, *rows], "text", screen, fold=[5, 4] if compared else []))
    told = ", ".join(f"{name} {value}" for name, value in about.items())
    return "\n".join([*tables, f"{wrap_lines(told, (screen or Screen()).columns)}\n"])


def _as_object(figure: Figure, before: Mapping[Key, Figure] | None) -> dict[str, Any]:
    earlier = (before or {}).get(key(figure))
    compared = {"before": earlier and earlier.value, "ratio_before": earlier and earlier.ratio}
    return dataclasses.asdict(figure) | ({} if before is None else compared)


def _compared(figure: Figure, before: Mapping[Key, Figure] | None) -> list[str]:
    """Return the cells that compare a number with an earlier run: earlier value, earlier ratio, change."""
    if before is None:
        return []
    earlier = before.get(key(figure))
    if earlier is None:
        return ["-", "-", "-"]
    return [_number(earlier.value), _ratio(earlier), f"{figure.value / earlier.value - 1:+.0%}"]


def read_figures(path: str, measured: str) -> dict[Key, Figure]:
    """Return the measured numbers of an earlier run from its JSON file.

    Raises ``InputError`` if that run had other sizes: ``measured`` is "full" or "quick".
    """
    with opened(path) as stream:
        record = parse_object(read_all(stream, path), path, _shape())
    about, figures = record.get("machine"), record.get("figures")
    if not (isinstance(about, dict) and isinstance(figures, list) and all(map(_is_figure, figures))):
        raise InputError(path, "no figures of a bench", f"give {_shape()}")
    if about.get("measured") != measured:
        problem = f"of a run that was {about.get('measured')}, and this one is {measured}"
        raise InputError(path, problem, "compare like with like")
    names = [field.name for field in dataclasses.fields(Figure)]
    earlier = [Figure(*map(each.get, names)) for each in figures]
    return {key(figure): figure for figure in earlier}


def _shape() -> str:
    return "what python -m tests.bench --format json wrote"


def _is_figure(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("section", "name", "unit", "to"))
        and _is_positive(value.get("value"))
        and (value.get("ratio") is None or _is_positive(value["ratio"]))
    )


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


def machine(measured: str) -> dict[str, str | int | float | None]:
    """Return a description of the run: the time, the machine, its load, and the versions of the software.

    ``measured`` is the size of the run, "full" or "quick".
    """
    return {
        "measured": measured,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        **{name: _version(name) for name in ("summc", "numpy", "pystemmer")},
        **{peer.package: _version(_CALLED.get(peer.package, peer.package)) for peer in PEERS.values()},
    }


#: Name under which a peer is imported -> name of its package, if the two differ.
_CALLED = {"submodlib": "submodlib-py"}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _ratio(figure: Figure) -> str:
    return "-" if figure.ratio is None else f"{figure.ratio:.3g} x {figure.to}"
