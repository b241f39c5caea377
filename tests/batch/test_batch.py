"""``summc batch``: the same bytes however the input is read and however often the run is interrupted."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pytest
import zstandard
from fsspec.exceptions import FSTimeoutError
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile
from hypothesis import given
from hypothesis import strategies as st

from summc.batch import prepare, run, storage, work
from summc.batch.plan import make_parts, take_stock
from summc.batch.work import do_part
from summc.cli.console import with_progress
from summc.documents.raw import RawCluster
from summc.documents.sentences import split_cluster
from summc.errors import InputError, NoSummaryError, OutputError, SettingError
from summc.method import read_background
from summc.records import Cluster, TokenizedCluster
from summc.settings.config import Config
from summc.system.versions import RELEASE, version
from tests.conftest import SAMPLE, Cli, examples, held, wait_until
from tests.support.batches import (
    JOB,
    QUICK,
    QUICKLY,
    content,
    finish,
    make_lines,
    make_thirty,
    output_of,
    parts_in,
)


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    """Return a JSON lines file with 8 clusters."""
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(make_lines(8)) + "\n")
    return path


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a file of 30 clusters, the first one broken, and the batch output for it."""
    return make_thirty(tmp_path_factory.mktemp("thirty"))


# Output


def test_each_line_equals_the_summary_of_its_cluster_alone(
    summc: Cli, tmp_path: Path, clusters: Path
) -> None:
    result = summc("batch", clusters, "-o", tmp_path / "out", "--part-size", 3, *QUICK)
    assert (result.code, result.out, result.err) == (0, "", "")
    names = ["part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl"]
    assert sorted(content(tmp_path / "out")) == ["finished.json", "manifest.json", *names]
    assert [path.read_bytes().count(b"\n") for path in parts_in(tmp_path / "out")] == [3, 3, 2]
    alone = tmp_path / "alone.jsonl"
    made = output_of(tmp_path / "out").decode().splitlines(keepends=True)
    assert [json.loads(line)["id"] for line in made] == [f"c{n:03}" for n in range(8)]
    for line, written in list(zip(clusters.read_text().splitlines(), made, strict=True))[::3]:
        alone.write_text(line)
        assert summc("summarize", alone, "--format", "jsonl", *QUICK).out == written


def test_a_line_has_the_forecast_of_its_summary(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    flags = (*QUICK, "--weighting", "expected")
    assert summc("batch", clusters, "-o", tmp_path / "out", *flags).code == 0
    made = output_of(tmp_path / "out").decode()
    assert summc("summarize", clusters, "--format", "jsonl", *flags).out == made
    assert all(0.1 < json.loads(line)["forecast"] < 1 for line in made.splitlines())


def test_folders_make_the_same_clusters_as_in_summarize(summc: Cli, tmp_path: Path) -> None:
    folders = [SAMPLE / "docs" / f"d9000{n}t" for n in range(1, 3)]
    alone = "".join(summc("summarize", folder, "--format", "jsonl", *QUICK).out for folder in folders)
    (tmp_path / "in").mkdir()
    for folder in folders:
        shutil.copytree(folder, tmp_path / "in" / folder.name)
    for number, sources in enumerate(([tmp_path / "in"], folders)):
        assert summc("batch", *sources, "-o", tmp_path / str(number), *QUICK).code == 0
        assert output_of(tmp_path / str(number)).decode() == alone
    assert summc("batch", "--sample", "-o", tmp_path / "sample", *QUICK).code == 0
    made = output_of(tmp_path / "sample").decode()
    assert made.startswith(alone)
    assert made.count("\n") == 6


def test_a_folder_may_mix_lines_folders_and_empty_folders(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("b/one", "b/two", "void"):
        (tree / name).mkdir(parents=True)
    (tree / "b" / "one" / "a.txt").write_text("The dam broke. Nobody was hurt.")
    (tree / "b" / "two" / "b.txt").write_text("The dam held. Everybody cheered.")
    (tree / "b" / "back").symlink_to(tree)
    (tree / "b" / "one" / "out.txt").symlink_to(clusters)
    os.mkfifo(tree / "b" / "one" / "pipe")
    (tree / "a").mkdir()
    (tree / "a" / "in.jsonl").write_bytes(clusters.read_bytes())
    (tree / "a" / "beside").mkdir()
    (tree / "a" / "beside" / "c.txt").write_text("The dam leaked. Nobody saw it.")
    result = summc("batch", tree, "-o", tmp_path / "out", *QUICK)
    assert result.code == 0
    ids = [json.loads(line)["id"] for line in output_of(tmp_path / "out").splitlines()]
    assert ids == [f"c{n:03}" for n in range(8)] + ["b/one", "b/two"]
    beside = f"warning: {tree}/a/beside: a folder among documents; left out, name it to read it\n"
    out = "a link that leads out of the folder; left out"
    told = [
        beside,
        f"warning: {tree}/b/back: {out}\n",
        f"warning: {tree}/b/one/out.txt: {out}\n",
        f"warning: {tree}/b/one/pipe: neither file nor folder; left out\n",
        f"warning: {tree}/void: an empty folder; left out\n",
    ]
    assert sorted(result.err.splitlines(keepends=True)) == sorted(told)  # each message once


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed_lines_give_the_same_output(
    summc: Cli, tmp_path: Path, clusters: Path, ending: str
) -> None:
    lines = clusters.read_bytes().splitlines(keepends=True)
    pack = gzip.compress if ending == ".gz" else zstandard.ZstdCompressor().compress
    path = tmp_path / f"in.jsonl{ending}"
    path.write_bytes(
        pack(b"".join(lines[:3])) + pack(b"".join(lines[3:]))
    )  # two members, as cat joins compressed files
    arguments = ["--part-size", 3, *QUICK]
    assert summc("batch", path, "-o", tmp_path / "packed", *arguments).code == 0
    assert summc("batch", clusters, "-o", tmp_path / "plain", *arguments).code == 0
    assert output_of(tmp_path / "packed") == output_of(tmp_path / "plain")


class RangedFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file as fsspec gives it for object stores: read in byte ranges, and readline() takes no limit."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.store[self.path].getvalue()
        return data[start:end]


def open_ranged(store: Any, path: str, mode: str = "rb", **options: Any) -> Any:
    if mode == "rb" and path in store.store:
        return RangedFile(store, path, block_size=1000, size=store.size(path))
    return OPEN(store, path, mode, **options)


OPEN = MemoryFileSystem._open  # noqa: SLF001 (filesystems of fsspec override this method)


@pytest.mark.parametrize("ranged", [False, True])
def test_fsspec_gives_the_same_bytes(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch, ranged: bool
) -> None:
    monkeypatch.setattr(MemoryFileSystem, "_open", open_ranged if ranged else OPEN)
    store = fsspec.filesystem("memory")
    monkeypatch.setattr(MemoryFileSystem, "makedirs", None)  # summc must not create missing buckets
    root = f"/{uuid.uuid4().hex}"
    lines = clusters.read_bytes().splitlines(keepends=True)
    store.pipe_file(f"{root}/in/a.jsonl", b"".join(lines[:3]))
    store.pipe_file(f"{root}/in/b.jsonl.gz", gzip.compress(b"".join(lines[3:])))
    arguments = ["--part-size", 3, *QUICK]
    assert summc("batch", clusters, "-o", tmp_path / "out", *arguments).code == 0
    for source in (f"memory:/{root}/in", f"memory:/{root}/in/*.jsonl*"):
        target = f"{root}/{len(source)}"
        for _ in "twice":
            assert summc("batch", source, "-o", f"memory:/{target}", *arguments).code == 0
        found = b"".join(store.cat_file(name) for name in sorted(store.glob(f"{target}/part-*")))
        assert found == output_of(tmp_path / "out")
        assert json.loads(store.cat_file(f"{target}/finished.json")) == {"clusters": 8, "failed": 0}


class NoRightError(Exception):
    """An error class of a store's own library."""


@pytest.mark.parametrize(
    ("method", "code", "message"),
    [
        ("_open", 3, "/in.jsonl: cannot be read (NoRightError: 401, who are you)"),
        ("ls", 6, "/out: cannot be read (NoRightError: 401, who are you)"),
        ("pipe_file", 6, "/out/manifest.json: cannot be written (NoRightError: 401, who are you)"),
    ],
)
def test_an_error_of_a_store_is_reported_in_one_line(
    summc: Cli, clusters: Path, monkeypatch: pytest.MonkeyPatch, method: str, code: int, message: str
) -> None:
    def refuse(store: Any, *_: Any, **__: Any) -> None:
        logging.getLogger(type(store).__module__).error("out of retries")
        raise NoRightError("401,\nwho are you")

    root = f"memory://{uuid.uuid4().hex}"
    fsspec.filesystem("memory").pipe_file(f"{root}/in.jsonl", clusters.read_bytes())
    log = logging.getLogger("fsspec")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # pytest's own handlers record everything
    monkeypatch.setattr(MemoryFileSystem, method, refuse)
    result = summc("batch", f"{root}/in.jsonl", "-o", f"{root}/out", *QUICK)
    told = f"error: {root}{message}; check the path, and who may use it\n"
    assert (result.code, result.err) == (code, told)


def test_a_store_that_times_out_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_: Any, **__: Any) -> None:
        raise FSTimeoutError

    monkeypatch.setattr(MemoryFileSystem, "_open", wait)
    with pytest.raises(InputError, match=r"^memory://x: cannot be read \(FSTimeoutError\); check the path$"):
        storage.read("memory://x")


@pytest.mark.parametrize("scheme", ["file", "local"])
def test_file_urls_give_the_same_bytes(summc: Cli, tmp_path: Path, clusters: Path, scheme: str) -> None:
    # To fsspec "local" is any store that can rename, so a finished part gets its name at once.
    arguments = ["--part-size", 3, *QUICK]
    assert summc("batch", clusters, "-o", tmp_path / "plain", *arguments).code == 0
    for source in (clusters, tmp_path / "*.jsonl"):
        target = tmp_path / "new" / source.stem.replace("*", "all")
        result = summc("batch", f"{scheme}://{source}", "-o", f"{scheme}://{target}", *arguments)
        assert (result.code, result.err) == (0, "")
        assert output_of(target) == output_of(tmp_path / "plain")
        assert len(content(target)) == 3 + 2


def test_a_background_works_as_in_summarize_and_is_read_once(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def read(config: Config, language: str) -> list[TokenizedCluster]:
        reads.append(language)
        return read_background(config, language)

    monkeypatch.setattr(work, "read_background", read)
    background = ["--weighting", "tfidf", "--background", SAMPLE / "docs" / "d90004t"]
    assert summc("batch", clusters, "-o", tmp_path / "out", *background, *QUICK).code == 0
    alone = tmp_path / "alone.jsonl"
    alone.write_text(clusters.read_text().splitlines()[5])
    expected = summc("summarize", alone, "--format", "jsonl", *background, *QUICK).out
    assert output_of(tmp_path / "out").decode().splitlines(keepends=True)[5] == expected
    assert reads == ["en"]


def test_a_background_is_kept_by_its_reader_if_another_run_evicts_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Taken(dict[Any, Any]):
        """A shared cache from which another run evicts every entry at once."""

        def __setitem__(self, key: Any, value: Any) -> None: ...

    monkeypatch.setattr(work, "_BACKGROUNDS", Taken())
    background: list[Any] = []
    monkeypatch.setattr(work, "read_background", lambda *_: background)
    job = replace(JOB, config=Config().with_settings({"background": ("docs",), "weighting": "tfidf"}))
    assert work._background(job, "en") is background  # noqa: SLF001 (no test can time this race)


def test_an_unused_background_is_refused_before_the_work(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    result = summc("batch", clusters, "-o", tmp_path / "out", "--background", SAMPLE)
    assert (result.code, result.err[:55]) == (2, "error: --background: weighting mixed looks at no other ")
    assert not (tmp_path / "out").exists()


BROKEN = [
    ("not json", "line-1", 3),
    ('{"id": "two"}', "two", 3),
    ('{"id": "three", "documents": [""]}', "three", 3),
    ('{"id": 4, "documents": ["The dam broke."], "language": "klingon"}', "4", 2),
    ('{"id": "five", "documents": ["' + "dam " * 60 + '"]}', "five", 5),
    ('{"id": "\\ud800", "documents": ["The dam broke."]}', "?", 3),
]


def test_a_failing_cluster_becomes_an_error_line_and_the_rest_go_on(summc: Cli, tmp_path: Path) -> None:
    good = make_lines(3)
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join([good[0], *(line for line, _, _ in BROKEN), "", *good[1:]]) + "\n")
    arguments = ["batch", path, "-o", tmp_path / "out", "--part-size", 4, *QUICK]
    first = summc(*arguments)
    assert first.code == 5
    told = f'error: {tmp_path}/out: 6 of 9 clusters without a summary; see their lines with "error"\n'
    assert first.err.endswith(told)
    lines = [json.loads(line) for line in output_of(tmp_path / "out").splitlines()]
    assert ["error" in line for line in lines] == [False] + [True] * 6 + [False] * 2
    failed = [(line["id"], line["error"]["code"]) for line in lines[1:7]]
    assert failed == [("line-2", 3), *[(id_, code) for _, id_, code in BROKEN[1:]]]
    assert lines[1]["error"] == {
        "code": 3,
        "place": f"{path}:2",
        "problem": "not JSON (Expecting value)",
        "remedy": "give one JSON object a line, or remove this line",
    }
    # Runs that find all parts, or some of them, end with the same result.
    before = content(tmp_path / "out")
    again = summc(*arguments)
    assert (again.code, again.err) == (5, told)
    for name in ("part-00000.jsonl", "finished.json"):
        (tmp_path / "out" / name).unlink()
    assert summc(*arguments).code == 5
    assert content(tmp_path / "out") == before


def test_an_internal_error_costs_one_cluster_only(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(raw: RawCluster, language: str) -> Cluster:
        if raw.id == "c007":
            raise ZeroDivisionError("oops")
        return split_cluster(raw, language)

    monkeypatch.setattr(work, "split_cluster", faulty)
    assert summc("batch", clusters, "-o", tmp_path / "out", *QUICK).code == 5
    lines = [json.loads(line) for line in output_of(tmp_path / "out").splitlines()]
    assert [line["id"] for line in lines if "error" in line] == ["c007"]
    assert lines[7]["error"]["problem"] == "ZeroDivisionError: oops"


def test_running_out_of_memory_stops_the_run_and_can_be_resumed(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(raw: RawCluster, language: str) -> Cluster:
        if raw.id == "c007":
            raise MemoryError
        return split_cluster(raw, language)

    batch = ["batch", clusters, "--part-size", 5, *QUICK]
    assert summc(*batch, "-o", tmp_path / "whole").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(work, "split_cluster", greedy)
        result = summc(*batch, "-o", tmp_path / "out")
    told = "error: c007: out of memory; give more memory, or fewer --jobs, and start it again\n"
    assert (result.code, result.err) == (70, told)
    assert [path.name for path in parts_in(tmp_path / "out")] == ["part-00000.jsonl"]
    assert summc(*batch, "-o", tmp_path / "out").code == 0
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_warnings_of_workers_are_shown(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"id": "a", "documents": ["The dam broke.", ""]}))
    result = summc("batch", path, "-o", tmp_path / "out", *QUICK)
    assert (result.code, result.err) == (0, f"warning: {path}:1: documents[1]: no text; left out\n")


def test_warnings_of_every_stage_are_returned_with_the_part(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    text = "The dam in the valley broke on Monday morning. It held."
    path.write_text(json.dumps({"id": "a", "documents": [text, text + " It did not."]}))
    with prepare([str(path)], Config().with_settings({"budget": 3}), str(tmp_path / "out"), 1) as batch:
        (done,) = (do_part(batch.job, part) for part in make_parts(batch.inputs, 1))
    assert done.warnings == ("a: no sentence that may be chosen fits 3 words; all are taken",)


# Interrupting and resuming


@given(missing=st.sets(st.integers(0, 4)), torn=st.booleans())
@examples(15)
def test_only_missing_parts_are_made(
    tmp_path_factory: pytest.TempPathFactory, missing: set[int], torn: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "whole"
    path = folder / "in.jsonl"
    out = folder / "out"
    if not folder.exists():
        folder.mkdir()
        path.write_text("\n".join(make_lines(14, 1)))
        finish(path, out)
        (folder / "first").mkdir()
        for name, data in content(out).items():
            (folder / "first" / name).write_bytes(data)
    for index in missing:
        (out / f"part-{index:05}.jsonl").unlink()
    if torn:
        (out / ".part-00003.jsonl.x1y2").write_bytes(b'{"id": "c0')
        (out / "finished.json").unlink()
    kept = {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in parts_in(out)}
    with prepare([str(path)], QUICKLY, str(out), 3) as batch:
        assert batch.left == sum(2 if index == 4 else 3 for index in missing)
    assert finish(path, out) == sorted(missing)
    assert content(out) == content(folder / "first")
    assert {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in kept} == kept


def test_messages_use_the_singular_for_one_cluster(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "documents": []}\n')
    told = summc("batch", tmp_path / "in.jsonl", "-o", tmp_path / "out", "-v").err
    assert told.startswith(f"{tmp_path}/out: 1 cluster in 1 part, 1 of them now, ")
    assert f"error: {tmp_path}/out: 1 of 1 cluster without a summary" in told


def test_a_finished_run_does_nothing(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["batch", clusters, "-o", tmp_path / "out", *QUICK]
    assert summc(*arguments, "-v").err.startswith(f"{tmp_path}/out: 8 clusters in 1 part, 8 of them now, ")

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(run, "do_part", fail)
    monkeypatch.setattr(storage, "put", fail)
    again = summc(*arguments, "-v")
    assert (again.code, again.err) == (0, f"{tmp_path}/out: 8 clusters in 1 part, all there already\n")


@pytest.mark.parametrize(
    "change", [lambda _: b"", lambda data: data + b"x", lambda data: data + data, lambda data: data[:-9]]
)
@pytest.mark.parametrize("finished", [True, False])
def test_a_part_that_was_changed_is_made_again(
    summc: Cli, tmp_path: Path, clusters: Path, change: Callable[[bytes], bytes], finished: bool
) -> None:
    arguments = ["batch", clusters, "-o", tmp_path / "out", "--part-size", "3", *QUICK]
    summc(*arguments)
    before, part = content(tmp_path / "out"), tmp_path / "out" / "part-00001.jsonl"
    part.write_bytes(change(part.read_bytes()))
    if not finished:
        (tmp_path / "out" / "finished.json").unlink()
    again = summc(*arguments)
    warning = f"warning: {part}: does not have a line for each cluster, so it is made again\n"
    assert (again.code, again.err) == (0, warning)
    assert content(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "41"], "made with other settings (select.budget: 40, now 41)"),
        (["--keep-stopwords"], "made with other settings (preprocess.remove_stopwords: True, now False)"),
        (["--part-size", "10"], "made with other settings (part_size: 200, now 10)"),
        (["--boost", "dam=2"], "made with other settings (weigh.boost: [], now ['dam=2'])"),
    ],
)
def test_resuming_with_other_settings_is_refused(
    summc: Cli, tmp_path: Path, clusters: Path, arguments: Sequence[str], message: str
) -> None:
    out = tmp_path / "out"
    summc("batch", clusters, "-o", out, *QUICK)
    before = content(out)
    result = summc("batch", clusters, "-o", out, *QUICK, *arguments)
    assert result.code == 2
    assert (
        result.err == f"error: {out}/manifest.json: {message}; write to another folder, or remove this one\n"
    )
    assert content(out) == before


def test_a_batch_resumes_with_another_commit_of_the_same_release(
    summc: Cli, tmp_path: Path, clusters: Path
) -> None:
    out = tmp_path / "out"
    arguments = ["batch", clusters, "-o", out, *QUICK]
    summc(*arguments)
    before, path = content(out), out / "manifest.json"
    now = version("summc")
    path.write_text(path.read_text().replace(f'"summc": "{now}"', f'"summc": "{RELEASE}+gc0ffee0"'))
    (out / "part-00000.jsonl").unlink()
    result = summc(*arguments)
    warning = f"begun with summc {RELEASE}+gc0ffee0, now it is {now}; results may differ"
    assert (result.code, result.err) == (0, f"warning: {path}: {warning}\n")
    assert content(out) == {**before, "manifest.json": path.read_bytes()}
    path.write_bytes(
        before["manifest.json"].replace(f'"summc": "{now}"'.encode(), b'"summc": "0.1.0+gc0ffee0"')
    )
    refused = (
        f"made with other settings (summc: 0.1.0, now {RELEASE}); write to another folder, or remove this one"
    )
    assert summc(*arguments).err == f"error: {path}: {refused}\n"


def test_resuming_with_other_input_is_refused(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    out, tree = tmp_path / "out", tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("The dam broke.")
    summc("batch", clusters, tree, "-o", out, *QUICK)
    before = content(out)
    result = summc("batch", clusters, "-o", out, *QUICK)
    assert (result.code, result.err) == (2, f"error: {out}/manifest.json: made of other input ({clusters}, {tree}, now {clusters}); write to another folder, or remove this one\n")  # fmt: skip
    data = clusters.read_bytes()
    changed = f"error: {out}/manifest.json: made of other input ({clusters} has changed); write to another folder, or remove this one\n"
    for other in (data.replace(b"c003", b"c004"), data[:-9], b"\n" + data, data + data):
        clusters.write_bytes(other)
        result = summc("batch", clusters, tree, "-o", out, *QUICK)
        assert (result.code, result.err) == (2, changed)
    clusters.write_bytes(data)
    (tree / "a.txt").write_text("The dam held well.")
    assert f"({tree} has changed)" in summc("batch", clusters, tree, "-o", out, *QUICK).err
    assert content(out) == before


@pytest.mark.parametrize(
    ("name", "data", "code", "message"),
    [
        ("manifest.json", b"[]", 3, "/manifest.json: not written by summc batch; write to another folder, or remove this one"),
        ("manifest.json", b"{", 3, "/manifest.json: not written by summc batch; write to another folder, or remove this one"),
        ("manifest.json", b"{}", 2, "/manifest.json: made with other settings (part_size: None, now 200); write to another folder, or remove this one"),
        ("part-00000.jsonl", b"", 2, ": holds part-00000.jsonl of an unknown run; write to another folder"),
    ],
)  # fmt: skip
def test_a_folder_of_another_program_is_left_alone(
    summc: Cli, tmp_path: Path, clusters: Path, name: str, data: bytes, code: int, message: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_bytes(data)
    result = summc("batch", clusters, "-o", out, *QUICK)
    assert (result.code, result.err) == (code, f"error: {out}{message}\n")
    assert content(out) == {name: data}


def begun(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Tell whether a run has its folder, the watcher of its processes, and two workers."""
    try:
        children = len(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    except OSError:  # not every system has /proc
        children = 3
    return children >= 3 and (folder / "manifest.json").exists()


@pytest.mark.parametrize(
    ("sent", "parts"),
    [
        (signal.SIGKILL, 3),
        (signal.SIGINT, 0),  # while the workers start
        (signal.SIGTERM, 3),
    ],
)
def test_a_real_run_resumes_after_a_signal(
    summc: Cli, tmp_path: Path, thirty: tuple[Path, bytes], sent: signal.Signals, parts: int
) -> None:
    out = tmp_path / "out"
    arguments = ["batch", str(thirty[0]), "-o", str(out), "--part-size", "3", "--jobs", "2", *QUICK]
    with held(tmp_path / "never", *arguments) as process:
        wait_until(lambda: begun(process, out) and len(parts_in(out)) >= parts, process)
        if sent == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, sent)  # like a terminal, also to the workers
        _, err = process.communicate()  # also waits for the workers, which hold stderr open
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(sent, -sent)
    assert err == b"error: interrupted\n" or sent == signal.SIGKILL
    kept = {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in parts_in(out)}
    assert parts <= len(kept) < 10
    assert sent == signal.SIGKILL or not list(out.glob(".*"))
    assert summc(*arguments, "--jobs", 1).code == 5  # one process finishes what two began
    assert output_of(out) == thirty[1]
    assert {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in kept} == kept
    assert len(content(out)) == 10 + 2


def test_a_part_that_was_removed_is_noticed_at_the_end(tmp_path: Path, clusters: Path) -> None:
    with prepare([str(clusters)], QUICKLY, str(tmp_path / "out"), 3) as batch:
        list(batch.work())
        (tmp_path / "out" / "part-00001.jsonl").unlink()
        with pytest.raises(
            OutputError, match=r"part-00001\.jsonl: is not there, though written; start again"
        ):
            batch.finish(0)


def test_a_run_reports_that_another_one_overwrote_its_url(clusters: Path) -> None:
    # A URL cannot be locked. Two runs may start at once, and only one manifest stays.
    out = f"memory://{uuid.uuid4().hex}"
    with prepare([str(clusters)], QUICKLY, out, 3) as batch:
        list(batch.work())
        data = storage.read(f"{out}/manifest.json")
        storage.put(f"{out}/manifest.json", data.replace(b'"select.budget": 40', b'"select.budget": 50'))
        with pytest.raises(
            OutputError, match=r"another run has written there \(made with other settings \(select"
        ):
            batch.finish(0)
    assert "finished.json" not in storage.names_in(out)


def break_a_lock() -> None:
    lock = threading.Condition()
    with lock:
        lock.release()  # as if the signal came before it is acquired again
        signal.raise_signal(signal.SIGINT)


def hide_it() -> None:
    with contextlib.suppress(SystemExit):
        signal.raise_signal(signal.SIGINT)
    raise ImportError("as a compiled module says when it cannot be loaded, whatever the reason")


def swallow_it() -> None:
    with contextlib.suppress(BaseException):
        signal.raise_signal(signal.SIGINT)
    raise NoSummaryError("", "as if nothing had been")


@pytest.mark.parametrize("broken", [break_a_lock, hide_it, swallow_it])
def test_an_error_caused_by_a_signal_is_reported_as_the_signal(
    summc: Cli,
    tmp_path: Path,
    clusters: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[], None],
) -> None:
    monkeypatch.setattr(run, "do_part", lambda *_: broken())
    result = summc("batch", clusters, "-o", tmp_path / "out", *QUICK)
    assert (result.code, result.err) == (130, "error: interrupted\n")


# Progress and messages


def test_progress_shows_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    parts = [work.Done(0, 6, 0, ()), work.Done(1, 2, 0, ())]
    assert list(with_progress(iter(parts), 8, "clusters", lambda part: part.clusters)) == parts
    assert isinstance(sys.stderr, Terminal)
    first, *_, middle, end = sys.stderr.getvalue().split("\r")
    assert "second" not in first  # no rate is known yet
    assert re.search(r" 6/8  [\d.]+ a second, 0:\d\d:\d\d left$", middle.rstrip())
    assert re.search(r" 8/8  [\d.]+ a second *\n?", end)
    assert "left" not in end


def test_the_progress_of_a_million_clusters_fits_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    parts = [work.Done(0, 500_000, 0, ()), work.Done(1, 500_000, 0, ())]
    clock = SimpleNamespace(monotonic=iter([0.0, *[5_000.0] * 20]).__next__)
    monkeypatch.setattr("summc.cli.console.time", clock)
    list(with_progress(iter(parts), 1_000_000, "clusters", lambda part: part.clusters))
    assert isinstance(sys.stderr, Terminal)
    lines = sys.stderr.getvalue().split("\r")
    assert any("500000/1000000  100.0 a second, 1:23:20 left" in line for line in lines)
    assert max(len(re.sub(r"\x1b\[[?\w]*", "", line.rstrip("\n"))) for line in lines) < 80


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("in.jsonl", 2, "-o: no folder to write to; name one"),
        ("-o out", 2, "PATH: nothing to read; name files or folders, or --sample"),
        ("- -o out", 2, "-: cannot be read again by a run that goes on; name files or folders"),
        ("pipe -o out", 2, "pipe: a pipe or a device, which cannot be read again by a run that goes on; name files or folders"),
        ("/dev/null -o out", 2, "/dev/null: a pipe or a device, which cannot be read again by a run that goes on; name files or folders"),
        ("in.jsonl -o in.jsonl", 2, "-o: in.jsonl is, or lies in, in.jsonl, which is read; write elsewhere"),
        ("in.jsonl -o a.txt", 6, "a.txt: cannot be made (File exists); check the path"),
        ("gone.jsonl -o out", 4, "gone.jsonl: no such file or folder; check the path"),
        ("a.txt -o out", 3, 'a.txt: not JSON lines; give {"id": ..., "documents": [...]} a line, or a folder'),
        ("wide.jsonl -o out", 3, "wide.jsonl: UTF-16 or UTF-32; a batch is read in UTF-8, or what --encoding says"),
        ("void.jsonl -o out", 3, "void.jsonl: an empty file; give one JSON object a line"),
        ("torn.jsonl.gz -o out", 3, "torn.jsonl.gz: not a whole gzip file (Compressed file ended before the end-of-stream marker was reached); fetch it again"),
        ("torn.jsonl.zst -o out", 3, "torn.jsonl.zst: not a whole zstd file (it ends within a frame); fetch it again"),
        ("memory://gone.jsonl -o out", 4, "memory://gone.jsonl: no such file; check the path"),
        ("memory://gone/*.jsonl -o out", 4, "memory://gone/*.jsonl: no files of JSON lines there; check the path"),
        ("in.jsonl -o out --jobs 2 --scheduler tcp://h:1", 2, "--jobs: given with --scheduler; the workers of the cluster decide"),
    ],
)  # fmt: skip
def test_a_bad_call_gives_a_one_line_error(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, code: int, message: str
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("a.txt").write_text("The dam broke.")
    Path("wide.jsonl").write_text("{}", encoding="utf-16")
    Path("void.jsonl").write_text("\n")
    Path("torn.jsonl.gz").write_bytes(gzip.compress(clusters.read_bytes())[:-20])
    Path("torn.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(clusters.read_bytes())[:-20])
    result = summc("batch", *arguments.split())
    assert (result.code, result.err) == (code, f"error: {message}\n")


def test_empty_files_are_left_out(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "none" / "void").mkdir(parents=True)
    data = {"a.jsonl": b"", "b.jsonl": clusters.read_bytes(), "c.jsonl.gz": b"", "d.jsonl.zst": b""}
    root = uuid.uuid4().hex
    for name, content_ in data.items():
        (tree / name).write_bytes(content_)
        fsspec.filesystem("memory").pipe_file(f"/{root}/{name}", content_)
    for number, source in enumerate((tree, f"memory://{root}", f"memory://{root}/*.jsonl*")):
        place = str(source).removesuffix("/*.jsonl*")
        result = summc("batch", source, "-o", tmp_path / str(number), *QUICK)
        told = [f"warning: {place}/{name}: an empty file; left out" for name in data if name != "b.jsonl"]
        err = result.err.replace("memory:///", "memory://")
        assert (result.code, [line for line in err.splitlines() if "folder" not in line]) == (0, told)
        assert output_of(tmp_path / str(number)).count(b"\n") == 8
    for source, wanted in (
        (tree / "none", "text files, or JSON lines"),
        (f"memory://{root}/a*", "JSON lines"),
    ):
        result = summc("batch", source, "-o", tmp_path / "out", *QUICK)
        error = f"error: {source}: no clusters in it; put {wanted} into it"
        assert (result.code, result.err.splitlines()[-1]) == (3, error)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_compressed_only_by_name_is_refused(tmp_path: Path) -> None:
    for ending in ("gz", "zst"):
        path = tmp_path / f"in.jsonl.{ending}"
        path.write_bytes(b"{}{}{}{}{}")
        with pytest.raises(
            InputError, match=f"in.jsonl.{ending}: not a whole {'gzip' if ending == 'gz' else 'zstd'} file"
        ):
            take_stock([str(path)])


def test_an_unknown_url_scheme_is_refused() -> None:
    with pytest.raises(SettingError, match=r"^nowhere://x: cannot be reached"):
        storage.read("nowhere://x")


def test_show_config_prints_the_settings_of_a_run(summc: Cli) -> None:
    assert "budget = 40" in summc("batch", *QUICK, "--show-config").out
