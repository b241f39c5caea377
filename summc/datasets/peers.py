"""Read the summaries that other summarizers ("systems") made.

A folder ``DIR`` may have one of three layouts:

- a folder for each system: ``DIR/<system>/<cluster>.<system>``;
- all systems together, under DUC's file names, which end in the system: ``DIR/D0601.M.250.A.24``;
- a single system, with one file for each cluster.

A file of JSON lines may have the summaries of many systems: ``{"system": ..., "cluster": ..., "text": ...}``.

Characters that a file name cannot have are written as in URLs: ``%2F`` for a slash.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from summc.documents.decoding import decode
from summc.documents.duc import summaries_of, writer_of, written
from summc.documents.paragraphs import without_controls
from summc.documents.sentences import unique_name
from summc.errors import InputError, NotFoundError
from summc.system.inputs import read_file
from summc.system.logs import log

#: Characters to escape in file names: those that file systems or listings treat specially, and "%" itself.
_NOT_IN_NAMES = re.compile(r'^\.|[\x00-\x1f\x7f"%*/:<>?\\|]')
#: The most bytes that the cluster may take in a file name, and the same for the system: file systems allow
#: 255 for the whole name.
_LONGEST = 120


def summary_file(cluster: str, system: str) -> str:
    """Return the path for the summary of a cluster by a system, relative to the folder of all summaries.

    Different clusters or systems always get different paths, whatever their names are.
    """
    return f"{_file_name(system)}/{_file_name(cluster)}.{_file_name(system)}"


def _file_name(name: str) -> str:
    plain = _NOT_IN_NAMES.sub(lambda match: f"%{ord(match.group()):02X}", name)
    data = plain.encode("utf-8", "surrogateescape")
    if len(data) <= _LONGEST:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return f"{data[: _LONGEST - 34].decode('utf-8', 'ignore')}%~{digest}"


def read_peers(folder: Path, clusters: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the summaries of these clusters in a folder or file, as system -> cluster -> text."""
    if os.path.isfile(folder):  # noqa: PTH113 (unlike Path's, it does not raise)
        return _in_lines(folder, clusters)
    if not os.path.isdir(folder):  # noqa: PTH112 (unlike Path's, it does not raise)
        raise NotFoundError(str(folder), "no such folder of summaries", "check the path")
    below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    systems = _systems_in(folder, clusters, default="" if below else folder.resolve().name)
    for path in below:
        several = _systems_in(path, clusters, default="")
        systems += several if len(several) > 1 else [(path.name, _summaries(path, clusters))]
    if not any(texts for _, texts in systems):
        example = f"<system>/{clusters[0]}.<system>"
        raise InputError(str(folder), "no summaries of these clusters", f"name the files as {example}")
    by_system, taken = dict[str, dict[str, str]](), dict[str, int]()
    for name, texts in systems:
        system = unique_name(without_controls(name), taken)
        if texts:
            by_system[system] = texts
        else:
            log.warning("%s: no summaries of these clusters by %s; left out", folder, system)
    return by_system


class _PeerSummary(msgspec.Struct):
    system: str
    cluster: str
    text: str


def _in_lines(path: Path, clusters: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the summaries of these clusters in a file of JSON lines, as system -> cluster -> text."""
    by_system: dict[str, dict[str, str]] = {}
    for number, line in enumerate(read_file(str(path)).splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            summary = msgspec.json.decode(line, type=_PeerSummary)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            remedy = 'write {"system": "name", "cluster": "id", "text": "the summary"} on each line'
            problem = str(error).replace("`", '"')
            raise InputError(place, f"not a summary: {problem}", remedy) from None
        texts = by_system.setdefault(without_controls(summary.system), {})
        if summary.cluster in texts:
            raise InputError(place, f"a second summary of {summary.cluster} by {summary.system}", "give one")
        if summary.cluster in clusters:
            texts[summary.cluster] = summary.text
    if not any(by_system.values()):
        raise InputError(str(path), "no summaries of these clusters", f"name them as {clusters[0]}")
    return by_system


def _systems_in(folder: Path, clusters: Sequence[str], default: str) -> list[tuple[str, dict[str, str]]]:
    """Return the systems with summaries under DUC's file names in a folder, each with its texts by cluster.

    Systems with a number come first, in the order of their numbers. With ``default``, the other files are the
    summaries of a system of that name.
    """
    names = {writer_of(path.name) for path in folder.iterdir()} - {""}
    ordered = sorted(names, key=lambda name: (not name.isdecimal(), len(name), name))
    systems = [(name, _summaries(folder, clusters, name)) for name in [*ordered, *([""] if default else [])]]
    return [(name or default, texts) for name, texts in systems if texts]


def _summaries(folder: Path, clusters: Sequence[str], system: str | None = None) -> dict[str, str]:
    """Return the summaries in a folder by cluster; with ``system``, those whose file names end in it."""
    names = (path.name for path in folder.iterdir() if path.is_file())
    files = {name for name in names if system is None or writer_of(name) == system}
    by_name = {f"{_file_name(cluster)}.{folder.resolve().name}": cluster for cluster in clusters}
    name_of = {cluster: names[0] for cluster, names in summaries_of(files - by_name.keys(), clusters).items()}
    named = name_of | {by_name[name]: name for name in files if name in by_name}
    texts: dict[str, str] = {}
    for cluster in filter(named.__contains__, clusters):
        path = str(folder / named[cluster])
        texts[cluster] = written(decode(read_file(path), path), named[cluster])
    return texts
