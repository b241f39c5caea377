"""What other packages add through entry points, by the real command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.conftest import ROOT, Result
from tests.support.forks import forks, having
from tests.support.sessions import check

EXAMPLE = ROOT / "tests" / "plugin_example"
TEXT = """The old dam at Orle broke in the night. Divers of the navy looked for the gate of the dam.
The mayor of Orle said that the dam will be built again."""

Command = Callable[..., Result]


@pytest.fixture(scope="module")
def command() -> Iterator[Command]:
    """The command, in processes that have its modules already; ``packages`` are installed for a run."""
    with forks() as run:
        yield run


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example is installed in: its wheel, unpacked as pip does."""
    folder = tmp_path_factory.mktemp("installed")
    wheel = WheelBuilder(str(EXAMPLE)).build(directory=str(folder))
    zipfile.ZipFile(next(wheel)).extractall(folder / "site")
    return folder / "site"


def package(folder: Path, code: str, version: str = "0.1", **entry_points: str) -> Path:
    """Install a package with a module of the same code; returns the folder it is in."""
    module = folder.name
    about = folder / f"{module}-{version}.dist-info"
    about.mkdir(parents=True)
    (folder / f"{module}.py").write_text(code)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
    groups = [f"[summc.{group}]\n{each}\n" for group, each in entry_points.items()]
    (about / "entry_points.txt").write_text("".join(groups))
    return folder


SELECTOR = """
from dataclasses import dataclass
from typing import ClassVar
from summc.selectors.base import make_selection
from summc.settings import setting

@dataclass(frozen=True)
class Mine:
    name: ClassVar[str] = "mine"
    pass

    def select(self, graph, budget):
        return make_selection(graph, budget, 'mine', [])
"""


def test_session(command: Command, installed: Path, tmp_path: Path) -> None:
    with having(command, installed):
        check(command, tmp_path, "plugins.txt")


def test_many_clusters_depend_on_the_version_of_the_package(command: Command, tmp_path: Path) -> None:
    run = partial(command, packages=[package(tmp_path / "one", SELECTOR, selectors="mine = one:Mine")])
    (tmp_path / "in.jsonl").write_text(json.dumps({"documents": [TEXT]}) + "\n")
    arguments = ("batch", tmp_path / "in.jsonl", "-o", tmp_path / "out", "--selector", "mine")
    first = run(*arguments)
    assert first.code == 0, first.err
    (tmp_path / "one" / "one-0.1.dist-info" / "METADATA").write_text("Name: one\nVersion: 0.2\n")
    again = run(*arguments)
    assert again.code == 2
    assert "one" in again.err
    assert "0.1" in again.err


def two_clusters(folder: Path) -> Path:
    """Write a small data set, enough for two worker processes."""
    lines = [{"id": name, "documents": [TEXT], "references": ["The dam broke."]} for name in "ab"]
    (folder / "two.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder / "two.jsonl"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a package that cannot be imported."""
    return package(tmp_path / "one", "import nothing_of_that_name", selectors="mine = one:Mine")


def test_the_package_is_there_in_worker_processes(
    command: Command, installed: Path, broken: Path, tmp_path: Path
) -> None:
    run = partial(command, packages=[installed, broken])
    arguments = ("evaluate", "--dataset", two_clusters(tmp_path), "--selector", "shortest,lead", "-k", 12)
    found = run(*arguments, "--jobs", 2)
    assert found.code == 0
    assert found == run(*arguments)
    assert found.err.count("left out") == len(found.err.splitlines()) == 1  # the workers do not repeat it


def test_what_cannot_be_used_is_left_out_in_a_line(command: Command, tmp_path: Path) -> None:
    folders, expected = [], []
    lines = (Path(__file__).parent / "cases" / "left_out.txt").read_text().splitlines()[2:]
    for i, line in enumerate(lines):
        group, entry_point, code, problem = re.split("  (?:## )?", line)
        name, kind = entry_point.split(":")
        code, _, change = code.replace("SELECTOR", SELECTOR).partition(" | ")
        code = code.replace(*change.split(" -> ")) if change else code
        folders.append(package(tmp_path / f"p{i:02}", code, **{f"{group}s": f"{name} = p{i:02}:{kind}"}))
        expected.append(f"warning: p{i:02}: its {group} {name} is left out: {problem}")
    (tmp_path / "a.strange").write_text(TEXT)
    run = partial(command, packages=folders)
    evaluated = run("evaluate", "--dataset", two_clusters(tmp_path), "--selector", "greedy,lead", "-k", 20)
    read = run("summarize", "-k", 32, tmp_path / "a.strange")
    assert (evaluated.code, read.code) == (0, 0)
    lines = sorted({*evaluated.err.splitlines(), *read.err.splitlines()})
    for line, beginning in zip(lines, expected, strict=True):
        assert line.startswith(beginning)
        assert line.endswith("; update or uninstall it")


def test_a_broken_package_is_no_burden(command: Command, broken: Path) -> None:
    run = partial(command, packages=[broken])
    assert run("--help").err == ""
    assert run("summarize", "-q", "-k", 12, "-", stdin=TEXT).err == ""
    refused = run("summarize", "--selector", "mine", "-", stdin=TEXT)
    assert (refused.code, len(refused.err.splitlines())) == (2, 2)  # why it is not there, and that it is not


def test_packages_that_add_the_same_name_are_an_error(command: Command, tmp_path: Path) -> None:
    code = SELECTOR.replace("mine", "other")
    folders = [package(tmp_path / name, code, selectors=f"other = {name}:Mine") for name in ("one", "two")]
    found = command("summarize", "-", stdin=TEXT, packages=folders)
    message = "one and two: both add a selector other; uninstall two"
    assert (found.code, found.err) == (70, f"error: {message}\n")


RESULT = "make_selection(graph, budget, 'mine', [])"
#: What a selector returns -> why it is at fault.
FAULTS = {
    "1 / 0": "failed (ZeroDivisionError: division by zero)",
    "[0]": "failed (AttributeError: 'list' object has no attribute 'chosen')",
    "make_selection(graph, budget, '', range(len(graph.cost)))": "chose sentences of 32 for a budget of 12",
    "replace(make_selection(graph, budget, '', []), chosen=(99,))": (
        "chose a sentence that is not in the graph"
    ),
}
OTHER_FAULTS = """
from dataclasses import replace
import numpy as np
from summc.records import WordWeights
from summc.weights.base import NeedsNoFitting

@dataclass(frozen=True)
class Weights(NeedsNoFitting):
    signature = {}
    def weigh(self, text, length, question=None):
        return WordWeights(("dam",), np.array([-1.0]), "document")

from summc.documents.formats import Format
NOTE = Format("faulty", "a note", (".note",))
def read(data, place, encoding):
    return "text"
"""


def test_what_fails_is_named_with_its_package(command: Command, tmp_path: Path) -> None:
    codes = [
        SELECTOR.replace("Mine", f"Mine{i}").replace('"mine"', f'"mine{i}"').replace(RESULT, result)
        for i, result in enumerate(FAULTS)
    ]
    folder = package(
        tmp_path / "faulty", "".join([*codes, OTHER_FAULTS]),
        selectors="\n".join(f"mine{i} = faulty:Mine{i}" for i in range(len(codes))),
        weightings="mine = faulty:Weights", formats="note = faulty:NOTE",
    )  # fmt: skip
    (tmp_path / "a.note").write_text(TEXT)
    others = {
        ("--weighting", "mine", "-"): "weighting mine weighs a word with less than 0, or with no number;",
        (tmp_path / "a.note",): "its read() returned str, not Content;",
    }
    with having(command, folder):
        for i, problem in enumerate(FAULTS.values()):
            found = command("summarize", "--selector", f"mine{i}", "-k", 12, "-", stdin=TEXT)
            told = f"selector mine{i} {problem}; tell its authors; summc --debug ... shows where"
            assert (found.code, found.err) == (70, f"error: faulty: {told}\n")
        for arguments, problem in others.items():
            found = command("summarize", *arguments, stdin=TEXT)
            assert found.code == 70
            assert found.err.startswith(f"error: faulty: {problem}")


def test_a_package_can_be_imported_by_itself(installed: Path) -> None:
    """What it adds is looked for when summc runs, not while it imports summc."""
    code = "import summc_example, summc; print(summc.Config().to_toml(), 'shortest' in summc.SELECTORS)"
    path = {"PYTHONPATH": str(installed)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **path}, capture_output=True, text=True, check=True,
        cwd=ROOT,
    )  # fmt: skip
    assert ran.stderr == ""
    assert "spread_power = 1\n" in ran.stdout
    assert ran.stdout.endswith(" True\n")
