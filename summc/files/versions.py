"""Look up the versions of installed libraries, which results depend on and signatures name."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def version(library: str) -> str:
    """Return the version of an installed library; cached, because each lookup reads a file."""
    return metadata.version(library)
