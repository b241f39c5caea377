"""Recognize, by their names, files in a folder that are not documents."""

from __future__ import annotations

import re

#: Names, in lower case, of files that Windows and macOS create in folders.
_SYSTEM_FILES = frozenset({"_ds_store", "thumbs.db", "desktop.ini"})
_ABOUT = re.compile(
    r"[\d\W_]*read[\W_]?me(?![a-z]).*|(?:licen[cs]e|copying|copyright|notice|changelog|authors)(?:\.\w+)?",
    re.IGNORECASE,
)


def is_system_file(name: str) -> bool:
    """Tell by its name whether the operating system created a file, such as ``Thumbs.db``.

    Such a file is never a document.
    """
    return name.lower() in _SYSTEM_FILES


def is_about_folder(name: str) -> bool:
    """Tell by its name whether a file describes its folder, such as ``README.txt``.

    Beside folders that are clusters, such a file is not a document. In a folder of documents it is one.
    """
    return _ABOUT.fullmatch(name) is not None
