"""The structure of the package: allowed imports, and modules that printing help must not load."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE
from tests.support.sources import PACKAGE, sources

FOUNDATION = {"errors", "records", "settings", "system", "text"}
STAGES = {"documents", "preprocess", "weights", "graph", "selectors", "rouge"}
#: The configuration of all stages lies beside the rules of settings, but stands above the stages.
ABOVE = {"config", "method"}
TOOL = {"api", "batch", "report"}  # built on the method
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def imported(path: Path) -> set[Path]:
    """Return the files of summc that a file imports, anywhere in the file."""
    found: set[Path] = set()
    for module, names in sources()[path].imports:
        if module.split(".")[0] == "summc":
            found |= {file_of(f"{module}.{name}") or needed(module) for name in names} or {needed(module)}
    return found


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module, or None if the name is not a module."""
    path = ROOT.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.exists()), None)


def needed(module: str) -> Path:
    found = file_of(module)
    assert found, f"{module} is not a module"
    return found


_CONFIG = (("settings", "config.py"), ("settings", "signatures.py"))


def part_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return "config" if parts in _CONFIG else parts[0].removesuffix(".py")


#: Further imports that a part may make, apart from itself and the layers below it.
ALSO = {
    "api": {"report"},  # explains and renders summaries
    "selectors": {"graph"},
    "batch": {"report"},  # writes summaries
    "lab": {"report"},
}


def allowed(part: str) -> set[str]:
    own = {part} | ALSO.get(part, set())
    if part in FOUNDATION:
        return FOUNDATION
    if part in STAGES:
        return FOUNDATION | own
    below = FOUNDATION | STAGES | ABOVE | own
    return below | TOOL | {"lab", "cli"} if part in {"cli", "__main__", "__init__"} else below


def test_each_part_imports_only_the_layers_below_it() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): {part_of(each) for each in imported(path)} - {"__init__"}
        for path in MODULES
    }
    above = {path: parts - allowed(part_of(PACKAGE / path)) for path, parts in found.items()}
    assert {path: parts for path, parts in above.items() if parts} == {}


def test_the_import_test_sees_every_module() -> None:
    assert {"documents/formats/mail.py", "documents/formats/mail_html.py"} <= {
        path.relative_to(PACKAGE).as_posix() for path in MODULES
    }


def test_there_are_no_circular_imports() -> None:
    graph = {path: imported(path) for path in MODULES}
    while graph:
        free = [path for path, needs in graph.items() if not needs & graph.keys()]
        assert free, f"a circle among {sorted(path.relative_to(PACKAGE).as_posix() for path in graph)}"
        for path in free:
            del graph[path]


def test_the_package_root_has_an_entry_for_each_stage() -> None:
    stages = {"documents", "preprocess", "weights", "graph", "selectors", "report"}
    entries = {path.stem for path in PACKAGE.iterdir() if path.suffix or any(path.glob("*.py"))}
    assert stages <= entries
    assert len(entries) <= 20


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["summarize", "--help"], ["datasets", "check", "--help-all"], ["nonsense"]],
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = "import sys; from summc.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    modules = set(ran.stdout.split())
    assert not modules & {
        "sklearn", "nltk", "scipy", "sumeval", "nupunkt", "stopwordsiso", "matplotlib", "jinja2", "numpy",
    }  # fmt: skip
    assert "importlib.metadata" not in modules or arguments == ["--version"]
    if "--help" in arguments or "--help-all" in arguments:  # each would make help slower
        assert not modules & {"dataclasses", "difflib", "logging", "pathlib", "shutil"}


def test_common_commands_import_nothing_heavy() -> None:
    folder = str(SAMPLE / "docs" / "d90001t")
    commands = [
        ["summarize", folder],
        ["summarize", "--selector", "bp", "--config", "paper-fig3", folder],
        ["summarize", "--selector", "g-greedy", "--by-topic", folder],
        ["evaluate", "--dataset", "sample", "--selector", "g-greedy", "-k", "30", "--per-cluster"],
        ["evaluate", "--dataset", "sample", "--selector", "g-greedy", "-k", "30"],
    ]
    code = f"""
import sys
from summc.cli import main
for arguments in {commands}:
    try:
        main(arguments)
    except SystemExit as leaving:
        print()
        print(leaving.code, *sys.modules, flush=True)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [set(line.split()) for line in ran.stdout.splitlines() if " summc.cli " in line]
    # Intervals need scipy.special, which itself imports other parts of SciPy before 1.16.
    special = "import sys, scipy.special; print(*sys.modules)"
    brought = subprocess.run([sys.executable, "-c", special], capture_output=True, text=True, check=True)
    heavy = {"scipy.stats", "scipy.optimize", "scipy.sparse"} - set(brought.stdout.split())
    for arguments, modules in zip(commands, loaded, strict=True):
        assert {"0", "Stemmer"} <= modules
        assert not modules & {"sklearn", "nltk", "stopwordsiso", "matplotlib", "jinja2"}
        assert not modules & heavy
        assert ("scipy" in modules) == (arguments == commands[-1])  # it alone prints intervals
        assert ("sumeval" in modules) == (arguments[0] == "evaluate")


def test_only_one_file_imports_sumeval() -> None:
    importers = [
        path
        for path, source in sources().items()
        if any(module.split(".")[0] == "sumeval" for module, _ in source.imports)
    ]
    assert importers == [PACKAGE / "rouge" / "texts.py"]


def test_the_sample_has_the_documented_size() -> None:
    from summc.documents import load

    clusters = list(load([SAMPLE]))
    assert len(clusters) == 6
    for cluster in clusters:
        assert len(cluster.references) == 3
        assert all(len(reference.split()) <= 100 for reference in cluster.references)
        for document in cluster.documents:
            assert 150 <= sum(sentence.words for sentence in document.sentences) <= 300
