"""Split input into parts: every line once, in order, with its number, and only one part in memory."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import tracemalloc
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from summc.batch import plan, prepare, run, work
from summc.batch.plan import Lines, LongLine, Part, make_parts, take_stock
from summc.batch.work import Job, do_part
from summc.errors import InputError
from summc.settings.config import Config
from tests.conftest import Cli, examples
from tests.support.batches import JOB, QUICK, content, make_lines, output_of, parts_in

#: Lines about as long as the limit of the test. The line end counts.
MOST, LONG = 9, ['{"a": 12}', '{"a": 123', " " * 10, '{"a": ' + "1" * 50]


@examples(80)
@given(
    st.lists(
        st.lists(st.sampled_from(["", " ", "\r", '{"a": 1}', "{x\r}", "{}\r", *LONG]), max_size=9), max_size=3
    ),
    st.integers(1, 6),
    st.sampled_from(["", ".gz", ".zst"]),
    st.booleans(),
    st.integers(1, 2),
)
def test_parts_have_every_line_once_in_order_with_its_number(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[list[str]],
    size: int,
    ending: str,
    ends: bool,
    times: int,
) -> None:
    folder = tmp_path_factory.mktemp("files")
    expected, paths = [], []
    for n, lines in enumerate(files):
        given_lines = ["{first}", *lines]
        data = ("\n".join(given_lines) + "\n" * ends).encode()
        path = folder / f"{n}.jsonl{ending if n != 1 else ''}"
        pack = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}.get(path.suffix, bytes)
        path.write_bytes(pack(data))
        paths += [str(path)] * times  # a file named twice is read twice
        expected += times * [
            (str(path), i, None if len(line) > MOST else line.rstrip(b"\n"))
            for i, line in enumerate(io.BytesIO(data), 1)
            if line.strip() or len(line) > MOST
        ]
    with patch.object(plan, "most_bytes", lambda: MOST), patch.object(plan, "_CHUNK", 4):
        stock = take_stock(paths)
        parts = list(make_parts(stock, size))
    found = [list(work._sources(part, JOB)) for part in parts]  # noqa: SLF001 (what a worker reads)
    assert [len(each) for each in found[:-1]] == [size] * (len(parts) - 1)
    assert [part.index for part in parts] == list(range(len(parts)))
    assert [place_and_line(source) for each in found for source in each] == expected
    assert sum(each.clusters for each in stock) == len(expected)
    # Workers read plain files themselves; only compressed ones are sent to them.
    for piece in (piece for part in parts for piece in part.pieces):
        if isinstance(piece, Lines):
            assert (piece.data is None) == piece.path.endswith(".jsonl")


def place_and_line(source: Any) -> tuple[str, int, bytes | None]:
    """Return path, number and content of a line; the content is None if the line is too long."""
    line = source.line
    return (
        (line.path, line.number, None) if isinstance(line, LongLine) else (source.path, source.number, line)
    )


PACK = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_a_line_that_is_too_long_fails_alone(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path, good, long = tmp_path / f"in.jsonl{ending}", make_lines(4), '{"id": "' + "long" * 300_000 + '"}'

    def write(*lines: str) -> None:
        path.write_bytes(PACK.get(ending, bytes)("\n".join(lines).encode()))

    write(good[0], long, "", good[1], good[2], long, long, "", good[3])
    batch = ["batch", path, "--part-size", 2, *QUICK]
    result = summc(*batch, "-o", tmp_path / "out")
    told = f'error: {tmp_path}/out: 3 of 7 clusters without a summary; see their lines with "error"\n'
    assert (result.code, result.err) == (5, told)
    lines = [json.loads(line) for line in output_of(tmp_path / "out").splitlines()]
    ids = ["c000", "line-2", "c001", "c002", "line-6", "line-7", "c003"]
    assert [line["id"] for line in lines] == ids
    assert [line["id"] for line in lines if "error" in line] == ["line-2", "line-6", "line-7"]
    problem = {"problem": "more than 1 MB", "remedy": "split it, or raise SUMMC_MOST_MB"}
    assert lines[4]["error"] == {"code": 3, "place": f"{path}:6", **problem}
    # A line of the same length that differs near its end counts as changed.
    write(good[0], long, "", good[1], good[2], long, long[:-4] + '?"}', "", good[3])
    result = summc(*batch, "-o", tmp_path / "out")
    assert (result.code, f"({path} has changed)" in result.err) == (2, True)
    # The file may consist of one such line.
    write(long)
    assert summc(*batch, "-o", tmp_path / "alone").code == 5
    assert json.loads(output_of(tmp_path / "alone"))["id"] == "line-1"
    monkeypatch.setenv("SUMMC_MOST_MB", "9")
    told = "made with other settings (SUMMC_MOST_MB: 1, now 9); write to another folder, or remove this one"
    result = summc(*batch, "-o", tmp_path / "alone")
    assert (result.code, result.err) == (2, f"error: {tmp_path}/alone/manifest.json: {told}\n")


def test_workers_report_lines_that_are_too_long(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers read plain files themselves, and are sent the lines of compressed files.
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    data = "\n".join([*make_lines(2), '{"id": "' + "long" * 300_000 + '"}']).encode()
    (tmp_path / "a.jsonl").write_bytes(data)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(data))
    batch = ["batch", tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", "--part-size", 2, *QUICK]
    for jobs in (1, 2):
        assert summc(*batch, "-o", tmp_path / str(jobs), "--jobs", jobs).code == 5
    assert content(tmp_path / "2") == content(tmp_path / "1")
    lines = [json.loads(line) for line in output_of(tmp_path / "2").splitlines()]
    assert [line["id"] for line in lines if "error" in line] == ["line-3", "line-3"]


def test_a_line_that_is_too_long_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path = tmp_path / "in.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"{")
        for _ in range(24):
            file.write(b"long" * 2**18)
    tracemalloc.start()
    try:
        (found,) = take_stock([str(path)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.clusters == 1
    assert peak < 8 * 2**20


def test_input_that_changes_during_the_run_is_detected(clusters: Path) -> None:
    part, *_ = make_parts(take_stock([str(clusters)]), 10)
    clusters.write_bytes(clusters.read_bytes().replace(b"c003", b"c004"))
    with pytest.raises(InputError, match="changed while it was read; start again in another folder"):
        do_part(JOB, part)


def test_input_that_changes_before_its_parts_are_made_is_detected(
    summc: Cli, tmp_path: Path, clusters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, tree = clusters.read_bytes(), tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("The dam broke.")
    stock = take_stock([str(clusters), str(tree)])
    assert len(list(make_parts(stock, 10))) == 3
    for other in (data.replace(b"c003", b"c004"), data[: data.index(b"\n", 9000)], data + data):
        clusters.write_bytes(other)
        with pytest.raises(InputError, match=r"in.jsonl: changed while it was read; start again in another"):
            list(make_parts(stock, 10))
    clusters.write_bytes(data)
    (tree / "a.txt").write_text("The dam held well.")
    with pytest.raises(InputError, match=r"tree: changed while it was read"):
        list(make_parts(stock, 10))

    # The whole command: the file grows after the parts are planned.
    def do_and_append(job: Job, part: Part) -> work.Done:
        with clusters.open("ab") as file:
            file.write(data)
        return do_part(job, part)

    monkeypatch.setattr(run, "do_part", do_and_append)
    result = summc("batch", clusters, "-o", tmp_path / "out", "--part-size", 9, *QUICK)
    told = f"error: {clusters}: changed while it was read; start again in another folder\n"
    assert (result.code, result.err) == (3, told)
    assert [path.name for path in parts_in(tmp_path / "out")] == ["part-00000.jsonl", "part-00001.jsonl"]


def test_the_input_is_not_read_ahead(clusters: Path) -> None:
    parts = make_parts(itertools.repeat(*take_stock([str(clusters)])), 50)  # endless input
    assert [part.index for part in itertools.islice(parts, 3)] == [0, 1, 2]


def test_names_of_parts_sort_in_order(tmp_path: Path, clusters: Path) -> None:
    with prepare([str(clusters)], Config(), str(tmp_path / "out"), 1) as batch:
        assert batch.job.width == 5
        assert (batch.parts, batch.left) == (23, 23)
    names = [work.part_name(n, max(5, len(str(999_999)))) for n in (9, 99_999, 100_000, 999_999)]
    assert names == sorted(names)
