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
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from numbers import Real
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

from summc.errors import InputError
from summc.graph import LARGEST, SMALLEST, level_weights, make_graph
from summc.records import (
    KINDS,
    PROSE,
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
from summc.system.inputs import chunks_in, lines_in, most_bytes, opened, place_of, too_long
from summc.system.json_objects import parse_object
from summc.text.numbers import plain

StageLine = dict[str, Any]
Shape = TypeVar("Shape")
_REMEDY = "see the guide for its shape"


def read_lines(path: str) -> Iterator[tuple[str, StageLine]]:
    """Yield the place and the object of each line of a file; empty lines are skipped."""
    name = place_of(path)
    with opened(path) as stream:
        empty = True
        for number, data in enumerate(lines_in(chunks_in(stream, name)), start=1):
            if data is None:
                raise too_long(f"{name}:{number}", most_bytes())
            if data.strip():
                empty = False
                yield f"{name}:{number}", parse_line(data, f"{name}:{number}")
        if empty:
            raise InputError(name, "no lines", "pipe the stage before into it, as in: summc load docs/ | ...")


def parse_line(data: bytes, place: str) -> StageLine:
    """Return the JSON object in a line."""
    return parse_object(data, place, '{"cluster": ...} or {"graph": ...}')


# Shapes


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number, of Python or of NumPy; True and False are not numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


class Amount(float):
    """A number that a graph may have: 0, or from 1e-100 to 1e100."""

    @classmethod
    def of(cls, value: Any) -> Amount:
        """Return a number as an amount; raise ValueError for anything else."""
        number = value.item() if isinstance(value, np.generic) else value  # a float32 has no 1e100
        if is_number(number) and (number == 0 or SMALLEST <= number <= LARGEST):
            return cls(number)
        raise ValueError(f"must be 0 or a number from 1e-100 to 1e100, got {value!r:.60}")


class Weight(list[float]):
    """What the first, second, ... occurrence of a word is worth."""

    @classmethod
    def of(cls, value: Any) -> Weight:
        """Return the levels of a word, given as a number or as a list that does not rise."""
        is_one = isinstance(value, str) or not isinstance(value, Iterable)
        found = cls(map(Amount.of, [value] if is_one else value))
        if not found or any(after > before for before, after in pairwise(found)):
            raise ValueError(f"must be a number, or a list of numbers that do not rise, got {value!r:.60}")
        return found


class KindName(str):
    """The kind of a sentence."""

    __slots__ = ()

    @classmethod
    def of(cls, value: Any) -> KindName:
        """Return the name of a kind; raise ValueError for anything else."""
        if value == PROSE or (isinstance(value, str) and value in KINDS):
            return cls(value)
        raise ValueError(f"must be a kind of sentence, such as headline, got {value!r:.60}")


class DateText(str):
    """A date as 2005-01-08, or "" if it is unknown."""

    __slots__ = ()

    @classmethod
    def of(cls, value: Any) -> DateText:
        """Return a text as a date; raise ValueError for anything else."""
        if isinstance(value, str) and re.fullmatch("([0-9]{4}-[0-9]{2}-[0-9]{2})?", value):
            return cls(value)
        raise ValueError(f"must be a date such as 2005-01-08, got {value!r:.60}")


Count = Annotated[int, Meta(ge=0, le=sys.maxsize)]
Sum = Annotated[float, Meta(ge=0)]


class _Sentence(Struct, kw_only=True):
    text: str
    words: Count
    paragraph: Count | None = None
    page: Count | None = None
    kind: KindName = KindName(PROSE)
    label: Count = 0
    tokens: Count = 0


class _Document(Struct, kw_only=True):
    id: str
    date: DateText = DateText()
    sentences: list[_Sentence]


class _Cluster(Struct, kw_only=True):
    id: str
    language: str
    query: str = ""
    documents: list[_Document]
    references: tuple[str, ...]
    members: dict[str, Any] | None = None


class _Tokenized(Struct, kw_only=True):
    tokens: list[list[str]]
    whole: tuple[Count, ...] | None = None
    candidates: tuple[Count, ...] | None = None
    one_voice: Annotated[float, Meta(ge=0, le=1)] = 0.0


class _Weights(Struct, kw_only=True):
    words: tuple[str, ...]
    weight: list[Weight]
    idf_unit: str
    bonus: list[Amount] | None = None


class _Costs(Struct, kw_only=True):
    cost: list[Amount]


class _Graph(_Costs, kw_only=True):
    weight: list[Weight]
    edge_sentence: list[Count]
    edge_word: list[Count]
    sentence_ids: list[Count] | None = None
    word_ids: list[Count] | None = None
    count: list[Annotated[int, Meta(ge=1, le=sys.maxsize)]] | None = None


class _Selection(Struct, kw_only=True):
    selector: str
    budget: Amount
    unit: str = "words"
    chosen: tuple[Count, ...]
    cost: Sum
    covered_weight: Sum
    bound: Sum | None
    diagnostics: dict[str, Any]
    cut: Count | None = None


#: Member of a line -> the command that writes it, in the order of the stages.
STAGES = {
    "cluster": "load", "tokenized": "preprocess", "weights": "weigh", "graph": "graph",
    "selection": "select", "failure": "select",
}  # fmt: skip


def validated(value: Any, shape: type[Shape], name: str) -> Shape:
    """Return a value in a shape; raise an error that names the part that does not fit, as in "name[3]"."""
    try:
        return msgspec.convert(value, shape, dec_hook=lambda kind, each: kind.of(each))
    except msgspec.ValidationError as error:
        problem, _, where = str(error).replace("`", "").partition(" - at $")
        raise InputError(f"{name}{where}", problem[0].lower() + problem[1:]) from None


def _member(line: StageLine, place: str, name: str, shape: type[Shape]) -> Shape:
    if name not in line:
        raise InputError(place, f'no "{name}" on this line', f"run summc {STAGES[name]} before")
    try:
        return validated(line[name], shape, name)
    except InputError as error:
        raise InputError(place, f"{error.place}: {error.problem}", _REMEDY) from None


def _check(holds: bool, place: str, where: str, problem: str) -> None:  # noqa: FBT001 (as in assert)
    if not holds:
        raise InputError(place, f"{where}: {problem}", _REMEDY)


def _check_sentences(indices: Sequence[int] | None, size: int, place: str, where: str) -> None:
    given = list(indices or ())
    holds = given == sorted({*given}) and max(given, default=-1) < size
    _check(holds, place, where, f"must be indices of the {size} sentences, ascending")


# Records to JSON


def known(**members: Any) -> StageLine:
    """Return the members that have a value: not None, "" or an empty object."""
    return {name: value for name, value in members.items() if value not in (None, "", {})}


def _encoded(record: Any, shape: type[Struct], **changed: Any) -> StageLine:
    """Return the attributes of a record that a shape names, without those that have the default value."""
    found: StageLine = {}
    for each in _fields(shape):
        value = _listed(changed[each.name] if each.name in changed else getattr(record, each.name))
        if value != each.default:
            found[each.name] = value
    return found


#: The members of a shape; working them out takes long.
_fields = cache(msgspec.structs.fields)


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(map(_listed, value)) if isinstance(value, tuple) else value


def encode_cluster(cluster: Cluster) -> StageLine:
    """Return a cluster as JSON; the order of the lists says where each sentence stands."""
    documents = [
        _encoded(each, _Document, sentences=[_encoded(sentence, _Sentence) for sentence in each.sentences])
        for each in cluster.documents
    ]
    return _encoded(cluster, _Cluster, documents=documents, members=cluster.members or None)


def encode_tokenized(tokenized: TokenizedCluster) -> StageLine:
    """Return the terms of each sentence as JSON, and the whole and candidate sentences unless all are."""
    return _encoded(tokenized, _Tokenized)


def encode_weights(weights: WordWeights) -> StageLine:
    """Return the word weights as JSON."""
    weight = _encode_levels(weights.weight, weights.repeats, weights.repeats_start)
    return _encoded(weights, _Weights, weight=weight, idf_unit=weights.counted)


def encode_graph(graph: CoverageGraph) -> StageLine:
    """Return a coverage graph as JSON; ``count`` is left out if all counts are 1."""
    cost = [plain(cost) for cost in graph.cost.tolist()]
    weight = _encode_levels(graph.weight, graph.repeats, graph.repeats_start)
    count = graph.count if (graph.count > 1).any() else None
    return _encoded(graph, _Graph, cost=cost, weight=weight, count=count)


def encode_selection(selection: Selection) -> StageLine:
    """Return a selection, the answer of a selector, as JSON."""
    return _encoded(selection, _Selection, budget=plain(selection.budget), cost=plain(selection.cost))


def _encode_levels(weight: Floats, repeats: Floats | None, start: Indices | None) -> list[Any]:
    """Return the weight of each word, or a list if further occurrences of the word have weight too."""
    if repeats is None or start is None:
        return list(weight.tolist())
    return [each if len(each) > 1 else each[0] for each in level_weights(Levels(weight, repeats, start))]


# JSON to records


def decode_cluster(line: StageLine, place: str) -> Cluster:
    """Return the cluster in a line."""
    found = _member(line, place, "cluster", _Cluster)
    documents, members = list[Document](), found.members or {}
    for i, each in enumerate(found.documents):
        sentences = (Sentence(i, p, **msgspec.structs.asdict(own)) for p, own in enumerate(each.sentences))
        documents.append(Document(each.id, tuple(sentences), each.date))
    return Cluster(found.id, tuple(documents), found.references, found.language, found.query, members=members)


def decode_tokenized(line: StageLine, place: str) -> TokenizedCluster:
    """Return the tokenized cluster in a line."""
    cluster = decode_cluster(line, place)
    found, size = _member(line, place, "tokenized", _Tokenized), len(cluster.sentences)
    _check(len(found.tokens) == size, place, "tokenized.tokens", f"must have {size} items")
    _check_sentences(found.whole, size, place, "tokenized.whole")
    _check_sentences(found.candidates, size, place, "tokenized.candidates")
    tokens, voice = ConceptIndex.of(found.tokens), found.one_voice
    return TokenizedCluster(cluster, tokens, found.whole, found.candidates, one_voice=voice)


def decode_weights(line: StageLine, place: str) -> WordWeights:
    """Return the word weights in a line."""
    found = _member(line, place, "weights", _Weights)
    size, bonus = len(found.words), None
    _check(len({*found.words}) == size, place, "weights.words", "must be texts, none of them twice")
    _check(len(found.weight) == size, place, "weights.weight", f"must have {size} items")
    if found.bonus is not None:
        sentences, bonus = len(decode_cluster(line, place).sentences), np.array(found.bonus, dtype=float)
        _check(len(bonus) == sentences, place, "weights.bonus", f"must have {sentences} items")
    first, repeats, start = level_arrays(found.weight)
    levels = (repeats, start) if len(repeats) else (None, None)
    return WordWeights(found.words, first, found.idf_unit, bonus, *levels)


def decode_graph(line: StageLine, place: str, cluster: Cluster | None = None) -> CoverageGraph:
    """Return the coverage graph in a line, whose sentences are those of ``cluster`` if that is given."""
    found = _member(line, place, "graph", _Graph)
    sentences, words, edges = len(found.cost), len(found.weight), len(found.edge_sentence)
    sizes = {"edge_word": edges, "sentence_ids": sentences, "word_ids": words, "count": edges}
    for name, size in sizes.items():
        values = getattr(found, name)
        _check(values is None or len(values) == size, place, f"graph.{name}", f"must have {size} items")
    ids = found.sentence_ids or range(sentences)  # a graph that does not come from text has no ids
    _check(len({*ids}) == len(ids), place, "graph.sentence_ids", "names a sentence twice")
    there = len(cluster.sentences) if cluster else sys.maxsize
    limits = {"edge_sentence": sentences, "edge_word": words, "sentence_ids": there}
    for name, size in limits.items():
        high = max(getattr(found, name) or (), default=-1)
        _check(high < size, place, f"graph.{name}", f"must be indices below {size}, got {high}")
    weight, repeats, start = level_arrays(found.weight)
    arrays = {**msgspec.structs.asdict(found), "weight": weight}
    return make_graph(**arrays, repeats=repeats, repeats_start=start)


def decode_selection(line: StageLine, place: str) -> Selection:
    """Return the selection in a line."""
    cost = _member(line, place, "graph", _Costs).cost
    found = _member(line, place, "selection", _Selection)
    _check_sentences(found.chosen, len(cost), place, "selection.chosen")
    _check((found.cut or 0) < len(cost), place, "selection.cut", f"must be an index of {len(cost)} sentences")
    fits = found.chosen and math.fsum(cost[i] for i in found.chosen) <= found.budget
    _check(bool(fits), place, "selection.chosen", "must be sentences within the budget")
    return Selection(**msgspec.structs.asdict(found))


def level_arrays(levels: Sequence[Sequence[float]]) -> tuple[Floats, Floats, Indices]:
    """Return the first weight of each word, all further ones, and where those of each word begin."""
    first, more = [values[0] for values in levels], [each for values in levels for each in values[1:]]
    start = np.cumsum([0, *(len(values) - 1 for values in levels)])
    return np.array(first, dtype=float), np.array(more, dtype=float), start
