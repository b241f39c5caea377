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
    unit: str = setting("words", "Unit of the budget, if it has no suffix.", choices=UNITS)
    selector: str = setting("auto", "The algorithm that chooses sentences.", choices=tuple(SELECTORS))
    fill: str = setting(
        "whole", "End with a whole sentence, or cut the last one at K words, as scorers do.", choices=FILLS
    )
    polish: bool = setting(False, "Improve any selector's choice by local search.", off="no-polish")  # noqa: FBT003
    certify: bool = setting(False, "Prove an upper bound on what any summary could cover.", off="no-certify")  # noqa: FBT003
    reading: float = setting(
        1.0,
        "How much coverage is given up for a summary that reads better; 0: none.",
        at_least=0,
        at_most=100,
    )
    must: tuple[str, ...] = setting(
        (), "Require a sentence, given by words in it; may be repeated.", metavar="TEXT"
    )
