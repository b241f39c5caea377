"""Read what a Python caller wants summarized: texts, paths or clusters."""

from __future__ import annotations

import io
import logging
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from summc.api.settings import ConfigLike, config_of
from summc.documents import cluster_of_texts
from summc.errors import InputError
from summc.method import read
from summc.records import Cluster
from summc.settings.config import Config
from summc.system.inputs import STDIN
from summc.text.languages import asked_language

log = logging.getLogger("summc")

Path = os.PathLike[str]
Sources = str | Path | Cluster | Mapping[str, str] | Iterable[str] | Iterable[Path] | Iterable[Cluster]

#: What a path has and a text of one word does not: a slash, or the suffix of a file.
_PATH = re.compile(r"/|\.\w{1,5}$")
#: The most characters of a text that a warning shows.
_SHOWN = 60
_REMEDY = "give texts (str), paths (pathlib.Path) or clusters"


def load(sources: Sources, config: ConfigLike | None = None) -> list[Cluster]:
    """Stage 1: return the clusters of documents in ``sources``, split into sentences.

    A ``str`` is always a text, even if a file has that name. A ``pathlib.Path`` is always a path: of a file,
    a folder, an archive or a ``.jsonl`` file. So ``load("a.txt")`` has the text "a.txt", and
    ``load(Path("a.txt"))`` reads the file.

    Several texts are the documents of one cluster. A mapping of names to texts is one cluster too, with named
    documents. Paths are read as the command line reads them: files together are one cluster, a folder of
    documents is one, and a folder of such folders is several. Clusters are returned as they are.

    >>> [cluster] = load({"monday": "The dam broke.", "tuesday": "The mayor resigned."})
    >>> [document.id for document in cluster.documents]
    ['monday', 'tuesday']
    """
    return clusters_of(sources, config_of(config))


def clusters_of(sources: Sources, config: Config) -> list[Cluster]:
    """Return the clusters in ``sources``; ``load`` describes how each kind of source is read."""
    given: Any = sources  # whatever the caller's types say
    if isinstance(given, Mapping):
        return [_of_texts(list(given.values()), config, list(given))]
    is_one = isinstance(given, str | os.PathLike | Cluster | bytes | io.IOBase)
    items = [given] if is_one or not isinstance(given, Iterable) else list(given)
    kinds = {_kind(item) for item in items}
    if kinds == {Cluster}:
        return items
    if len(kinds) > 1:
        raise InputError("sources", "texts, paths and clusters are mixed", "give one kind")
    if kinds == {os.PathLike}:
        # "-" is standard input for the command line. Here it is a file of that name.
        paths = [os.fspath(path) for path in items]
        return list(read([f"./{path}" if path == STDIN else path for path in paths], config))
    return [_of_texts(items, config)]


def one_cluster(sources: Sources, config: Config) -> Cluster:
    """Return the only cluster in ``sources``; raise ``InputError`` if there are several."""
    clusters = clusters_of(sources, config)
    if len(clusters) != 1:
        problem = f"{len(clusters)} clusters, where one summary is asked for"
        raise InputError("sources", problem, "summarize each cluster of summc.load(...)")
    return clusters[0]


def _kind(source: object) -> type:
    for kind in (str, Cluster, os.PathLike):
        if isinstance(source, kind):
            return kind
    raise InputError("sources", f"must not be {type(source).__name__}", _REMEDY)


def _of_texts(texts: list[Any], config: Config, names: list[Any] | None = None) -> Cluster:
    for text in [*texts, *(names or ())]:
        if not isinstance(text, str):
            raise InputError("sources", f"names and texts must be str, not {type(text).__name__}", _REMEDY)
        if not _is_whole(text):
            raise InputError("sources", "hold half a surrogate pair", "write it as whole characters")
    for text in texts:
        _warn_of_path(text)
    language = asked_language(config.load.language)
    return cluster_of_texts(texts, names=names or (), language=language)


def _is_whole(text: str) -> bool:
    """Tell whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _warn_of_path(text: str) -> None:
    """Warn if a text looks like a path, because the caller probably wants the file to be read."""
    is_word = len(text.split()) == 1
    if "\n" not in text and (os.path.exists(text) or (is_word and _PATH.search(text))):  # noqa: PTH110 (any text)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        log.warning("%s: taken as a text; to read a file or folder, give a pathlib.Path", shown)
