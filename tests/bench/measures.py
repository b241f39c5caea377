"""The measurements: a function for each section of the report."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar
from unittest.mock import patch

import numpy as np

from summc.selectors import Auto
from summc.selectors.belief_propagation import propagate
from summc.system.resources import sample_folder
from summc.weights.embedders import embedder_by_name
from tests.bench.inputs import (
    make_dense_graph,
    make_text_graph,
    write_clusters,
    write_static_model,
    write_texts,
)
from tests.bench.peers import PEERS, SMALL, solvers


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number, and its ratio to another number of the same run, which ``to`` names, if any."""

    section: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    to: str = ""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the inputs, and the number of repetitions."""

    repeat: int
    large: int  # documents in the large collection for peers
    documents: tuple[int, ...]  # for scaling
    sentences: tuple[int, ...]  # of the graphs for belief propagation
    iterations: int  # of belief propagation
    dense: tuple[tuple[int, float, int, int], ...]  # for coverage: items, density, least cost, budget
    batch: int  # clusters
    jobs: int  # for batch


#: The shapes of 24 dense problems in papers on budgeted maximum coverage.
_DENSE = (
    *((n, 0.05, 100, 2000) for n in (585, 600, 685, 700, 785, 800, 885, 900, 985, 1000)),
    *((n, 0.075, 100, 1500) for n in (585, 600, 685, 700, 785, 800, 885, 900, 985, 1000)),
    *((n, 0.035, 150, 3000) for n in (1100, 1250, 1400, 1500)),
)
FULL = Sizes(
    repeat=5, large=200, documents=(100, 1000, 10_000), sentences=(200, 1000, 5000, 25_000), iterations=150,
    dense=_DENSE, batch=5000, jobs=min(2, os.cpu_count() or 1),
)  # fmt: skip
QUICK = Sizes(
    repeat=1, large=2, documents=(2, 4), sentences=(50, 100), iterations=3,
    dense=((30, 0.05, 100, 2000), (30, 0.075, 100, 1500)), batch=2, jobs=2,
)  # fmt: skip


_WATCH = [sys.executable, "-I", "-S", str(Path(__file__).with_name("watch.py")), sys.executable]


class Run(NamedTuple):
    """What a command took: seconds from start to exit, CPU seconds, and peak megabytes."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def run_once(arguments: Sequence[str]) -> Run:
    """Run Python with some arguments, and return its time and memory; raise if it fails."""
    told = subprocess.run([*_WATCH, *arguments], stdout=subprocess.PIPE, check=True).stdout
    return Run(*json.loads(told))


def run_in_turn(commands: Mapping[str, Sequence[str]], repeat: int) -> dict[str, Run]:
    """Run each command ``repeat`` times, and return its least time, CPU time and memory.

    The commands take turns, so that a machine that is slow for a minute slows all of them.
    """
    rounds = [[run_once(arguments) for arguments in commands.values()] for _ in range(repeat)]
    return {
        name: Run(*map(min, zip(*runs, strict=True)))
        for name, runs in zip(commands, zip(*rounds, strict=True), strict=True)
    }


#: The environment variables with which bash asks summc to complete an option of ``summarize``.
_ASKED = {"_SUMMC_COMPLETE": "bash_complete", "COMP_WORDS": "summc summarize --sel", "COMP_CWORD": "2"}
_COMPLETE = f"import os, runpy; os.environ.update({_ASKED}); runpy.run_module('summc', run_name='__main__')"


def summc(*arguments: object) -> list[str]:
    """Return the arguments for Python that run summc with these arguments."""
    return ["-m", "summc", *map(str, arguments)]


def measure_start_up(sizes: Sizes) -> Iterator[Figure]:
    """Yield the seconds of commands that do little work, as multiples of the start-up time of Python."""
    commands = {
        "python -c pass": ["-c", "pass"],
        "summc --help": summc("--help"),
        "an option completed": ["-c", _COMPLETE],
        "import numpy": ["-c", "import numpy"],
        "summc summarize, 7 documents": summc("summarize", sample_folder() / "docs" / "d90001t"),
        "import nltk": ["-c", "import nltk"],
    }
    runs = run_in_turn(commands, sizes.repeat)
    for name, run in runs.items():
        ratio = run.seconds / runs["python -c pass"].seconds
        yield Figure("start-up", name, run.seconds, "s", ratio, "python")


def measure_peers(sizes: Sizes) -> Iterator[Figure]:
    """Yield the seconds and megabytes of summc and of each peer (other summarizer) on the same files."""
    with tempfile.TemporaryDirectory() as folder:
        for documents, all_peers in ((10, True), (sizes.large, False)):
            docs, joined = Path(folder, str(documents)), Path(folder, f"{documents}.txt")
            words = write_texts(docs, documents)
            joined.write_text("\n".join(path.read_text() for path in sorted(docs.iterdir())))
            commands = {"summc, auto": summc("summarize", docs)}
            for options in ("--selector=auto --effort=low", "--selector=g-greedy"):
                commands[f"summc {options}"] = summc("summarize", *options.split(), docs)
            for name, arguments in PEERS.items():
                if find_spec(name) and (all_peers or name not in SMALL):
                    commands[name] = [*arguments, str(joined)]
            runs = run_in_turn(commands, sizes.repeat if all_peers else min(sizes.repeat, 3))
            for name, run in runs.items():
                # On a busy machine CPU seconds say more about a program than elapsed seconds.
                for unit, value, own in zip(("s", "CPU s", "MB"), run, runs["summc, auto"], strict=True):
                    section = f"{documents} documents, {words} words"
                    yield Figure(section, name, value, unit, value / own, "summc")


T = TypeVar("T")
#: Items of the dense problems that other solvers get too: they take as long as everything else together.
_COMPARED = (30, 600, 800, 1000)


def measure_coverage(sizes: Sizes) -> Iterator[Figure]:
    """Yield the seconds and the covered weight of ``auto`` on dense random problems, and of general solvers.

    The solvers have as much time as ``auto --effort high`` took, and at least a second. The weights that
    ``auto`` covers depend on no clock: ``--against`` an earlier run shows whether they are still the same.
    """
    for items, density, least, budget in sizes.dense:
        graph = make_dense_graph(items, density, least)
        section = f"coverage, {items} items, density {density:g}"
        high, seconds = _timed(partial(Auto("high").select, graph, budget))
        runs = {"auto --effort high": (high, seconds)}
        runs["auto"] = _timed(partial(Auto().select, graph, budget))
        for name, solve in solvers().items() if items in _COMPARED else ():
            runs[name] = _timed(partial(solve, graph, budget, max(seconds, 1.0)))
        for name, (found, took) in runs.items():
            yield Figure(section, name, took, "s")
            ratio = found.covered_weight / high.covered_weight
            yield Figure(section, name, found.covered_weight, "weight", ratio, "auto --effort high")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def measure_messages(sizes: Sizes) -> Iterator[Figure]:
    """Yield the nanoseconds of belief propagation per edge and iteration, for one mu and for eight."""
    first = 0.0
    for sentences in sizes.sentences:
        graph = make_text_graph(sentences)
        for mus in ([0.04], np.linspace(0.01, 0.1, 8).tolist()):
            work = partial(propagate, graph, 45, mus, sizes.iterations, 0.5, 0)
            steps = sizes.iterations * len(mus) * len(graph.edge_word)
            ns = min(_timed(work)[1] for _ in range(2)) / steps * 1e9
            first = first or ns
            name = f"edges {len(graph.edge_word)}, mu {len(mus)}"
            yield Figure("bp, an edge and iteration", name, ns, "ns", ns / first, "first")


def measure_scaling(sizes: Sizes) -> Iterator[Figure]:
    """Yield the time and memory that summc takes on larger and larger collections, in all and per word."""
    with tempfile.TemporaryDirectory() as folder:
        bare = run_once(summc("summarize", "--help"))
        words = {count: write_texts(Path(folder, str(count)), count) for count in sizes.documents}
        for options in ("--selector=g-greedy", "--selector=auto --effort=low"):
            first: dict[str, float] = {}
            for documents, count in words.items():
                run = run_once(summc("summarize", *options.split(), Path(folder, str(documents))))
                name = f"summc {options}, {documents} documents, {count} words"
                for unit, value in zip(("s", "CPU s", "MB"), run, strict=True):
                    yield Figure("scaling", name, value, unit)
                # A word takes what the command takes less a bare start.
                for unit, value, least in (
                    ("CPU us a word", run.cpu_seconds * 1e6, bare.cpu_seconds * 1e6),
                    ("bytes a word", run.megabytes * 2**20, bare.megabytes * 2**20),
                ):
                    share = max(value - least, 1) / count
                    yield Figure("scaling", name, share, unit, share / first.setdefault(unit, share), "first")


def measure_batch(sizes: Sizes) -> Iterator[Figure]:
    """Yield how many small clusters ``summc batch`` summarizes in a second, also on Dask if installed."""
    one, several = "jobs 1", f"jobs {sizes.jobs}"
    with tempfile.TemporaryDirectory() as folder, _dask_workers(sizes.jobs) as address:
        path = Path(folder, "clusters.jsonl")
        write_clusters(path, sizes.batch, documents=3, sentences=9)
        ways = {one: ("--jobs", "1"), several: ("--jobs", str(sizes.jobs))}
        if address:
            ways[f"Dask, workers {sizes.jobs}"] = ("--scheduler", address)
        seconds = dict.fromkeys(ways, float("inf"))
        for number in range(min(sizes.repeat, 2)):
            for name, way in ways.items():
                out = Path(folder, f"{number} {name}")
                run = run_once(summc("batch", path, "-o", out, "--selector=g-greedy", *way))
                seconds[name] = min(seconds[name], run.seconds)
    for name, taken in seconds.items():
        to = several if name.startswith("Dask") else one
        section, rate = f"batch, {sizes.batch} small clusters", sizes.batch / taken
        yield Figure(section, name, rate, "clusters/s", seconds[to] / taken, to)


def measure_meaning(sizes: Sizes) -> Iterator[Figure]:
    """Yield the seconds of a question by words, by a static model, and by the extra's, if it is installed.

    The second question finds the sentences in the cache. Last comes what the extra takes for a sentence.
    """
    with tempfile.TemporaryDirectory() as folder:
        docs = sample_folder() / "docs"
        asked = (
            "summarize",
            *sorted(docs.rglob("*.*")),
            "--query",
            "what did the repairs cost?",
            "--embedder",
        )
        commands = {
            "words": summc(*asked, "none"),
            "static model": summc(*asked, write_static_model(Path(folder, "static"))),
        }
        model = embedder_by_name("")
        if model:
            commands["minilm"] = summc(*asked, "minilm")
        with patch.dict(os.environ, SUMMC_CACHE=""):
            runs = run_in_turn(commands, sizes.repeat)
        with patch.dict(os.environ, SUMMC_CACHE=folder):
            for name in list(commands)[1:]:
                run_once(commands[name])
                runs[f"{name}, second question"] = run_in_turn({"": commands[name]}, sizes.repeat)[""]
        for name, run in runs.items():
            yield Figure("a question", name, run.seconds, "s", run.seconds / runs["words"].seconds, "words")
        if model:
            texts = [text for path in sorted(docs.rglob("*.*")) for text in path.read_text().split(". ")][
                :200
            ]
            start = time.process_time()
            model.embed(texts)
            each = (time.process_time() - start) / len(texts)
            yield Figure("a question", f"minilm, one of {len(texts)} sentences", each * 1e3, "CPU ms")


@contextmanager
def _dask_workers(count: int) -> Iterator[str]:
    """Start a Dask scheduler with ``count`` workers; yield its address, or "" if Dask is not installed."""
    try:
        import distributed
    except ImportError:
        yield ""
        return
    with distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        yield cluster.scheduler_address


#: Name of a section, as a user types it -> function that measures it.
SECTIONS: Mapping[str, Callable[[Sizes], Iterator[Figure]]] = {
    "start-up": measure_start_up,
    "peers": measure_peers,
    "coverage": measure_coverage,
    "bp": measure_messages,
    "scaling": measure_scaling,
    "batch": measure_batch,
    "meaning": measure_meaning,
}
