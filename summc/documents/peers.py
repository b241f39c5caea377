"""Summaries of other systems.

``DIR/<system>/<cluster>.<system>``; or all systems in ``DIR`` under DUC's names, the last part of which is
the system (``D0601.M.250.A.24``); or one file a cluster in ``DIR``, all of one system.

What in a name cannot stand in the name of a file is written as ``%2F``, as in URLs.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from summc.documents.decoding import decode
from summc.documents.duc import summaries_of, writer_of
from summc.documents.paragraphs import without_controls
from summc.documents.references import written
from summc.documents.splitting import own_name
from summc.errors import InputError, NotFoundError
from summc.files.inputs import opened, read_all

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
    systems = [*_systems_together(folder, clusters).items()]
    if below:
        systems += [system for path in below for system in _systems_in(path, clusters)]
    elif texts := _summaries(folder.resolve(), clusters, besides_ducs=True):
        systems.append((folder.resolve().name, texts))
    if not any(texts for _, texts in systems):
        example = f"<system>/{clusters[0]}.<system>"
        raise InputError(str(folder), "no summaries of these clusters", f"name the files as {example}")
    found: dict[str, dict[str, str]] = {}
    taken: dict[str, int] = {}
    for name, texts in systems:
        own = own_name(without_controls(name), taken)
        if texts:
            found[own] = texts
        else:
            log.warning("%s: no summaries of these clusters by %s; left out", folder, own)
    return found


def _systems_in(folder: Path, clusters: Sequence[str]) -> Iterable[tuple[str, dict[str, str]]]:
    """Return the system that a folder is named after, or the systems that stand in it together."""
    together = _systems_together(folder, clusters)
    return together.items() if len(together) > 1 else [(folder.name, _summaries(folder, clusters))]


def _systems_together(folder: Path, clusters: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the systems whose summaries stand in one folder under DUC's names, numbers in their order."""
    by_system: dict[str, list[str]] = {}
    for path in folder.iterdir():
        if (system := writer_of(path.name)) and path.is_file():
            by_system.setdefault(system, []).append(path.name)
    found: dict[str, dict[str, str]] = {}
    for system in sorted(by_system, key=lambda name: (not name.isdecimal(), len(name), name)):
        named = summaries_of(by_system[system], clusters)
        if named:
            found[system] = {cluster: _text(folder / names[0]) for cluster, names in named.items()}
    return found


def _summaries(folder: Path, clusters: Sequence[str], *, besides_ducs: bool = False) -> dict[str, str]:
    """Return the summaries of the one system of a folder, besides those under DUC's names if so asked."""
    files = {path.name for path in folder.iterdir() if path.is_file()}
    if besides_ducs:
        files = {name for name in files if not writer_of(name)}
    own = {_own(cluster, folder.name): cluster for cluster in clusters}
    others = {cluster: names[0] for cluster, names in summaries_of(files - own.keys(), clusters).items()}
    named = others | {own[name]: name for name in files if name in own}
    return {cluster: _text(folder / named[cluster]) for cluster in clusters if cluster in named}


def _text(path: Path) -> str:
    with opened(str(path)) as stream:
        return written(decode(read_all(stream, str(path)), str(path)), path.name)
