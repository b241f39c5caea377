"""Record the conditions of a run in its output folder: its inputs, its settings and the library versions.

A run resumes in a folder only if its conditions are those that are recorded there. The file ``manifest.json``
has the conditions. It is written before the first part. The file ``finished.json`` is written after the last
part. If documents were left out for lack of an extra, ``left-out.json`` names them, so that a run that finds
their parts written can report them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from summc.batch import storage
from summc.batch.plan import Input
from summc.documents.formats import FORMATS
from summc.documents.sources import printable
from summc.errors import InputError, OutputError, SettingError, SummcError
from summc.method import read_background
from summc.report.codec import encode_tokenized
from summc.selectors import SELECTORS
from summc.settings.config import Config
from summc.system.conditions import check_same, warn_of_other_commit
from summc.system.inputs import limits
from summc.system.json_objects import dump
from summc.system.versions import version
from summc.text.languages import asked_language
from summc.weights import WEIGHTINGS

MANIFEST, FINISHED, LEFT_OUT = "manifest.json", "finished.json", "left-out.json"

#: Libraries whose version can change the summaries.
LIBRARIES = (
    "summc",
    "markdown-it-py",
    "nltk",
    "numpy",
    "nupunkt",
    "py3langid",
    "PyStemmer",
    "regex",
    "scikit-learn",
    "scipy",
    "sentencex",
    "stopwordsiso",
)

_REMEDY = "write to another folder, or remove this one"


def libraries() -> dict[str, str]:
    """Return the versions of the installed libraries that can change the summaries, by name.

    The result also has the limits on inputs, which can change the summaries too.
    """
    return {**{name: version(name) for name in LIBRARIES}, **limits()}


def conditions(config: Config, inputs: Sequence[Input], part_size: int) -> dict[str, Any]:
    """Return the conditions of a run by name: everything that the content of its parts depends on."""
    unused = {table for table in config.tables if table.partition(".")[2] not in ("", config.select.selector)}
    found = {"part_size": part_size, **config.conditions(without={*unused, "score"})}
    if config.weigh.background:
        found["background"] = _fingerprint(config)
    held = [
        {"path": printable(each.path), "clusters": each.clusters, "digest": each.digest} for each in inputs
    ]
    # The formats of the inputs are not known before they are read, so all packages that add a format count.
    packages = {
        **SELECTORS.versions(config.select.selector),
        **WEIGHTINGS.versions(config.weigh.weighting),
        **FORMATS.versions(),
    }
    return {**found, **libraries(), **packages, "inputs": held}


def resume(folder: str, now: Mapping[str, Any]) -> None:
    """Write the manifest if the folder is new; raise if the folder belongs to a run with other conditions.

    ``now`` has the conditions of this run.
    """
    names, place = storage.names_in(folder), storage.join(folder, MANIFEST)
    if MANIFEST in names:
        before = _read(place)
        check_same(before, now, place, _REMEDY, _NAMED)
        warn_of_other_commit(before, now, place)
        return
    parts = sorted(name for name in names if name.startswith("part-"))
    if parts:
        raise SettingError(folder, f"holds {parts[0]} of an unknown run", "write to another folder")
    storage.put(place, f"{dump(now, indent=2)}\n".encode())


def finished(folder: str) -> int | None:
    """Return how many clusters of a finished run failed, or None if the run is not finished."""
    place = storage.join(folder, FINISHED)
    if FINISHED not in storage.names_in(folder):
        return None
    failed = _read(place).get("failed")
    if type(failed) is not int:
        raise InputError(place, "not written by summc batch", "remove it")
    return failed


def left_out(folder: str) -> dict[str, list[str]]:
    """Return the documents that were left out for lack of an extra: name of a part -> their places."""
    place = storage.join(folder, LEFT_OUT)
    found = _read(place) if LEFT_OUT in storage.names_in(folder) else {}
    for places in found.values():
        if not (isinstance(places, list) and places and all(isinstance(each, str) for each in places)):
            raise InputError(place, "not written by summc batch", "remove it")
    return found


def record_left_out(folder: str, found: Mapping[str, Sequence[str]]) -> None:
    """Record the documents that were left out for lack of an extra, in place of an earlier record."""
    storage.put(storage.join(folder, LEFT_OUT), f"{dump(dict(found), indent=2)}\n".encode("utf-8", "replace"))


def check_own(folder: str, now: Mapping[str, Any]) -> None:
    """Raise ``OutputError`` if a run with other conditions has written to the folder.

    Call it at the end of a run, because a folder at a URL cannot be locked. ``now`` has the conditions of
    this run.
    """
    place = storage.join(folder, MANIFEST)
    try:
        check_same(_read(place), now, place, _REMEDY, _NAMED)
    except SummcError as error:
        problem = f"another run has written there ({error.problem})"
        raise OutputError(folder, problem, "remove it, and start again") from None


def finish(folder: str, clusters: int, failed: int) -> None:
    """Record that all parts are written, with the number of clusters and of those that failed."""
    data = dump({"clusters": clusters, "failed": failed}) + "\n"
    storage.put(storage.join(folder, FINISHED), data.encode())


def _fingerprint(config: Config) -> str:
    digest = hashlib.sha256()
    for cluster in read_background(config, asked_language(config.load.language)):
        digest.update(dump(encode_tokenized(cluster)).encode("utf-8"))
    return digest.hexdigest()[:16]


def _different(before: Any, now: Any) -> str:
    old = [each for each in (before or ()) if isinstance(each, dict)]
    names = [[each.get("path") for each in inputs] for inputs in (old, now)]
    if names[0] != names[1]:
        return f"{', '.join(map(str, names[0])) or 'none'}, now {', '.join(map(str, names[1]))}"
    return next(f"{new['path']} has changed" for was, new in zip(old, now, strict=True) if was != new)


#: Condition that is not a setting -> function that describes how its old and its new value differ.
_NAMED: Mapping[str, Callable[[Any, Any], str]] = {
    "inputs": lambda before, now: f"of other input ({_different(before, now)})",
    "background": lambda *_: "with another background",
}


def _read(place: str) -> dict[str, Any]:
    try:
        found = json.loads(storage.read(place))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(place, "not written by summc batch", _REMEDY)
    return found
