"""What was measured, as people and programs read it."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from summc.bench.measures import Figure
from summc.bench.peers import PEERS
from summc.compiled import library
from summc.tables import render_cells


def render_figures(figures: Sequence[Figure], format_: str) -> str:
    """Return a table for each section, or one JSON object, to be kept and compared with later ones."""
    if format_ == "json":
        listed = [dataclasses.asdict(figure) for figure in figures]
        return json.dumps({"machine": machine(), "figures": listed}, indent=2) + "\n"
    tables = []
    for section, group in itertools.groupby(figures, key=lambda figure: figure.section):
        rows = [[figure.name, _number(figure.value), figure.unit, _ratio(figure)] for figure in group]
        tables.append(render_cells([[section, "", "", "ratio"], *rows], "text"))
    told = ", ".join(f"{name} {value}" for name, value in machine().items())
    return "\n".join([*tables, f"{told}\n"])


def machine() -> dict[str, str | int | None]:
    """Return what the figures were measured on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        **{name: _version(name) for name in ("summc", "numpy", "pystemmer")},
        "compiled": "no" if library() is None else "yes",
        **{peer.package: _version(_CALLED.get(peer.package, peer.package)) for peer in PEERS.values()},
    }


#: Where a package is called otherwise than what one imports.
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
