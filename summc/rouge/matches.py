"""The counts of a metric, from which scores are computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Matches:
    """The amount that a summary and a reference have in common, and the amount in each of them."""

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
    """Return the sums of the counts over several references."""
    found = list(matches)
    return Matches(
        sum(each.matched for each in found),
        sum(each.in_reference for each in found),
        sum(each.in_summary for each in found),
    )
