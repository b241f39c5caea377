"""What a metric counts in a summary and a reference. Recall and precision are computed from these counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Matches:
    """What a metric counts in a summary and a reference, such as n-grams.

    Attributes:
        matched: the number that both texts have in common.
        in_reference: the number in the reference.
        in_summary: the number in the summary.
    """

    matched: float
    in_reference: float
    in_summary: float

    @property
    def recall(self) -> float:
        """The share of the reference that is in the summary; 0 if the reference is empty."""
        return self.matched / self.in_reference if self.in_reference else 0.0

    @property
    def precision(self) -> float:
        """The share of the summary that is in the reference; 0 if the summary is empty."""
        return self.matched / self.in_summary if self.in_summary else 0.0


def pooled(matches: Iterable[Matches]) -> Matches:
    """Return the sum of the counts of a summary over several references."""
    found = list(matches)
    return Matches(
        sum(each.matched for each in found),
        sum(each.in_reference for each in found),
        sum(each.in_summary for each in found),
    )
