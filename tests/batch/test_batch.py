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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fsspec
import pytest
import zstandard
from fsspec.exceptions import FSTimeoutError
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile
from hypothesis import given
from hypothesis import strategies as st

from summc import batch as batches
from summc.batch import prepare, storage
from summc.batch.clusters import Line, read_again, take_stock
from summc.documents.raw import RawCluster
from summc.documents.sentences import split_cluster
from summc.errors import InputError, OutputError
from summc.method import read_background
from summc.records import Cluster, TokenizedCluster
from summc.settings.config import Config
from summc.system.versions import RELEASE, version
from tests.conftest import SAMPLE, Cli, examples, held, wait_until
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

PACK = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}


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


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output_of(folder).splitlines()]


# Output


@pytest.mark.parametrize("more", [[], ["--weighting", "expected"]])
def test_each_line_equals_the_summary_of_its_cluster_alone(
    summc: Cli, tmp_path: Path, clusters: Path, more: list[str]
) -> None:
    flags = [*QUICK, *more]
    result = summc("batch", clusters, "-o", tmp_path / "out", "--part-size", 3, *flags)
    assert (result.code, result.out, result.err) == (0, "", "")
    names = ["part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl"]
    assert sorted(content(tmp_path / "out")) == ["finished.json", "manifest.json", *names]
    assert [path.read_bytes().count(b"\n") for path in parts_in(tmp_path / "out")] == [3, 3, 2]
    alone = tmp_path / "alone.jsonl"
    made = output_of(tmp_path / "out").decode().splitlines(keepends=True)
    assert [json.loads(line)["id"] for line in made] == [f"c{n:03}" for n in range(8)]
    for line, written in list(zip(clusters.read_text().splitlines(), made, strict=True))[::3]:
        alone.write_text(line)
        assert summc("summarize", alone, "--format", "jsonl", *flags).out == written


def test_folders_make_the_same_clusters_as_in_summarize(summc: Cli, tmp_path: Path) -> None:
    folders = [SAMPLE / "docs" / f"d9000{n}t" for n in range(1, 3)]
    alone = "".join(summc("summarize", folder, "--format", "jsonl", *QUICK).out for folder in folders)
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
    for name in ("a/beside", "b/one", "b/two", "void"):
        (tree / name).mkdir(parents=True)
    (tree / "b" / "one" / "a.txt").write_text("The dam broke. Nobody was hurt.")
    (tree / "b" / "two" / "b.txt").write_text("The dam held. Everybody cheered.")
    (tree / "b" / "back").symlink_to(tree)
    (tree / "b" / "itself").symlink_to(tree / "b")
    (tree / "b" / "one" / "out.txt").symlink_to(clusters)
    os.mkfifo(tree / "b" / "one" / "pipe")
    (tree / "a" / "in.jsonl").write_bytes(clusters.read_bytes())
    (tree / "a" / "beside" / "c.txt").write_text("The dam leaked. Nobody saw it.")
    result = summc("batch", tree, "-o", tmp_path / "out", *QUICK)
    assert result.code == 0
    assert [line["id"] for line in lines_of(tmp_path / "out")] == [f"c{n:03}" for n in range(8)] + ["b/one", "b/two"]  # fmt: skip
    out = "a link that leads out of the folder; left out"
    told = [
        f"warning: {tree}/a/beside: a folder among documents; left out, name it to read it\n",
        f"warning: {tree}/b/back: {out}\n",
        f"warning: {tree}/b/itself: a link back to a folder above it; left out\n",
        f"warning: {tree}/b/one/out.txt: {out}\n",
        f"warning: {tree}/b/one/pipe: neither file nor folder; left out\n",
        f"warning: {tree}/void: an empty folder; left out\n",
    ]
    assert sorted(result.err.splitlines(keepends=True)) == told  # each message once


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
    lines = clusters.read_bytes().splitlines(keepends=True)
    store.pipe_file(f"{root}/in/a.jsonl", b"".join(lines[:3]))
    store.pipe_file(f"{root}/in/b.jsonl.gz", gzip.compress(b"".join(lines[3:])))
    arguments = ["--part-size", 3, *QUICK]
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
        ("_open", FSTimeoutError(), 3, "/in.jsonl: cannot be read (FSTimeoutError); check the path"),
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


def test_a_background_works_as_in_summarize_and_is_read_once(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def read(config: Config, language: str) -> list[TokenizedCluster]:
        reads.append(language)
        return read_background(config, language)

    monkeypatch.setattr(batches, "read_background", read)
    background = ["--weighting", "tfidf", "--background", SAMPLE / "docs" / "d90004t"]
    assert summc("batch", clusters, "-o", tmp_path / "out", *background, *QUICK).code == 0
    alone = tmp_path / "alone.jsonl"
    alone.write_text(clusters.read_text().splitlines()[5])
    expected = summc("summarize", alone, "--format", "jsonl", *background, *QUICK).out
    assert output_of(tmp_path / "out").decode().splitlines(keepends=True)[5] == expected
    assert reads == ["auto", "en"]  # for the manifest, and for the clusters


# Clusters that fail

BROKEN = [
    ("not json", "line-2", 3),
    ('{"id": "two"}', "two", 3),
    ('{"id": "three", "documents": [""]}', "three", 3),
    ('{"id": 4, "documents": ["The dam broke."], "language": "klingon"}', "4", 2),
    ('{"id": "five", "documents": ["' + "dam " * 60 + '"]}', "five", 5),
    ('{"id": "\\ud800", "documents": ["The dam broke."]}', "?", 3),
]


def test_a_failing_cluster_becomes_an_error_line_and_the_rest_go_on(summc: Cli, tmp_path: Path) -> None:
    good, path, out = make_lines(3), tmp_path / "in.jsonl", tmp_path / "out"
    path.write_text("\n".join([good[0], *(line for line, _, _ in BROKEN), "", *good[1:]]) + "\n")
    arguments = ["batch", path, "-o", out, "--part-size", 4, *QUICK]
    first = summc(*arguments)
    told = f'error: {out}: 6 of 9 clusters without a summary; see their lines with "error"\n'
    assert (first.code, first.err[-len(told) :]) == (5, told)
    lines = lines_of(out)
    assert ["error" in line for line in lines] == [False] + [True] * 6 + [False] * 2
    assert [(line["id"], line["error"]["code"]) for line in lines[1:7]] == [each[1:] for each in BROKEN]
    assert lines[1]["error"] == {
        "code": 3,
        "place": f"{path}:2",
        "problem": "not JSON (Expecting value)",
        "remedy": "give one JSON object a line, or remove this line",
    }
    # Runs that find all parts, or some of them, end with the same result.
    before = content(out)
    again = summc(*arguments)
    assert (again.code, again.err) == (5, told)
    for name in ("part-00000.jsonl", "finished.json"):
        (out / name).unlink()
    assert summc(*arguments).code == 5
    assert content(out) == before


def test_an_internal_error_costs_one_cluster_and_lack_of_memory_stops_the_run(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error: Exception = ZeroDivisionError("oops")

    def faulty(raw: RawCluster, language: str) -> Cluster:
        if raw.id == "c007":
            raise error
        return split_cluster(raw, language)

    batch = ["batch", clusters, "--part-size", 5, *QUICK]
    assert summc(*batch, "-o", tmp_path / "whole").code == 0
    with monkeypatch.context() as patched:
        patched.setattr(batches, "split_cluster", faulty)
        assert summc(*batch, "-o", tmp_path / "out").code == 5
        lines = lines_of(tmp_path / "out")
        assert [line["id"] for line in lines if "error" in line] == ["c007"]
        assert lines[7]["error"]["problem"] == "ZeroDivisionError: oops"
        error = MemoryError()
        result = summc(*batch, "-o", tmp_path / "little")
    told = "error: c007: out of memory; give more memory, or fewer --jobs, and start it again\n"
    assert (result.code, result.err) == (70, told)
    assert [path.name for path in parts_in(tmp_path / "little")] == ["part-00000.jsonl"]
    assert summc(*batch, "-o", tmp_path / "little").code == 0
    assert content(tmp_path / "little") == content(tmp_path / "whole")


@pytest.mark.parametrize("jobs", [1, 2])
def test_warnings_of_every_stage_are_shown(summc: Cli, tmp_path: Path, jobs: int) -> None:
    path, text = tmp_path / "in.jsonl", "The dam in the valley broke on Monday morning. It held."
    given = [[text, text + " It did not."], ["The dam broke.", ""]]
    path.write_text("\n".join(json.dumps({"id": "a", "documents": each}) for each in given))
    result = summc("batch", path, "-o", tmp_path / "out", "-k", 3, "--part-size", 1, "--jobs", jobs)
    warnings = [
        "warning: a: no sentence that may be chosen fits 3 words; all are taken",
        f"warning: {path}:2: documents[1]: no text; left out",
    ]
    assert (result.code, result.err.splitlines()) == (0, warnings)


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
    with patch("summc.system.inputs.most_bytes", lambda: most), patch.object(storage, "_CHUNK", 4):
        stock = take_stock(str(path))
        found = list(read_again(stock))
    expected = [
        Line(str(path), number, None if len(line) > most else line.rstrip(b"\n"))
        for number, line in enumerate(io.BytesIO(data), start=1)
        if line.strip() or len(line) > most
    ]
    assert found == expected
    assert stock.clusters == len(expected)


@pytest.mark.parametrize(("ending", "jobs"), [("", 1), (".gz", 2), (".zst", 1)])
def test_a_line_that_is_too_long_fails_alone(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, jobs: int
) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path, good, long = tmp_path / f"in.jsonl{ending}", make_lines(4), '{"id": "' + "long" * 300_000 + '"}'

    def write(*lines: str) -> None:
        path.write_bytes(PACK.get(ending, bytes)("\n".join(lines).encode()))

    write(good[0], long, "", good[1], good[2], long, long, "", good[3])
    batch = ["batch", path, "--part-size", 2, "-o", tmp_path / "out", "--jobs", jobs, *QUICK]
    result = summc(*batch)
    told = f'error: {tmp_path}/out: 3 of 7 clusters without a summary; see their lines with "error"\n'
    assert (result.code, result.err) == (5, told)
    lines = lines_of(tmp_path / "out")
    assert [line["id"] for line in lines] == ["c000", "line-2", "c001", "c002", "line-6", "line-7", "c003"]
    assert [line["id"] for line in lines if "error" in line] == ["line-2", "line-6", "line-7"]
    problem = {"problem": "more than 1 MB", "remedy": "split it, or raise SUMMC_MOST_MB"}
    assert lines[4]["error"] == {"code": 3, "place": f"{path}:6", **problem}
    # A line of the same length that differs near its end counts as changed.
    write(good[0], long, "", good[1], good[2], long, long[:-4] + '?"}', "", good[3])
    result = summc(*batch)
    assert (result.code, f"({path} has changed)" in result.err) == (2, True)
    monkeypatch.setenv("SUMMC_MOST_MB", "9")
    assert "made with other settings (SUMMC_MOST_MB: 1, now 9)" in summc(*batch).err


def test_a_line_that_is_too_long_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(gzip.compress(b"{" + b"long" * (24 << 18), compresslevel=1))
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
    for other in (data.replace(b"c003", b"c004"), data[: data.index(b"\n", 5000)], data + data):
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


def test_a_finished_run_does_nothing(summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "documents": []}\n')
    arguments = ["batch", tmp_path / "in.jsonl", "-o", tmp_path / "out", *QUICK, "-v"]
    told = f"{tmp_path}/out: 1 cluster in 1 part, "
    failed = f'error: {tmp_path}/out: 1 of 1 cluster without a summary; see their lines with "error"\n'
    assert re.fullmatch(re.escape(told) + r"1 of them now, [\d.]+ a second\n" + failed, summc(*arguments).err)
    monkeypatch.delattr(batches, "do_part")
    monkeypatch.delattr(storage, "put")
    again = summc(*arguments)
    assert (again.code, again.err) == (5, f"{told}all there already\n{failed}")


@pytest.mark.parametrize(
    "change", [lambda _: b"", lambda data: data + b"x", lambda data: data + data, lambda data: data[:-9]]
)
def test_a_part_that_was_changed_is_made_again(
    summc: Cli, tmp_path: Path, clusters: Path, change: Callable[[bytes], bytes]
) -> None:
    arguments = ["batch", clusters, "-o", tmp_path / "out", "--part-size", "3", *QUICK]
    summc(*arguments)
    before, part = content(tmp_path / "out"), tmp_path / "out" / "part-00001.jsonl"
    part.write_bytes(change(part.read_bytes()))
    again = summc(*arguments)
    warning = f"warning: {part}: does not have a line for each cluster, so it is made again\n"
    assert (again.code, again.err) == (0, warning)
    assert content(tmp_path / "out") == before


ELSEWHERE = "write to another folder, or remove this one"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "41"], "made with other settings (select.budget: 40, now 41)"),
        (["--keep-stopwords"], "made with other settings (preprocess.remove_stopwords: True, now False)"),
        (["--part-size", "10"], "made with other settings (part_size: 200, now 10)"),
        (["--boost", "dam=2"], "made with other settings (weigh.boost: [], now ['dam=2'])"),
        (["in.jsonl"], "made of other input (in.jsonl, now in.jsonl, in.jsonl)"),
    ],
)
def test_resuming_with_other_settings_is_refused(
    summc: Cli, clusters: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], message: str
) -> None:
    monkeypatch.chdir(clusters.parent)
    summc("batch", "in.jsonl", "-o", "out", *QUICK)
    before = content(Path("out"))
    result = summc("batch", "in.jsonl", "-o", "out", *QUICK, *arguments)
    assert (result.code, result.err) == (2, f"error: out/manifest.json: {message}; {ELSEWHERE}\n")
    assert content(Path("out")) == before


def test_a_batch_resumes_with_another_commit_of_the_same_release(
    summc: Cli, tmp_path: Path, clusters: Path
) -> None:
    out, now = tmp_path / "out", version("summc")
    arguments = ["batch", clusters, "-o", out, *QUICK]
    summc(*arguments)
    before, path = content(out), out / "manifest.json"
    path.write_text(path.read_text().replace(f'"summc": "{now}"', f'"summc": "{RELEASE}+gc0ffee0"'))
    (out / "part-00000.jsonl").unlink()
    result = summc(*arguments)
    warning = f"begun with summc {RELEASE}+gc0ffee0, now it is {now}; results may differ"
    assert (result.code, result.err) == (0, f"warning: {path}: {warning}\n")
    assert content(out) == {**before, "manifest.json": path.read_bytes()}
    path.write_text(path.read_text().replace(f"{RELEASE}+gc0ffee0", "0.1.0+gc0ffee0"))
    refused = f"made with other settings (summc: 0.1.0, now {RELEASE}); {ELSEWHERE}"
    assert summc(*arguments).err == f"error: {path}: {refused}\n"


def test_resuming_with_changed_input_is_refused(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    out, tree = tmp_path / "out", tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("The dam broke.")
    batch = ["batch", clusters, tree, "-o", out, *QUICK]
    summc(*batch)
    before, data = content(out), clusters.read_bytes()
    changed = "error: {}/manifest.json: made of other input ({} has changed); {}\n"
    for other in (data.replace(b"c003", b"c004"), data[:-9], b"\n" + data):
        clusters.write_bytes(other)
        result = summc(*batch)
        assert (result.code, result.err) == (2, changed.format(out, clusters, ELSEWHERE))
    clusters.write_bytes(data)
    (tree / "a.txt").write_text("The dam held well.")
    assert summc(*batch).err == changed.format(out, tree, ELSEWHERE)
    assert content(out) == before


@pytest.mark.parametrize(
    ("name", "data", "code", "message"),
    [
        ("manifest.json", b"[]", 3, f"/manifest.json: not written by summc batch; {ELSEWHERE}"),
        ("manifest.json", b"{", 3, f"/manifest.json: not written by summc batch; {ELSEWHERE}"),
        ("manifest.json", b"{}", 2, f"/manifest.json: made with other settings (part_size: None, now 200); {ELSEWHERE}"),
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


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ]


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
        written = r"another run has written there \(made with other settings \(select"
        with pytest.raises(OutputError, match=written):
            batch.finish(0)
    assert "finished.json" not in storage.names_in(out)


# Progress and messages


def test_progress_shows_rate_and_time_left_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    with_progress = pkgutil.resolve_name("summc.cli.summarize:with_progress")
    clock = iter([0.0, *[5_000.0] * 99])
    monkeypatch.setattr("time.monotonic", clock.__next__)
    parts = [batches.Done(name, 500_000, 0) for name in "ab"]
    assert list(with_progress(iter(parts), 1_000_000, "clusters", lambda part: part.clusters)) == parts
    monkeypatch.undo()
    lines = [re.sub(r"\x1b\[[?\w]*", "", line.rstrip("\n")) for line in shown.getvalue().split("\r")]
    assert "second" not in lines[0]  # no rate is known yet
    assert any("500000/1000000  100.0 a second, 1:23:20 left" in line for line in lines)
    assert lines[-1].rstrip().endswith("1000000/1000000  200.0 a second")
    assert max(map(len, lines)) < 80


AGAIN = "cannot be read again by a run that goes on; name files or folders"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("in.jsonl", 2, "-o: no folder to write to; name one"),
        ("-o out", 2, "PATH: nothing to read; name files or folders, or --sample"),
        ("- -o out", 2, f"-: {AGAIN}"),
        ("pipe -o out", 2, f"pipe: a pipe or a device, which {AGAIN}"),
        ("/dev/null -o out", 2, f"/dev/null: a pipe or a device, which {AGAIN}"),
        ("in.jsonl -o in.jsonl", 2, "-o: in.jsonl is, or lies in, in.jsonl, which is read; write elsewhere"),
        ("in.jsonl -o a.txt", 6, "a.txt: cannot be made (File exists); check the path"),
        ("gone.jsonl -o out", 4, "gone.jsonl: no such file or folder; check the path"),
        ("a.txt -o out", 3, 'a.txt: not JSON lines; give {"id": ..., "documents": [...]} a line, or a folder'),
        ("wide.jsonl -o out", 3, "wide.jsonl: UTF-16 or UTF-32; a batch is read in UTF-8, or what --encoding says"),
        ("void.jsonl -o out", 3, "void.jsonl: an empty file; give one JSON object a line"),
        ("torn.jsonl.gz -o out", 3, "torn.jsonl.gz: not a whole gzip file (Compressed file ended before the end-of-stream marker was reached); fetch it again"),
        ("torn.jsonl.zst -o out", 3, "torn.jsonl.zst: not a whole zstd file (it ends within a frame); fetch it again"),
        ("named.jsonl.gz -o out", 3, "named.jsonl.gz: not a whole gzip file (Not a gzipped file (b'{}')); fetch it again"),
        ("memory://gone.jsonl -o out", 4, "memory://gone.jsonl: no such file; check the path"),
        ("memory://gone/*.jsonl -o out", 4, "memory://gone/*.jsonl: no files of JSON lines there; check the path"),
        ("nowhere://x -o out", 2, "nowhere://x: cannot be reached (Protocol not known: nowhere); install what it needs, or mend it"),
        ("in.jsonl -o out --jobs 2 --scheduler tcp://h:1", 2, "--jobs: given with --scheduler; the workers of the cluster decide"),
        ("in.jsonl -o out --background in.jsonl", 2, "--background: weighting mixed looks at no other text; choose tfidf"),
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
    Path("named.jsonl.gz").write_bytes(b"{}{}{}{}{}")
    for ending, pack in PACK.items():
        Path(f"torn.jsonl{ending}").write_bytes(pack(clusters.read_bytes())[:-20])
    result = summc("batch", *arguments.split())
    assert (result.code, result.err) == (code, f"error: {message}\n")
    assert not Path("out").exists() or code == 6


def test_empty_files_are_left_out(summc: Cli, tmp_path: Path, clusters: Path) -> None:
    tree, root = tmp_path / "tree", uuid.uuid4().hex
    (tree / "none" / "void").mkdir(parents=True)
    data = {"a.jsonl": b"", "b.jsonl": clusters.read_bytes(), "c.jsonl.gz": b"", "d.jsonl.zst": b""}
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
    nothing = {tree / "none": "text files, or JSON lines", f"memory://{root}/a*": "JSON lines"}
    for source, wanted in nothing.items():
        result = summc("batch", source, "-o", tmp_path / "out", *QUICK)
        error = f"error: {source}: no clusters in it; put {wanted} into it"
        assert (result.code, result.err.splitlines()[-1]) == (3, error)


def test_show_config_prints_the_settings_of_a_run(summc: Cli) -> None:
    assert "budget = 40" in summc("batch", *QUICK, "--show-config").out
