"""Look up the versions of summc and of the installed libraries.

Results depend on them, so they are among the settings that are printed with results.

A release of summc has a plain version, such as 0.2.0. Every other state of the source code is named by the
release that it is based on and by its commit: 0.2.0+g0e9cc92. The build takes the version of a package from
here too (see .ci/version.py).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

#: The last release that this source code is, or is based on.
RELEASE = "0.2.0"

#: A file that only source trees have. ``git archive`` writes the commit into it (see .gitattributes).
_ARCHIVED = ".ci/commit.txt"

#: Pattern of a commit's full name.
_COMMIT = "([0-9a-f]{40,})"


@cache
def version(library: str) -> str:
    """Return the version of summc or of an installed library; it is cached, because a lookup reads files."""
    root = Path(__file__).parents[2]
    if library == "summc" and (root / _ARCHIVED).exists():
        return source_version(root)
    from importlib import metadata  # noqa: PLC0415 (slow, and summc --version in a source tree can do without)

    return metadata.version(library)


def release_of(version_: object) -> str:
    """Return the release that a version of summc is, or is based on."""
    return str(version_).partition("+")[0]


def source_version(root: Path) -> str:
    """Return the version of a checkout, or of an unpacked ``git archive`` or source distribution.

    It is read from the files: the metadata of an editable installation is as old as the installation.
    """
    about = _read(root / "PKG-INFO")  # only a source distribution has this file
    if about:
        return _line(r"Version: (\S+)", about)
    archived = _read(root / _ARCHIVED)
    if _line(r"tag: (\S+)", archived) == f"v{RELEASE}":
        return RELEASE
    commit = _checked_out(root) or _line(f"commit: {_COMMIT}", archived)
    return f"{RELEASE}+g{commit[:7]}" if commit else f"{RELEASE}+unknown"


def _checked_out(root: Path) -> str:
    """Return the commit that is checked out, or ""; git itself takes longer, and may not be installed."""
    git = root / ".git"
    if git.is_file():  # a linked worktree, or a submodule
        git = root / _line(r"gitdir: (.+)", _read(git))
    head = _read(git / "HEAD")
    branch = _line(r"ref: (.+)", head)
    if not branch:  # a commit is checked out instead of a branch
        return _line(_COMMIT, head)
    common = git / _read(git / "commondir").strip()  # linked worktrees share the branches
    packed = _line(f"{_COMMIT} {re.escape(branch)}", _read(common / "packed-refs"))
    return _line(_COMMIT, _read(common / branch)) or packed


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _line(pattern: str, text: str) -> str:
    """Return the group of a pattern that matches a whole line of a text, or "" if no line matches."""
    found = re.search(f"^{pattern}$", text, re.MULTILINE)
    return found[1] if found else ""
