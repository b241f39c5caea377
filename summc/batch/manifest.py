"""What a folder of parts was made of and how, so that a run goes on only from what is its own.

``OUT/manifest.json`` is written before the first part and never again; ``OUT/finished.json`` after the last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from summc.batch import places
from summc.batch.plan import Input
from summc.codec import encode_tokenized
from summc.config import Config
from summc.documents.formats import FORMATS
from summc.documents.sources import printable
from summc.errors import InputError, OutputError, SettingError, SummcError
from summc.files.inputs import LIMIT, most_bytes
from summc.files.json_objects import dump
from summc.files.versions import version
from summc.pipeline import read_background
from summc.selectors import SELECTORS
from summc.selectors.compiled import library
from summc.settings import settings_of
from summc.text.languages import asked_language
from summc.text.numbers import shown
from summc.weights import WEIGHTINGS

MANIFEST, FINISHED = "manifest.json", "finished.json"

#: The libraries that what is written depends on.
LIBRARIES = (
    "summc",
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
_UNUSED = ("score",)


def libraries() -> dict[str, str]:
    """Return what is installed here, and how much is read, as far as what is written depends on it.

    Messages that the loops in C make may differ from numpy's in their last digits.
    """
    loops = "in numpy" if library() is None else "in C"
    return {
        **{name: version(name) for name in LIBRARIES},
        "inner loops": loops,
        LIMIT: str(most_bytes() // 1024**2),
    }


def conditions(config: Config, inputs: Sequence[Input], part_size: int) -> dict[str, Any]:
    """Return all that the parts depend on, by name, so that what differs can be said."""
    found: dict[str, Any] = {"part_size": part_size}
    for table, settings in config.tables.items():
        is_used = table not in _UNUSED and table.partition(".")[2] in ("", config.select.selector)
        for name, value in settings_of(settings).items() if is_used else ():
            if (table, name) != ("load", "data"):  # where the data lay is not what it is
                found[f"{table}.{name}"] = list(value) if isinstance(value, tuple) else shown(value)
    if config.weigh.background:
        found["background"] = _fingerprint(config)
    held = [
        {"path": printable(each.path), "clusters": each.clusters, "digest": each.digest} for each in inputs
    ]
    # Which formats the inputs have is known when they are read, so that all that could be in them count.
    packages = {
        **SELECTORS.versions(config.select.selector),
        **WEIGHTINGS.versions(config.weigh.weighting),
        **FORMATS.versions(),
    }
    return {**found, **libraries(), **packages, "inputs": held}


def resume(folder: str, now: Mapping[str, Any]) -> None:
    """Begin a folder of parts, or find that the one that is there was begun under the same conditions."""
    names, place = places.names_in(folder), places.join(folder, MANIFEST)
    if MANIFEST in names:
        _compare(_read(place), now, place)
        return
    parts = sorted(name for name in names if name.startswith("part-"))
    if parts:
        raise SettingError(folder, f"holds {parts[0]} of an unknown run", "write to another folder")
    places.put(place, f"{dump(now, indent=2)}\n".encode())


def finished(folder: str) -> int | None:
    """Return how many clusters of a finished run failed, or None where it is not finished."""
    place = places.join(folder, FINISHED)
    if FINISHED not in places.names_in(folder):
        return None
    failed = _read(place).get("failed")
    if type(failed) is not int:
        raise InputError(place, "not written by summc batch", "remove it")
    return failed


def check_own(folder: str, now: Mapping[str, Any]) -> None:
    """Find that the folder is still this run's: what has a URL may have been taken by another."""
    place = places.join(folder, MANIFEST)
    try:
        _compare(_read(place), now, place)
    except SummcError as error:
        problem = f"another run has written there ({error.problem})"
        raise OutputError(folder, problem, "remove it, and start again") from None


def finish(folder: str, clusters: int, failed: int) -> None:
    """Write down that all parts are there."""
    data = dump({"clusters": clusters, "failed": failed}) + "\n"
    places.put(places.join(folder, FINISHED), data.encode())


def _fingerprint(config: Config) -> str:
    digest = hashlib.sha256()
    for cluster in read_background(config, asked_language(config.load.language)):
        digest.update(dump(encode_tokenized(cluster)).encode("utf-8"))
    return digest.hexdigest()[:16]


def _compare(before: Mapping[str, Any], now: Mapping[str, Any], place: str) -> None:
    for name in [*now, *before]:
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if name == "inputs":
            raise SettingError(place, f"made of other input ({_different(old, new)})", _REMEDY)
        if name == "background":
            raise SettingError(place, "made with another background", _REMEDY)
        raise SettingError(place, f"made with other settings ({name}: {old}, now {new})", _REMEDY)


def _different(before: Any, now: Any) -> str:
    old = [each for each in (before or ()) if isinstance(each, dict)]
    names = [[each.get("path") for each in inputs] for inputs in (old, now)]
    if names[0] != names[1]:
        return f"{', '.join(map(str, names[0])) or 'none'}, now {', '.join(map(str, names[1]))}"
    return next(f"{new['path']} has changed" for was, new in zip(old, now, strict=True) if was != new)


def _read(place: str) -> dict[str, Any]:
    try:
        found = json.loads(places.read(place))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(place, "not written by summc batch", _REMEDY)
    return found
