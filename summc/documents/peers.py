"""Summaries of other systems: ``DIR/<system>/<cluster>.<system>``, or one file a cluster in ``DIR``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from summc.documents.decoding import decode
from summc.documents.duc import belongs_to
from summc.errors import InputError, NotFoundError
from summc.inputs import opened, read_all


def read_peers(folder: Path, clusters: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the summary of each cluster that each system has one of, systems by name."""
    if not folder.is_dir():
        raise NotFoundError(str(folder), "no such folder of summaries", "check the path")
    below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    systems = {path.name: _summaries(path, clusters) for path in below or [folder.resolve()]}
    found = {name: texts for name, texts in systems.items() if texts}
    if not found:
        example = f"<system>/{clusters[0]}.<system>"
        raise InputError(str(folder), "no summaries of these clusters", f"name the files as {example}")
    return found


def _summaries(folder: Path, clusters: Sequence[str]) -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.is_file())
    texts: dict[str, str] = {}
    for cluster in clusters:
        path = next((file for file in files if belongs_to(file.name, cluster)), None)
        if path is not None:
            with opened(str(path)) as stream:
                texts[cluster] = decode(read_all(stream, str(path)), str(path))
    return texts
