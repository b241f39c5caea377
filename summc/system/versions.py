"""Look up the versions of summc and of the installed libraries.

Results depend on them, so they are among the settings that are printed with results.

A release of summc has a plain version, such as 0.2.0. Every other state of the source code is named by the
release that it is based on and by its commit: 0.2.0+g0e9cc92. The build finds the version by hatch-vcs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def version(library: str) -> str:
    """Return the version of summc or of an installed library; it is cached, because a lookup reads files."""
    from importlib import metadata  # noqa: PLC0415 (slow)

    installed = metadata.version(library)
    commit = checked_out(Path(__file__).parents[2] / ".git") if library == "summc" else ""
    # The metadata of an editable installation name the commit that was installed, not the present one.
    return f"{release_of(installed)}+g{commit}" if commit else installed


def release_of(version_: object) -> str:
    """Return the release that a version of summc is, or is based on."""
    return str(version_).partition("+")[0]


def checked_out(git: Path) -> str:
    """Return the short name of the commit that a checkout is at, or "" if this is no checkout."""
    import subprocess  # noqa: PLC0415 (not needed outside a checkout)

    command = ["git", "--git-dir", str(git), "rev-parse", "--short", "HEAD"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True) if git.exists() else None  # noqa: S603 (runs git)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ran.stdout.strip() if ran else ""
