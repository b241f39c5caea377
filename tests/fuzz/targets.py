"""The targets of the fuzzers. A target takes bytes and may raise only a SummcError.

Each target also checks its result, for example that it can be written and reads back equal.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from summc.config import Config
from summc.documents.duc import read_dataset, read_topics
from summc.documents.formats import FORMATS, read_documents
from summc.documents.formats.sgml import SGML, read_sgml
from summc.documents.jsonl import parse_cluster
from summc.documents.raw import RawCluster, count_inked
from summc.documents.sentences import split_cluster, split_sentences
from summc.documents.sources import Reader
from summc.documents.tree import files_in
from summc.errors import SummcError
from summc.method import select
from summc.preprocess import token_counts
from summc.report import codec
from summc.selectors import SELECTORS
from summc.system import json_objects


def sgml(data: bytes) -> None:
    """Read the bytes as news in SGML."""
    text = data.decode("utf-8", "replace")
    SGML.match(text)
    for news in read_sgml(text):
        assert isinstance(news.id, str)
        assert not news.date or re.fullmatch(r"(?:19|20)\d\d-[01]\d-[0-3]\d", news.date)
        for paragraph in news.paragraphs:
            assert paragraph == " ".join(paragraph.split())
            paragraph.encode()


def topics(data: bytes) -> None:
    """Read the bytes as a file of DUC topics."""
    for name, question in read_topics(data.decode("utf-8", "replace"), "x").items():
        assert name == name.lower() != ""
        assert question == " ".join(question.split()) != ""


def document(data: bytes) -> None:
    """Read the bytes as a file whose name tells nothing about its format."""
    documents = read_documents(data, "x", "x")
    _writes_and_reads(RawCluster("x", documents, "x"))


def named(data: bytes) -> None:
    """Read the bytes as a file whose suffix is their first line, as in ".md"."""
    suffix, _, content = data.partition(b"\n")
    name = f"x{suffix.decode()}" if suffix in map(str.encode, FORMATS) else "x.txt"
    _writes_and_reads(RawCluster("x", read_documents(content, name, "x"), "x"))


def json_lines(data: bytes) -> None:
    """Read the bytes as JSON lines of clusters."""
    for raw in Reader("auto").json_lines(io.BytesIO(data), "x"):
        _writes_and_reads(raw)
    for line in data.decode("utf-8", "replace").splitlines():
        _writes_and_reads(parse_cluster(line, "x:1"))


def archive(data: bytes) -> None:
    """Read the bytes as a data set in an archive. The first byte gives the kind of archive."""
    suffix = (".zip", ".tar", ".tgz", ".tar.bz2", ".tar.xz")[data[0] % 5 if data else 0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x{suffix}")
        path.write_bytes(data[1:])
        for cluster in read_dataset(files_in(path)):
            _writes_and_reads(cluster)
        assert [each.name for each in Path(folder).iterdir()] == [path.name]


def graph(data: bytes) -> None:
    """Read the bytes as a line with a graph, and solve it."""
    line = codec.parse_line(data, "x")
    problem = codec.decode_graph(line, "x")
    again = codec.decode_graph(json.loads(json_objects.dump({"graph": codec.encode_graph(problem)})), "x")
    assert again.cost.tolist() == problem.cost.tolist()
    assert again.edge_word.tolist() == problem.edge_word.tolist()
    if len(problem.cost) > 12 or len(problem.weight) > 20:
        return
    names = sorted(SELECTORS)
    config = Config().with_settings({"selector": names[len(data) % len(names)], "budget": 1 + len(data) % 40})
    selection = select(problem, config, "x")
    written = {**line, "selection": codec.encode_selection(selection)}
    assert codec.decode_selection(json.loads(json_objects.dump(written)), "x") == selection


def stage_line(data: bytes) -> None:
    """Read the bytes as a line that stages pass on."""
    line = codec.parse_line(data, "x")
    for name in ("cluster", "tokenized", "weights", "graph", "selection"):
        try:
            getattr(codec, f"decode_{name}")(line, "x")
        except SummcError as error:
            assert "\n" not in str(error)  # noqa: PT017 (raising it is allowed)


def tokenizer(data: bytes) -> None:
    """Read the bytes as the file of a tokenizer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_bytes(data)
        (number,) = token_counts.counts(str(path), ["The dam broke."])
        assert number > 0


def splitting(data: bytes) -> None:
    """Split the bytes into sentences; the first byte gives the language. No visible character is lost."""
    text = " ".join(data[1:].decode("utf-8", "replace").split())
    sentences = split_sentences(text, ("en", "de", "zh", "ja", "ar")[data[0] % 5 if data else 0])
    assert all(sentences)
    assert not sentences or count_inked("".join(sentences)) == count_inked(text)


def _writes_and_reads(raw: RawCluster) -> None:
    cluster = split_cluster(raw, "en", [])
    line = json_objects.dump({"cluster": codec.encode_cluster(cluster)})
    assert codec.decode_cluster(codec.parse_line(line.encode(), "x"), "x") == cluster


def checked(target: Callable[[bytes], None], data: bytes) -> None:
    """Feed a target. It may refuse the data with a SummcError."""
    try:
        target(data)
    except SummcError as error:
        assert str(error)  # noqa: PT017 (raising it is allowed)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        sgml,
        topics,
        document,
        named,
        json_lines,
        archive,
        graph,
        stage_line,
        tokenizer,
        splitting,
    )
}
