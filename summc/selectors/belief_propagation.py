"""The paper's Algorithm 2: belief propagation ranks the sentences, and the budget is filled in that order.

H. Kitano and K. Takeda, "Belief Propagation for Maximum Coverage on Weighted Bipartite Graph and Application
to Text Summarization". For the unweighted case see S. Takabe, T. Maehara and K. Hukushima, Phys. Rev. E 97
(2018). Equation numbers are those of the first paper. BP computes a field h_i for each sentence: the larger
h_i, the more probable is sentence i in good summaries. beta is the inverse temperature, and mu is the price
of a unit of cost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from summc.records import CoverageGraph, Floats, Selection
from summc.selectors.base import fill_in_order, make_selection, per_cost, rounded
from summc.selectors.greedy import GGreedy
from summc.selectors.messages import Messages, Propagation, iterate
from summc.settings import AUTO, setting

#: Automatic beta is this number divided by the mean weight. It is the best value on news and random graphs.
BETA_MEAN_WEIGHT = 8.0
#: The values of mu that "auto" tries, as fractions of the weight that g-greedy covers per word of the budget.
_PRICES = tuple(0.05 * step for step in range(1, 25))
#: Weights divided by their mean are rounded to multiples of this. Without rounding, the scale of the weights
#: could change the last digits, and with them the result.
_GRAIN = 2.0**-32


@dataclass(frozen=True, slots=True)
class BeliefPropagation:
    """The paper's Algorithm 2, with damping, which the paper does not have: ``damping=0`` leaves it out."""

    beta: float | str = setting(
        AUTO, "bp: inverse temperature, a factor of all weights.",
        auto="by the scale of the weights", above=0, at_most=1e9,
    )  # fmt: skip
    mu: float | str = setting(
        AUTO, "bp: chemical potential, the price of a word.",
        auto="the one that covers most", at_least=0, at_most=1e9,
    )  # fmt: skip
    iterations: int = setting(150, "bp: maximum number of iterations.", at_least=1, at_most=1_000_000)
    damping: float | str = setting(
        AUTO, "bp: share of the old message that an update keeps.",
        auto="raised where messages swing", at_least=0, below=1,
    )  # fmt: skip
    tolerance: float = setting(
        1e-6, "bp: converged if no message, times beta, changes by more than this.", at_least=0, at_most=1e9
    )
    name: ClassVar[str] = "bp"

    def select(self, graph: CoverageGraph, budget: float) -> Selection:
        """Take sentences in order of falling h_i / c_i, each if it still fits the budget.

        Ties go to the lowest index. Of several values of mu, the one that covers the most is used.
        """
        terms = settle_terms(graph, budget, self.beta, self.mu)
        runs = propagate(terms.graph, terms.beta, terms.mus, self.iterations, self.damping, self.tolerance)
        tried = []
        for run in runs:
            order = np.argsort(-rounded(per_cost(run.field, graph.cost)), kind="stable")
            filled = fill_in_order(graph.cost, order.tolist(), budget)
            tried.append(make_selection(terms.graph, budget, self.name, filled))
        best = max(range(len(runs)), key=lambda run: tried[run].covered_weight)
        run = runs[best]
        about = {"converged": run.converged, "iterations": run.iterations, "last_change": run.last_change}
        diagnostics = {**about, **terms.used(best), "damping": run.damping}
        return make_selection(graph, budget, self.name, tried[best].chosen, diagnostics)


@dataclass(frozen=True, slots=True)
class ScaledProblem:
    """The input of BP: a graph whose weights were divided by ``unit``, beta, and the values of mu to try."""

    graph: CoverageGraph
    beta: float
    mus: Sequence[float]
    unit: float

    def used(self, run: int) -> dict[str, Any]:
        """Return the beta and the mu of run number ``run``, for the weights before they were divided."""
        return {"beta": self.beta / self.unit, "mu": self.mus[run] * self.unit}


def settle_terms(
    graph: CoverageGraph, budget: float, beta: float | str, mu: float | str, prices: Sequence[float] = _PRICES
) -> ScaledProblem:
    """Return the input of BP. A beta or mu of "auto" is computed from the graph.

    With automatic beta, weights are divided by the mean weight of first occurrences, so that their scale does
    not matter. ``prices`` are the automatic values of mu, as fractions of the weight that g-greedy covers per
    word of the budget.
    """
    unit, scaled = 1.0, graph
    if isinstance(beta, str):
        unit = float(graph.weight.mean()) if graph.weight.any() else 1.0
        weight, repeats = (np.round(part / unit / _GRAIN) * _GRAIN for part in (graph.weight, graph.repeats))
        scaled, beta = dataclasses.replace(graph, weight=weight, repeats=repeats), BETA_MEAN_WEIGHT
    if not isinstance(mu, str):
        return ScaledProblem(scaled, beta, [mu / unit], unit)
    density = GGreedy().select(scaled, budget).covered_weight / budget if budget else 0.0
    return ScaledProblem(scaled, beta, [price * density for price in prices] if density else [0.0], unit)


def propagate(
    graph: CoverageGraph, beta: float, mus: Sequence[float], iterations: int, damping: float | str,
    tolerance: float, watch: Callable[[int, float, Floats], object] | None = None, pins: Floats | float = 0.0,
) -> list[Propagation]:  # fmt: skip
    """Run BP from messages of 0 at several values of mu (``mus``), and return the result of each run.

    ``pins`` is added to the fields: inf for a sentence that is always chosen, -inf for one that never is. The
    other arguments are those of ``messages.iterate``. The fields and messages of the results are not
    multiplied by beta.
    """
    every, shared = Messages.start(graph, beta).settled_alone()
    gain = every.only(~shared).sent(len(graph.cost))
    external_fields = np.array([-beta * mu * graph.cost + gain + pins for mu in mus])
    results = []
    for run in iterate(every.only(shared), external_fields, iterations, damping, tolerance, watch):
        message = every.message.copy()
        message[shared] = run.message
        results.append(run._replace(field=run.field / beta, message=message / beta))
    return results
