"""The settings of stage 5 (choosing sentences) that apply to every selector."""

from __future__ import annotations

from dataclasses import dataclass

from summc.selectors import SELECTORS
from summc.settings import setting
from summc.text.amounts import UNITS

FILLS = ("whole", "truncate")


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """The settings of stage 5 (choosing sentences) that apply to every selector."""

    budget: float = setting(
        100.0, "The budget K: 100 words, 5s sentences, 600c characters, 10% of the words.",
        at_least=1, at_most=1e15,
    )  # fmt: skip
    unit: str = setting("words", "What the budget counts where it does not say.", choices=UNITS)
    selector: str = setting("auto", "How sentences are chosen.", choices=tuple(SELECTORS))
    fill: str = setting(
        "whole", "End with a whole sentence, or with one cut at K words, as scorers cut.", choices=FILLS
    )
    polish: bool = setting(False, "Improve any selector's choice by local search.", off="no-polish")  # noqa: FBT003
    certify: bool = setting(False, "Prove how much any choice could cover.", off="no-certify")  # noqa: FBT003
    reading: float = setting(
        1.0,
        "How much coverage is given up for a summary that reads better; 0: none.",
        at_least=0,
        at_most=100,
    )
    must: tuple[str, ...] = setting(
        (), "A sentence that must be in, by words of it; may be repeated.", metavar="TEXT"
    )
