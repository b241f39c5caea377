"""Convert the record of each stage to and from JSON lines.

A line is a JSON object with one member for each stage that has run: ``cluster``, ``tokenized``, ``weights``,
``graph``, ``selection``. The member ``signature`` has the settings of those stages. Unknown members are
passed on unchanged. A decoder raises ``InputError`` if its member is missing or malformed; ``place`` is the
line in the message, as in "file:3".
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from summc.errors import InputError
from summc.graph import LARGEST, SMALLEST, level_weights, make_graph
from summc.records import (
    Cluster,
    ConceptIndex,
    CoverageGraph,
    Document,
    Floats,
    Indices,
    Levels,
    Selection,
    Sentence,
    TokenizedCluster,
    WordWeights,
)
from summc.system.inputs import lines_in, opened, place_of
from summc.system.json_objects import dump, parse_object
from summc.text.kinds import KINDS, PROSE
from summc.text.numbers import plain

Line = dict[str, Any]
#: Returns a value that has a shape; raises ``_ShapeError`` for any other.
Check = Callable[[Any], Any]


def read_lines(path: str) -> Iterator[tuple[str, Line]]:
    """Yield the place and the object of each line of a file; empty lines are skipped."""
    name = place_of(path)
    with opened(path) as stream:
        empty = True
        for number, data in enumerate(lines_in(stream, name), start=1):
            if data.strip():
                empty = False
                yield f"{name}:{number}", parse_line(data, f"{name}:{number}")
        if empty:
            raise InputError(name, "no lines", "pipe the stage before into it, as in: summc load docs/ | ...")


def parse_line(data: bytes, place: str) -> Line:
    """Return the JSON object in a line."""
    return parse_object(data, place, '{"cluster": ...} or {"graph": ...}')


# Shapes


class _ShapeError(Exception):
    """What is wrong with a value, and where it is in the value that is read, as in ".documents[3]"."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(problem)
        self.problem, self.where = problem, where


def _of(holds: Callable[[Any], object], wanted: str) -> Check:
    """Return a check that ``holds`` is true."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise _ShapeError(f"must be {wanted}")
        return value

    return check


def _list_of(of_item: Check) -> Check:
    def check(value: Any) -> list[Any]:
        items, found = _list(value), []
        try:
            for item in items:
                found.append(of_item(item))  # noqa: PERF401 (an error needs the index)
        except _ShapeError as error:
            error.where = f"[{len(found)}]{error.where}"
            raise
        return found

    return check


def _object(shape: Mapping[str, Check]) -> Check:
    """Return a check of an object; it drops unknown members. A name that ends in "?" is optional."""

    def check(value: Any) -> Line:
        _mapping(value)
        found = {}
        for key, of_member in shape.items():
            name = key.rstrip("?")
            if name in value:
                try:
                    found[name] = of_member(value[name])
                except _ShapeError as error:
                    error.where = f".{name}{error.where}"
                    raise
            elif name == key:
                raise _ShapeError(f'has no "{name}"')
        return found

    return check


def _amount(value: Any) -> Any:
    if type(value) in (int, float) and (value == 0 or SMALLEST <= value <= LARGEST):
        return value
    raise _ShapeError(f"must be 0 or a number from 1e-100 to 1e100, got {dump(value)[:60]}")


def _levels(value: Any) -> list[float]:
    """Return the weights of the first, second, ... occurrence of a word, given as a number or a list."""
    if not isinstance(value, list):
        return [_amount(value)]
    if not value:
        raise _ShapeError("must be a number, or a list of one or more")
    for n, (before, after) in enumerate(pairwise(_amounts(value)), start=1):
        if after > before:
            problem = f"must be at most {dump(before)}, the weight before it, got {dump(after)}"
            raise _ShapeError(problem, f"[{n}]")
    return value


def _is_sum(value: Any) -> bool:
    """Tell whether a value may be a sum of amounts, which may exceed the limit for a single one."""
    return type(value) in (int, float) and 0 <= value <= sys.float_info.max


_text = _of(lambda value: isinstance(value, str), "a text")
_kind = _of(lambda value: isinstance(value, str) and value in KINDS, "a kind of sentence")
_list = _of(lambda value: isinstance(value, list), "a list")
_texts = _of(
    lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value), "a list of texts"
)
_date = _of(
    lambda value: isinstance(value, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value),
    "a date such as 2005-01-08",
)
_mapping = _of(lambda value: isinstance(value, dict), "an object")
_count = _of(lambda value: type(value) is int and 0 <= value <= sys.maxsize, "a count")
_positive = _of(lambda value: type(value) is int and 1 <= value <= sys.maxsize, "a count of 1 or more")
_sum = _of(_is_sum, "a number at least 0")
_bound = _of(lambda value: value is None or _is_sum(value), "a number at least 0")
_amounts, _counts = _list_of(_amount), _list_of(_count)

_SENTENCE = {
    "text": _text,
    "words": _count,
    "paragraph?": _count,
    "page?": _count,
    "kind?": _kind,
    "label?": _count,
}
_DOCUMENT = {"id": _text, "date?": _date, "sentences": _list_of(_object(_SENTENCE))}
_CLUSTER = {
    "id": _text,
    "language": _text,
    "query?": _text,
    "documents": _list_of(_object(_DOCUMENT)),
    "references": _texts,
    "members?": _mapping,
}
_TOKENIZED = {"tokens": _list_of(_texts), "whole?": _counts, "candidates?": _counts, "one_voice?": _amount}
_WEIGHTS = {"words": _texts, "weight": _list_of(_levels), "idf_unit": _text, "bonus?": _amounts}
_GRAPH = {
    "cost": _amounts,
    "weight": _list_of(_levels),
    "edge_sentence": _counts,
    "edge_word": _counts,
    "sentence_ids?": _counts,
    "word_ids?": _counts,
    "count?": _list_of(_positive),
}
_SELECTION = {
    "selector": _text,
    "budget": _amount,
    "unit?": _text,
    "chosen": _counts,
    "cost": _sum,
    "covered_weight": _sum,
    "bound": _bound,
    "diagnostics": _mapping,
    "cut?": _count,
}
#: Member of a line -> the command that writes it, in the order of the stages.
STAGES = {
    "cluster": "load", "tokenized": "preprocess", "weights": "weigh", "graph": "graph",
    "selection": "select", "failure": "select",
}  # fmt: skip


class _Member(dict[str, Any]):
    """The object ``name`` of a line, with the members of a shape."""

    def __init__(self, line: Line, name: str, place: str, shape: Mapping[str, Check]) -> None:
        self.name, self.place = name, place
        if name not in line:
            raise InputError(place, f'no "{name}" on this line', f"run summc {STAGES[name]} before")
        try:
            super().__init__(_object(shape)(line[name]))
        except _ShapeError as error:
            self.refuse(error.where, error.problem)

    def refuse(self, where: str, problem: str) -> NoReturn:
        raise InputError(self.place, f"{self.name}{where} {problem}", "see the guide for its shape") from None

    def check_sizes(self, **sizes: int) -> None:
        for key, size in sizes.items():
            if len(self.get(key, ())) != size and key in self:
                self.refuse(f".{key}", f"must have {size} items, got {len(self[key])}")

    def check_indices(self, key: str, size: int, what: str, *, ascending: bool = False) -> None:
        values = self.get(key, [])
        for i, value in enumerate(values):
            if value >= size:
                self.refuse(f".{key}[{i}]", f"must be an index of the {size} {what}, got {value}")
        if ascending and values != sorted(set(values)):
            self.refuse(f".{key}", f"must be {what}, ascending")


# Records to JSON


def known(**members: Any) -> Line:
    """Return the members that have a value: not None, "" or an empty object."""
    return {name: value for name, value in members.items() if value not in (None, "", {})}


def _encoded(record: Any, shape: Mapping[str, Check], **changed: Any) -> Line:
    """Return the attributes of a record that a shape names; optional ones only if they have a value."""
    found: Line = {}
    for key in shape:
        name = key.rstrip("?")
        member = {name: _listed(changed[name] if name in changed else getattr(record, name))}
        found |= member if name == key else known(**member)
    return found


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def encode_cluster(cluster: Cluster) -> Line:
    """Return a cluster as JSON; the order of the lists says where each sentence stands."""
    documents = [
        _encoded(each, _DOCUMENT, sentences=list(map(_encode_sentence, each.sentences)))
        for each in cluster.documents
    ]
    return _encoded(cluster, _CLUSTER, documents=documents, members=dict(cluster.members))


def _encode_sentence(sentence: Sentence) -> Line:
    kind = None if sentence.kind == PROSE else sentence.kind
    return _encoded(sentence, _SENTENCE, kind=kind, label=sentence.label or None)


def encode_tokenized(tokenized: TokenizedCluster) -> Line:
    """Return the terms of each sentence as JSON, and the whole and candidate sentences unless all are."""
    return _encoded(tokenized, _TOKENIZED)


def encode_weights(weights: WordWeights) -> Line:
    """Return the word weights as JSON."""
    weight = _encode_levels(weights.weight, weights.repeats, weights.repeats_start)
    return _encoded(weights, _WEIGHTS, weight=weight, idf_unit=weights.counted)


def encode_graph(graph: CoverageGraph) -> Line:
    """Return a coverage graph as JSON; ``count`` is left out if all counts are 1."""
    cost = [plain(cost) for cost in graph.cost.tolist()]
    weight = _encode_levels(graph.weight, graph.repeats, graph.repeats_start)
    count = graph.count if (graph.count > 1).any() else None
    return _encoded(graph, _GRAPH, cost=cost, weight=weight, count=count)


def encode_selection(selection: Selection) -> Line:
    """Return a selection, the answer of a selector, as JSON."""
    unit = "" if selection.unit == "words" else selection.unit
    budget, cost = plain(selection.budget), plain(selection.cost)
    return _encoded(
        selection, _SELECTION, budget=budget, cost=cost, unit=unit, diagnostics=dict(selection.diagnostics)
    )


def _encode_levels(weight: Floats, repeats: Floats | None, start: Indices | None) -> list[Any]:
    """Return the weight of each word, or a list if further occurrences of the word have weight too."""
    if repeats is None or start is None:
        return list(weight.tolist())
    return [each if len(each) > 1 else each[0] for each in level_weights(Levels(weight, repeats, start))]


# JSON to records


def decode_cluster(line: Line, place: str) -> Cluster:
    """Return the cluster in a line."""
    found = _Member(line, "cluster", place, _CLUSTER)
    documents = tuple(
        Document(
            each["id"],
            tuple(Sentence(i, position, **sentence) for position, sentence in enumerate(each["sentences"])),
            each.get("date", ""),
        )
        for i, each in enumerate(found["documents"])
    )
    return Cluster(**{**found, "documents": documents, "references": tuple(found["references"])})


def decode_tokenized(line: Line, place: str) -> TokenizedCluster:
    """Return the tokenized cluster in a line."""
    cluster = decode_cluster(line, place)
    found = _Member(line, "tokenized", place, _TOKENIZED)
    found.check_sizes(tokens=len(cluster.sentences))
    for name in ("whole", "candidates"):
        found.check_indices(name, len(cluster.sentences), "sentences", ascending=True)
    tokens = ConceptIndex.of(found.pop("tokens"))
    some: dict[str, Any] = {
        name: value if name == "one_voice" else tuple(value) for name, value in found.items()
    }
    return TokenizedCluster(cluster, tokens, **some)


def decode_weights(line: Line, place: str) -> WordWeights:
    """Return the word weights in a line."""
    found = _Member(line, "weights", place, _WEIGHTS)
    words, bonus = found["words"], None
    if len(set(words)) != len(words):
        found.refuse(".words", "must be a list of texts, none of them twice")
    found.check_sizes(weight=len(words))
    if "bonus" in found:
        found.check_sizes(bonus=len(decode_cluster(line, place).sentences))
        bonus = np.array(found["bonus"], dtype=float)
    first, repeats, start = level_arrays(found["weight"])
    levels = (repeats, start) if len(repeats) else (None, None)
    return WordWeights(tuple(words), first, found["idf_unit"], bonus, *levels)


def decode_graph(line: Line, place: str, cluster: Cluster | None = None) -> CoverageGraph:
    """Return the coverage graph in a line, whose sentences are those of ``cluster`` if that is given."""
    found = _Member(line, "graph", place, _GRAPH)
    sentences, words, edges = (len(found[name]) for name in ("cost", "weight", "edge_sentence"))
    found.check_sizes(edge_word=edges, sentence_ids=sentences, word_ids=words, count=edges)
    found.check_indices("edge_sentence", sentences, "sentences")
    found.check_indices("edge_word", words, "words")
    ids = found.get("sentence_ids", range(sentences))  # a graph that does not come from text has no ids
    if len(set(ids)) < len(ids):
        found.refuse(".sentence_ids", "names a sentence twice")
    if cluster is not None and max(ids, default=-1) >= len(cluster.sentences):
        found.refuse(".sentence_ids", "names a sentence the cluster does not have")
    weight, repeats, repeats_start = level_arrays(found.pop("weight"))
    return make_graph(weight=weight, repeats=repeats, repeats_start=repeats_start, **found)


def decode_selection(line: Line, place: str) -> Selection:
    """Return the selection in a line."""
    costs = _Member(line, "graph", place, {"cost": _amounts})["cost"]
    found = _Member(line, "selection", place, _SELECTION)
    found.check_indices("chosen", len(costs), "sentences", ascending=True)
    if found.get("cut", 0) >= len(costs):
        found.refuse(".cut", f"must be an index of the {len(costs)} sentences")
    chosen = tuple(found["chosen"])
    if not chosen or math.fsum(costs[i] for i in chosen) > found["budget"]:
        found.refuse(".chosen", "must be sentences within the budget")
    return Selection(**{**found, "chosen": chosen})


def level_arrays(levels: list[list[float]]) -> tuple[Floats, Floats, Indices]:
    """Return the first weight of each word, all further ones, and where those of each word begin."""
    first, more = [values[0] for values in levels], [each for values in levels for each in values[1:]]
    start = np.cumsum([0, *(len(values) - 1 for values in levels)])
    return np.array(first, dtype=float), np.array(more, dtype=float), start
