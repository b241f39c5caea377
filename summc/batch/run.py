"""Run a batch: summarize many clusters. A run that is started again resumes where it stopped."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from summc.batch import manifest, storage
from summc.batch.plan import Input, Part, make_parts, take_stock
from summc.batch.work import Done, Job, count_failed, do_part, part_name
from summc.errors import OutputError
from summc.settings.config import Config
from summc.system.json_objects import dump
from summc.system.pool import map_in_order

log = logging.getLogger("summc")

_DIGITS = 5
_READERS = 16


@dataclass(frozen=True, slots=True)
class Outcome:
    """The totals of a run: the number of clusters, of parts, and of clusters that failed."""

    clusters: int
    parts: int
    failed: int


@dataclass(frozen=True, slots=True)
class Batch:
    """A prepared run: its inputs are counted, and its output folder belongs to no other run.

    ``written`` has the names of the parts that exist already. ``failed`` is the number of clusters without a
    summary in those parts, and ``left_out`` has the documents that they lack: name of a part -> places.
    ``conditions`` has everything that the content of the parts depends on.
    """

    inputs: Sequence[Input]
    part_size: int
    job: Job
    written: frozenset[str]
    failed: int
    left_out: Mapping[str, Sequence[str]]
    conditions: Mapping[str, Any]

    @property
    def clusters(self) -> int:
        """The number of clusters in all inputs."""
        return sum(each.clusters for each in self.inputs)

    @property
    def parts(self) -> int:
        """The number of parts, including those that exist already."""
        return -(-self.clusters // self.part_size)

    @property
    def left(self) -> int:
        """The number of clusters in parts that are not written yet."""
        missing = [index for index in range(self.parts) if self._name(index) not in self.written]
        short = self.parts * self.part_size - self.clusters
        return len(missing) * self.part_size - (short if self.parts - 1 in missing else 0)

    def work(self, jobs: int = 1, scheduler: str = "") -> Iterator[Done]:
        """Write the missing parts, and yield the totals of each part when it is written.

        Works in ``jobs`` processes, or on the Dask cluster whose scheduler has the address ``scheduler``.
        """
        if not self.left:
            return
        do = partial(do_part, self.job)
        left_out = dict(self.left_out)
        try:
            if scheduler:
                from summc.batch.scheduler import map_on_cluster  # noqa: PLC0415 (an extra)

                results = map_on_cluster(do, self._missing(), scheduler)
            else:
                results = map_in_order(do, self._missing(), min(jobs, self.parts))
            with contextlib.closing(results):  # stop all writers before _clear removes files
                for first, done in enumerate(results):
                    if not first:
                        self._check_there(done)
                    for warning in done.warnings:
                        log.warning("%s", warning)
                    if done.left_out:
                        left_out[self._name(done.index)] = done.left_out
                        manifest.record_left_out(self.job.output, left_out)
                    yield done
        finally:
            _clear(self.job.output)

    def finish(self, failed: int) -> Outcome:
        """Check that all parts exist, record that the run is finished, and return its totals.

        ``failed`` is the number of failed clusters in the parts that ``work`` has written.
        """
        outcome = Outcome(self.clusters, self.parts, self.failed + failed)
        if self.left:
            manifest.check_own(self.job.output, self.conditions)
            names = storage.names_in(self.job.output)
            for index in range(self.parts):
                self._require(self._name(index), names, "start again, and it is made")
        if manifest.finished(self.job.output) != outcome.failed:
            manifest.finish(self.job.output, outcome.clusters, outcome.failed)
        return outcome

    def _missing(self) -> Iterator[Part]:
        for part in make_parts(self.inputs, self.part_size):
            if self._name(part.index) not in self.written:
                yield part

    def _name(self, index: int) -> str:
        return part_name(index, self.job.width)

    def _check_there(self, done: Done) -> None:
        """Raise ``OutputError`` if a part that a worker has written is not in the output folder.

        Then the worker wrote it on another machine, to a folder that is not shared.
        """
        remedy = "write to a folder that all machines share, or to a URL"
        self._require(self._name(done.index), storage.names_in(self.job.output), remedy)

    def _require(self, name: str, names: set[str], remedy: str) -> None:
        if name not in names:
            raise OutputError(storage.join(self.job.output, name), "is not there, though written", remedy)


@contextlib.contextmanager
def prepare(paths: Sequence[str], config: Config, output: str, part_size: int) -> Iterator[Batch]:
    """Prepare a run that summarizes the clusters in ``paths`` into the folder ``output``.

    Makes the folder if it does not exist, and raises if it belongs to another run. The folder is locked until
    the ``with`` block ends. ``part_size`` is the number of clusters in each output file.
    """
    # A URL with a wildcard stays a URL, so that fsspec expands it. In plain paths the shell has expanded the
    # wildcards already, so a wildcard that is left is part of a name.
    named = [path if storage.is_pattern(path) else storage.local(path) for path in paths]
    inputs, output = take_stock(named), storage.local(output)
    now = manifest.conditions(config, inputs, part_size)
    storage.make_folder(output)
    with storage.held(output):
        yield _resumed(inputs, config, output, part_size, now)


def _resumed(
    inputs: Sequence[Input], config: Config, output: str, part_size: int, now: Mapping[str, Any]
) -> Batch:
    manifest.resume(output, now)
    _clear(output)
    clusters = sum(each.clusters for each in inputs)
    parts = -(-clusters // part_size)
    width = max(_DIGITS, len(str(parts - 1)))
    job = Job(
        _everywhere(config), storage.absolute(output), width, manifest.libraries(), str(Path.cwd()), dump(now)
    )
    failed = _count_failed(
        output, {part_name(i, width): min(part_size, clusters - i * part_size) for i in range(parts)}
    )
    recorded = manifest.left_out(output)
    left_out = {name: places for name, places in recorded.items() if name in failed}
    if left_out != recorded:  # parts were removed, to be made again
        manifest.record_left_out(output, left_out)
    return Batch(inputs, part_size, job, frozenset(failed), sum(failed.values()), left_out, now)


def _count_failed(output: str, clusters: Mapping[str, int]) -> dict[str, int]:
    """Return how many clusters failed in each part that is written: name of the part -> number.

    ``clusters`` has the number of clusters of each part. A part with another number of lines was changed by
    somebody. It does not count as written, so that it is made again.
    """
    there = storage.names_in(output)
    names = [name for name in clusters if name in there]

    def count(name: str) -> int | None:
        return count_failed(storage.read(storage.join(output, name)), clusters[name])

    # Read the parts in parallel: an object store answers slowly, but takes many requests at once.
    with ThreadPoolExecutor(_READERS) as readers:
        failed = dict(zip(names, readers.map(count, names), strict=True))
    for name in names:
        if failed[name] is None:
            place = storage.join(output, name)
            log.warning("%s: does not have a line for each cluster, so it is made again", place)
    return {name: number for name, number in failed.items() if number is not None}


def _everywhere(config: Config) -> Config:
    """Return the configuration with absolute paths, for workers whose current folder is another one."""
    background = [os.path.abspath(path) if os.path.exists(path) else path for path in config.weigh.background]  # noqa: PTH100, PTH110 (links stay)
    data = os.path.abspath(config.load.data) if config.load.data else ""  # noqa: PTH100 (the same)
    return config.with_settings({"background": tuple(background), "data": data})


def _clear(output: str) -> None:
    """Remove the temporary files that a killed process left in the output folder."""
    for name in storage.names_in(output):
        if name.startswith((".part-", ".manifest.", ".finished.", ".left-out.")):
            storage.remove(storage.join(output, name))
