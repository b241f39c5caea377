"""Summarize many clusters independently, in several processes or on a Dask cluster of machines.

The clusters are divided into parts. The summaries of a part go into one file of the output folder, which is
written whole or not at all. A run that is started again makes the parts that are not there. Other files:

- ``manifest.json`` has the inputs, the settings and the library versions. Other runs are refused there.
- ``left-out.json`` names the documents of each part that lacked an extra, for later runs.
- ``finished.json`` is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from summc.batch import storage
from summc.batch.clusters import Cluster, Input, read_again, take_stock
from summc.documents.decoding import auto_for
from summc.documents.formats import FORMATS
from summc.documents.sentences import lacking_extra, split_cluster
from summc.documents.sources import printable
from summc.errors import (
    InputError,
    InternalError,
    OutputError,
    SettingError,
    SummcError,
    as_typed,
    is_lack_of_memory,
)
from summc.method import read_background, summarize
from summc.records import TokenizedCluster
from summc.report.codec import encode_tokenized
from summc.report.summaries import passed_on, summary_object
from summc.selectors import SELECTORS
from summc.settings.config import Config
from summc.system.inputs import limits
from summc.system.json_objects import dump
from summc.system.outputs import check_same, warn_of_other_commit
from summc.system.processes import heard, map_in_order
from summc.system.versions import version
from summc.text.languages import asked_language
from summc.weights import WEIGHTINGS

__all__ = ["Batch", "prepare"]

log = logging.getLogger("summc")

_MANIFEST, _FINISHED, _LEFT_OUT = "manifest.json", "finished.json", "left-out.json"
_REMEDY = "write to another folder, or remove this one"
#: Digits in the name of a part, at least.
_DIGITS = 5
#: Parts to read at the same time. An object store answers slowly, but takes many requests at once.
_READERS = 16

#: Libraries whose version can change the summaries.
LIBRARIES = (
    "summc", "markdown-it-py", "nltk", "numpy", "nupunkt", "py3langid", "PyStemmer", "regex", "scikit-learn",
    "scipy", "sentencex", "stopwordsiso",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know about a run; ``conditions`` is all that the content of parts depends on."""

    config: Config
    output: str
    conditions: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """A written part: how many clusters it has, how many of them failed, and the warnings.

    ``left_out`` has the places of the documents that were left out for lack of an extra of summc.
    """

    name: str
    clusters: int
    failed: int
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """A prepared run: its inputs are counted, and its output folder belongs to no other run.

    ``sizes`` has the number of clusters of every part, by its name. ``failed`` has the parts that are there,
    with the number of clusters without a summary, and ``left_out`` the documents that parts lack.
    """

    inputs: Sequence[Input]
    part_size: int
    job: Job
    sizes: Mapping[str, int]
    failed: dict[str, int]
    left_out: dict[str, Sequence[str]]

    @property
    def left(self) -> int:
        """The number of clusters in parts that are not written yet."""
        return sum(size for name, size in self.sizes.items() if name not in self.failed)

    def work(self, jobs: int = 1, scheduler: str = "") -> Iterator[Done]:
        """Write the missing parts, and yield the totals of each part when it is written.

        Works in ``jobs`` processes, or on the Dask cluster whose scheduler has the address ``scheduler``.
        """
        if not self.left:
            return
        do = partial(do_part, self.job)
        if scheduler:
            from summc.batch.scheduler import map_on_cluster  # noqa: PLC0415 (an extra)

            results = map_on_cluster(do, self.missing(), scheduler)
        else:
            results = map_in_order(do, self.missing(), min(jobs, len(self.sizes)))
        try:
            with contextlib.closing(results):  # stop all writers before _clear removes files
                for first, done in enumerate(results):
                    if not first:  # a worker on another machine may have another folder of that name
                        remedy = "write to a folder that all machines share, or to a URL"
                        self._require([done.name], remedy)
                    for warning in done.warnings:
                        log.warning("%s", warning)
                    self.failed[done.name] = done.failed
                    lacked = self.left_out.pop(done.name, ())
                    if done.left_out:
                        self.left_out[done.name] = done.left_out
                    if lacked or done.left_out:
                        _put(self.job.output, _LEFT_OUT, self.left_out, indent=2)
                    yield done
        finally:
            _clear(self.job.output)

    def finish(self) -> None:
        """Check that all parts are there, and record that the run is finished."""
        output = self.job.output
        place = storage.join(output, _MANIFEST)
        try:  # a URL is not locked
            check_same(_read(place), self.job.conditions, place, _REMEDY, _NAMED)
        except SummcError as error:
            problem = f"another run has written there ({error.problem})"
            raise OutputError(output, problem, "remove it, and start again") from None
        self._require(self.sizes, "start again, and it is made")
        totals = {"clusters": sum(self.sizes.values()), "failed": sum(self.failed.values())}
        if _FINISHED not in storage.names_in(output) or _read(storage.join(output, _FINISHED)) != totals:
            _put(output, _FINISHED, totals)

    def missing(self) -> Iterator[tuple[str, Sequence[Cluster]]]:
        """Yield the name and the clusters of each part to write; raise an error if an input has changed."""
        clusters = (cluster for each in self.inputs for cluster in read_again(each))
        for name in self.sizes:
            found = tuple(itertools.islice(clusters, self.part_size))
            if name not in self.failed:
                yield name, found
        next(clusters, None)  # look for changes after the last cluster

    def _require(self, names: Iterable[str], remedy: str) -> None:
        there = storage.names_in(self.job.output)
        for name in names:
            if name not in there:
                place = storage.join(self.job.output, name)
                raise OutputError(place, "is not there, though written", remedy)


@contextlib.contextmanager
def prepare(paths: Sequence[str], config: Config, output: str, part_size: int) -> Iterator[Batch]:
    """Prepare a run that summarizes the clusters in ``paths`` into the folder ``output``.

    Makes the folder if it does not exist, and raises if it belongs to another run. The folder is locked until
    the ``with`` block ends. ``part_size`` is the number of clusters in each part.
    """
    inputs, output = [take_stock(storage.plain(path)) for path in paths], storage.plain(output)
    now = _conditions(config, inputs, part_size)
    with storage.held(output):
        _claim(output, now)
        _clear(output)
        clusters = sum(each.clusters for each in inputs)
        starts = range(0, clusters, part_size)
        width = max(_DIGITS, len(str(len(starts) - 1)))
        sizes = {f"part-{n:0{width}}.jsonl": min(part_size, clusters - at) for n, at in enumerate(starts)}
        left_out = _read(storage.join(output, _LEFT_OUT)) if _LEFT_OUT in storage.names_in(output) else {}
        job = Job(_everywhere(config), storage.absolute(output), now)
        yield Batch(inputs, part_size, job, sizes, _written(output, sizes), left_out)


def libraries() -> dict[str, str]:
    """Return what can change the summaries on a machine: the versions of libraries, and the limits."""
    return {**{name: version(name) for name in LIBRARIES}, **limits()}


def _conditions(config: Config, inputs: Sequence[Input], part_size: int) -> dict[str, Any]:
    """Return everything that the content of the parts depends on, by name."""
    unused = {table for table in config.tables if table.partition(".")[2] not in ("", config.select.selector)}
    found = {"part_size": part_size, **config.conditions(without={*unused, "score"})}
    if config.weigh.background:
        digest = hashlib.sha256()
        for cluster in read_background(config, asked_language(config.load.language)):
            digest.update(dump(encode_tokenized(cluster)).encode("utf-8"))
        found["background"] = digest.hexdigest()[:16]
    held = [
        {"path": printable(each.path), "clusters": each.clusters, "digest": each.digest} for each in inputs
    ]
    # The formats of the inputs are not known before they are read, so all packages that add a format count.
    packages = [SELECTORS.versions(config.select.selector), WEIGHTINGS.versions(config.weigh.weighting)]
    for each in (*packages, *map(FORMATS.versions, FORMATS)):
        found.update(each)
    return {**found, **libraries(), "inputs": held}


def _everywhere(config: Config) -> Config:
    """Return the configuration with absolute paths, for workers whose current folder is another one."""
    background = [os.path.abspath(path) if os.path.exists(path) else path for path in config.weigh.background]  # noqa: PTH100, PTH110 (links stay)
    data = os.path.abspath(config.load.data) if config.load.data else ""  # noqa: PTH100 (the same)
    return config.with_settings({"background": tuple(background), "data": data})


# The output folder


def _claim(output: str, now: Mapping[str, Any]) -> None:
    """Write the manifest if the folder is new; raise if the folder belongs to a run with other conditions."""
    names, place = storage.names_in(output), storage.join(output, _MANIFEST)
    if _MANIFEST in names:
        before = _read(place)
        check_same(before, now, place, _REMEDY, _NAMED)
        warn_of_other_commit(before, now, place)
        return
    parts = sorted(name for name in names if name.startswith("part-"))
    if parts:
        raise SettingError(output, f"holds {parts[0]} of an unknown run", "write to another folder")
    _put(output, _MANIFEST, now, indent=2)


def _other_inputs(before: Any, now: Any) -> str:
    old = [each for each in (before or ()) if isinstance(each, dict)]
    names = [[each.get("path") for each in inputs] for inputs in (old, now)]
    if names[0] != names[1]:
        was, now_is = (", ".join(map(str, each)) or "none" for each in names)
        return f"of other input ({was}, now {now_is})"
    changed = next(new["path"] for was, new in zip(old, now, strict=True) if was != new)
    return f"of other input ({changed} has changed)"


#: Condition that is not a setting -> function that describes how its old and its new value differ.
_NAMED: Mapping[str, Callable[[Any, Any], str]] = {
    "inputs": _other_inputs,
    "background": lambda *_: "with another background",
}


def _written(output: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the parts that are there, and how many of their clusters failed.

    A part without a line for each cluster was changed by somebody. It is left out, so that it is made again.
    """
    there = storage.names_in(output)
    names = [name for name in sizes if name in there]
    with ThreadPoolExecutor(_READERS) as readers:
        parts = readers.map(lambda name: _count_failed(storage.join(output, name), sizes[name]), names)
        failed = dict(zip(names, parts, strict=True))
    for name in names:
        if failed[name] is None:
            place = storage.join(output, name)
            log.warning("%s: does not have a line for each cluster, so it is made again", place)
    return {name: number for name, number in failed.items() if number is not None}


def _count_failed(place: str, clusters: int) -> int | None:
    *lines, rest = storage.read(place).split(b"\n")
    if rest or len(lines) != clusters:
        return None
    try:
        return sum(b'"error": {' in line and "error" in json.loads(line) for line in lines)
    except ValueError:
        return None


def _put(output: str, name: str, value: Mapping[str, Any], indent: int | None = None) -> None:
    data = f"{dump(value, indent=indent)}\n".encode("utf-8", "replace")
    storage.put(storage.join(output, name), data)


def _read(place: str) -> dict[str, Any]:
    try:
        found = json.loads(storage.read(place))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(place, "not written by summc batch", _REMEDY)
    return found


def _clear(output: str) -> None:
    """Remove the temporary files that a killed process left in the output folder."""
    for name in storage.names_in(output):
        if name.startswith((".part-", ".manifest.", ".finished.", ".left-out.")):
            storage.remove(storage.join(output, name))


# Work on a part


def do_part(job: Job, part: tuple[str, Sequence[Cluster]]) -> Done:
    """Summarize each cluster of a part by itself, and write the part's file, whole or not at all."""
    for library, here in libraries().items():
        wanted = job.conditions.get(library)
        if here != wanted:
            problem = f"a worker has {library} {here}, and here it is {wanted}"
            raise SettingError(as_typed("scheduler"), problem, "make it the same everywhere")
    name, clusters = part
    left_out: list[str] = []
    with heard() as warnings:
        lines = [_line(cluster, job, left_out) for cluster in clusters]
    data = "".join(f"{dump(line)}\n" for line in lines).encode("utf-8", "replace")
    storage.put(storage.join(job.output, name), data)
    failed = sum("error" in line for line in lines)
    return Done(name, len(lines), failed, tuple(warnings), tuple(left_out))


def _line(cluster: Cluster, job: Job, left_out: list[str]) -> dict[str, Any]:
    """Return the output line of a cluster: its summary, or its error if it has none.

    The places of documents that lack an extra of summc are appended to ``left_out``.
    """
    language = asked_language(job.config.load.language)
    try:
        raw = cluster.read(auto_for(job.config.load.encoding, language))
        left_out += lacking_extra(raw)
        split = split_cluster(raw, language)
        background = _background(job, split.language)
        # A boosted or ignored word may occur in another cluster, so do not warn.
        (result,) = summarize([split], job.config, background=background, warns_of_words=False)
    except SummcError as error:
        return _failure(cluster, error)
    except Exception as error:  # noqa: BLE001 (one cluster must not end a run of a million)
        if is_lack_of_memory(error):  # not the cluster's fault, so do not record it as failed
            remedy = f"give more memory, or fewer {as_typed('jobs')}, and start it again"
            raise InternalError(cluster.name(), "out of memory", remedy) from None
        remedy = f"run {as_typed('summc.summarize')} on it and report it"
        return _failure(cluster, InternalError("internal", f"{type(error).__name__}: {error}", remedy))
    return _failure(cluster, result) if isinstance(result, SummcError) else summary_object(result)


def _failure(cluster: Cluster, error: SummcError) -> dict[str, Any]:
    about = {
        "code": error.exit_code, "place": error.place, "problem": error.problem, "remedy": error.remedy
    }  # fmt: skip
    return {"id": cluster.name(), "error": about, **passed_on(cluster.members())}


@lru_cache(maxsize=1)
def _backgrounds(_run: str) -> dict[str, list[TokenizedCluster]]:
    """Return the background clusters that this process has read for a run so far, by language."""
    return {}


def _background(job: Job, language: str) -> list[TokenizedCluster]:
    if not job.config.weigh.background:
        return []
    known = _backgrounds(dump(job.conditions))
    if language not in known:
        known[language] = read_background(job.config, language)
    return known[language]
