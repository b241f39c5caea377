"""Read tables of cases, which are TOML files beside the tests."""

from __future__ import annotations

import tomllib
from typing import Any

from tests.conftest import ROOT


def read_cases(name: str) -> dict[str, Any]:
    """Return the tables in a file below the folder of the tests."""
    return tomllib.loads((ROOT / "tests" / name).read_text(encoding="utf-8"))
