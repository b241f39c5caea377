"""An invented research paper as plain text, and its abstract."""

from __future__ import annotations

from pathlib import Path

PAPER = (Path(__file__).parent / "texts" / "paper.txt").read_text()
ABSTRACT = PAPER.partition("\n\nAbstract\n\n")[2].partition("\n")[0]
