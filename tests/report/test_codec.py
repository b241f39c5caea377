from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.errors import InputError
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
kinds = st.sampled_from(["prose", "headline", "question"])
places = st.none() | st.integers(0, 99)


@st.composite
def tokenized_clusters(draw: st.DrawFn) -> TokenizedCluster:
    documents = tuple(
        Document(
            draw(text),
            tuple(
                Sentence(d, p, draw(text), draw(st.integers(0, 99)), draw(places), draw(places), draw(kinds))
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
    voice = draw(st.sampled_from([0.0, 0.25]))
    return TokenizedCluster(cluster, ConceptIndex.of(tokens), whole, candidates, one_voice=voice)


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


LINE: dict[str, dict[str, object]] = {
    "cluster": {
        "id": "x", "language": "en", "references": [], "new": 3,
        "documents": [{"id": "a", "sentences": [{"text": "It rained.", "words": 2}]}],
    },
    "tokenized": {"tokens": [["rain"]]},
    "weights": {"words": ["rain", "fall"], "weight": [1, 2], "idf_unit": "none"},
    "graph": {"cost": [1, 2], "weight": [3, 1], "edge_sentence": [0, 1], "edge_word": [0, 1]},
    "selection": {
        "selector": "bp", "budget": 2, "chosen": [1], "cost": 2, "covered_weight": 1, "bound": None,
        "diagnostics": {},
    },
}  # fmt: skip


def decode(member: str, line: dict[str, object]) -> object:
    return getattr(codec, f"decode_{member}")(line, "here")


def test_optional_members_may_be_missing() -> None:
    for member in LINE:
        decode(member, {**LINE})
    assert codec.decode_cluster({**LINE}, "here").sentences == (Sentence(0, 0, "It rained.", 2, None, None),)


#: A number that is too large for a float.
HUGE = (
    f'graph {{"cost": [{10**400}]}} -> .cost[0]: must be 0 or a number from 1e-100 to 1e100, got 1{"0" * 59}'
)
BAD = (Path(__file__).parent / "cases" / "bad_lines.txt").read_text().splitlines()[1:]


@pytest.mark.parametrize("case", [*BAD, HUGE])
def test_an_error_names_the_wrong_value(case: str) -> None:
    changed, problem = case.split(" -> ")
    member, _, change = changed.partition(" ")
    with pytest.raises(InputError) as refused:
        decode(member, {**LINE, member: {**LINE[member], **json.loads(change)}})
    assert str(refused.value) == f"here: {member}{problem}; see the guide for its shape"


def test_a_missing_part_and_a_line_that_is_not_json_are_named() -> None:
    with pytest.raises(InputError, match='here: no "graph" on this line; run summc graph before'):
        codec.decode_graph({"cluster": {}}, "here")
    with pytest.raises(InputError, match="graph: object missing required field weight"):
        codec.decode_graph({"graph": {"cost": []}}, "here")
    for data in (b"{", b"\xff"):
        with pytest.raises(InputError, match="here: not JSON"):
            codec.parse_line(data, "here")


# Files are written whole or not at all: see also guarantees/test_faults.py


def test_a_file_is_synced_to_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ("n" * 251 + ".txt")  # the longest possible name
    synced: list[tuple[bool, int]] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((path.exists(), os.fstat(handle).st_size)))
    outputs.write_whole(str(path), [b"fir", b"st"])
    assert synced == [(False, len("first"))]
    assert path.read_text() == "first"


def test_a_signal_while_the_file_is_created_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = os.open

    def made(*arguments: Any) -> int:
        os.close(make(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", made)
    with pytest.raises(KeyboardInterrupt):
        outputs.write_whole(str(tmp_path / "out.txt"), [b"all"])
    assert list(tmp_path.iterdir()) == []


def test_writing_to_a_link_replaces_its_target(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    outputs.write_whole(str(tmp_path / "link.txt"), [b"new"])
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()
