"""``summc batch``: the same bytes however the input is read and however often the run is interrupted."""

from __future__ import annotations

import gzip
import io
import json
import logging
import os
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import tracemalloc
import uuid
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fsspec
import pytest
from fsspec.exceptions import FSTimeoutError
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from summc import batch as batches
from summc.batch import prepare, storage
from summc.batch.clusters import JsonLine, read_again, take_stock
from summc.documents.raw import RawCluster
from summc.documents.sentences import split_cluster
from summc.errors import InputError, OutputError, SettingError
from summc.preprocess.token_counts import file_data
from summc.records import Cluster
from summc.system import inputs
from tests.conftest import Cli, examples, held, wait_until
from tests.support.batches import (
    QUICK,
    QUICKLY,
    content,
    finish,
    make_lines,
    make_thirty,
    output_of,
    parts_in,
)
from tests.support.sessions import check

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
PACK: dict[str, Any] = {".gz": gzip.compress, ".zst": zstd.compress}


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    """Return a JSON lines file with 8 clusters."""
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(make_lines(8, 3)) + "\n")
    return path


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a file of 30 clusters, the first one broken, and the batch output for it."""
    return make_thirty(tmp_path_factory.mktemp("thirty"))


def test_session(summc: Cli, tmp_path: Path) -> None:
    check(summc, tmp_path, "batch.txt")


# Output


@pytest.mark.parametrize("more", [[], ["--weighting", "expected"]])
def test_each_line_equals_the_summary_of_its_cluster_alone(
    summc: Cli, tmp_path: Path, clusters: Path, more: list[str]
) -> None:
    flags = [*QUICK, *more]
    result = summc("batch", clusters, "-o", tmp_path / "out", "--part-size", 3, *flags)
    assert (result.code, result.out, result.err) == (0, "", "")
    alone = tmp_path / "alone.jsonl"
    made = output_of(tmp_path / "out").decode().splitlines(keepends=True)
    for line, written in list(zip(clusters.read_text().splitlines(), made, strict=True))[::3]:
        alone.write_text(line)
        assert summc("summarize", alone, "--format", "jsonl", *flags).out == written


class RangedFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file as fsspec gives it for object stores: read in byte ranges, and readline() takes no limit."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.store[self.path].getvalue()
        return data[start:end]


OPEN = MemoryFileSystem._open  # noqa: SLF001 (filesystems of fsspec override this method)


def open_ranged(store: Any, path: str, mode: str = "rb", **options: Any) -> Any:
    if mode == "rb" and path in store.store:
        return RangedFile(store, path, block_size=1000, size=store.size(path))
    return OPEN(store, path, mode, **options)


@pytest.mark.parametrize("scheme", ["memory", "ranged", "file", "local"])
def test_urls_give_the_same_bytes(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    # To fsspec "local" is any store that can rename, so a finished part gets its name at once.
    if scheme == "ranged":
        monkeypatch.setattr(MemoryFileSystem, "_open", open_ranged)
    monkeypatch.setattr(MemoryFileSystem, "makedirs", None)  # summc must not create missing buckets
    scheme = scheme.replace("ranged", "memory")
    store, root = fsspec.filesystem(scheme), f"{tmp_path}/{uuid.uuid4().hex}"
    (Path(root) / "in").mkdir(parents=True)
    first, *lines = clusters.read_bytes().splitlines(keepends=True)[:4]
    clusters.write_bytes(b"".join([first, *lines]))
    store.pipe_file(f"{root}/in/a.jsonl", first)
    store.pipe_file(f"{root}/in/b.jsonl.gz", gzip.compress(b"".join(lines)))
    arguments = ["--part-size", 2, *QUICK]  # the first part needs both files
    assert summc("batch", clusters, "-o", tmp_path / "out", *arguments).code == 0
    for source, target in (("in", "one"), ("in/*.jsonl*", "two")):
        for _ in "twice":
            url = f"{scheme}://{root}"
            result = summc("batch", f"{url}/{source}", "-o", f"{url}/new/{target}", *arguments)
            assert (result.code, result.err) == (0, "")
        names = sorted(store.ls(f"{root}/new/{target}", detail=False))
        found = {name.rpartition("/")[2]: store.cat_file(name) for name in names}
        assert {**found, "manifest.json": b""} == {**content(tmp_path / "out"), "manifest.json": b""}


class NoRightError(Exception):
    """An error class of a store's own library."""


REFUSED = NoRightError("401,\nwho are you")
WHO = "(NoRightError: 401, who are you); check the path, and who may use it"


@pytest.mark.parametrize(
    ("method", "error", "code", "message"),
    [
        ("_open", REFUSED, 3, f"/in.jsonl: cannot be read {WHO}"),
        ("ls", REFUSED, 6, f"/out: cannot be read {WHO}"),
        ("pipe_file", REFUSED, 6, f"/out/manifest.json: cannot be written {WHO}"),
        (
            "_open",
            FSTimeoutError(),
            3,
            "/in.jsonl: cannot be read (FSTimeoutError); check the path, and who may use it",
        ),
    ],
)
def test_an_error_of_a_store_is_reported_in_one_line(
    summc: Cli, clusters: Path, monkeypatch: pytest.MonkeyPatch, method: str, error: Exception, code: int, message: str
) -> None:  # fmt: skip
    def refuse(store: Any, *_: Any, **__: Any) -> None:
        logging.getLogger(type(store).__module__).error("out of retries")
        raise error

    root = f"memory://{uuid.uuid4().hex}"
    fsspec.filesystem("memory").pipe_file(f"{root}/in.jsonl", clusters.read_bytes())
    monkeypatch.setattr(logging.getLogger("fsspec"), "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # pytest's own handlers record everything
    monkeypatch.setattr(MemoryFileSystem, method, refuse)
    result = summc("batch", f"{root}/in.jsonl", "-o", f"{root}/out", *QUICK)
    assert (result.code, result.err) == (code, f"error: {root}{message}\n")


# Clusters that fail


def test_an_internal_error_costs_one_cluster_and_lack_of_memory_stops_the_run(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error: Exception = ZeroDivisionError("oops")

    def faulty(raw: RawCluster, language: str, lacking: list[str], split: str) -> Cluster:
        if raw.id == "c007":
            raise error
        return split_cluster(raw, language, lacking, split)

    batch = ["batch", clusters, "--part-size", 5, *QUICK]
    assert summc(*batch, "-o", tmp_path / "whole").code == 0
    with monkeypatch.context() as patched:
        patched.setattr(batches, "split_cluster", faulty)
        assert summc(*batch, "-o", tmp_path / "out").code == 5
        lines = [json.loads(line) for line in output_of(tmp_path / "out").splitlines()]
        assert [line["id"] for line in lines if "error" in line] == ["c007"]
        assert lines[7]["error"]["problem"] == "ZeroDivisionError: oops"
        error = MemoryError()
        result = summc(*batch, "-o", tmp_path / "little")
    told = "error: c007: out of memory; give more memory, or fewer --jobs, and start it again\n"
    assert (result.code, result.err) == (70, told)
    assert [path.name for path in parts_in(tmp_path / "little")] == ["part-00000.jsonl"]
    assert summc(*batch, "-o", tmp_path / "little").code == 0
    assert content(tmp_path / "little") == content(tmp_path / "whole")


# Lines and parts


@examples(60)
@given(
    st.lists(st.sampled_from(["", " ", "\r", '{"a": 1}', "{x\r}", '{"a": 12}', '{"a": 123', " " * 10, "1" * 50]), max_size=9),
    st.sampled_from(["", ".gz", ".zst"]),
    st.booleans(),
)  # fmt: skip
def test_every_line_is_read_once_in_order_with_its_number(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ending: str, ends: bool
) -> None:
    data = ("\n".join(["{first}", *lines]) + "\n" * ends).encode()
    path = tmp_path_factory.mktemp("files") / f"in.jsonl{ending}"
    pack = PACK.get(ending, bytes)
    path.write_bytes(pack(data[:20]) + pack(data[20:]))  # as cat joins compressed files
    most = 9  # with the line end
    with patch.object(inputs, "most_bytes", lambda: most), patch.object(storage, "_CHUNK", 4):
        stock = take_stock(str(path))
        found = list(read_again(stock))
    expected = [
        JsonLine(str(path), number, None if len(line) > most else line.rstrip(b"\n"))
        for number, line in enumerate(io.BytesIO(data), start=1)
        if line.strip() or len(line) > most
    ]
    assert found == expected
    assert stock.clusters == len(expected)


def test_a_line_that_is_too_long_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    for ending, pack in PACK.items():
        path = tmp_path / f"in.jsonl{ending}"
        path.write_bytes(pack(b"{" + b"long" * (10 << 18), 1))
        tracemalloc.start()
        try:
            assert take_stock(str(path)).clusters == 1
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()


def test_input_that_changes_during_the_run_is_detected(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, tree = clusters.read_bytes(), tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("The dam broke.")
    stock, folder = take_stock(str(clusters)), take_stock(str(tree))
    assert [len(list(read_again(each))) for each in (stock, folder)] == [8, 1]
    for other in (data.replace(b"c003", b"c004"), data[: data.index(b"\n", 3000)], data + data):
        clusters.write_bytes(other)
        with pytest.raises(InputError, match=r"in.jsonl: changed while it was read; start again in another"):
            list(read_again(stock))
    (tree / "a.txt").write_text("The dam held well.")
    with pytest.raises(InputError, match=r"tree: changed while it was read"):
        list(read_again(folder))
    # The whole command: the file grows after the parts are planned.

    def do_and_append(*given: Any) -> batches.Done:
        clusters.write_bytes(data + data)
        return do_part(*given)

    do_part = batches.do_part
    monkeypatch.setattr(batches, "do_part", do_and_append)
    told = f"error: {clusters}: changed while it was read; start again in another folder\n"
    for size in (3, 4):  # with a last part that is short, and with one that is full
        clusters.write_bytes(data)
        result = summc("batch", clusters, "-o", tmp_path / str(size), "--part-size", size, *QUICK)
        assert (result.code, result.err) == (3, told)
        assert "finished.json" not in content(tmp_path / str(size))


# Interrupting and resuming


@given(missing=st.sets(st.integers(0, 4)), torn=st.booleans())
@examples(12)
def test_only_missing_parts_are_made(
    tmp_path_factory: pytest.TempPathFactory, missing: set[int], torn: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "whole"
    path, out = folder / "in.jsonl", folder / "out"
    if not folder.exists():
        folder.mkdir()
        path.write_text("\n".join(make_lines(14, 1)))
        finish(path, out)
        shutil.copytree(out, folder / "first")
    names = [f"part-{index:05}.jsonl" for index in sorted(missing)]
    for name in names:
        (out / name).unlink()
    if torn:
        (out / ".part-00003.jsonl.x1y2").write_bytes(b'{"id": "c0')
        (out / "finished.json").unlink()
    kept = {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in parts_in(out)}
    with prepare([str(path)], QUICKLY, str(out), 3) as batch:
        assert batch.left == sum(2 if index == 4 else 3 for index in missing)
    assert finish(path, out) == names
    assert content(out) == content(folder / "first")
    assert {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in kept} == kept


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    return [*map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())]


@pytest.mark.parametrize(
    ("sent", "parts", "to_all"),
    [
        (signal.SIGKILL, 3, False),
        (signal.SIGINT, 0, False),  # while the workers start
        (signal.SIGTERM, 3, True),
    ],
)
def test_a_real_run_resumes_after_a_signal(
    summc: Cli, tmp_path: Path, thirty: tuple[Path, bytes], sent: signal.Signals, parts: int, to_all: bool
) -> None:
    out = tmp_path / "out"
    arguments = ["batch", str(thirty[0]), "-o", str(out), "--part-size", "3", "--jobs", "2", *QUICK]
    with held(tmp_path / "never", *arguments) as process:
        wait_until(lambda: len(workers_of(process)) == 2 and len(parts_in(out)) >= parts, process)
        for each in (*(workers_of(process) if to_all else ()), process.pid):
            os.kill(each, sent)
        _, err = process.communicate()  # also waits for the workers, which hold stderr open
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(sent, -sent)
    assert err == b"error: interrupted\n" or sent == signal.SIGKILL
    kept = {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in parts_in(out)}
    assert parts <= len(kept) < 10
    assert sent == signal.SIGKILL or not list(out.glob(".*"))
    assert summc(*arguments, "--jobs", 1).code == 5  # one process finishes what two began
    assert output_of(out) == thirty[1]
    assert {part: (part.stat().st_ino, part.stat().st_mtime_ns) for part in kept} == kept
    assert len(content(out)) == 10 + 3


def test_a_part_that_was_removed_is_noticed_at_the_end(tmp_path: Path, clusters: Path) -> None:
    with prepare([str(clusters)], QUICKLY, str(tmp_path / "out"), 3) as batch:
        list(batch.work())
        (tmp_path / "out" / "part-00001.jsonl").unlink()
        told = r"part-00001\.jsonl: is not there, though written; use a folder"
        with pytest.raises(OutputError, match=told):
            batch.finish()


def test_a_run_reports_that_another_one_overwrote_its_url(clusters: Path) -> None:
    # A URL cannot be locked. Two runs may start at once, and only one manifest stays.
    out = f"memory://{uuid.uuid4().hex}"
    with prepare([str(clusters)], QUICKLY, out, 3) as batch:
        list(batch.work())
        data = storage.read(f"{out}/manifest.json")
        storage.put(f"{out}/manifest.json", data.replace(b'"select.budget": 40', b'"select.budget": 50'))
        told = r"manifest\.json: made with other settings \(select\.budget: 50"
        with pytest.raises(SettingError, match=told):
            batch.finish()
    assert "finished.json" not in storage.names_in(out)


# Progress and messages


def test_the_tokenizer_of_a_batch_is_checked_first_and_stays_the_same(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = (clusters, "-o", "out", "-k", "40t", "--selector", "g-greedy", "--tokenizer", "./count.py:words")
    assert (refused := summc("batch", *flags)).code == 2
    assert "--tokenizer: ./count.py:words cannot be used" in refused.err
    assert not Path("out").exists()
    Path("count.py").write_text("def words(text): return len(text.split())")
    assert summc("batch", *flags).code == 0
    signature = json.loads(Path("out/part-00000.jsonl").read_text().splitlines()[0])["signature"]
    assert f"tokenizer:{tmp_path}/count.py:words" in signature
    file_data.cache_clear()
    Path("count.py").write_text("def words(text): return 2 * len(text.split())")
    assert "content of the tokenizer" in summc("batch", *flags).err
    Tokenizer(models.WordLevel({"[UNK]": 0}, "[UNK]")).save("t.json")
    with prepare([str(clusters)], QUICKLY.with_settings({"tokenizer": "t.json"}), "other", 3) as batch:
        assert batch.job.config.preprocess.tokenizer == f"{tmp_path}/t.json"  # for workers in other folders


def test_progress_shows_rate_and_time_left_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    with_progress = pkgutil.resolve_name("summc.cli.summarize:with_progress")
    now = 0.0
    monkeypatch.setattr("time.time", lambda: now)
    parts = [batches.Done(name, 500_000, 0) for name in "ab"]

    def done() -> Iterator[batches.Done]:
        nonlocal now
        for part in parts:
            now += 5_000
            yield part

    assert list(with_progress(done(), 1_000_000, "clusters", lambda part: part.clusters)) == parts
    monkeypatch.undo()
    lines = [re.sub(r"\x1b\[[?\w]*", "", line.rstrip("\n")) for line in shown.getvalue().split("\r")]
    assert "second" not in lines[0]  # no rate is known yet
    assert any("500000/1000000  01:23:20  100.0 a second" in line for line in lines)
    assert lines[-1].rstrip().endswith("1000000/1000000  100.0 a second")
    assert max(map(len, lines)) <= 80
