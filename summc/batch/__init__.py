"""Summarize many clusters independently, in several processes or on a Dask cluster of machines.

The clusters are divided into parts. The summaries of a part go into one file of the output folder, which is
written whole or not at all. A run that is started again makes the parts that are not there. Other files:

- ``manifest.json`` has the inputs, the settings and the library versions. Other runs are refused there.
- ``left-out.json`` names the documents of each part that lacked an extra, for later runs.
- ``digests.json`` has the digest of each part, by which a part that somebody changed is found.
- ``finished.json`` is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from posixpath import join  # for URLs too
from typing import Any

from summc.batch import storage
from summc.batch.clusters import ClusterSource, Input, read_again, take_stock
from summc.config import Config
from summc.documents.decoding import auto_for
from summc.documents.formats import FORMATS
from summc.documents.sentences import split_cluster
from summc.documents.sources import printable
from summc.errors import InputError, InternalError, SettingError, SummcError, as_typed, is_lack_of_memory
from summc.method import preprocess_background, summarize
from summc.preprocess.token_counts import counts, file_data
from summc.records import TokenizedCluster
from summc.report.codec import Shape, encode_tokenized, validated
from summc.report.summaries import passed_on, summary_object
from summc.selectors import SELECTORS
from summc.signatures import signature_of_run
from summc.system.inputs import limits
from summc.system.json_objects import dump
from summc.system.logs import captured_logs, log
from summc.system.outputs import check_same, warn_of_other_commit
from summc.system.processes import map_in_order
from summc.system.versions import version
from summc.text.languages import asked_language
from summc.weights import WEIGHTINGS

_MANIFEST, _FINISHED, _LEFT_OUT, _DIGESTS = "manifest.json", "finished.json", "left-out.json", "digests.json"
#: How the names of temporary files begin.
_TEMPORARY = (".part-", *(f".{name}" for name in (_MANIFEST, _FINISHED, _LEFT_OUT, _DIGESTS)))
_REMEDY = "write to another folder, or remove this one"
#: Parts to read at the same time. An object store answers slowly, but takes many requests at once.
_READERS = 16
#: Digests are written when this share of them is new, so that a run of many parts does not write them often.
_NEW = 1 / 16
#: How the line of a cluster without a summary begins.
_FAILED = re.compile(rb'\{"id": "(?:[^"\\]|\\.)*", "error": \{')

#: Libraries whose version can change the summaries.
LIBRARIES = (
    "summc", "nltk", "numpy", "nupunkt", "py3langid", "PyStemmer", "regex", "scikit-learn",
    "scipy", "sentencex", "stopwordsiso",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to know about a run; ``conditions`` is the manifest, as JSON."""

    config: Config = field(compare=False)
    output: str
    conditions: str


@dataclass(frozen=True, slots=True)
class Done:
    """A written part: its clusters, how many failed, and the documents that lacked an extra of summc."""

    name: str
    clusters: int
    failed: int
    warnings: Sequence[str] = ()
    left_out: Sequence[str] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """A prepared run: its inputs are counted, and its output folder belongs to no other run.

    ``sizes`` has the number of clusters of every part, by its name. ``failed`` has the parts that are there,
    with the number of clusters without a summary, ``digests`` the digests of these parts, and ``left_out``
    the documents that parts lack.
    """

    inputs: Sequence[Input]
    job: Job
    sizes: Mapping[str, int]
    failed: dict[str, int]
    digests: dict[str, str]
    left_out: dict[str, list[str]]

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
            from summc.system.scheduler import map_on_cluster  # noqa: PLC0415 (an extra)

            results = map_on_cluster(do, self.missing(), scheduler)
        else:
            results = map_in_order(do, self.missing(), min(jobs, len(self.sizes)))
        new = 0  # parts whose digests were not written yet
        try:
            with contextlib.closing(results):  # stop all writers before their files are removed
                for number, done in enumerate(results):
                    if not number:  # a worker on another machine may have another folder of that name
                        storage.require([done.name], self.job.output)
                    for warning in done.warnings:
                        log.warning("%s", warning)
                    self.failed[done.name], self.digests[done.name] = done.failed, done.digest
                    new += 1
                    if new >= _NEW * len(self.digests):
                        _put(self.job.output, _DIGESTS, dict(sorted(self.digests.items())), indent=2)
                        new = 0
                    if done.left_out or done.name in self.left_out:
                        self.left_out[done.name] = list(done.left_out)
                        _put(self.job.output, _LEFT_OUT, self.left_out, indent=2)
                    yield done
        finally:
            storage.clear(self.job.output, _TEMPORARY)

    def finish(self) -> None:
        """Check that all parts are there, and record that the run is finished."""
        output, now = self.job.output, json.loads(self.job.conditions)
        # A URL cannot be locked, so the manifest may be that of another run by now.
        check_same(_read(output, _MANIFEST, dict[str, Any]) or {}, now, join(output, _MANIFEST), _REMEDY)
        storage.require(self.sizes, output)
        totals = {"clusters": sum(self.sizes.values()), "failed": sum(self.failed.values())}
        digests = dict(sorted(self.digests.items()))
        for name, content, indent in ((_DIGESTS, digests, 2), (_FINISHED, totals, None)):
            if _read(output, name, dict[str, Any]) != content:
                _put(output, name, content, indent=indent)

    def missing(self) -> Iterator[tuple[str, Sequence[ClusterSource]]]:
        """Yield the name and the clusters of each part to write; raise an error if an input has changed."""
        clusters = itertools.chain.from_iterable(map(read_again, self.inputs))
        for name, size in self.sizes.items():
            with captured_logs():  # the warnings of the first reading
                part = tuple(itertools.islice(clusters, size))
            if name not in self.failed:
                yield name, part
        with captured_logs():
            next(clusters, None)  # look for changes after the last cluster


@contextlib.contextmanager
def prepare(paths: Sequence[str], config: Config, output: str, part_size: int) -> Iterator[Batch]:
    """Prepare a run that summarizes the clusters in ``paths`` into the folder ``output``.

    Makes the folder if it does not exist, and raises if it belongs to another run. The folder is locked until
    the ``with`` block ends. ``part_size`` is the number of clusters in each part.
    """
    inputs = list(map(take_stock, paths))
    now = _conditions(config, inputs, part_size)
    with storage.locked(output):
        _claim(output, now)
        storage.clear(output, _TEMPORARY)
        clusters = sum(source.clusters for source in inputs)
        starts = range(0, clusters, part_size)
        width = max(5, len(str(len(starts) - 1)))
        sizes = {f"part-{n:0{width}}.jsonl": min(part_size, clusters - at) for n, at in enumerate(starts)}
        job = Job(_everywhere(config), storage.absolute(output), dump(now))
        left_out = _read(output, _LEFT_OUT, dict[str, list[str]]) or {}
        yield Batch(inputs, job, sizes, *_written(output, sizes), left_out)


def libraries() -> dict[str, str]:
    """Return what can change the summaries on a machine: the versions of libraries, and the limits."""
    return {**{name: version(name) for name in LIBRARIES}, **limits()}


def _conditions(config: Config, inputs: Sequence[Input], part_size: int) -> dict[str, Any]:
    """Return everything that the content of the parts depends on, by name."""
    unused = {table for table in config.tables if table.partition(".")[2] not in ("", config.select.selector)}
    conditions = {"part_size": part_size, **config.conditions(without={*unused, "score"})}
    if config.weigh.background:
        digest = hashlib.sha256()
        for cluster in preprocess_background(config, asked_language(config.load.language)):
            digest.update(dump(encode_tokenized(cluster)).encode("utf-8"))
        conditions["content of the background"] = digest.hexdigest()[:16]
    if tokenizer := config.preprocess.tokenizer:
        counts(tokenizer, [])  # raises now, and not for each cluster
        conditions["content of the tokenizer"] = _digest(file_data(tokenizer))
    # The formats of the inputs are not known before they are read, so all packages that add a format count.
    packages = [SELECTORS.versions(config.select.selector), WEIGHTINGS.versions(config.weigh.weighting)]
    for package in (*packages, *map(FORMATS.versions, FORMATS)):
        conditions.update(package)
    conditions |= {**libraries(), "inputs": [printable(source.path) for source in inputs]}
    for source in inputs:
        conditions[f"content of {printable(source.path)}"] = f"{source.clusters} clusters, {source.digest}"
    return conditions


def _everywhere(config: Config) -> Config:
    """Return the configuration with absolute paths, for workers that run in another folder."""

    def absolute(path: str) -> str:
        return os.path.abspath(path) if os.path.exists(path) else path  # noqa: PTH100, PTH110 (links stay)

    path, colon, name = config.preprocess.tokenizer.partition(".py:")  # FILE.py:FUNCTION
    tokenizer = f"{absolute(f'{path}.py')}:{name}" if colon else absolute(path)
    data = os.path.abspath(config.load.data) if config.load.data else ""  # noqa: PTH100 (the same)
    background = tuple(map(absolute, config.weigh.background))
    return config.with_settings({"background": background, "data": data, "tokenizer": tokenizer})


# The output folder


def _claim(output: str, now: Mapping[str, Any]) -> None:
    """Write the manifest if the folder is new; raise if the folder belongs to a run with other conditions."""
    before, place = _read(output, _MANIFEST, dict[str, Any]), join(output, _MANIFEST)
    if before is not None:
        check_same(before, now, place, _REMEDY)
        warn_of_other_commit(before, now, place)
        return
    parts = sorted(name for name in storage.names_in(output) if name.startswith("part-"))
    if parts:
        raise SettingError(output, f"holds {parts[0]} of an unknown run", "write to another folder")
    _put(output, _MANIFEST, now, indent=2)


def _written(output: str, sizes: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
    """Return for each part that is there how many of its clusters failed, and its digest.

    A part that somebody changed is left out, so that it is made again. A run that was killed may not have
    written the digests of its last parts: these need a line for each cluster.
    """
    there, before = storage.names_in(output), _read(output, _DIGESTS, dict[str, str]) or {}
    failed, digests = dict[str, int](), dict[str, str]()
    places = {name: join(output, name) for name in sizes if name in there}
    with ThreadPoolExecutor(_READERS) as readers:
        counts = zip(places, readers.map(_count, places.values()), strict=True)
        for name, (clusters, errors, digest) in counts:
            if clusters != sizes[name]:
                log.warning("%s: does not have a line for each cluster, so it is made again", places[name])
            elif digest != before.get(name, digest):
                log.warning("%s: was changed after it was written, so it is made again", places[name])
            else:
                failed[name], digests[name] = errors, digest
    return failed, digests


def _count(place: str) -> tuple[int, int, str]:
    """Return how many clusters a part has, or -1 if a line has no end; how many failed; and its digest."""
    data = storage.read(place)
    *lines, rest = data.split(b"\n")
    return -1 if rest else len(lines), sum(1 for line in lines if _FAILED.match(line)), _digest(data)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _put(output: str, name: str, *objects: Mapping[str, Any], indent: int | None = None) -> str:
    """Write objects into a file of the output folder, and return the digest of the file."""
    data = "".join(f"{dump(item, indent=indent)}\n" for item in objects).encode("utf-8", "replace")
    storage.put(join(output, name), data)
    return _digest(data)


def _read(output: str, name: str, shape: type[Shape]) -> Shape | None:
    """Return the object in a file of the output folder; None if there is no such file."""
    if name not in storage.names_in(output):
        return None
    place = join(output, name)
    try:
        return validated(json.loads(storage.read(place)), shape, name)
    except (ValueError, RecursionError, InputError):
        raise InputError(place, "not written by summc batch", _REMEDY) from None


# Work on a part


def do_part(job: Job, part: tuple[str, Sequence[ClusterSource]]) -> Done:
    """Summarize each cluster of a part by itself, and write the part's file, whole or not at all."""
    conditions = json.loads(job.conditions)
    for library, here in libraries().items():
        if here != conditions[library]:
            problem = f"a worker has {library} {here}, and here it is {conditions[library]}"
            raise SettingError(as_typed("scheduler"), problem, "make it the same everywhere")
    name, clusters = part
    left_out: list[str] = []
    with captured_logs() as warnings:
        lines = [_line(cluster, job, left_out) for cluster in clusters]
    digest = _put(job.output, name, *lines)
    return Done(name, len(lines), sum("error" in line for line in lines), warnings, left_out, digest)


def _line(cluster: ClusterSource, job: Job, left_out: list[str]) -> dict[str, Any]:
    """Return a cluster's summary or error; the documents that lack an extra are added to ``left_out``."""
    language = asked_language(job.config.load.language)
    try:
        raw = cluster.read(auto_for(job.config.load.encoding, language))
        loaded = split_cluster(raw, language, left_out, job.config.load.split)
        background = _background(job, loaded.language)
        # A boosted or ignored word may occur in another cluster, so do not warn.
        (result,) = summarize([loaded], job.config, background=background, warns_of_words=False)
    except SummcError as error:
        result = error
    except Exception as error:  # noqa: BLE001 (one cluster must not end a run of a million)
        if is_lack_of_memory(error):  # not the cluster's fault, so do not record it as failed
            remedy = f"give more memory, or fewer {as_typed('jobs')}, and start it again"
            raise InternalError(cluster.about()[0], "out of memory", remedy) from None
        remedy = f"run {as_typed('summc.summarize')} on it and report it"
        result = InternalError("internal", f"{type(error).__name__}: {error}", remedy)
    if not isinstance(result, SummcError):
        return summary_object(result.summary, signature_of_run(result))
    about = {
        "code": result.exit_code, "place": result.place, "problem": result.problem, "remedy": result.remedy
    }  # fmt: skip
    name, members = cluster.about()
    return {"id": name, "error": about, **passed_on(members)}


@lru_cache(maxsize=64)
def _background(job: Job, language: str) -> list[TokenizedCluster]:
    """Return the background clusters of a run for a language; each process reads them once."""
    return preprocess_background(job.config, language) if job.config.weigh.background else []
