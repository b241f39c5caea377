"""The Python API: what ``import summc`` offers. ``summc/__init__.py`` says which names are public.

This module reads the arguments of a Python caller: settings, and what is to be summarized.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from summc import method
from summc.config import Config
from summc.documents.sources import cluster_of_texts
from summc.errors import InputError, SettingError, as_typed
from summc.records import Cluster
from summc.selectors import ROWS, SELECTORS, Selector
from summc.selectors.base import OwnSelector
from summc.selectors.solving import SelectSettings
from summc.settings import check, checked, rules, settings_of
from summc.system.inputs import STDIN
from summc.system.json_objects import is_number
from summc.system.logs import log
from summc.text.languages import asked_language
from summc.text.numbers import plain

#: Settings in any form that a caller may have them in. A text or path names a TOML file, or a configuration
#: that comes with summc, such as "paper". A mapping has some settings by name, such as {"beta": 45}.
ConfigLike = Config | Mapping[str, object] | str | os.PathLike[str]
#: A selector by its name, or as an object: of a class in SELECTORS, or of a class of the caller.
AnySelector = str | Selector | OwnSelector
Order = Literal["dates", "given"]
Fill = Literal["whole", "truncate"]

Path = os.PathLike[str]
Sources = str | Path | Cluster | Mapping[str, str] | Iterable[str] | Iterable[Path] | Iterable[Cluster]

#: What a path has and a text of one word does not: a slash, or the suffix of a file.
_PATH = re.compile(r"/|\.\w{1,5}$")
#: The most characters of a text that a warning shows.
_SHOWN = 60
_REMEDY = "give texts (str), paths (pathlib.Path) or clusters"


def config_of(config: ConfigLike | None = None, **changes: Any) -> Config:
    """Return ``config`` with the given settings changed; a setting that is None stays as it is."""
    base, settings = Config(), {name: value for name, value in changes.items() if value is not None}
    source: Any = config  # whatever the caller's types say
    if isinstance(source, Config):
        base = source
    elif isinstance(source, Mapping):
        settings = {**source, **settings}
    elif isinstance(source, str | os.PathLike):
        base = base.with_file(source)
    elif source is not None:
        kinds = "a Config, a mapping of settings, a TOML file or the name of a configuration"
        raise SettingError(as_typed("config"), f"must be {kinds}, got {type(config).__name__}")
    settings = {name: python_number(value) for name, value in settings.items()}
    if isinstance(settings.get("boost"), Mapping):
        settings["boost"] = [f"{word}={python_number(factor)}" for word, factor in settings["boost"].items()]
    if not isinstance(settings.get("embedder", ""), str):
        from summc.weights import embedders  # noqa: PLC0415 (only questions need it)

        settings["embedder"] = embedders.name_of(settings["embedder"])
    if "selector" in settings:
        selector = selector_of(settings["selector"])
        if not isinstance(settings["selector"], str):
            del settings["selector"]
            base = base.with_selector(selector)
    return base.with_settings(settings)


def selector_of(selector: AnySelector) -> Selector:
    """Return a selector, given by its name or as an object; check the name and the settings."""
    source: Any = selector  # whatever the caller's types say
    if isinstance(selector, str):
        default, rule = rules(SelectSettings)["selector"]
        return SELECTORS[str(check(selector, default, rule, as_typed("selector")))]()
    if type(selector) not in SELECTORS.values():
        name = "" if isinstance(selector, type) else getattr(selector, "name", "")
        if not (isinstance(name, str) and name and callable(getattr(selector, "select", None))):
            kinds = "the name of a selector, or an object with a name and select(graph, budget)"
            raise SettingError(as_typed("selector"), f"must be {kinds}, got {selector!r:.40}")
        if name in (*SELECTORS, *ROWS):
            problem = f'an object of another class has the name "{name}"'
            raise SettingError(as_typed("selector"), problem, "give it a name of its own")
        return source  # type: ignore[no-any-return]
    values = settings_of(selector)
    checked(type(selector), values, {name: as_typed(name) for name in values})
    return source  # type: ignore[no-any-return]


def python_number(value: Any) -> Any:
    """Return a number, maybe of NumPy, as an int or float; anything else is returned as it is."""
    with contextlib.suppress(OverflowError):  # too large for a float: the rules reject it too
        return plain(float(value)) if is_number(value) else value
    return value


def load(sources: Sources, config: ConfigLike | None = None) -> list[Cluster]:
    """Stage 1: return the clusters of documents in ``sources``, split into sentences.

    A ``str`` is always a text, and a ``pathlib.Path`` always a path of a file, a folder, an archive or a
    ``.jsonl`` file. Several texts are one cluster; a mapping of names to texts is a cluster of named
    documents. Paths are read as the command line reads them. Clusters are returned as they are.

    >>> [cluster] = load({"monday": "The dam broke.", "tuesday": "The mayor resigned."})
    >>> [document.id for document in cluster.documents]
    ['monday', 'tuesday']
    """
    chosen = config_of(config)
    source: Any = sources  # whatever the caller's types say
    if isinstance(source, Mapping):
        return [_of_texts(list(source.values()), chosen, list(source))]
    is_one = isinstance(source, str | os.PathLike | Cluster | bytes | io.IOBase)
    items = [source] if is_one or not isinstance(source, Iterable) else list(source)
    for item in items:
        if not isinstance(item, str | Cluster | os.PathLike):
            raise InputError("sources", f"must not be {type(item).__name__}", _REMEDY)
    kinds = {kind for item in items for kind in (str, Cluster, os.PathLike) if isinstance(item, kind)}
    if kinds == {Cluster}:
        return items
    if len(kinds) > 1:
        raise InputError("sources", "texts, paths and clusters are mixed", "give one kind")
    if kinds == {os.PathLike}:
        # "-" is standard input for the command line. Here it is a file of that name.
        paths = [os.fspath(path) for path in items]
        return list(method.load([f"./{path}" if path == STDIN else path for path in paths], chosen))
    return [_of_texts(items, chosen)]


def one_cluster(sources: Sources, config: Config) -> Cluster:
    """Return the only cluster in ``sources``; raise ``InputError`` if there are several."""
    clusters = load(sources, config)
    if len(clusters) != 1:
        problem = f"{len(clusters)} clusters, where one summary is asked for"
        raise InputError("sources", problem, "summarize each cluster of summc.load(...)")
    return clusters[0]


def _of_texts(texts: list[Any], config: Config, names: list[Any] | None = None) -> Cluster:
    for text in [*texts, *(names or ())]:
        if not isinstance(text, str):
            raise InputError("sources", f"names and texts must be str, not {type(text).__name__}", _REMEDY)
    for text in texts:
        # The caller of a text that looks like a path probably wants the file to be read.
        is_name = len(text.split()) == 1 and _PATH.search(text)
        if "\n" not in text and (is_name or os.path.exists(text)):  # noqa: PTH110 (any text)
            excerpt = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
            log.warning("%s: taken as a text; to read a file or folder, give a pathlib.Path", excerpt)
    language, split = asked_language(config.load.language), config.load.split
    return cluster_of_texts(texts, names=names or (), language=language, split=split)
