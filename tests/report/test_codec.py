from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.errors import InputError, OutputError
from summc.records import (
    Cluster,
    ConceptIndex,
    CoverageGraph,
    Document,
    Selection,
    Sentence,
    TokenizedCluster,
    WordWeights,
)
from summc.report import codec
from summc.system import json_objects, outputs
from tests.support.strategies import graphs

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
whereabouts = st.none() | st.integers(0, 99)


@st.composite
def tokenized_clusters(draw: st.DrawFn) -> TokenizedCluster:
    documents = tuple(
        Document(
            draw(text),
            tuple(
                Sentence(d, p, draw(text), draw(st.integers(0, 99)), draw(whereabouts), draw(whereabouts))
                for p in range(draw(st.integers(0, 3)))
            ),
        )
        for d in range(draw(st.integers(0, 3)))
    )
    cluster = Cluster(
        draw(text), documents, tuple(draw(st.lists(text, max_size=2))), draw(st.sampled_from(["en", "fr"]))
    )
    return TokenizedCluster(
        cluster, ConceptIndex.of([draw(st.lists(text, max_size=3)) for _ in cluster.sentences])
    )


def through_json(member: str, value: object) -> dict[str, object]:
    line = json.loads(json_objects.dump({member: value}))
    assert isinstance(line, dict)
    return line


@given(tokenized=tokenized_clusters())
def test_clusters_and_terms_come_back_equal(tokenized: TokenizedCluster) -> None:
    line = through_json("cluster", codec.encode_cluster(tokenized.cluster))
    assert codec.decode_cluster(line, "here") == tokenized.cluster
    line |= through_json("tokenized", codec.encode_tokenized(tokenized))
    assert codec.decode_tokenized(line, "here") == tokenized


def test_paragraph_and_page_of_a_sentence_are_optional() -> None:
    sentence: dict[str, object] = {"text": "It rained.", "words": 2}
    cluster = {
        "id": "x",
        "language": "en",
        "references": [],
        "documents": [{"id": "a", "sentences": [sentence]}],
    }
    (decoded,) = codec.decode_cluster({"cluster": cluster}, "here").sentences
    assert decoded == Sentence(0, 0, "It rained.", 2, None, None)
    sentence["page"] = "3"
    with pytest.raises(InputError, match=r"cluster.documents\[0\].sentences\[0\].page must be a count"):
        codec.decode_cluster({"cluster": cluster}, "here")


@given(weight=st.lists(st.just(0.0) | st.floats(1e-100, 1e100), max_size=5))
def test_weights_come_back_to_the_bit(weight: list[float]) -> None:
    weights = WordWeights(tuple(f"w{a}" for a in range(len(weight))), np.array(weight), "document")
    back = codec.decode_weights(through_json("weights", codec.encode_weights(weights)), "here")
    assert (back.words, back.weight.tolist(), back.idf_unit) == (weights.words, weight, "document")


@given(graph=graphs(integers=False))
def test_graphs_come_back_to_the_bit(graph: CoverageGraph) -> None:
    back = codec.decode_graph(through_json("graph", codec.encode_graph(graph)), "here")
    for name in ("cost", "weight", "edge_sentence", "edge_word", "sentence_ids", "word_ids"):
        assert getattr(back, name).tolist() == getattr(graph, name).tolist()


def test_selections_come_back_equal() -> None:
    selection = Selection("bp", 10, (0, 2), 9, 1 / 3, None, {"converged": True, "last_change": 1e-7})
    line = through_json("selection", codec.encode_selection(selection))
    line["graph"] = {"cost": [1, 2, 3]}
    assert codec.decode_selection(line, "here") == selection
    assert list(codec.encode_selection(selection)) == [
        "selector", "budget", "chosen", "cost", "covered_weight", "bound", "diagnostics",
    ]  # fmt: skip


GRAPH = {"cost": [1, 2], "weight": [3, 1], "edge_sentence": [0, 1], "edge_word": [0, 1]}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"cost": [1, -2]}, r"here: graph.cost\[1\] must be 0 or a number from 1e-100 to 1e100, got -2"),
        ({"cost": [1, 10**400]}, r"graph.cost\[1\] must be 0 or a number"),
        ({"weight": [3, "1"]}, r'graph.weight\[1\] must be 0 or a number from 1e-100 to 1e100, got "1"'),
        ({"weight": [3, True]}, r"graph.weight\[1\] must be 0 or a number"),
        ({"weight": 3}, "graph.weight must be a list"),
        ({"edge_word": [0, 2]}, r"graph.edge_word\[1\] must be an index of the 2 words, got 2"),
        (
            {"edge_sentence": [0, 1.0]},
            r"graph.edge_sentence\[1\] must be an index of the 2 sentences, got 1.0",
        ),
        ({"edge_word": [0]}, r"graph.edge_word must be as long as edge_sentence \(2, got 1\)"),
        ({"sentence_ids": [5]}, "graph.sentence_ids must be a list of 2"),
    ],
)
def test_an_error_names_the_wrong_value_of_a_graph(change: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        codec.decode_graph({"graph": {**GRAPH, **change}}, "here")


def test_a_missing_part_is_named() -> None:
    with pytest.raises(InputError, match='here: no "graph" on this line; run summc graph before'):
        codec.decode_graph({"cluster": {}}, "here")
    with pytest.raises(InputError, match='graph has no "weight"'):
        codec.decode_graph({"graph": {"cost": []}}, "here")
    with pytest.raises(InputError, match=r"cluster.documents\[0\] must be an object"):
        codec.decode_cluster(
            {"cluster": {"documents": [3], "id": "x", "references": [], "language": "en"}}, "here"
        )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"{", "not JSON"),
        (b"3", "not a JSON object"),
        (b'{"a": NaN}', "not JSON .NaN is no number"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "JSON nested too deeply"),
    ],
)
def test_a_line_that_is_not_a_json_object_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=f"here: {problem}"):
        codec.parse_line(data, "here")


# Files are written whole or not at all


def test_a_file_is_replaced_with_its_permissions_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    outputs.write_whole(str(path), ["first"])
    path.chmod(0o640)
    outputs.write_whole(str(path), ["sec", "ond"])
    assert path.read_text() == "second"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_permissions_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        outputs.write_whole(str(tmp_path / "out.txt"), ["x"])
    finally:
        os.umask(old)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def chunks() -> Iterator[str]:
        yield "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outputs.write_whole(str(path), chunks())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_synced_to_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    synced: list[tuple[bool, int]] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((path.exists(), os.fstat(handle).st_size)))
    outputs.write_whole(str(path), ["fir", "st"])
    assert synced == [(False, len("first"))]
    assert path.read_text() == "first"


_INTERRUPTED_WHEN_IT_IS_MADE = """
import os, signal, sys
from summc.system.outputs import write_whole

def stop(*_):
    raise KeyboardInterrupt

def made(*arguments):
    found = make(*arguments)
    os.kill(os.getpid(), signal.SIGTERM)
    return found

signal.signal(signal.SIGTERM, stop)
make, os.open = os.open, made
try:
    write_whole(sys.argv[1], ["all"])
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_a_signal_while_the_file_is_created_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _INTERRUPTED_WHEN_IT_IS_MADE, str(tmp_path / "out.txt")]
    assert subprocess.run(command, check=False).returncode == 7
    assert list(tmp_path.iterdir()) == []


def test_writing_to_a_link_replaces_its_target(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    outputs.write_whole(str(tmp_path / "link.txt"), ["new"])
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_an_unwritable_path_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        outputs.write_whole(str(tmp_path / "no" / "out.txt"), ["x"])
    with pytest.raises(OutputError, match="cannot be written"):
        outputs.write_whole(str(tmp_path), ["x"])
    (tmp_path / "fixed.txt").write_text("old")
    (tmp_path / "fixed.txt").chmod(0o444)
    with pytest.raises(OutputError, match=r"cannot be written \(a read-only file\)"):
        outputs.write_whole(str(tmp_path / "fixed.txt"), ["new"])
    assert (tmp_path / "fixed.txt").read_text() == "old"


def test_the_longest_possible_file_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 251 + ".txt")
    outputs.write_whole(str(path), ["x"])
    assert path.read_text() == "x"
