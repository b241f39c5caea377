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
places = st.none() | st.integers(0, 99)


@st.composite
def tokenized_clusters(draw: st.DrawFn) -> TokenizedCluster:
    documents = tuple(
        Document(
            draw(text),
            tuple(
                Sentence(d, p, draw(text), draw(st.integers(0, 99)), draw(places), draw(places))
                for p in range(draw(st.integers(0, 3)))
            ),
            draw(st.sampled_from(["", "2005-01-08"])),
        )
        for d in range(draw(st.integers(0, 3)))
    )
    references, members = draw(st.lists(text, max_size=2)), draw(st.dictionaries(text, text, max_size=1))
    cluster = Cluster(draw(text), documents, tuple(references), "fr", draw(text), members=members)
    size = len(cluster.sentences)
    tokens = [draw(st.lists(text, max_size=3)) for _ in range(size)]
    whole, candidates = (draw(st.none() | st.just(tuple(range(0, size, 2)))) for _ in range(2))
    return TokenizedCluster(cluster, ConceptIndex.of(tokens), whole, candidates)


def through_json(member: str, value: object) -> dict[str, object]:
    line: dict[str, object] = json.loads(json_objects.dump({member: value}))
    return line


@given(tokenized=tokenized_clusters())
def test_clusters_and_terms_come_back_equal(tokenized: TokenizedCluster) -> None:
    line = through_json("cluster", codec.encode_cluster(tokenized.cluster))
    assert codec.decode_cluster(line, "here") == tokenized.cluster
    line |= through_json("tokenized", codec.encode_tokenized(tokenized))
    assert codec.decode_tokenized(line, "here") == tokenized


@given(graph=graphs(integers=False) | graphs(integers=False, most_levels=3))
def test_weights_come_back_to_the_bit(graph: CoverageGraph) -> None:
    levels = (graph.repeats, graph.repeats_start) if len(graph.repeats) else (None, None)
    words = tuple(f"w{a}" for a in range(len(graph.weight)))
    weights = WordWeights(words, graph.weight, "document", None, *levels)
    back = codec.decode_weights(through_json("weights", codec.encode_weights(weights)), "here")
    assert (back.words, back.counted, back.bonus) == (words, "document", None)
    for name in ("weight", "repeats", "repeats_start"):
        np.testing.assert_array_equal(getattr(back, name), getattr(weights, name))


@given(graph=graphs(integers=False) | graphs(most_levels=3, most_count=3))
def test_graphs_come_back_to_the_bit(graph: CoverageGraph) -> None:
    back = codec.decode_graph(through_json("graph", codec.encode_graph(graph)), "here")
    for name in CoverageGraph.__slots__:
        assert getattr(back, name).tolist() == getattr(graph, name).tolist()


@pytest.mark.parametrize("more", [{}, {"unit": "sentences", "cut": 1}])
def test_selections_come_back_equal(more: dict[str, object]) -> None:
    selection = Selection(
        "bp", 10, (0, 2), 9, 1 / 3, None, {"converged": True, "last_change": 1e-7}, **more  # type: ignore[arg-type]
    )  # fmt: skip
    line = through_json("selection", codec.encode_selection(selection))
    line["graph"] = {"cost": [1, 2, 3]}
    assert codec.decode_selection(line, "here") == selection
    assert set(codec.encode_selection(selection)) == more.keys() | {
        "selector", "budget", "chosen", "cost", "covered_weight", "bound", "diagnostics",
    }  # fmt: skip


SENTENCE = {"text": "It rained.", "words": 2}
DOCUMENT = {"id": "a", "sentences": [SENTENCE]}
LINE: dict[str, dict[str, object]] = {
    "cluster": {"id": "x", "language": "en", "references": [], "documents": [DOCUMENT], "new": 3},
    "tokenized": {"tokens": [["rain"]]},
    "weights": {"words": ["rain", "fall"], "weight": [1, 2], "idf_unit": "none"},
    "graph": {"cost": [1, 2], "weight": [3, 1], "edge_sentence": [0, 1], "edge_word": [0, 1]},
    "selection": {
        "selector": "bp", "budget": 2, "chosen": [1], "cost": 2, "covered_weight": 1, "bound": None,
        "diagnostics": {},
    },
}  # fmt: skip
AMOUNT = "must be 0 or a number from 1e-100 to 1e100, got"


def decode(member: str, line: dict[str, object]) -> object:
    return getattr(codec, f"decode_{member}")(line, "here")


def test_optional_members_may_be_missing() -> None:
    for member in LINE:
        decode(member, {**LINE})
    assert codec.decode_cluster({**LINE}, "here").sentences == (Sentence(0, 0, "It rained.", 2, None, None),)


@pytest.mark.parametrize(
    ("member", "change", "problem"),
    [
        ("cluster", {"documents": [3]}, ".documents[0] must be an object"),
        ("cluster", {"references": ["a", 3]}, ".references must be a list of texts"),
        ("cluster", {"members": []}, ".members must be an object"),
        (
            "cluster",
            {"documents": [{**DOCUMENT, "date": "8 May"}]},
            ".documents[0].date must be a date such as 2005-01-08",
        ),
        (
            "cluster",
            {"documents": [{"id": "a", "sentences": [{**SENTENCE, "page": "3"}]}]},
            ".documents[0].sentences[0].page must be a count",
        ),
        ("tokenized", {"tokens": []}, ".tokens must have 1 items, got 0"),
        ("tokenized", {"tokens": [["a", 3]]}, ".tokens[0] must be a list of texts"),
        ("tokenized", {"whole": [0, 1]}, ".whole[1] must be an index of the 1 sentences, got 1"),
        ("tokenized", {"candidates": [0, 0]}, ".candidates must be sentences, ascending"),
        ("weights", {"words": ["a", "a"]}, ".words must be a list of texts, none of them twice"),
        ("weights", {"weight": [1]}, ".weight must have 2 items, got 1"),
        ("weights", {"bonus": [1, 1]}, ".bonus must have 1 items, got 2"),
        ("weights", {"bonus": [1e-101]}, f".bonus[0] {AMOUNT} 1e-101"),
        ("graph", {"cost": [1, -2]}, f".cost[1] {AMOUNT} -2"),
        ("graph", {"cost": [1, 10**400]}, f".cost[1] {AMOUNT} 1{'0' * 59}"),
        ("graph", {"weight": [3, "1"]}, f'.weight[1] {AMOUNT} "1"'),
        ("graph", {"weight": [3, True]}, f".weight[1] {AMOUNT} true"),
        ("graph", {"weight": 3}, ".weight must be a list"),
        ("graph", {"edge_word": [0, 2]}, ".edge_word[1] must be an index of the 2 words, got 2"),
        ("graph", {"edge_sentence": [2, 0]}, ".edge_sentence[0] must be an index of the 2 sentences, got 2"),
        ("graph", {"edge_sentence": [0, 1.0]}, ".edge_sentence[1] must be a count"),
        ("graph", {"edge_word": [0]}, ".edge_word must have 2 items, got 1"),
        ("graph", {"sentence_ids": [5]}, ".sentence_ids must have 2 items, got 1"),
        ("graph", {"word_ids": [5, -1]}, ".word_ids[1] must be a count"),
        ("selection", {"budget": -1}, f".budget {AMOUNT} -1"),
        ("selection", {"budget": 1}, ".chosen must be sentences within the budget"),
        ("selection", {"chosen": []}, ".chosen must be sentences within the budget"),
        ("selection", {"cost": -1}, ".cost must be a number at least 0"),
        ("selection", {"bound": True}, ".bound must be a number at least 0"),
        ("selection", {"cut": 2}, ".cut must be an index of the 2 sentences"),
        ("selection", {"diagnostics": 3}, ".diagnostics must be an object"),
    ],
)
def test_an_error_names_the_wrong_value(member: str, change: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        decode(member, {**LINE, member: {**LINE[member], **change}})
    assert str(refused.value) == f"here: {member}{problem}; see the guide for its shape"


def test_a_missing_part_is_named() -> None:
    with pytest.raises(InputError, match='here: no "graph" on this line; run summc graph before'):
        codec.decode_graph({"cluster": {}}, "here")
    with pytest.raises(InputError, match='graph has no "weight"'):
        codec.decode_graph({"graph": {"cost": []}}, "here")


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


def test_a_file_gets_the_permissions_of_the_umask_and_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 251 + ".txt")  # the longest possible name
    old = os.umask(0o027)
    try:
        outputs.write_whole(str(path), ["first"])
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    outputs.write_whole(str(path), ["sec", "ond"])
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("second", 0o604)


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
    (tmp_path / "fixed.txt").write_text("old")
    (tmp_path / "fixed.txt").chmod(0o444)
    for name, why in (("no/out.txt", ""), ("", ""), ("fixed.txt", r" \(a read-only file\)")):
        with pytest.raises(OutputError, match=f"cannot be written{why}"):
            outputs.write_whole(str(tmp_path / name), ["new"])
    assert (tmp_path / "fixed.txt").read_text() == "old"
