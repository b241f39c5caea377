"""Summaries of other systems: ``DIR/<system>/<cluster>.<system>``, or one file a cluster in ``DIR``.

What in a name cannot stand in the name of a file is written as ``%2F``, as in URLs.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path

from summc.documents.decoding import decode
from summc.documents.duc import summaries_of
from summc.documents.paragraphs import without_controls
from summc.documents.raw import own_name
from summc.documents.references import written
from summc.errors import InputError, NotFoundError
from summc.inputs import opened, read_all

log = logging.getLogger("summc")

#: What a file system, or a person who lists a folder, takes for something else; and the sign itself.
_NOT_IN_NAMES = re.compile(r'^\.|[\x00-\x1f\x7f"%*/:<>?\\|]')
#: Bytes that each of both parts of a file's name may have: a file system takes 255 in all.
_LONGEST = 120


def summary_file(cluster: str, system: str) -> str:
    """Return where the summary of a cluster by a system belongs in a folder of summaries.

    No two clusters and no two systems share a file, whatever they are called.
    """
    return f"{_file_name(system)}/{_own(cluster, _file_name(system))}"


def _own(cluster: str, folder: str) -> str:
    return f"{_file_name(cluster)}.{folder}"


def _file_name(name: str) -> str:
    plain = _NOT_IN_NAMES.sub(lambda found: f"%{ord(found.group()):02X}", name)
    data = plain.encode("utf-8", "surrogateescape")
    if len(data) <= _LONGEST:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return f"{data[: _LONGEST - 34].decode('utf-8', 'ignore')}%~{digest}"


def read_peers(folder: Path, clusters: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the summary of each cluster that each system has one of, systems by name."""
    if not os.path.isdir(folder):  # noqa: PTH112 (unlike Path's, it does not raise)
        raise NotFoundError(str(folder), "no such folder of summaries", "check the path")
    below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    taken: dict[str, int] = {}
    systems = {
        own_name(without_controls(path.name), taken): _summaries(path, clusters)
        for path in below or [folder.resolve()]
    }
    found = {name: texts for name, texts in systems.items() if texts}
    for name in systems.keys() - found.keys() if found else ():
        log.warning("%s: no summaries of these clusters by %s; left out", folder, name)
    if not found:
        example = f"<system>/{clusters[0]}.<system>"
        raise InputError(str(folder), "no summaries of these clusters", f"name the files as {example}")
    return found


def _summaries(folder: Path, clusters: Sequence[str]) -> dict[str, str]:
    files = {path.name for path in folder.iterdir() if path.is_file()}
    own = {_own(cluster, folder.name): cluster for cluster in clusters}
    others = {cluster: names[0] for cluster, names in summaries_of(files - own.keys(), clusters).items()}
    named = others | {own[name]: name for name in files if name in own}
    texts: dict[str, str] = {}
    for cluster in clusters:
        if cluster in named:
            path = folder / named[cluster]
            with opened(str(path)) as stream:
                texts[cluster] = written(decode(read_all(stream, str(path)), str(path)), path.name)
    return texts
