"""The compiled library: it is built from the C code beside it, and errors say what to do."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from summc.errors import SummcError
from summc.system import compiled
from summc.system.compiled import library, load_library
from tests.conftest import ROOT
from tests.support.loading import load_file

HERE = ROOT / "summc" / "system" / "compiled"
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """Return the script that builds the library. It builds quickly here, because speed does not matter."""
    script = load_file(HERE / "build.py")
    vars(script).update(FLAGS=(*script.FLAGS, "-O0"))
    return script


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a folder with copies of the C sources."""
    for name in compiled.SOURCES:
        shutil.copy(HERE / name, tmp_path)
    return tmp_path


def problem_with(folder: Path) -> str:
    """Return what loading the library of a folder says, without what to do."""
    with pytest.raises(SummcError) as raised:
        load_library(folder)
    assert str(raised.value).startswith(f"{folder / compiled.LIBRARY}: ")
    assert raised.value.remedy == f"install summc again, or run `python {folder / 'build.py'}`"
    return raised.value.problem


@needs_compiler
def test_a_library_is_used_only_with_the_sources_it_was_built_from(
    build: ModuleType, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be loaded" in problem_with(sources)  # nothing was compiled yet
    (sources / compiled.LIBRARY).write_bytes(b"broken")
    assert "cannot be loaded" in problem_with(sources)
    # The first compiler that works is used.
    monkeypatch.setattr(build, "compilers", lambda: [["no-such-compiler"], ["false"], ["cc", "-fPIC"]])
    assert build.compile_library(sources) == ""
    assert {path.name for path in sources.iterdir()} == {*compiled.SOURCES, compiled.LIBRARY}
    assert load_library(sources)
    (sources / "messages.c").write_text("/* Nothing, which takes no time to compile. */")
    assert problem_with(sources) == "the C code has changed since it was compiled"
    elsewhere = shutil.copytree(sources, sources / "elsewhere")  # a library is loaded once from each path
    (elsewhere / "search.c").write_text("")
    assert build.compile_library(elsewhere) == ""
    assert "summc_settle" in problem_with(elsewhere)


def test_build_and_package_name_the_same_files(build: ModuleType) -> None:
    assert (build.SOURCES, build.LIBRARY) == (compiled.SOURCES, compiled.LIBRARY)
    assert {path.name for path in (ROOT / build.FOLDER).glob("*.c")} == set(compiled.SOURCES)
    assert library().summc_sources() == compiled.checksum(HERE)


@pytest.mark.parametrize(
    ("commands", "problem"),
    [
        ([], "this machine has no C compiler"),
        ([["no-such-compiler"]], "this machine has no C compiler"),
        ([["false"]], "false cannot compile summc (Command"),
        ([[sys.executable, "-c", "import sys; sys.exit('no headers')"]], "cannot compile summc (no headers)"),
    ],
)
def test_a_build_without_a_compiler_says_so_and_leaves_nothing(
    build: ModuleType,
    sources: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    commands: list[list[str]],
    problem: str,
) -> None:
    monkeypatch.setattr(build, "compilers", lambda: commands)
    monkeypatch.setattr(build, "FOLDER", ".")
    with pytest.raises(SystemExit):
        build.Compiled(str(sources), {}, None, None, str(sources), "wheel").initialize("standard", {})
    told = capfd.readouterr().err
    assert problem in told
    assert told.endswith("; install GCC or Clang, or set CC to a C compiler\n")
    assert {path.name for path in sources.iterdir()} == set(compiled.SOURCES)


@pytest.mark.parametrize(
    ("compiler", "target", "wanted"),
    [("cc", "wheel", []), ("no-such-compiler", "wheel", ["ziglang"]), ("no-such-compiler", "sdist", [])],
)
def test_a_build_asks_for_a_compiler_only_where_none_works(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, compiler: str, target: str, wanted: list[str]
) -> None:
    monkeypatch.setattr(build, "compilers", lambda: [[compiler, "-fPIC"]])
    assert build.Compiled(str(ROOT), {}, None, None, str(ROOT), target).dependencies() == wanted


def test_compilers_and_their_flags(build: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "my-cc -m64")
    monkeypatch.delenv("ARCHFLAGS", raising=False)
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: None)
    assert build.compilers()[0] == ["my-cc", "-m64", "-fPIC"]
    assert not any("ziglang" in command for command in build.compilers())
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: object())
    assert ["ziglang" in command for command in build.compilers()][-2:] == [False, True]
    # A Python for two processors gets a library for both.
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "macosx-10.9-universal2")
    assert build.system_flags() == ["-fPIC", "-arch", "x86_64", "-arch", "arm64"]
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    assert build.system_flags() == ["-fPIC", "-arch", "arm64"]
    monkeypatch.setattr(sys, "platform", "win32")
    assert "-fPIC" not in build.system_flags()
