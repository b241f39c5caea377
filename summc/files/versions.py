"""Which version of a library is installed: results depend on it, and signatures name it."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def version(library: str) -> str:
    """Return the version of an installed library; each look reads a file, which many clusters would feel."""
    return metadata.version(library)
