"""Belief propagation on any coverage problem: the beliefs themselves, not a choice made by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from summc.api import python_number
from summc.api.problems import Problem, number_of, parts_of
from summc.errors import SettingError, as_typed
from summc.records import CoverageGraph, Floats
from summc.selectors import BeliefPropagation
from summc.selectors import belief_propagation as bp
from summc.selectors.belief_propagation import BETA_MEAN_WEIGHT
from summc.settings import checked
from summc.text.arithmetic import exp


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What belief propagation found for N sets and E edges.

    Attributes:
        sets: the names of the sets, in the order of the arrays.
        marginals: the probability P_i(1) that each set is chosen, Eq. (3), shape (N,).
        fields: h_i of each set, Eq. (11), in units of weight, shape (N,).
        to_sets, to_elements: the messages hhat_ai, Eq. (5), and h_ia, Eq. (4), in the order of
            ``Problem.edges``, shape (E,); None if they were not asked for.
        converged: whether no message, times beta, changes by more than the tolerance.
        iterations: the number of updates.
        residuals: the largest change of a message, times beta, that each update would make without damping.
        beta, damping: the values that were used; damping at the end.
    """

    sets: Any
    marginals: Floats
    fields: Floats
    to_sets: Floats | None
    to_elements: Floats | None
    converged: bool
    iterations: int
    residuals: Floats
    beta: float
    damping: float


def propagate(
    problem: Problem | CoverageGraph,
    *,
    mu: float,
    beta: float | str = "auto",
    damping: float | str = "auto",
    iterations: int = 150,
    tolerance: float = 1e-6,
    messages: bool = False,
    callback: Callable[[int, float, Floats], object] | None = None,
) -> Beliefs:
    """Run the paper's belief propagation, Eqs. (4) and (5), and return what it believes of each set.

    By the paper's Eq. (2), a choice of sets has a probability proportional to exp(-beta mu cost), times
    1 + exp(beta weight) for each element that it covers. On a graph without loops the marginals are exact.

    Args:
        problem: what is to be covered; the graph that ``build_graph`` returns is a problem too.
        mu: the price of a unit of cost (the paper's chemical potential).
        beta: the inverse temperature; "auto" is 8 divided by the mean weight.
        damping: the share of the old message that an update keeps; "auto" raises it where messages swing.
        iterations: the most updates.
        tolerance: the messages have converged if none, times beta, changes by more than this.
        messages: whether to return the messages.
        callback: is called after each update with its number, its residual and the fields h_i. If it returns
            something true, the run ends.

    >>> problem = Problem.from_sets({"a": "xy", "b": "yz", "c": "z"})
    >>> beliefs = propagate(problem, mu=1, beta=3)
    >>> beliefs.converged, beliefs.marginals.round(3)
    (True, array([0.734, 0.501, 0.279]))
    """
    settings = {"beta": beta, "iterations": iterations, "damping": damping, "tolerance": tolerance}
    values: dict[str, Any] = {name: python_number(value) for name, value in settings.items()}
    checked(BeliefPropagation, values, {name: as_typed(name) for name in settings})
    del values["beta"]
    price = number_of(mu, "mu")
    if not (callback is None or callable(callback)):
        raise SettingError("callback", f"must be a function, got {callback!r:.40}")
    graph, sets, _ = parts_of(problem)
    mean = float(graph.weight.mean()) if graph.weight.any() else 1.0
    used = BETA_MEAN_WEIGHT / mean if isinstance(beta, str) else float(beta)
    residuals: list[float] = []

    def watch(iteration: int, residual: float, field: Floats) -> object:
        residuals.append(residual)
        return callback is not None and callback(iteration, residual, field / used)

    [run] = bp.propagate(graph, used, [price], **values, watch=watch)
    small = exp(-np.abs(used * run.field))  # the probability is 1 / (1 + exp(-beta h_i)), without overflow
    marginals = np.where(run.field < 0, small, 1.0) / (1 + small)
    to_elements = run.field[graph.edge_sentence] - run.message if messages else None
    return Beliefs(
        sets, marginals, run.field, run.message if messages else None, to_elements, run.converged,
        run.iterations, np.array(residuals), used, run.damping,
    )  # fmt: skip
