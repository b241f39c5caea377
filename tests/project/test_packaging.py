"""The version of a source tree, and what a source distribution and a wheel contain."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from summc.system.versions import RELEASE, source_version, version
from tests.conftest import ROOT
from tests.support.loading import load_file

COMMIT, OTHER = "0e9cc92a" * 5, "c0ffee00" * 5
NAMED = f"{RELEASE}+g0e9cc92"
UNFILLED = (ROOT / ".ci" / "commit.txt").read_text()


# Versions


def make_tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in {".ci/commit.txt": "commit: $Format:%H$\ntag: $Format:%d$\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({".git/HEAD": f"{COMMIT}\n"}, NAMED),
        ({".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": f"{COMMIT}\n"}, NAMED),
        (
            {
                ".git/HEAD": "ref: refs/heads/b\n",
                ".git/packed-refs": f"# packed\n{OTHER} refs/heads/a/b\n{COMMIT} refs/heads/b\n^{OTHER}\n",
            },
            NAMED,
        ),
        (
            {
                ".git": "gitdir: elsewhere/worktrees/w\n",
                "elsewhere/worktrees/w/HEAD": "ref: refs/heads/b\n",
                "elsewhere/worktrees/w/commondir": "../..\n",
                "elsewhere/refs/heads/b": f"{COMMIT}\n",
            },
            NAMED,
        ),
        ({".ci/commit.txt": f"commit: {COMMIT}\ntag: v{RELEASE}-3-g0e9cc92\n"}, NAMED),
        ({".ci/commit.txt": f"commit: {COMMIT}\ntag: v{RELEASE}\n"}, RELEASE),
        ({".ci/commit.txt": f"commit: {COMMIT}\ntag: \n"}, NAMED),
        ({"PKG-INFO": "Name: summc\nVersion: 9.9\n", ".git/HEAD": COMMIT}, "9.9"),
        ({}, f"{RELEASE}+unknown"),
        ({".git/HEAD": "ref: refs/heads/unborn\n"}, f"{RELEASE}+unknown"),
        ({".git/HEAD": "damaged\n"}, f"{RELEASE}+unknown"),
        ({".git": "damaged\n"}, f"{RELEASE}+unknown"),
    ],
)
def test_the_version_of_a_source_tree(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    assert source_version(make_tree(tmp_path, files)) == expected


def git(root: Path, *arguments: str) -> str:
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=root, env=alone, capture_output=True, text=True, check=True).stdout


needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


@needs_git
def test_only_the_unchanged_commit_of_the_tag_is_built_as_a_release(tmp_path: Path) -> None:
    built_version = load_file(ROOT / ".ci" / "version.py").built_version
    attributes = (ROOT / ".gitattributes").read_text()
    make_tree(tmp_path, {".ci/commit.txt": UNFILLED, ".gitattributes": attributes, "a.txt": "a"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "a")
    commit = f"{RELEASE}+g{git(tmp_path, 'rev-parse', 'HEAD')[:7]}"
    assert (built_version(tmp_path), source_version(tmp_path)) == (commit, commit)
    git(tmp_path, "tag", "-a", f"v{RELEASE}", "-m", "a")
    assert (built_version(tmp_path), source_version(tmp_path)) == (RELEASE, commit)
    git(tmp_path, "archive", "HEAD", "-o", "a.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    assert source_version(tmp_path / "unpacked") == RELEASE
    (tmp_path / "a.txt").write_text("b")
    assert built_version(tmp_path) == f"{commit}.dirty"
    git(tmp_path, "commit", "-qam", "b")
    assert built_version(tmp_path) == f"{RELEASE}+g{git(tmp_path, 'rev-parse', 'HEAD')[:7]}"


# Packages


# Builds a source distribution, unpacks it, and builds a wheel from it. Prints the names of both.
BUILD = """
import os, sys, tarfile, hatchling.build
os.chdir(sys.argv[1])
sources = hatchling.build.build_sdist(sys.argv[2])
os.chdir(sys.argv[2])
tarfile.open(sources).extractall(filter="data")
os.chdir(sources.removesuffix(".tar.gz"))
print(sources, hatchling.build.build_wheel(sys.argv[2]))
"""


def test_a_source_distribution_and_the_wheel_built_from_it_are_whole(tmp_path: Path) -> None:
    # One test, because pytest-xdist would build both in every process that runs one of several tests.
    ran = subprocess.run(
        [sys.executable, "-c", BUILD, ROOT, tmp_path], capture_output=True, text=True, check=True
    )
    sources, wheel = ran.stdout.splitlines()[-1].split()
    unpacked = tmp_path / sources.removesuffix(".tar.gz")
    built, here = source_version(unpacked), version("summc")
    assert built in {here, f"{here}.dirty", RELEASE}
    platform = re.sub("[-.]", "_", sysconfig.get_platform())  # it fits every Python on this system
    assert wheel == f"summc-{built}-py3-none-{platform}.whl"
    check_sources(unpacked)
    check_wheel(tmp_path / wheel)


def files_in(folder: Path, root: Path) -> set[str]:
    """Return the files in a folder that belong to the project, relative to ``root``."""
    return {
        path.relative_to(root).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }


def check_sources(unpacked: Path) -> None:
    found = files_in(unpacked, unpacked)
    for name in (".ci", "configs", "data", "docs", "summc", "tests"):
        assert files_in(ROOT / name, ROOT) <= found
    top = {".gitattributes", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert top <= found


def check_wheel(path: Path) -> None:
    with zipfile.ZipFile(path) as wheel:
        found = set(wheel.namelist())
        about = wheel.read(next(name for name in found if name.endswith("/METADATA"))).decode()
    sample = {f"summc/system/resources/{name}" for name in files_in(ROOT / "data" / "sample", ROOT / "data")}
    configs = {f"summc/system/resources/{name}" for name in files_in(ROOT / "configs", ROOT)}
    assert files_in(ROOT / "summc", ROOT) | sample | configs <= found
    assert all(name.startswith(("summc/", "summc-")) for name in found)
    assert [name for name in found if name.endswith(".so")] == ["summc/selectors/compiled/_compiled.so"]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in found)
    assert "\nLicense-Expression: MIT\n" in about
    assert "\n# summc\n" in about
    links = re.findall(r"\]\((.*?)\)", about)  # a package index shows the text elsewhere, without the folders
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert "![" not in about


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return load_file(ROOT / "summc" / "selectors" / "compiled" / "build.py")


@pytest.mark.parametrize(
    ("compiler", "target", "wanted"),
    [("cc", "wheel", []), ("no-such-compiler", "wheel", ["ziglang"]), ("no-such-compiler", "sdist", [])],
)
def test_a_build_asks_for_a_compiler_only_where_none_works(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, compiler: str, target: str, wanted: list[str]
) -> None:
    monkeypatch.setattr(build, "compilers", lambda: [[compiler, "-fPIC"]])
    assert build.Compiled(str(ROOT), {}, None, None, str(ROOT), target).dependencies() == wanted


def test_a_build_without_a_compiler_ends_with_one_message(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "compilers", list)
    with pytest.raises(SystemExit):
        build.Compiled(str(ROOT), {}, None, None, str(ROOT), "wheel").initialize("standard", {})
    told = "summc: this machine has no C compiler; install GCC or Clang, or set CC to a C compiler\n"
    assert capfd.readouterr().err == told


def test_the_compiler_of_ziglang_is_the_last_that_is_tried(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "my-cc -m64")
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: None)
    assert build.compilers()[0][:2] == ["my-cc", "-m64"]
    assert not any("ziglang" in command for command in build.compilers())
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: object())
    assert ["ziglang" in command for command in build.compilers()][-2:] == [False, True]


def test_a_python_for_two_processors_gets_a_library_for_both(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARCHFLAGS", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "macosx-10.9-universal2")
    assert build.system_flags() == ["-fPIC", "-arch", "x86_64", "-arch", "arm64"]
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    assert build.system_flags() == ["-fPIC", "-arch", "arm64"]
    monkeypatch.setattr(sys, "platform", "win32")
    assert "-fPIC" not in build.system_flags()
