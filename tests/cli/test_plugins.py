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

from tests.conftest import ROOT, Result
from tests.support.forks import forks

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
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=EXAMPLE, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def example(command: Command, installed: Path) -> Command:
    """The command with the example installed."""
    return partial(command, packages=[installed])


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
    {settings}

    def select(self, graph, budget):
        return {result}
"""


def selector(settings: str = "", result: str = "make_selection(graph, budget, 'mine', [])") -> str:
    return SELECTOR.format(settings=settings, result=result)


def test_a_selector_and_a_weighting_of_another_package_are_settings(example: Command, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('[select]\nselector = "shortest"\n[selectors.shortest]\nshortest_from = 10\n')
    arguments = ("summarize", "--reading", 0, "-k", 12, "-")
    found = example(*arguments, "--selector", "shortest", stdin=TEXT)
    assert (found.code, found.err) == (0, "")
    assert found.out.strip() == "The old dam at Orle broke in the night."
    by_flag = example(*arguments, "--selector", "shortest", "--shortest-from", 10, stdin=TEXT)
    assert by_flag.out.strip() == "Divers of the navy looked for the gate of the dam."
    assert example(*arguments, "--config", config, stdin=TEXT).out == by_flag.out
    shown = example("summarize", "--show-config", "--sample").out
    assert "[selectors.shortest]\nshortest_from = 1\n" in shown
    assert "spread_power = 1\n" in shown
    refused = example("summarize", "--sample", "--shortest-from", 0, "--selector", "shortest")
    assert refused.err == "error: --shortest-from: must be a whole number at least 1, got 0\n"


def test_they_stand_in_help_signatures_and_what_shells_offer(example: Command) -> None:
    assert ", shortest." in " ".join(example("select", "--help").out.split())
    help_ = example("summarize", "--help-all").out
    _, *places = re.split(r"^(\S.*):$", help_, flags=re.MULTILINE)
    under = dict(zip(places[::2], places[1::2], strict=True))
    assert "--shortest-from" in under["Some selectors only"]
    assert "--spread-power" in under["Some weightings only"]
    arguments = ("summarize", "-", "--selector", "shortest", "--weighting", "spread", "--format", "jsonl")
    signature = json.loads(example(*arguments, stdin=TEXT).out)["signature"]
    assert "|selector:shortest|shortest_from:1|" in signature
    assert "|summc-example:1.2" in signature
    for typed, offered in {
        "summc select --selector sh": "plain,shortest",
        "summc weigh --weighting sp": "plain,spread",
        "summc summarize a.txt --shortest": "plain,--shortest-from",
    }.items():
        variables = {"_SUMMC_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": "3"}
        assert example(**variables).out.split() == [offered]


def test_the_stages_take_what_packages_add(example: Command) -> None:
    lines = example("load", "-", stdin=TEXT).out
    for stage in (["preprocess"], ["weigh", "--weighting", "spread", "--spread-power", "2"], ["graph"]):
        lines = example(*stage, stdin=lines).out
    weights = json.loads(lines)["weights"]
    assert dict(zip(weights["words"], weights["weight"], strict=True))["dam"] == 9
    found = example("select", "--selector", "shortest", "-k", 12, stdin=lines)
    assert json.loads(found.out)["selection"]["selector"] == "shortest"


def test_a_format_of_another_package_is_read(example: Command, tmp_path: Path) -> None:
    note = tmp_path / "a.note"
    note.write_text("; The mayor must not read this.\nThe dam broke at night.\n")
    found = example("summarize", "-k", 9, note)
    assert (found.code, found.out.strip(), found.err) == (0, "The dam broke at night.", "")
    note.write_bytes(b"\xff\xfe\xfa")
    damaged = example("summarize", note)
    assert damaged.code == 3
    assert damaged.err.startswith(f"error: {note}: a note that cannot be read (")


def test_a_data_set_of_another_package_is_found(example: Command) -> None:
    assert (
        example("datasets", "check", "harbour").out.splitlines()[1] == "1 clusters, 2 documents, 1 references"
    )
    found = example("evaluate", "--dataset", "harbour", "--selector", "shortest,lead", "-k", 20)
    assert found.code == 0, found.err
    assert "shortest" in found.out
    listed = json.loads(example("datasets", "--format", "json").out)["datasets"]
    assert listed[-1]["name"] == "harbour"


def test_many_clusters_depend_on_the_version_of_the_package(command: Command, tmp_path: Path) -> None:
    run = partial(command, packages=[package(tmp_path / "one", selector(), selectors="mine = one:Mine")])
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


MORE = """
class Lead(Mine):
    name = "lead"
from summc.documents.formats import Format
Pdf, Text = Format("one", "a text", (".pdf",)), Format("one", "a text", (".txt",))
"""
#: Group, name and object of an entry point, the code of its package, and why it is left out.
LEFT_OUT = [
    ("selector", "mine:Mine", "import nothing_of_that_name", "it cannot be loaded (ModuleNotFoundError: No"),
    ("selector", "mine:Mine", "raise KeyError('a\\nb')", "it cannot be loaded (KeyError: 'a\\nb')"),
    ("selector", "mine:Mine", "Other = 1", "it cannot be loaded (AttributeError: module"),
    ("selector", "mine:Mine", "Mine = 1", "it is not a dataclass"),
    (
        "selector",
        "mine:Mine",
        selector().replace("select(", "choose("),
        "it has no select() of 2 arguments",
    ),
    ("selector", "mine:Mine", selector().replace(", budget):", "):"), "it has no select() of 2 arguments"),
    ("selector", "mine:Mine", selector().replace('"mine"', '"other"'), 'its class must have name = "mine"'),
    ("selector", "mine:Mine", selector("size: int = 1"), "its field size is not made by summc.settings.sett"),
    ("selector", "mine:Mine", selector("size: bool = setting(True, 'x')"), "its setting size needs off="),
    ("selector", "mine:Mine", selector("size: int = setting(1, 'x', above=1)"), "the default of its setting"),
    ("selector", "bp:Mine", selector(), "there is one for bp"),
    ("selector", "lead:Lead", selector() + MORE, "evaluate has a row of that name"),
    ("selector", "a,b:Mine", selector(), "its name must be letters, digits, - and _"),
    ("weighting", "tfidf:Mine", selector(), "there is one for tfidf"),
    ("weighting", "mine:Mine", selector(), "it has no fit() of 2 arguments ("),
    ("format", "pdf:Pdf", selector() + MORE, "there is one for .pdf"),
    ("format", "text:Text", selector() + MORE, "it cannot have the suffix '.txt'"),
    ("format", "mine:Mine", selector(), "it is not a summc.documents.formats.Format"),
    ("dataset", "sample:Mine", selector(), "there is one for sample"),
    ("dataset", "mine:Mine", selector(), "it is not a summc.documents.catalogue.Dataset"),
]


def test_what_cannot_be_used_is_left_out_in_a_line(command: Command, tmp_path: Path) -> None:
    folders, expected = [], []
    for i, (group, entry_point, code, problem) in enumerate(LEFT_OUT):
        name, kind = entry_point.split(":")
        folders.append(package(tmp_path / f"p{i:02}", code, **{f"{group}s": f"{name} = p{i:02}:{kind}"}))
        expected.append(f"warning: p{i:02}: its {group} {name} is left out: {problem}")
    (tmp_path / "a.strange").write_text(TEXT)
    run = partial(command, packages=folders)
    evaluated = run("evaluate", "--dataset", two_clusters(tmp_path), "--selector", "greedy,lead", "-k", 20)
    read = run("summarize", tmp_path / "a.strange")
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


def test_two_packages_that_add_the_same_name_are_an_error(command: Command, tmp_path: Path) -> None:
    folders = [
        package(tmp_path / name, selector(), selectors=f"mine = {name}:Mine") for name in ("one", "two")
    ]
    found = command("summarize", "-", stdin=TEXT, packages=folders)
    assert (found.code, found.err) == (70, "error: one and two: both add a selector mine; uninstall two\n")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("size: int = setting(1, 'x')", "one and two: both add a setting size; uninstall two"),
        ("beta: str = setting('a', 'x')", "summc and two: both add a setting beta; uninstall two"),
        ("query: str = setting('', 'x')",
         "installed packages: two options are called --query; uninstall the package that adds one"),
    ],
)  # fmt: skip
def test_packages_whose_settings_clash_are_an_error(
    command: Command, tmp_path: Path, setting: str, message: str
) -> None:
    one = selector("size: str = setting('', 'x')").replace("mine", "other")
    folders = [
        package(tmp_path / "one", one, selectors="other = one:Mine"),
        package(tmp_path / "two", selector(setting).replace("mine", "zzz"), selectors="zzz = two:Mine"),
    ]
    found = command("summarize", "-", stdin=TEXT, packages=folders)
    assert (found.code, found.err) == (70, f"error: {message}\n")


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
    def weigh(self, text, length, is_asked=None):
        return WordWeights(("dam",), np.array([-1.0]), "document")

from summc.documents.formats import Format
NOTE = Format("faulty", "a note", (".note",))
def read(data, place, encoding):
    return "text"
"""


@pytest.fixture(scope="module")
def faulty(command: Command, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command with a package whose selectors, weighting and format are all faulty."""
    codes = [
        selector(result=result).replace("Mine", f"Mine{i}").replace('"mine"', f'"mine{i}"')
        for i, result in enumerate(FAULTS)
    ]
    folder = package(
        tmp_path_factory.mktemp("packages") / "faulty", "".join([*codes, OTHER_FAULTS]),
        selectors="\n".join(f"mine{i} = faulty:Mine{i}" for i in range(len(codes))),
        weightings="mine = faulty:Weights", formats="note = faulty:NOTE",
    )  # fmt: skip
    return partial(command, packages=[folder])


def test_what_fails_is_named_with_its_package(faulty: Command, tmp_path: Path) -> None:
    for i, problem in enumerate(FAULTS.values()):
        found = faulty("summarize", "--selector", f"mine{i}", "-k", 12, "-", stdin=TEXT)
        told = f"selector mine{i} {problem}; tell its authors; summc --debug ... shows where"
        assert (found.code, found.err) == (70, f"error: faulty: {told}\n")
    (tmp_path / "a.note").write_text(TEXT)
    for arguments, problem in {
        ("--weighting", "mine", "-"): "weighting mine weighs a word with less than 0, or with no number;",
        (tmp_path / "a.note",): "its read() returned str, not Content;",
    }.items():
        found = faulty("summarize", *arguments, stdin=TEXT)
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
