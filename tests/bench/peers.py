"""Run the peers: other summarizers and solvers, to compare summc with.

A summarizer is run by its own command or by ``python -m tests.bench.peers NAME FILE``. The latter is for
submodlib, which has no command, and for sumy, whose command needs a model that NLTK downloads. Only the named
peer is imported, so that the time of other imports is not measured.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summc.records import CoverageGraph, Selection

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W\d_]+")
#: The length of a summary in sentences, about 100 words, for peers that count sentences; in words for others.
_COUNT, _WORDS = 5, 100


class PatternTokenizer:
    """A tokenizer with the interface that sumy expects."""

    def to_sentences(self, text: str) -> tuple[str, ...]:
        return tuple(_SENTENCE.split(text.strip()))

    def to_words(self, text: str) -> tuple[str, ...]:
        return tuple(_WORD.findall(text))


def sumy(text: str) -> str:
    """Return sumy's summary of a text by the method of Luhn."""
    from sumy.nlp.stemmers import Stemmer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.luhn import LuhnSummarizer
    from sumy.utils import get_stop_words

    summarizer = LuhnSummarizer(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    document = PlaintextParser.from_string(text, PatternTokenizer()).document
    return "\n".join(map(str, summarizer(document, _COUNT)))


def submodlib(text: str) -> str:
    """Return submodlib's summary of at most 100 words, by greedy weighted set cover with TF-IDF weights."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from submodlib import SetCoverFunction

    sentences = [each for each in _SENTENCE.split(text.strip()) if _WORD.search(each)]
    vectorizer = TfidfVectorizer(stop_words="english").fit(sentences)
    rows = vectorizer.transform(sentences)
    weights = vectorizer.transform([text]).toarray()[0].tolist()
    cover = [set(map(int, rows[[i]].indices)) for i in range(len(sentences))]
    function = SetCoverFunction(len(sentences), cover, len(weights), weights)
    chosen = function.maximize(
        budget=_WORDS,
        optimizer="LazyGreedy",
        costs=[float(len(sentence.split())) for sentence in sentences],
        costSensitiveGreedy=True,
        show_progress=False,
    )
    return "\n".join(sentences[i] for i, _ in chosen)


#: The package of a peer -> arguments for Python that run it, to which the file is added.
PEERS: Mapping[str, tuple[str, ...]] = {
    "sumy": ("-m", "tests.bench.peers", "sumy"),
    "summa": ("-m", "summa.textrank", "--words", str(_WORDS), "--text"),
    "submodlib": ("-m", "tests.bench.peers", "submodlib"),
}
#: Peers that compare all pairs of sentences. With thousands they take minutes and gigabytes.
SMALL = {"summa"}


#: A function (problem of one level, budget, seconds that it may take) -> the best selection found.
Solver = Callable[["CoverageGraph", float, float], "Selection"]


def by_highs(graph: CoverageGraph, budget: float, seconds: float) -> Selection:
    """Return the best selection that HiGHS finds by branch and cut within some seconds."""
    from summc.selectors.base import make_selection
    from summc.selectors.exact import solve_program
    from summc.selectors.reduction import reduce_problem

    problem = reduce_problem(graph, budget)
    result, _ = solve_program(problem, {"time_limit": seconds})
    n = len(problem.cost)
    taken = [] if result.x is None else problem.sentence[result.x[:n] > 0.5].tolist()
    return make_selection(graph, budget, "HiGHS", taken)


def by_cp_sat(graph: CoverageGraph, budget: float, seconds: float) -> Selection:
    """Return the best selection that CP-SAT finds within some seconds, if all numbers are whole."""
    from ortools.sat.python import cp_model

    from summc.selectors.base import make_selection

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in graph.cost]
    covered = [model.new_bool_var("") for _ in graph.weight]
    for a, is_covered in enumerate(covered):
        holders = graph.edge_sentence[graph.edge_word == a].tolist()
        model.add_bool_or([*(chosen[i] for i in holders), is_covered.negated()])
    model.add(cp_model.LinearExpr.weighted_sum(chosen, graph.cost.astype(int).tolist()) <= int(budget))
    model.maximize(cp_model.LinearExpr.weighted_sum(covered, graph.weight.astype(int).tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return make_selection(
        graph, budget, "CP-SAT", [i for i, var in enumerate(chosen) if found and solver.value(var)]
    )


def solvers() -> Mapping[str, Solver]:
    """Return the solvers that are installed, by name."""
    return {"HiGHS": by_highs} | ({"CP-SAT": by_cp_sat} if find_spec("ortools") else {})


if __name__ == "__main__":
    name, file = sys.argv[1:]
    print({"sumy": sumy, "submodlib": submodlib}[name](Path(file).read_text(encoding="utf-8")))
