"""Three invented long documents: minutes with an agenda, a report with chapters, an essay."""

from __future__ import annotations

from pathlib import Path

MINUTES, REPORT, ESSAY = (
    (Path(__file__).parent / "texts" / f"{name}.txt").read_text() for name in ("minutes", "report", "essay")
)
