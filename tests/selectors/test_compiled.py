"""The compiled library: it is built from the C code beside it, and errors say what to do."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from summc.errors import SummcError
from summc.selectors import compiled
from summc.selectors.compiled import library, load_library
from tests.conftest import ROOT
from tests.support.loading import load_file

HERE = ROOT / "summc" / "selectors" / "compiled"
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """Return the script that builds the library. It builds quickly here, because speed does not matter."""
    script = load_file(HERE / "build.py")
    vars(script).update(FLAGS=(*script.FLAGS, "-O0"))
    return script


def sources(folder: Path) -> Path:
    """Copy the C sources into a folder, and return it."""
    for name in compiled.SOURCES:
        shutil.copy(HERE / name, folder)
    return folder


def problem_with(folder: Path) -> str:
    """Return what loading the library of a folder says, without what to do."""
    with pytest.raises(SummcError) as raised:
        load_library(folder)
    assert str(raised.value).startswith(f"{folder / compiled.LIBRARY}: ")
    assert raised.value.remedy == f"install summc again, or run `python {folder / 'build.py'}`"
    return raised.value.problem


@needs_compiler
def test_a_library_is_used_only_with_the_sources_it_was_built_from(build: ModuleType, tmp_path: Path) -> None:
    assert "cannot be loaded" in problem_with(sources(tmp_path))  # nothing was compiled yet
    (tmp_path / compiled.LIBRARY).write_bytes(b"broken")
    assert "cannot be loaded" in problem_with(tmp_path)
    assert build.compile_library(tmp_path) == ""
    assert {path.name for path in tmp_path.iterdir()} == {*compiled.SOURCES, compiled.LIBRARY}
    assert load_library(tmp_path)
    with (tmp_path / "search.c").open("a") as file:
        file.write("/* changed */\n")
    assert problem_with(tmp_path) == "the C code has changed since it was compiled"


@needs_compiler
def test_a_library_with_other_functions_is_not_taken(build: ModuleType, tmp_path: Path) -> None:
    path = sources(tmp_path) / "search.c"
    path.write_text(path.read_text().replace("int summc_improve(", "int summc_better(", 1))
    assert build.compile_library(tmp_path) == ""
    assert "summc_improve" in problem_with(tmp_path)


def test_build_and_package_name_the_same_files(build: ModuleType) -> None:
    assert (build.SOURCES, build.LIBRARY) == (compiled.SOURCES, compiled.LIBRARY)
    assert {path.name for path in (ROOT / build.FOLDER).glob("*.c")} == set(compiled.SOURCES)
    assert library().summc_sources() == compiled.checksum(HERE)


@needs_compiler
def test_the_first_compiler_that_works_is_used(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "compilers", lambda: [["no-such-compiler"], ["false"], ["cc", "-fPIC"]])
    assert build.compile_library(sources(tmp_path)) == ""
    assert load_library(tmp_path)


@pytest.mark.parametrize(
    ("commands", "problem"),
    [
        ([], "this machine has no C compiler"),
        ([["no-such-compiler"]], "this machine has no C compiler"),
        ([["false"]], "false cannot compile summc (Command"),
        ([[sys.executable, "-c", "import sys; sys.exit('no headers')"]], "cannot compile summc (no headers)"),
    ],
)
def test_without_a_compiler_the_build_says_so_and_leaves_nothing(
    build: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[list[str]],
    problem: str,
) -> None:
    monkeypatch.setattr(build, "compilers", lambda: commands)
    assert problem in build.compile_library(sources(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == set(compiled.SOURCES)
