"""Find the version of a package that is built: a plain one only for the tagged commit of a release.

Any other version names its commit. Package indexes refuse such versions, so only releases can be published.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from summc.system.versions import RELEASE, source_version


def built_version(root: Path = Path(__file__).parent.parent) -> str:
    """Return the version of a package that is built from a source tree.

    Unlike the version that summc prints when it runs from a checkout, this one tells whether files were
    changed after the commit.
    """
    described = _described(root)
    changed = described.endswith("-dirty")
    if described.startswith(f"v{RELEASE}-0-") and not changed:
        return RELEASE
    return source_version(root) + (".dirty" if changed else "")


def _described(root: Path) -> str:
    """Return how git describes a checkout, such as ``v0.2.0-3-g0e9cc92-dirty``, or "" if it cannot."""
    command = ["git", "describe", "--tags", "--long", "--always", "--dirty", "--match", f"v{RELEASE}"]
    if not (root / ".git").exists():  # git would describe a repository around the folder
        return ""
    try:
        ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603 (runs git)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ran.stdout.strip()
