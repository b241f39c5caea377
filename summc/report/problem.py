"""The coverage problem of a summary as plain lists, for an HTML page that can solve it again.

A reader of the page may pin or ban sentences. The script of the page then searches for the best summary that
remains. It needs the costs of the sentences, the weights of the words, and the reading prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from summc.config import Config
from summc.pipeline import Workings
from summc.pipeline.budgets import prices_of
from summc.reading import PriceTable
from summc.selectors.reduction import folded

#: A problem with more sentences is not put into a page: the page would grow, and each search would take long.
_MOST_SENTENCES = 400


@dataclass(frozen=True, slots=True)
class Setting:
    """The part of a problem that is the same under most budgets. Sentences are indices in the graph.

    Attributes:
        held: the words of each sentence, as indices; a word that occurs n times is there n times.
        reading: the prices of what makes a summary hard to read, or None if they are not used.
    """

    held: list[list[int]]
    reading: PriceTable | None


@dataclass(frozen=True, slots=True)
class Problem:
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


def problem_of(made: Workings, config: Config, known: list[Setting]) -> Problem | None:
    """Return the problem of a summary, or None if it has too many sentences.

    ``known`` has the settings of other problems of the same cluster. If one of them is equal to that of this
    problem, it is used again; otherwise the new one is added.
    """
    graph, selection = made.graph, made.summary.selection
    if len(graph.cost) > _MOST_SENTENCES:
        return None
    small = folded(graph, np.ones(len(graph.cost), dtype=bool))
    words = np.repeat(small.edge_word, small.count)
    sentences = np.repeat(small.edge_sentence, small.count)
    held = [words[sentences == i].tolist() for i in range(len(graph.cost))]
    prices = prices_of(graph, made.tokenized, selection.budget, config.select.reading)
    setting = next((each for each in known if each.held == held), None)
    if setting is None:
        setting = Setting(held, prices.table() if prices else None)
        known.append(setting)
    further = np.split(small.further, small.further_start[1:-1])
    return Problem(
        setting=setting,
        own=small.own.tolist(),
        levels=[[first, *rest.tolist()] for first, rest in zip(small.weight.tolist(), further, strict=True)],
        opening=prices.opening_prices() if prices else [],
        covered=selection.covered_weight,
        total=made.summary.total_weight,
    )
