"""Recognize files among documents that are not documents, by their names."""

from __future__ import annotations

import re

#: Files that Windows and macOS leave in folders, in lower case.
_SYSTEM_FILES = frozenset({"_ds_store", "thumbs.db", "desktop.ini"})
_ABOUT = re.compile(
    r"[\d\W_]*read[\W_]?me(?![a-z]).*|(?:licen[cs]e|copying|copyright|notice|changelog|authors)(?:\.\w+)?",
    re.IGNORECASE,
)


def is_system_file(name: str) -> bool:
    """Tell whether a file was left by the system, such as ``Thumbs.db``: it is never a document."""
    return name.lower() in _SYSTEM_FILES


def is_about_folder(name: str) -> bool:
    """Tell whether a file describes its folder, such as ``README.txt``; beside clusters it is no document."""
    return _ABOUT.fullmatch(name) is not None
