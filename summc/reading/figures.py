"""Figures that a later report replaces: "12 dead" in the first of several reports, "47 dead" in the last.

Two figures are of the same thing if they count the same word and their sentences are alike. ``counts`` tells
what a number counts, and which of it works in English only. In other languages nothing tells kilometers from
casualties, so sentences must be much more alike there. In all of them a word that one document counts twice
with different results, as miles and persons are, says nothing of what is counted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import regex

from summc.reading.counts import TOLLS, Figure, numbers_in
from summc.reading.likeness import Likeness
from summc.records import Cluster

#: Two sentences may speak of the same thing if their cosine is above this: in English, and elsewhere.
_ALIKE, _ALIKE_ELSEWHERE = 0.1, 0.4
#: A later figure beyond these multiples of the earlier one is of something else, perhaps of a part.
_LEAST_RATIO, _MOST_RATIO = 0.4, 25.0
#: This many figures of the same word are looked at, the latest first.
_MOST_LATER = 30
#: One or two documents do not follow a story.
_ENOUGH_DOCUMENTS = 3
#: Numbers of a sentence that are looked at: a table is no report.
_MOST_NUMBERS = 20
_YEAR = regex.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


class Later(NamedTuple):
    """The figure that replaces another one, and the sentences of later documents that have it."""

    shown: str
    sentences: frozenset[int]


class _Stated(NamedTuple):
    date: str
    sentence: int
    figure: Figure


class Figures:
    """The figures in a cluster that later documents replace, worked out when they are first asked for."""

    def __init__(self, cluster: Cluster, likeness: Likeness) -> None:
        self._cluster, self._likeness = cluster, likeness
        self._is_english = cluster.language == "en"
        self._least_likeness = _ALIKE if self._is_english else _ALIKE_ELSEWHERE
        dates = {document.date for document in cluster.documents}
        is_dated = "" not in dates and len(dates) > 1
        self._can_be_stale = is_dated and len(cluster.documents) >= _ENOUGH_DOCUMENTS

    def later(self, index: int) -> Later | None:
        """Return what later documents say in the place of a figure of this sentence; None if they do not."""
        if not self._can_be_stale or self._is_history(index):
            return None
        return next(filter(None, (self._replacing(index, figure) for figure in self._figures[index])), None)

    def _replacing(self, index: int, figure: Figure) -> Later | None:
        """Return the latest other figure of the same thing, if no document as late still has this one."""
        date, found = self._date(index), list[_Stated]()
        later = [each for each in self._stated[figure.counted][:_MOST_LATER] if each.date > date]
        for each in later:
            if found and each.date < found[0].date:
                break
            if is_same(each.figure.value, figure.value):
                return None
            if self._replaces(each, index, figure):
                found.append(each)
        if not found:
            return None
        last = max(found, key=lambda each: self._likeness.between(index, each.sentence)).figure
        same = (each.sentence for each in later if is_same(each.figure.value, last.value))
        return Later(last.shown, frozenset(same))

    def _replaces(self, later: _Stated, index: int, figure: Figure) -> bool:
        def has(sentence: int, value: float) -> bool:
            return any(is_same(value, other.value) for other in self._numbers[sentence])

        value = later.figure.value
        return (
            _LEAST_RATIO <= value / figure.value <= _MOST_RATIO
            and not has(index, value)
            and not has(later.sentence, figure.value)
            and not self._is_history(later.sentence)
            and self._likeness.between(index, later.sentence) > self._least_likeness
        )

    def _is_history(self, index: int) -> bool:
        """Tell whether a sentence names a year that is not its document's: "in 1987, 200 died there"."""
        years = _YEAR.findall(self._cluster.sentences[index].text)
        return any(year != self._date(index)[:4] for year in years)

    def _date(self, index: int) -> str:
        return self._cluster.documents[self._cluster.sentences[index].document].date

    @cached_property
    def _numbers(self) -> list[list[Figure]]:
        language = self._cluster.language
        return [
            list(islice(numbers_in(sentence.text, language), _MOST_NUMBERS))
            for sentence in self._cluster.sentences
        ]

    @cached_property
    def _figures(self) -> list[list[Figure]]:
        return [[each for each in numbers if each.counted] for numbers in self._numbers]

    @cached_property
    def _stated(self) -> dict[str, list[_Stated]]:
        """The figures of each thing, the latest first; none of what one document counts twice."""
        found: defaultdict[str, list[_Stated]] = defaultdict(list)
        for index, figures in enumerate(self._figures):
            for figure in figures:
                found[figure.counted].append(_Stated(self._date(index), index, figure))
        for counted, stated in found.items():
            stated.sort(key=lambda each: each.date, reverse=True)
            is_toll = self._is_english and counted in TOLLS
            if not is_toll and self._is_counted_twice(stated):
                stated.clear()
        return found

    def _is_counted_twice(self, stated: Sequence[_Stated]) -> bool:
        values: dict[int, float] = {}
        for each in stated:
            value = each.figure.value
            if not is_same(values.setdefault(self._cluster.sentences[each.sentence].document, value), value):
                return True
        return False


def is_same(one: float, other: float) -> bool:
    """Tell whether two numbers are equal, or one is the other rounded to two digits: 150,000 and 146,200."""
    return one == other or _rounded(one) == other or one == _rounded(other)


def _rounded(value: float) -> float:
    return round(value, 1 - math.floor(math.log10(value)))
