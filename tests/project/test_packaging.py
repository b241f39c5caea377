"""The version of a source tree, what packages of it contain, and which libraries it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from summc.system.versions import checked_out
from tests.conftest import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, RELEASE = PYPROJECT["project"], PYPROJECT["tool"]["hatch"]["version"]["fallback-version"]


# Versions


def built_version(root: Path) -> str:
    version: str = ProjectMetadata(str(root), PluginManager()).hatch.version.cached
    return version


def git(root: Path, *arguments: str) -> str:
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=root, env=alone, capture_output=True, text=True, check=True).stdout


needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


@needs_git
def test_only_the_unchanged_commit_of_the_tag_is_built_as_a_release(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert (built_version(tmp_path), checked_out(tmp_path / ".git")) == (RELEASE, "")
    git(tmp_path, "init", "-q")
    assert checked_out(tmp_path / ".git") == ""
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "a")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD").strip()
    assert checked_out(tmp_path / ".git") == commit
    assert re.fullmatch(rf"{RELEASE}\+g{commit}[0-9a-f]*", built_version(tmp_path))  # without tags
    git(tmp_path, "tag", "-a", f"v{RELEASE}", "-m", "a")
    assert built_version(tmp_path) == RELEASE
    with (tmp_path / "pyproject.toml").open("a") as file:
        file.write("# changed")
    assert re.fullmatch(rf"{RELEASE}\+g{commit}[0-9a-f]*\.d\d{{8}}", built_version(tmp_path))
    git(tmp_path, "commit", "-qam", "b")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD").strip()
    assert re.fullmatch(rf"{RELEASE}\+g{commit}[0-9a-f]*", built_version(tmp_path))


# Packages


# Builds a source distribution, unpacks it, and builds a wheel from it. Prints the names of both.
BUILD = """
import os, shutil, sys, hatchling.build
os.chdir(sys.argv[1])
sources = hatchling.build.build_sdist(sys.argv[2])
os.chdir(sys.argv[2])
shutil.unpack_archive(sources)
os.chdir(sources.removesuffix(".tar.gz"))
print(sources, hatchling.build.build_wheel(sys.argv[2]))
"""


def test_a_source_distribution_and_the_wheel_built_from_it_are_whole(tmp_path: Path) -> None:
    # One test, because pytest-xdist would build both in every process that runs one of several tests.
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec cc "$@" -O0\n')  # to optimize takes seconds, and proves nothing here
    compiler.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-c", BUILD, ROOT, tmp_path], capture_output=True, text=True, check=True,
        env={**os.environ, "CC": str(compiler)},
    )  # fmt: skip
    sources, wheel = ran.stdout.splitlines()[-1].split()
    unpacked = tmp_path / sources.removesuffix(".tar.gz")
    built = unpacked.name.removeprefix("summc-")
    assert f"\nVersion: {built}\n" in (unpacked / "PKG-INFO").read_text()
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
    top = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert top <= found


def check_wheel(path: Path) -> None:
    with zipfile.ZipFile(path) as wheel:
        found = set(wheel.namelist())
        about = wheel.read(next(name for name in found if name.endswith("/METADATA"))).decode()
    sample = {f"summc/system/resources/{name}" for name in files_in(ROOT / "data" / "sample", ROOT / "data")}
    configs = {f"summc/system/resources/{name}" for name in files_in(ROOT / "configs", ROOT)}
    assert files_in(ROOT / "summc", ROOT) | sample | configs <= found
    assert all(name.startswith(("summc/", "summc-")) for name in found)
    assert [name for name in found if name.endswith(".so")] == ["summc/system/compiled/_compiled.so"]
    assert any(name.endswith(".data/data/share/man/man1/summc.1") for name in found)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in found)
    assert "\nLicense-Expression: MIT\n" in about
    assert "\n# summc\n" in about
    links = re.findall(r"\]\((.*?)\)", about)  # a package index shows the text elsewhere, without the folders
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert "![" not in about


# Dependencies


DEPENDENCIES = [
    Requirement(text)
    for text in [
        *PROJECT["dependencies"],
        *(t for extra in PROJECT["optional-dependencies"].values() for t in extra),
    ]
    if not text.startswith("summc[")
]


def test_every_dependency_has_a_lower_bound_and_no_upper_one() -> None:
    for each in DEPENDENCIES:
        kinds = {specifier.operator for specifier in each.specifier}
        assert kinds in ({">="}, {"=="}), each
        assert kinds == {">="} or each.name in ("mypy", "ruff"), each


def test_the_lock_has_every_dependency_within_its_bounds() -> None:
    text = (ROOT / ".ci" / "dev.lock").read_text()
    assert "://" not in text
    lines = [line.partition("==") for line in text.splitlines() if not line.startswith("#")]
    locked = {canonicalize_name(name): version for name, _, version in lines}
    assert len(locked) == len(lines)
    # Tools that the bench compares with, and frameworks that take long to install, are not in the development
    # environment.
    extras = PROJECT["optional-dependencies"]
    apart = set(map(Requirement, (*extras["bench"], *extras["haystack"], *extras["llamaindex"])))
    for each in DEPENDENCIES:
        assert each in apart or each.specifier.contains(locked[canonicalize_name(each.name)]), each


def test_resuming_a_batch_needs_the_same_libraries() -> None:
    from summc.batch import libraries
    from summc.system.inputs import limits

    apart = {"click", "jinja2", "msgspec", "platformdirs", "sumeval", "wcwidth"}  # no summary changes
    wanted = {each.split(">=")[0] for each in PROJECT["dependencies"]} - apart
    # The limits decide which inputs fail.
    assert set(libraries()) == wanted | {"summc", *limits()}
