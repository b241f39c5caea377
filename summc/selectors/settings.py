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
        100.0, "100 words, 5s sentences, 600c characters, 10% of the words.",
        at_least=1, at_most=1e15, common=True, heading="Length",
    )  # fmt: skip
    unit: str = setting("words", "Unit of K if it has no suffix.", choices=UNITS, heading="Length")
    selector: str = setting("auto", "Algorithm that chooses the sentences.", choices=tuple(SELECTORS))
    fill: str = setting(
        "whole",
        "End with a whole sentence, or cut the last one at exactly K.",
        choices=FILLS,
        heading="Length",
    )
    polish: bool = setting(False, "Improve the chosen sentences by local search.", off="no-polish")  # noqa: FBT003
    certify: bool = setting(False, "Prove an upper bound on what any summary could cover.", off="no-certify")  # noqa: FBT003
    reading: float = setting(
        1.0,
        "How much coverage to give up for a summary that reads better; 0 gives up none.",
        at_least=0,
        at_most=100,
    )
    must: tuple[str, ...] = setting(
        (),
        "Include the sentence with these words; repeatable.",
        metavar="TEXT",
        common=True,
        heading="Steering",
    )
