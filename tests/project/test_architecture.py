"""The structure of the package: allowed imports, and modules that printing help must not load."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.small import DAM, lines_of
from tests.support.sources import PACKAGE, sources

#: The parts of the package from the lowest layer to the highest. A part may import the layers below its own.
LAYERS = (
    {"errors"},
    {"records", "system"},
    {"text"},
    {"settings"},
    {"documents", "preprocess", "weights", "graph", "rouge"},
    {"datasets", "selectors"},
    {"config"},
    {"signatures"},
    {"method"},
    {"report"},
    {"batch", "lab"},
    {"api"},
    {"adapters", "cli"},
    {"__main__"},
)
STAGES = {"documents", "preprocess", "weights", "graph", "selectors", "report"}
#: Stages know nothing of each other: these use one that is below them.
USE = {"datasets": {"documents"}, "selectors": {"graph"}}


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module, or None if the name is not a module."""
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


@cache
def imports() -> dict[str, set[str]]:
    """Return the files of summc that each file imports, anywhere in the file; paths within the package."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        own = found.setdefault(path.relative_to(PACKAGE).as_posix(), set())
        for module, names in sources()[path].imports:
            if module.split(".")[0] == "summc":
                files = {file_of(f"{module}.{name}") or file_of(module) for name in names} or {
                    file_of(module)
                }
                assert None not in files, f"{module} is not a module"
                own.update(file.relative_to(PACKAGE).as_posix() for file in files if file)
    return found


def part_of(path: str) -> str:
    return Path(path).parts[0].removesuffix(".py")


def test_each_part_imports_only_the_layers_below_it() -> None:
    level = {part: number for number, parts in enumerate(LAYERS) for part in parts}
    assert {part_of(path) for path in imports()} == {*level, "__init__"}
    wrong = []
    for path, needs in imports().items():
        part = part_of(path)
        for need in map(part_of, needs):
            is_below = level[need] < level.get(part, len(LAYERS))
            is_other_stage = part in USE.keys() | STAGES - {"report"} and need in STAGES - USE.get(
                part, set()
            )
            if need != part and (not is_below or is_other_stage):
                wrong.append(f"{path} imports {need}")
    assert wrong == []


@pytest.mark.parametrize("name_of", [str, part_of])
def test_neither_files_nor_folders_import_each_other_in_a_circle(name_of: Callable[[str], str]) -> None:
    graph: dict[str, set[str]] = {}
    for path, needs in imports().items():
        if path != "__init__.py":
            graph.setdefault(name_of(path), set()).update(set(map(name_of, needs)) - {name_of(path)})
    while graph:
        free = [name for name, needs in graph.items() if not needs & graph.keys()]
        assert free, f"a circle among {sorted(graph)}"
        for name in free:
            del graph[name]


def test_the_package_root_has_an_entry_for_each_part_and_no_other() -> None:
    entries = {path.stem for path in PACKAGE.iterdir() if path.suffix or any(path.glob("*.py"))}
    assert entries == {"__init__", "py"}.union(*LAYERS)


def printed_by(code: str) -> list[str]:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def test_help_and_common_commands_import_nothing_heavy(tmp_path: Path) -> None:
    few = str(lines_of(tmp_path / "two.jsonl", ["The dam broke."], ["Nobody was hurt."]))
    help_ = [["--help"], ["--version"], ["nonsense"], ["summarize", "--help"]]
    commands = [
        *help_,
        ["summarize", *map(str, DAM)],
        ["summarize", "--selector", "bp", "--config", "paper-fig3", few],
        ["summarize", "--selector", "g-greedy", "--by-topic", few],
        ["evaluate", "--dataset", few, "--selector", "g-greedy", "-k", "30", "--per-cluster"],
        ["evaluate", "--dataset", few, "--selector", "g-greedy", "-k", "30"],
    ]
    code = f"""
import sys
from summc.__main__ import main
for arguments in {commands}:
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as leaving:
        print()
        print(leaving.code, *sys.modules, flush=True)
"""
    loaded = [set(line.split()) for line in printed_by(code) if " summc.cli " in line]
    for arguments, modules in zip(commands, loaded, strict=True):
        assert not modules & {"sklearn", "nltk", "stopwordsiso", "matplotlib", "jinja2"}
        assert ("0" in modules, "nupunkt" in modules) == (arguments != ["nonsense"], arguments not in help_)
        assert ("scipy" in modules) == (arguments == commands[-1])  # it alone prints intervals
        assert ("sumeval" in modules) == (arguments[0] == "evaluate")
    if heavy := loaded[-1] & {"scipy.stats", "scipy.optimize", "scipy.sparse"}:
        # Intervals need scipy.special, which itself imports other parts of SciPy before 1.16.
        assert heavy <= {*printed_by("import sys, scipy.special; print(*sys.modules)")[0].split()}


def test_only_one_file_imports_sumeval() -> None:
    modules = {path: {module.split(".")[0] for module, _ in each.imports} for path, each in sources().items()}
    assert [path for path, used in modules.items() if "sumeval" in used] == [PACKAGE / "rouge" / "texts.py"]
