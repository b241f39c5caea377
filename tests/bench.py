"""How fast summc is, as ratios taken in one run: ``python -m tests.bench``.

Machines differ and are noisy; what one run compares with itself holds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from summc.documents import load
from summc.graph import make_graph
from summc.records import CoverageGraph
from summc.selectors.belief_propagation import propagate
from summc.selectors.greedy import lazy_greedy
from tests import oracles
from tests.conftest import SAMPLE


def best_time(work: Callable[[], object], repeat: int = 5) -> float:
    """The shortest of several runs, in seconds: what the machine can do when nothing else disturbs it."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def text_graph(sentences: int, seed: int = 1) -> CoverageGraph:
    """A graph with the shape of text: sentences of about 20 words, words by Zipf's law."""
    rng = np.random.default_rng(seed)
    length = rng.integers(8, 35, sentences)
    vocabulary = int(40 * sentences**0.7)
    rank = np.exp(rng.random(length.sum()) * np.log(vocabulary)).astype(np.intp)
    sentence = np.repeat(np.arange(sentences), length)
    used, word = np.unique(rank, return_inverse=True)
    return make_graph(length, rng.gamma(1.0, 0.015, len(used)), sentence, word)


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def bench_start_up() -> None:
    python = sys.executable
    bare = best_time(partial(run, python, "-c", "pass"))
    print("start-up                      seconds   times python's own")
    for name, command in {
        "python -c pass": ("-c", "pass"),
        "summc --help": ("-m", "summc", "--help"),
        "summc summarize --help": ("-m", "summc", "summarize", "--help"),
        "import nltk": ("-c", "import nltk"),
        "import scikit-learn's tf-idf": ("-c", "import sklearn.feature_extraction.text"),
        "summc summarize, 7 documents": ("-m", "summc", "summarize", str(SAMPLE / "docs" / "d90001t")),
        "summc summarize --sample": ("-m", "summc", "summarize", "--sample"),
    }.items():
        seconds = best_time(partial(run, python, *command), repeat=3)
        print(f"{name:28}{seconds:9.3f}{seconds / bare:15.1f}")


def bench_belief_propagation() -> None:
    print("\nbp, 30 iterations              edges   shared   ns an edge and iteration   (shared edges only)")
    for sentences in (200, 1000, 5000, 25000):
        graph = text_graph(sentences)
        degree = np.bincount(graph.edge_word)[graph.edge_word]
        edges, shared = len(degree), int((degree > 1).sum())
        seconds = best_time(partial(propagate, graph, 45, 0.04, 30, 0.5, 0))
        ns = seconds / 30 * 1e9
        print(f"{sentences:6} sentences {edges:19}{shared:9}{ns / edges:15.1f}{ns / shared:26.1f}")


def bench_greedy() -> None:
    print("\ng-greedy, K = 500           edges   seconds   ns an edge   times Algorithm 1 as it stands")
    for sentences in (300, 1000, 10_000, 100_000):
        graph = text_graph(sentences)
        seconds = best_time(partial(lazy_greedy, graph, 500, by_cost=True), repeat=3)
        plain = "-"
        if sentences <= 1000:
            start = time.perf_counter()
            oracles.algorithm_1(graph, 500, by_cost=True)
            plain = f"{(time.perf_counter() - start) / seconds:.0f}"
        edges = len(graph.edge_word)
        print(f"{sentences:7} sentences{edges:16}{seconds:10.3f}{seconds / edges * 1e9:13.0f}{plain:>10}")


def bench_evaluation() -> None:
    """Fifty clusters of about 265 sentences, as DUC 2004 has them, made of the sample's sentences."""
    rng = np.random.default_rng(7)
    sentences = [s.text for cluster in load([SAMPLE]) for s in cluster.sentences]
    lines = [
        {
            "id": f"c{c:02}",
            "documents": [" ".join(rng.choice(sentences, 27)) for _ in range(10)],
            "references": [" ".join(rng.choice(sentences, 6)) for _ in range(4)],
        }
        for c in range(50)
    ]
    print("\nevaluate, 50 clusters of 265 sentences     seconds   times the first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fifty.jsonl")
        path.write_text("\n".join(map(json.dumps, lines)))
        first = 0.0
        for selectors, jobs in (("bp", "1"), ("bp", "2"), ("bp,g-greedy", "1"), ("bp,g-greedy,greedy", "2")):
            command = (
                "-m",
                "summc",
                "evaluate",
                "--dataset",
                str(path),
                "--selector",
                selectors,
                "--jobs",
                jobs,
            )
            seconds = best_time(partial(run, sys.executable, *command), repeat=1)
            first = first or seconds
            print(f"{selectors + ', jobs ' + jobs:40}{seconds:10.2f}{seconds / first:14.2f}")


if __name__ == "__main__":
    bench_start_up()
    bench_belief_propagation()
    bench_greedy()
    bench_evaluation()
