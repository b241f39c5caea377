"""Convert the record of each stage to and from JSON lines.

A line is a JSON object with one member for each stage that has run: ``cluster``, ``tokenized``, ``weights``,
``graph``, ``selection``. The member ``signature`` has the settings of those stages. Unknown members are
passed on unchanged. In this module, ``place`` names a line in error messages, as in "file:3".
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from summc.errors import InputError
from summc.graph import LARGEST, SMALLEST
from summc.graph.build import make_graph
from summc.records import (
    Cluster,
    ConceptIndex,
    CoverageGraph,
    Document,
    Floats,
    Indices,
    Selection,
    Sentence,
    TokenizedCluster,
    WordWeights,
)
from summc.system.inputs import lines_in, opened, place_of
from summc.system.json_objects import dump, parse_object
from summc.text.numbers import plain

Line = dict[str, Any]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_lines(path: str) -> Iterator[tuple[str, Line]]:
    """Yield each line of a file as an object, with its place for messages, such as "file:3".

    The path ``-`` is standard input. Empty lines are skipped.
    """
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
    """Return the JSON object in a line; ``place`` names the line in error messages."""
    return parse_object(data, place, '{"cluster": ...} or {"graph": ...}')


def encode_cluster(cluster: Cluster) -> Line:
    """Return a cluster as JSON.

    The document and the position of a sentence are not written, because the order of the lists gives them.
    """
    return {
        "id": cluster.id,
        "language": cluster.language,
        **({"query": cluster.query} if cluster.query else {}),
        "documents": [
            {
                "id": document.id,
                **date_known(document),
                "sentences": [_encode_sentence(s) for s in document.sentences],
            }
            for document in cluster.documents
        ],
        "references": list(cluster.references),
        **({"members": dict(cluster.members)} if cluster.members else {}),
    }


def date_known(document: Document) -> Line:
    """Return {"date": ...} with the date of a document, or {} if the date is unknown."""
    return {"date": document.date} if document.date else {}


def _encode_sentence(sentence: Sentence) -> Line:
    return {"text": sentence.text, "words": sentence.words, **whereabouts(sentence)}


def whereabouts(sentence: Sentence) -> Line:
    """Return an object with the paragraph and the page of a sentence, each only if it is known."""
    known = {"paragraph": sentence.paragraph, "page": sentence.page}
    return {name: number for name, number in known.items() if number is not None}


def decode_cluster(line: Line, place: str) -> Cluster:
    """Return the cluster in a line; raise ``InputError`` if it is missing or malformed."""
    member = _Member(line, "cluster", place, "load")
    documents = tuple(
        Document(
            document.text("id"),
            tuple(
                _decode_sentence(sentence, i, position)
                for position, sentence in enumerate(document.members("sentences"))
            ),
            document.date("date") if "date" in document.object else "",
        )
        for i, document in enumerate(member.members("documents"))
    )
    return Cluster(
        member.text("id"),
        documents,
        tuple(member.texts("references")),
        member.text("language"),
        member.text("query") if "query" in member.object else "",
        members=member.mapping("members") if "members" in member.object else {},
    )


def _decode_sentence(member: _Member, document: int, position: int) -> Sentence:
    # The paragraph and the page may be missing, because other programs may write lines without them.
    paragraph, page = (member.count(key) if key in member.object else None for key in ("paragraph", "page"))
    return Sentence(document, position, member.text("text"), member.count("words"), paragraph, page)


def encode_tokenized(tokenized: TokenizedCluster) -> Line:
    """Return the terms of each sentence as JSON, and the indices of whole and candidate sentences.

    If one of the two index lists is None, which means all sentences, it is left out.
    """
    chosen = {"whole": tokenized.whole, "candidates": tokenized.candidates}
    return {
        "tokens": [list(terms) for terms in tokenized.tokens],
        **{name: list(indices) for name, indices in chosen.items() if indices is not None},
    }


def decode_tokenized(line: Line, place: str) -> TokenizedCluster:
    """Return the tokenized cluster in a line; raise ``InputError`` if it is missing or malformed."""
    cluster = decode_cluster(line, place)
    member = _Member(line, "tokenized", place, "preprocess")
    tokens = member.lists("tokens")
    if len(tokens) != len(cluster.sentences):
        member.refuse("tokens", f"a list for each of the {len(cluster.sentences)} sentences")
    if not all(isinstance(term, str) for terms in tokens for term in terms):
        member.refuse("tokens", "lists of texts")
    whole, candidates = (
        tuple(member.ascending(key, len(tokens), "sentences")) if key in member.object else None
        for key in ("whole", "candidates")
    )
    return TokenizedCluster(cluster, ConceptIndex.of(tokens), whole, candidates)


def encode_weights(weights: WordWeights) -> Line:
    """Return the word weights as JSON, and the position bonus of each sentence if the weights have one."""
    return {
        "words": list(weights.words),
        "weight": _encode_levels(weights.weight, weights.repeats, weights.repeats_start),
        "idf_unit": weights.counted,
        **({} if weights.bonus is None else {"bonus": weights.bonus.tolist()}),
    }


def _encode_levels(weight: Floats, repeats: Floats | None, start: Indices | None) -> list[Any]:
    """Return an item for each word: its weight, or a list of weights if further occurrences have weight too.

    ``repeats`` has the weights of further occurrences, word by word; ``start`` says where those of each word
    begin.
    """
    first: list[Any] = weight.tolist()
    if repeats is None or start is None or not len(repeats):
        return first
    rest = [part.tolist() for part in np.split(repeats, start[1:-1])]
    return [[one, *more] if more else one for one, more in zip(first, rest, strict=True)]


def decode_weights(line: Line, place: str) -> WordWeights:
    """Return the word weights in a line; raise ``InputError`` if they are missing or malformed."""
    member = _Member(line, "weights", place, "weigh")
    words, (weight, repeats, start) = member.texts("words"), member.levels("weight")
    if len(set(words)) != len(words):
        member.refuse("words", "a list of texts, none of them twice")
    if len(words) != len(weight):
        member.refuse("weight", f"a number for each of the {len(words)} words")
    bonus = None
    if "bonus" in member.object:
        bonus = np.array(member.numbers("bonus"), dtype=np.float64)
        bonus.flags.writeable = False
        if len(bonus) != len(decode_cluster(line, place).sentences):
            member.refuse("bonus", "a number for each sentence")
    levels = (repeats, start) if len(repeats) else (None, None)
    return WordWeights(tuple(words), weight, member.text("idf_unit"), bonus, *levels)


def encode_graph(graph: CoverageGraph) -> Line:
    """Return a coverage graph as JSON, with arrays as lists; ``count`` is left out if all counts are 1."""
    return {
        "cost": [plain(cost) for cost in graph.cost.tolist()],
        "weight": _encode_levels(graph.weight, graph.repeats, graph.repeats_start),
        "edge_sentence": graph.edge_sentence.tolist(),
        "edge_word": graph.edge_word.tolist(),
        "sentence_ids": graph.sentence_ids.tolist(),
        "word_ids": graph.word_ids.tolist(),
        **({"count": graph.count.tolist()} if (graph.count > 1).any() else {}),
    }


def decode_graph(line: Line, place: str) -> CoverageGraph:
    """Return the coverage graph in a line; raise ``InputError`` if it is missing or malformed.

    ``sentence_ids`` and ``word_ids`` may be missing, because a coverage problem need not come from text.
    """
    member = _Member(line, "graph", place, "graph")
    cost, (weight, repeats, start) = member.numbers("cost"), member.levels("weight")
    sentence = member.indices("edge_sentence", len(cost), "sentences")
    word = member.indices("edge_word", len(weight), "words")
    if len(sentence) != len(word):
        member.refuse("edge_word", f"as long as edge_sentence ({len(sentence)}, got {len(word)})")
    return make_graph(
        cost,
        weight,
        sentence,
        word,
        member.ids("sentence_ids", cost),
        member.ids("word_ids", weight),
        member.counts("count", len(word)) if "count" in member.object else None,
        repeats,
        start,
    )


def encode_selection(selection: Selection) -> Line:
    """Return a selection, the answer of a selector, as JSON."""
    return {
        "selector": selection.selector,
        "budget": plain(selection.budget),
        **({} if selection.unit == "words" else {"unit": selection.unit}),
        "chosen": list(selection.chosen),
        "cost": plain(selection.cost),
        "covered_weight": selection.covered_weight,
        "bound": selection.bound,
        "diagnostics": dict(selection.diagnostics),
        **({} if selection.cut is None else {"cut": selection.cut}),
    }


def decode_selection(line: Line, place: str) -> Selection:
    """Return the selection in a line; raise ``InputError`` if it is missing or malformed."""
    member = _Member(line, "selection", place, "select")
    graph = _Member(line, "graph", place, "graph")
    diagnostics = member.value("diagnostics")
    if not isinstance(diagnostics, dict):
        member.refuse("diagnostics", "an object")
    costs = graph.numbers("cost")
    chosen = member.ascending("chosen", len(costs), "sentences")
    if not chosen:
        member.refuse("chosen", "one or more sentences")
    if math.fsum(costs[i] for i in chosen) > member.number("budget"):
        member.refuse("chosen", "within the budget")
    if "cut" in member.object and member.count("cut") >= len(costs):
        member.refuse("cut", f"an index of the {len(costs)} sentences")
    return Selection(
        selector=member.text("selector"),
        budget=member.number("budget"),
        chosen=tuple(chosen),
        cost=member.total("cost"),
        covered_weight=member.total("covered_weight"),
        bound=None if member.value("bound") is None else member.total("bound"),
        unit=member.text("unit") if "unit" in member.object else "words",
        diagnostics=diagnostics,
        cut=member.count("cut") if "cut" in member.object else None,
    )


class _Member:
    """Reads the members of a JSON object by name and type.

    A method such as ``text(key)`` returns the member ``key``, or raises ``InputError`` if it is missing or
    has another type. The error names the line and the member.
    """

    def __init__(self, line: Line, name: str, place: str, stage: str = "") -> None:
        if name not in line:
            raise InputError(place, f'no "{name}" on this line', f"run summc {stage} before")
        self.object, self.name, self.place = line[name], name, place
        if not isinstance(self.object, dict):
            raise InputError(place, f"{name} must be an object", "see the guide for its shape")

    def refuse(self, key: str, wanted: str) -> NoReturn:
        raise InputError(self.place, f"{self.name}.{key} must be {wanted}", "see the guide for its shape")

    def value(self, key: str) -> Any:
        if key not in self.object:
            raise InputError(self.place, f'{self.name} has no "{key}"', "see the guide for its shape")
        return self.object[key]

    def text(self, key: str) -> str:
        value = self.value(key)
        return value if isinstance(value, str) else self.refuse(key, "a text")

    def date(self, key: str) -> str:
        value = self.text(key)
        return value if _DATE.fullmatch(value) else self.refuse(key, "a date such as 2005-01-08")

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.value(key)
        return value if isinstance(value, dict) else self.refuse(key, "an object")

    def count(self, key: str) -> int:
        value = self.value(key)
        return value if type(value) is int and 0 <= value <= sys.maxsize else self.refuse(key, "a count")

    def list(self, key: str) -> Sequence[Any]:
        value = self.value(key)
        return value if isinstance(value, list) else self.refuse(key, "a list")

    def lists(self, key: str) -> Sequence[Sequence[Any]]:
        values = self.list(key)
        return values if all(isinstance(value, list) for value in values) else self.refuse(key, "lists")

    def texts(self, key: str) -> Sequence[str]:
        values = self.list(key)
        return (
            values if all(isinstance(value, str) for value in values) else self.refuse(key, "a list of texts")
        )

    def members(self, key: str) -> Iterator[_Member]:
        for i, _ in enumerate(self.list(key)):
            yield _Member(
                {f"{self.name}.{key}[{i}]": self.object[key][i]}, f"{self.name}.{key}[{i}]", self.place
            )

    def number(self, key: str) -> float:
        value: float = self.value(key)
        return (
            value
            if _is_amount(value)
            else self.refuse(key, f"0 or a number from 1e-100 to 1e100, got {dump(value)[:60]}")
        )

    def total(self, key: str) -> float:
        # This number is a sum of costs or weights, so it may exceed the limit for a single one.
        value: float = self.value(key)
        finite = type(value) in (int, float) and 0 <= value <= sys.float_info.max
        return value if finite else self.refuse(key, "a number at least 0")

    def numbers(self, key: str) -> Sequence[float]:
        values = self.list(key)
        for i, value in enumerate(values):
            if not _is_amount(value):
                self.refuse(f"{key}[{i}]", f"0 or a number from 1e-100 to 1e100, got {dump(value)[:60]}")
        return values

    def counts(self, key: str, size: int) -> Sequence[int]:
        values = self.indices(key, sys.maxsize, "counts")
        for i, value in enumerate(values):
            if value < 1:
                self.refuse(f"{key}[{i}]", f"a count of 1 or more, got {value}")
        return values if len(values) == size else self.refuse(key, f"a count for each of the {size} edges")

    def levels(self, key: str) -> tuple[Floats, Floats, Indices]:
        """Return the weights of words that the member ``key`` has.

        In JSON a word has a number, or a list of numbers that never increase: the weights of its first,
        second, ... occurrence in a summary. The result is the first weight of each word; all further weights,
        word by word; and where the further weights of each word begin.
        """
        lists = [value if isinstance(value, list) else [value] for value in self.list(key)]
        for a, values in enumerate(lists):
            where = f"{key}[{a}]"
            if not values:
                self.refuse(where, "a number, or a list of one or more")
            for n, value in enumerate(values):
                place = f"{where}[{n}]" if len(values) > 1 else where
                if not _is_amount(value):
                    self.refuse(place, f"0 or a number from 1e-100 to 1e100, got {dump(value)[:60]}")
                if n and value > values[n - 1]:
                    most = f"at most {dump(values[n - 1])}, the weight before it"
                    self.refuse(place, f"{most}, got {dump(value)}")
        arrays = (
            np.array([values[0] for values in lists], dtype=np.float64),
            np.array([value for values in lists for value in values[1:]], dtype=np.float64),
            np.cumsum([0, *(len(values) - 1 for values in lists)]),
        )
        for array in arrays:
            array.flags.writeable = False
        return arrays

    def indices(self, key: str, size: int, what: str) -> Sequence[int]:
        values = self.list(key)
        for i, value in enumerate(values):
            if type(value) is not int or not 0 <= value < size:
                self.refuse(f"{key}[{i}]", f"an index of the {size} {what}, got {dump(value)}")
        return values

    def ascending(self, key: str, size: int, what: str) -> Sequence[int]:
        values = self.indices(key, size, what)
        return values if list(values) == sorted(set(values)) else self.refuse(key, f"{what}, ascending")

    def ids(self, key: str, of: Sequence[float] | Floats) -> Sequence[int] | None:
        if key not in self.object:
            return None
        values = self.indices(key, sys.maxsize, "things named")
        return values if len(values) == len(of) else self.refuse(key, f"a list of {len(of)}")


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and (value == 0 or SMALLEST <= value <= LARGEST)
