"""The settings of stage 5 (choosing sentences) that apply to every selector."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from summc.errors import NoSummaryError, as_typed
from summc.graph.build import cost_in
from summc.records import Cluster
from summc.selectors import SELECTORS, Auto
from summc.settings import AUTO, setting
from summc.text.numbers import UNITS, plain

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
    reading: float | str = setting(
        AUTO,
        "How much coverage to give up for a summary that reads better; 0 gives up none.",
        auto="1 with the selector auto, 0 with any other",
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

    def for_cluster(self, cluster: Cluster) -> SelectSettings:
        """Return the settings with a budget in percent replaced by a number of words, rounded down.

        100% are all words of the cluster.
        """
        if self.unit != "percent":
            return self
        total = sum(sentence.words for sentence in cluster.sentences)
        budget = math.floor(total * self.budget / 100)
        if budget < 1:
            problem = f"{plain(self.budget)}% of {total} words is less than one"
            raise NoSummaryError(cluster.id, problem, f"raise {as_typed('budget')}")
        return dataclasses.replace(self, budget=float(budget), unit="words")

    def length_in_words(self, cluster: Cluster) -> float:
        """Return about how many words a summary within the budget has, at most as many as the documents."""
        words = sum(sentence.words for sentence in cluster.sentences)
        if self.unit == "words" and self.budget <= words:
            return self.budget
        units = sum(cost_in(sentence, self.unit) for sentence in cluster.sentences)
        return words * min(self.budget / units, 1.0)

    def reading_with(self, selector: str = "") -> float:
        """Return the factor of the reading prices for a selector, by default the configured one.

        A selector that the user names gives its own choice, unless the user asks for reading prices too.
        """
        if isinstance(self.reading, str):
            return 1.0 if (selector or self.selector) == Auto.name else 0.0
        return self.reading
