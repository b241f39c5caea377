"""Convert the record of each stage to and from JSON lines.

A line is a JSON object with one member for each stage that has run: ``cluster``, ``tokenized``, ``weights``,
``graph``, ``selection``. The member ``signature`` has the settings of those stages. Unknown members are
passed on unchanged. A decoder raises ``InputError`` if its member is missing or malformed; ``place`` is the
line in the message, as in "file:3".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

from summc.errors import InputError
from summc.graph import LARGEST, SMALLEST, level_weights, make_graph
from summc.records import (
    KINDS,
    PROSE,
    Box,
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
from summc.selectors.amounts import fits
from summc.system.inputs import chunks_in, lines_in, most_bytes, opened, place_of, too_long
from summc.system.json_objects import is_number, parse_object
from summc.text.numbers import UNITS, plain

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
        levels = cls(map(Amount.of, [value] if is_one else value))
        if not levels or any(after > before for before, after in pairwise(levels)):
            raise ValueError(f"must be a number, or a list of numbers that do not rise, got {value!r:.60}")
        return levels


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


class _Sentence(Struct, kw_only=True):  # the defaults are plain texts, because schemas have them
    text: str
    words: Count
    paragraph: Count | None = None
    page: Count | None = None
    kind: KindName = PROSE  # type: ignore[assignment]
    speaker: str = ""
    label: Count = 0
    tokens: Count = 0
    start: Count | None = None
    end: Count | None = None
    boxes: tuple[Box, ...] = ()
    lead_in: Count | None = None
    level: Count = 0


class _Document(Struct, kw_only=True):
    id: str
    date: DateText = ""  # type: ignore[assignment]
    title: str = ""
    sentences: list[_Sentence]


class _Cluster(Struct, kw_only=True):
    id: str
    language: str
    query: str = ""
    documents: list[_Document]
    references: tuple[str, ...]
    members: dict[str, Any] | None = None
    stories: Count = 1
    labels: bool = True


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


#: Member of a line -> its shape.
SHAPES: dict[str, type[Struct]] = {
    "cluster": _Cluster, "tokenized": _Tokenized, "weights": _Weights, "graph": _Graph,
    "selection": _Selection,
}  # fmt: skip
#: Member of a line -> the command that writes it, in the order of the stages.
STAGES = {
    "cluster": "load", "tokenized": "preprocess", "weights": "weigh", "graph": "graph",
    "selection": "select", "failure": "select",
}  # fmt: skip


def validated(value: Any, shape: type[Shape], name: str) -> Shape:
    """Return a value in a shape; raise an error that names the part that does not fit, as in "name[3]"."""
    try:
        return msgspec.convert(value, shape, dec_hook=lambda kind, part: kind.of(part))
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
    sentences = list(indices or ())
    holds = sentences == sorted({*sentences}) and max(sentences, default=-1) < size
    _check(holds, place, where, f"must be indices of the {size} sentences, ascending")


# Records to JSON


def _encoded(record: Any, shape: type[Struct], **changed: Any) -> StageLine:
    """Return the attributes of a record that a shape names; default values are left out."""
    members: StageLine = {}
    for field in _fields(shape):
        value = _listed(changed[field.name] if field.name in changed else getattr(record, field.name))
        if value != _listed(field.default):
            members[field.name] = value
    return members


#: Returns the members of a shape, and caches them, because msgspec takes long to find them.
_fields = cache(msgspec.structs.fields)


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(map(_listed, value)) if isinstance(value, tuple) else value


def encode_cluster(cluster: Cluster) -> StageLine:
    """Return a cluster as JSON; documents and sentences are listed in order."""
    documents = [
        _encoded(document, _Document, sentences=[_encoded(s, _Sentence) for s in document.sentences])
        for document in cluster.documents
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
    return [row if len(row) > 1 else row[0] for row in level_weights(Levels(weight, repeats, start))]


# JSON to records


def decode_cluster(line: StageLine, place: str) -> Cluster:
    """Return the cluster in a line."""
    data = _member(line, place, "cluster", _Cluster)
    documents, members = list[Document](), data.members or {}
    for i, document in enumerate(data.documents):
        sentences = (Sentence(i, p, **msgspec.structs.asdict(s)) for p, s in enumerate(document.sentences))
        documents.append(Document(document.id, tuple(sentences), document.date, document.title))
    return Cluster(
        data.id, tuple(documents), data.references, data.language, data.query, members=members,
        stories=data.stories, labels=data.labels,
    )  # fmt: skip


def decode_tokenized(line: StageLine, place: str) -> TokenizedCluster:
    """Return the tokenized cluster in a line."""
    cluster = decode_cluster(line, place)
    data, size = _member(line, place, "tokenized", _Tokenized), len(cluster.sentences)
    _check(len(data.tokens) == size, place, "tokenized.tokens", f"must have {size} items")
    _check_sentences(data.whole, size, place, "tokenized.whole")
    _check_sentences(data.candidates, size, place, "tokenized.candidates")
    tokens, voice = ConceptIndex.of(data.tokens), data.one_voice
    return TokenizedCluster(cluster, tokens, data.whole, data.candidates, one_voice=voice)


def decode_weights(line: StageLine, place: str) -> WordWeights:
    """Return the word weights in a line."""
    data = _member(line, place, "weights", _Weights)
    size, bonus = len(data.words), None
    _check(len({*data.words}) == size, place, "weights.words", "must be texts, none of them twice")
    _check(len(data.weight) == size, place, "weights.weight", f"must have {size} items")
    if data.bonus is not None:
        sentences, bonus = len(decode_cluster(line, place).sentences), np.array(data.bonus, dtype=float)
        _check(len(bonus) == sentences, place, "weights.bonus", f"must have {sentences} items")
    first, repeats, start = level_arrays(data.weight)
    levels = (repeats, start) if len(repeats) else (None, None)
    return WordWeights(data.words, first, data.idf_unit, bonus, *levels)


def decode_graph(line: StageLine, place: str, cluster: Cluster | None = None) -> CoverageGraph:
    """Return the coverage graph in a line; its sentences have to be in ``cluster``, if that is given."""
    data = _member(line, place, "graph", _Graph)
    sentences, words, edges = len(data.cost), len(data.weight), len(data.edge_sentence)
    sizes = {"edge_word": edges, "sentence_ids": sentences, "word_ids": words, "count": edges}
    for name, size in sizes.items():
        values = getattr(data, name)
        _check(values is None or len(values) == size, place, f"graph.{name}", f"must have {size} items")
    ids = data.sentence_ids or range(sentences)  # a graph that does not come from text has no ids
    _check(len({*ids}) == len(ids), place, "graph.sentence_ids", "names a sentence twice")
    there = len(cluster.sentences) if cluster else sys.maxsize
    limits = {"edge_sentence": sentences, "edge_word": words, "sentence_ids": there}
    for name, size in limits.items():
        high = max(getattr(data, name) or (), default=-1)
        _check(high < size, place, f"graph.{name}", f"must be indices below {size}, got {high}")
    weight, repeats, start = level_arrays(data.weight)
    arrays = {**msgspec.structs.asdict(data), "weight": weight}
    return make_graph(**arrays, repeats=repeats, repeats_start=start)


def decode_selection(line: StageLine, place: str) -> Selection:
    """Return the selection in a line."""
    cost = _member(line, place, "graph", _Costs).cost
    data = _member(line, place, "selection", _Selection)
    _check_sentences(data.chosen, len(cost), place, "selection.chosen")
    _check((data.cut or 0) < len(cost), place, "selection.cut", f"must be an index of {len(cost)} sentences")
    within = bool(data.chosen) and fits(np.array(cost, dtype=float), data.chosen, data.budget)
    _check(within, place, "selection.chosen", "must be sentences within the budget")
    _check(data.unit in UNITS, place, "selection.unit", f"must be one of {', '.join(UNITS)}")
    return Selection(**msgspec.structs.asdict(data))


def level_arrays(levels: Sequence[Sequence[float]]) -> tuple[Floats, Floats, Indices]:
    """Return the first weight of each word, all further ones, and where each word's further ones begin."""
    first, more = [values[0] for values in levels], [value for values in levels for value in values[1:]]
    start = np.cumsum([0, *(len(values) - 1 for values in levels)])
    return np.array(first, dtype=float), np.array(more, dtype=float), start
