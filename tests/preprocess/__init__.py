"""Tests of stage 2; their tables of inputs and expected outputs are in cases.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

CASES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
