"""From files to clusters, as tests/sessions/loading.txt shows it.

Each session begins with the files that it reads, and the clusters that ``load`` writes are shown in short.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

from summc.documents.sources import load
from summc.errors import InputError
from summc.system.json_objects import parse_object
from tests.conftest import Cli, Result
from tests.support.sessions import replay, sessions
from tests.support.writers import tar_of, write_files, zipped


def written(files: str) -> dict[str, bytes]:
    """Return files by name. A name ends in a colon; a content in quotation marks is a literal of Python."""
    found = {}
    for line in files.splitlines():
        name, _, content = line.partition(": ")
        data = ast.literal_eval(content) if content.startswith(('"', 'b"')) else content
        found[name] = data if isinstance(data, bytes) else data.encode()
    return found


def make(folder: Path, files: dict[str, bytes]) -> None:
    """Write files. Those whose names begin with ``NAME.tgz/`` or ``NAME.zip/`` make an archive."""
    for name, data in files.items():
        archive, _, _ = name.partition("/")
        own = {each.partition("/")[2]: files[each] for each in files if each.startswith(f"{archive}/")}
        if archive.endswith((".tgz", ".zip")):
            (folder / archive).write_bytes((tar_of if archive.endswith(".tgz") else zipped)(own))
        else:
            write_files(folder, {name: gzip.compress(data) if name.endswith(".gz") else data})


def in_short(lines: str) -> Iterator[str]:
    """Yield a line for each cluster, and one for each of its documents and references."""
    for line in lines.splitlines():
        cluster = json.loads(line)["cluster"]
        language, query = cluster["language"], cluster.get("query")
        yield cluster["id"] + f" ({language})" * (language != "en") + (f"? {query}" if query else "")
        for document in cluster["documents"]:
            yield f"  {document['id']}: {' | '.join(each['text'] for each in document['sentences'])}"
        yield from (f"  = {reference}" for reference in cluster.get("references", []))


def check(summc: Cli, folder: Path, session: str) -> None:
    """Write the files of a session into the current folder, and replay it."""

    def shown(*arguments: str | Path, stdin: bytes | str = b"") -> Result:
        result = summc(*arguments, stdin=stdin)
        is_json = arguments[0] == "load"
        out = "".join(f"{line}\n" for line in in_short(result.out)) if is_json else result.out
        return Result(result.code, out, result.err)

    files, sign, commands = session.partition("$ ")
    make(folder, written(files))
    assert replay(shown, sign + commands) == sign + commands


@pytest.mark.parametrize("session", sessions("loading.txt"), ids=count(1))
def test_loading(summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str) -> None:
    monkeypatch.chdir(tmp_path)
    check(summc, tmp_path, session)


def test_members_of_an_archive_with_the_same_name_are_all_read(summc: Cli, tmp_path: Path) -> None:
    data = zipped({"docs/c/a": "The dam broke.", "docs/c/b": "The mayor left."}).replace(b"c/b", b"c/a")
    (tmp_path / "x.zip").write_bytes(data)
    made = summc("load", tmp_path / "x.zip")
    assert list(in_short(made.out)) == ["c", "  a: The dam broke.", "  a#2: The mayor left."]
    assert "another document called a; renamed to a#2" in made.err


def test_from_at_the_start_of_a_line_in_a_mailbox_is_no_quotation(summc: Cli, tmp_path: Path) -> None:
    mail = "From a@b Mon Jan  7 09:00:00 2030\nFrom: {}\nMessage-ID: <1>\n\n{}\n\n"
    texts = ("It rained.\n>From the north came the water.", "We left.\n>>From here on > is a sign.")
    for number in (1, 2):
        (tmp_path / "x.mbox").write_text("".join(mail.format("Ann", text) for text in texts[:number]))
        sentences = [line.partition(": ")[2] for line in in_short(summc("load", tmp_path / "x.mbox").out)][1:]
        assert sentences[0] == "It rained. | From the north came the water."


def test_a_batch_leaves_out_what_load_leaves_out(summc: Cli, tmp_path: Path) -> None:
    names = ("in/one/a.txt", "in/two/b.txt", "in/README", "in/one/Thumbs.db")
    write_files(tmp_path, {name: f"The dam of {name} broke in the night." for name in names})
    result = summc("batch", tmp_path / "in", "-o", tmp_path / "out")
    made = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in made] == ["one", "two"]
    assert result.err == summc("load", tmp_path / "in").err
    assert result.err.count("left out") == 2


def test_links_pipes_and_locked_folders_are_left_out_with_a_warning(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("in/docs/a/a.txt", "in/models/a.txt", "elsewhere/a.txt")
    docs = write_files(tmp_path, dict.fromkeys(names, "The dam broke.")) / "in" / "docs"
    (docs / "b").symlink_to(tmp_path / "elsewhere")
    (docs / "c").symlink_to("a")
    os.mkfifo(docs / "a" / "pipe")
    (docs / "d").mkdir()
    listed = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path == docs / "d":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    result = summc("load", tmp_path / "in")
    assert [json.loads(line)["cluster"]["id"] for line in result.out.splitlines()] == ["a"]
    assert sorted(result.err.splitlines()) == [
        f"warning: {docs}/a/pipe: neither file nor folder; left out",
        f"warning: {docs}/b: a link that leads out of the folder; left out",
        f"warning: {docs}/c: a link to a folder; left out, name it to read it",
        f"warning: {docs}/d: cannot be read (Permission denied); left out",
    ]


def test_a_path_in_a_locked_folder_is_not_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, **_: bool) -> NoReturn:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(InputError, match=r"a\.txt: cannot be read \(Permission denied\); check the file"):
        list(load([tmp_path / "a.txt"]))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_json_lines_are_read_in_unicode_encodings(tmp_path: Path, encoding: str) -> None:
    line = json.dumps({"documents": ["The \u00fcber\u2028dam broke."]}, ensure_ascii=False)
    write_files(tmp_path, {"a.jsonl": f"{line}\r\n\n{line}\n".encode(encoding)})
    assert [cluster.id for cluster in load([tmp_path / "a.jsonl"], encoding=encoding)] == ["line-1", "line-3"]


def test_a_damaged_or_too_large_gzip_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    damaged, large = gzip.compress(b"It rained.")[:-9], gzip.compress(b"It rained. " * 100_000)
    for data, problem in ((damaged, r"d.txt.gz: cannot be read \(.*ended"), (large, r"d.txt.gz: .*1 MB")):
        (tmp_path / "d.txt.gz").write_bytes(data)
        with pytest.raises(InputError, match=problem):
            list(load([tmp_path / "d.txt.gz"]))


def test_a_duplicate_member_among_very_many_is_found_quickly() -> None:
    members = ", ".join(f'"{i}": 0' for i in range(60_000))
    with pytest.raises(InputError, match="the member '59999' twice"):
        parse_object(f'{{{members}, "59999": 0}}', "a.jsonl:1", "an object")
