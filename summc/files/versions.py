"""Look up the versions of installed libraries.

Results depend on them, so the signature that is printed with results names them.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def version(library: str) -> str:
    """Return the version of an installed library; it is cached, because each lookup reads a file."""
    return metadata.version(library)
