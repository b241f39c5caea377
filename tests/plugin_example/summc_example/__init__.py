"""What another package can add to summc, each as small as it can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from summc.datasets import Dataset
from summc.documents.formats import Format
from summc.documents.raw import Content, paragraph_blocks
from summc.records import CoverageGraph, Question, Selection, TokenizedCluster, WordWeights
from summc.selectors.base import fill_in_order, make_selection
from summc.settings import setting
from summc.weights.base import NeedsNoFitting
from summc.weights.coverage import CoverageWeighting


@dataclass(frozen=True, slots=True)
class Shortest:
    """Take the shortest sentences first."""

    name: ClassVar[str] = "shortest"
    shortest_from: int = setting(1, "shortest: leave out sentences of fewer words.", at_least=1)

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Return sentences of the graph that cost at most the budget together."""
        order = [int(i) for i in np.argsort(graph.cost, kind="stable") if graph.cost[i] >= self.shortest_from]
        return make_selection(graph, budget, self.name, fill_in_order(graph.cost, order, budget))


@dataclass(frozen=True, slots=True)
class Spread(CoverageWeighting, NeedsNoFitting):
    """A word is worth the number of sentences that hold it, to a power."""

    spread_power: float = setting(1.0, "spread: of the number of sentences.", at_least=0, at_most=10)

    @property
    def signature(self) -> Mapping[str, Any]:
        """Its settings."""
        return {"spread": self.spread_power}

    def weigh(
        self, tokenized: TokenizedCluster, length: float, question: Question | None = None
    ) -> WordWeights:
        """Return the concepts of a cluster and what each is worth in a summary of any length."""
        del length
        sentences = np.bincount(tokenized.index.pairs[1], minlength=len(tokenized.index.concepts)).astype(
            np.float64
        )
        return self.as_weights(tokenized, tokenized.index.concepts, sentences**self.spread_power, question)


NOTE = Format("summc_example", "a note", (".note",))


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the paragraphs of a note: lines, without those that begin with a semicolon."""
    del place, encoding
    lines = data.decode("utf-8", "surrogatepass").splitlines()  # summc replaces halves of pairs
    return Content(paragraph_blocks(line for line in lines if line.strip() and not line.startswith(";")))


HARBOUR = Dataset(
    "harbour",
    "one invented story of a harbour",
    clusters=1,
    documents=2,
    references=1,
    terms="part of summc-example",
    obtain="pip install summc-example",
    shipped=lambda: Path(__file__).parent / "harbour.jsonl",
)
