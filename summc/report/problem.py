"""The coverage problem of a summary as plain lists, for an HTML page that can solve it again.

A reader of the page may pin or ban sentences. The script of the page then searches for the best summary that
remains. It needs the costs of the sentences, the weights of the words, and the reading prices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from summc.graph import level_weights
from summc.method import prices_of
from summc.records import CoverageGraph, Run
from summc.selectors.reading import PriceTable
from summc.selectors.reduction import ReducedProblem, folded
from summc.settings.config import Config

#: A problem with more sentences is not put into a page: the page would grow, and each search would take long.
_MOST_SENTENCES = 600


@dataclass(frozen=True, slots=True)
class Setting:
    """The part of a problem that is the same under most budgets.

    Attributes:
        held: the words of each sentence, as indices; a word that occurs n times is there n times.
        reading: the prices of what makes a summary hard to read, or None if they are not used.
    """

    held: list[list[int]]
    reading: PriceTable | None


@dataclass(frozen=True, slots=True)
class PageProblem:
    """The coverage problem under one budget.

    Words that the same sentences hold equally often are merged into one.

    Attributes:
        setting: the part of the problem that is the same under most budgets.
        own: the weight that each sentence covers of the words that no other sentence holds.
        levels: for each other word, the weights of its first, second, ... occurrence in a summary.
        opening: the price of each sentence as the first of the summary; empty if there are no prices.
        covered: the weight that the sentences of the summary cover.
        total: the weight that all sentences cover together.
    """

    setting: Setting
    own: list[float]
    levels: list[list[float]]
    opening: list[float]
    covered: float
    total: float


def problems_of(rising: Sequence[Run], config: Config) -> tuple[PageProblem, ...]:
    """Return the problem of each summary of a cluster, or () if one is too large for a page.

    ``rising`` has the summaries in order of rising budget.
    """
    if any(len(made.graph.cost) > _MOST_SENTENCES for made in rising):
        return ()
    alike: dict[bytes, list[CoverageGraph]] = {}
    for made in rising:
        alike.setdefault(_shape(made.graph), []).append(made.graph)
    settings: dict[bytes, Setting] = {}
    found = []
    for made in rising:
        shape, selection = _shape(made.graph), made.selection
        # A graph counts only the occurrences that have a weight, and their number may depend on the budget.
        # Use the largest count of all budgets, so that they can share one ``Setting``. That changes no
        # weight, because the additional occurrences have none.
        count = np.maximum.reduce([graph.count for graph in alike[shape]])
        small = folded(
            dataclasses.replace(made.graph, count=count), np.ones(len(made.graph.cost), dtype=bool)
        )
        prices = prices_of(
            made.graph, made.tokenized, dataclasses.replace(config.select, budget=selection.budget)
        )
        if shape not in settings:
            settings[shape] = Setting(_held(small), prices.table() if prices else None)
        found.append(
            PageProblem(
                setting=settings[shape],
                own=small.own.tolist(),
                levels=level_weights(small),
                opening=prices.opening_prices() if prices else [],
                covered=selection.covered_weight,
                total=made.total_weight,
            )
        )
    return tuple(found)


def _shape(graph: CoverageGraph) -> bytes:
    """Return a key that is equal for graphs with the same sentences, words and edges."""
    has_weight = graph.weight > 0
    arrays = (graph.sentence_ids, graph.word_ids, graph.edge_sentence, graph.edge_word, has_weight)
    return b"".join(array.tobytes() for array in arrays)


def _held(problem: ReducedProblem) -> list[list[int]]:
    """Return the words of each sentence; a word that occurs n times in it is there n times."""
    words = np.repeat(problem.edge_word, problem.count)
    sentences = np.repeat(problem.edge_sentence, problem.count)
    return [words[sentences == i].tolist() for i in range(len(problem.cost))]
