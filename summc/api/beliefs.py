"""Belief propagation on any coverage problem: the beliefs themselves, not a choice made by them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from summc.api import python_number
from summc.api.problems import Problem, number_of, parts_of, pinned
from summc.errors import SettingError, as_typed
from summc.graph import curves
from summc.records import CoverageGraph, Floats, Levels
from summc.selectors import BeliefPropagation
from summc.selectors import belief_propagation as bp
from summc.selectors.belief_propagation import BETA_MEAN_WEIGHT
from summc.selectors.messages import softplus
from summc.settings import checked
from summc.text.arithmetic import exp, log, log1p


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What belief propagation found for N sets, M elements and E edges.

    Attributes:
        sets, elements: their names, in the order of the arrays.
        marginals: the probability P_i(1) that each set is chosen, Eq. (3), shape (N,).
        element_marginals: the probability P_a(1) that y_a is 1, Eq. (3), shape (M,), by the field that
            follows from Eq. (2), not by Eq. (12). y_a is free if a chosen set holds the element, and else 0.
        fields: h_i of each set, Eq. (11), in units of weight, shape (N,); infinite if the set is pinned.
        to_sets, to_elements: the messages hhat_ai, Eq. (5), and h_ia, Eq. (4), in the order of
            ``Problem.edges``, shape (E,); None if they were not asked for.
        free_energy: the Bethe approximation of -ln Z / beta, with Z of Eq. (2), in units of weight.
        entropy: the Bethe approximation of the entropy of x and y together, in nats.
        converged: whether no message, times beta, changes by more than the tolerance.
        iterations: the number of updates.
        residuals: the largest change of a message, times beta, that each update would make without damping.
        beta, damping: the values that were used; damping at the end.
    """

    sets: Any
    elements: Any
    marginals: Floats
    element_marginals: Floats
    fields: Floats
    to_sets: Floats | None
    to_elements: Floats | None
    free_energy: float
    entropy: float
    converged: bool
    iterations: int
    residuals: Floats
    beta: float
    damping: float


AnyProblem = Problem | CoverageGraph
Callback = Callable[[int, float, Floats], object]


@overload
def propagate(
    problem: AnyProblem, *, mu: float, beta: float | str = ..., damping: float | str = ...,
    iterations: int = ..., tolerance: float = ..., include: Iterable[Hashable] = ...,
    exclude: Iterable[Hashable] = ..., messages: bool = ..., callback: Callback | None = ...,
) -> Beliefs: ...  # fmt: skip
@overload
def propagate(
    problem: Iterable[AnyProblem], *, mu: float, beta: float | str = ..., damping: float | str = ...,
    iterations: int = ..., tolerance: float = ..., include: Iterable[Hashable] = ...,
    exclude: Iterable[Hashable] = ..., messages: bool = ..., callback: Callback | None = ...,
) -> list[Beliefs]: ...  # fmt: skip
def propagate(
    problem: AnyProblem | Iterable[AnyProblem],
    *,
    mu: float,
    beta: float | str = "auto",
    damping: float | str = "auto",
    iterations: int = 150,
    tolerance: float = 1e-6,
    include: Iterable[Hashable] = (),
    exclude: Iterable[Hashable] = (),
    messages: bool = False,
    callback: Callback | None = None,
) -> Beliefs | list[Beliefs]:
    """Run the paper's belief propagation, Eqs. (4) and (5), and return what it believes of each set.

    By the paper's Eq. (2), a choice of sets has a probability proportional to exp(-beta mu cost), times
    1 + exp(beta weight) for each element that it covers. On a graph without loops the marginals, the free
    energy and the entropy are exact.

    Args:
        problem: what is to be covered; the graph that ``build_graph`` returns is a problem too. A list of
            problems gives a list of beliefs.
        mu: the price of a unit of cost (the paper's chemical potential).
        beta: the inverse temperature; "auto" is 8 divided by the mean weight.
        damping: the share of the old message that an update keeps; "auto" raises it where messages swing.
        iterations: the most updates.
        tolerance: the messages have converged if none, times beta, changes by more than this.
        include: names of sets that are always chosen. All figures are those under this condition.
        exclude: names of sets that are never chosen, likewise.
        messages: whether to return the messages.
        callback: is called after each update with its number, its residual and the fields h_i. If it returns
            something true, the run ends.

    >>> problem = Problem.from_sets({"a": "xy", "b": "yz", "c": "z"})
    >>> beliefs = propagate(problem, mu=1, beta=3)
    >>> beliefs.converged, beliefs.marginals.round(3), beliefs.element_marginals.round(3)
    (True, array([0.734, 0.501, 0.279]), array([0.699, 0.932, 0.721]))
    """
    settings = {"beta": beta, "iterations": iterations, "damping": damping, "tolerance": tolerance}
    values: dict[str, Any] = {name: python_number(value) for name, value in settings.items()}
    checked(BeliefPropagation, values, {name: as_typed(name) for name in settings})
    del values["beta"]
    price = number_of(mu, "mu")
    if not (callback is None or callable(callback)):
        raise SettingError("callback", f"must be a function, got {callback!r:.40}")

    def beliefs_of(one: AnyProblem) -> Beliefs:
        graph, sets, elements = parts_of(one)
        mean = float(graph.weight.mean()) if graph.weight.any() else 1.0
        used = BETA_MEAN_WEIGHT / mean if isinstance(beta, str) else float(beta)
        pins, residuals = np.zeros(len(graph.cost)), list[float]()
        fixed, banned = pinned(include, exclude, sets)
        pins[fixed], pins[banned] = np.inf, -np.inf

        def watch(iteration: int, residual: float, field: Floats) -> object:
            residuals.append(residual)
            return callback is not None and callback(iteration, residual, field / used)

        [run] = bp.propagate(graph, used, [price], **values, watch=watch, pins=pins)
        marginals = _chance(used * run.field)
        element_marginals, free_energy, entropy = _bethe(graph, used, price, pins, run.message, marginals)
        return Beliefs(
            sets, elements, marginals, element_marginals, run.field, run.message if messages else None,
            run.field[graph.edge_sentence] - run.message if messages else None, free_energy, entropy,
            run.converged, run.iterations, np.array(residuals), used, run.damping,
        )  # fmt: skip

    if isinstance(problem, Iterable):
        return [beliefs_of(one) for one in problem]
    return beliefs_of(problem)


def _chance(log_odds: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)) without overflow."""
    small = exp(-np.abs(log_odds))
    return np.asarray(np.where(log_odds < 0, small, 1.0) / (1 + small))


def _bethe(
    graph: CoverageGraph, beta: float, mu: float, pins: Floats, message: Floats, marginals: Floats
) -> tuple[Floats, float, float]:
    """Return P_a(1) of each element, the Bethe free energy and the Bethe entropy.

    The Bethe approximation of ln Z is a sum over sets and elements of the logarithm of their normalizers,
    minus that of each edge. It is exact on trees. To an element, set i sends 1 - q and q, where q is the
    sigmoid of beta h_ia. So the normalizer of an element is the expectation of its factor g(n) (see
    ``selectors/messages.py``), and that of a set is 1 + exp(beta h_i), of which a pin leaves one term.
    """

    def normalizer(log_odds: Floats, pin: Floats) -> Floats:
        return np.where(pin > 0, log_odds, np.where(pin < 0, 0.0, softplus(log_odds)))

    holder = graph.edge_sentence
    field = np.bincount(holder, message, len(graph.cost)) - mu * graph.cost  # without the pins
    cavity, pin = field[holder] - message, pins[holder]
    sets = normalizer(beta * field, pins)
    edges = sets[holder] - normalizer(beta * cavity, pin)
    factor, covered, worth = _expectations(graph, beta, beta * cavity + pin)
    log_z = float(sets.sum() - edges.sum() + factor.sum())
    energy = mu * float(graph.cost @ marginals) - float(exp(worth - factor).sum())
    return exp(covered - factor) * _chance(beta * graph.weight), -log_z / beta, log_z + beta * energy


def _expectations(graph: CoverageGraph, beta: float, log_odds: Floats) -> Floats:
    """Return the logarithms of three expectations for each element, shape (3, M).

    They are those of g(n), of g(n) where n > 0, and of g(n) times the mean of the weight that y counts, over
    the number n of times that the chosen sets hold the element. ``log_odds`` are those of the set of each
    edge. Logarithms, because both g(n) and the probabilities may be out of the range of a float.
    """
    start = graph.repeats_start
    most = int(np.diff(start).max(initial=0)) + 1
    element, n = np.arange(len(graph.weight))[:, None], np.arange(most + 1)
    weight, repeats = beta * graph.weight, beta * graph.repeats
    factor = curves(Levels(softplus(weight), softplus(repeats), start)).at(element, n)
    mean = Levels(graph.weight * _chance(weight), graph.repeats * _chance(repeats), start)
    rest = np.stack([factor, np.where(n > 0, factor, -np.inf), factor + log(curves(mean).at(element, n))])
    # Take in the sets that hold an element one after another: f(n) becomes (1 - q) f(n) + q f(n + count).
    order = np.argsort(graph.edge_word, kind="stable")
    word, count = graph.edge_word[order], graph.count[order]
    yes, no = -softplus(-log_odds[order]), -softplus(log_odds[order])
    turn = np.arange(len(word)) - np.searchsorted(word, word)
    for edges in np.split(np.argsort(turn, kind="stable"), np.cumsum(np.bincount(turn))[:-1]):
        before = rest[:, word[edges]]
        after = np.take_along_axis(before, np.minimum(n + count[edges, None], most)[None], axis=2)
        one, other = no[edges, None] + before, yes[edges, None] + after
        high = np.maximum(one, other)
        low = np.minimum(one, other) - np.where(high > -np.inf, high, 0.0)
        rest[:, word[edges]] = high + log1p(exp(low))
    return np.asarray(rest[:, :, 0])
