"""A short text about the same flood in each language whose stop words summc knows, by its code."""

from __future__ import annotations

from pathlib import Path

_LINES = (Path(__file__).parent / "texts" / "languages.tsv").read_text(encoding="utf-8").splitlines()
TEXTS: dict[str, str] = {line.partition("\t")[0]: line.partition("\t")[2] for line in _LINES}
