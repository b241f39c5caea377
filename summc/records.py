"""The frozen records that one stage hands to the next.

Sentences and words are referred to by index, never by text, so that two sentences with the same text remain
two sentences. Arrays are read-only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, compress, count, pairwise, repeat
from operator import attrgetter, contains
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Indices: TypeAlias = "NDArray[np.intp]"
#: Indices in 32 bits, for arrays of many millions of entries; they take half the memory of ``Indices``.
Indices32: TypeAlias = "NDArray[np.int32]"
Mask: TypeAlias = "NDArray[np.bool_]"


@dataclass(frozen=True, slots=True, eq=False)
class _OfArrays:
    """A record whose arrays become read-only when it is made."""

    def __post_init__(self) -> None:
        for member in fields(self):
            if isinstance(array := getattr(self, member.name), np.ndarray):
                array.flags.writeable = False


class Kind(NamedTuple):
    """A kind of sentence: the rule of the setting ``leave_out`` that it falls under, and the reason shown."""

    rule: str
    reason: str


#: The kinds of headings: of any section, and of three parts of a paper.
HEADINGS = ("heading", "abstract", "introduction", "conclusion")
PROSE = "prose"
#: Every kind except prose. Those under "apparatus" are never content; those under "fragments" are no whole
#: sentences.
KINDS: Mapping[str, Kind] = {
    "bibliography": Kind("apparatus", "it belongs to a bibliography"),
    "back matter": Kind("apparatus", "it stands among thanks, keywords, contents or notes"),
    "front matter": Kind("apparatus", "it stands above the abstract"),
    "caption": Kind("apparatus", "it is the caption of a figure or table"),
    "footnote": Kind("apparatus", "it stands in a footnote"),
    "rights": Kind("apparatus", "it speaks of rights, thanks or keywords"),
    "address": Kind("apparatus", "it is a web address, or holds an e-mail address"),
    "running head": Kind("apparatus", "it stands on several pages, as running heads do"),
    "formula": Kind("apparatus", "it is mostly figures and symbols, as tables and formulas are"),
    "headline": Kind("fragments", "it is a headline"),
    "date": Kind("fragments", "it is the date of the text"),
    **dict.fromkeys(HEADINGS, Kind("fragments", "it is a heading")),
    "item": Kind("fragments", "it is an item of a list"),
    "fragment": Kind("fragments", "it does not end as a sentence does"),
    "line": Kind("fragments", "it is a line, not a sentence"),
    "routine": Kind("fragments", "it is a line of a log that reports no error"),
    "courtesy": Kind("courtesies", "it is a greeting or thanks"),
    "question": Kind("questions", "it is a question"),
    "quotation": Kind("quotes", "it opens with a quotation"),
    "half quotation": Kind("unbalanced", "a quotation or parenthesis is only half in it"),
    "small letter": Kind("small-letters", "it begins with a small letter"),
    "voice": Kind("linked", "it does not say who speaks"),
    "linked": Kind("linked", "it points back to what was said before"),
    "pointer": Kind("linked", "it points to another part of the text"),
    "quoted": Kind("quotes", "it stands within a quotation"),
}
KIND_RULES = tuple(dict.fromkeys(kind.rule for kind in KINDS.values()))
APPARATUS = frozenset(name for name, kind in KINDS.items() if kind.rule == "apparatus")
_NOT_RUNNING = APPARATUS.union(name for name, kind in KINDS.items() if kind.rule == "fragments")
#: The number of a news text: AP880911-0016, APW19981016.0240.
_NEWS = re.compile(r"[A-Z_]+\d{6,8}[-.]\d{3,4}")
#: This many documents or more for each story may be reports of it. Then facts in only one may be trivial.
_ENOUGH_TO_AGREE = 3
#: Texts of which more than this is said by one voice are no reports of one story.
_ONE_VOICE = 0.5
#: A whole sentence has at least this many words. A text with fewer is usually a headline or an aside.
WHOLE_WORDS = 8
#: Labels stand in brackets.
_NO_BRACKETS = str.maketrans("", "", "[]")
#: A text with one of these ends announces the text after it.
ANNOUNCES = (":", "\uff1a")


class Box(NamedTuple):
    """A rectangle on a page, counted from 1; the edges in points from the lower left corner of the page."""

    page: int
    left: float
    bottom: float
    right: float
    top: float

    def joined(self, other: Box) -> Box:
        """Return the smallest box around both."""
        return Box(self.page, *map(min, self[1:3], other[1:3]), *map(max, self[3:], other[3:]))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: its text, where it stands and what it costs.

    ``document`` is the index of its document in the cluster, and ``position`` its index in that document.
    ``words`` is its length, the cost c_i of the paper. It begins in ``paragraph``, counted from 0, and on
    ``page``, counted from 1; each is None if unknown. ``kind`` is ``PROSE`` or one of ``KINDS``. ``speaker``
    is who says or writes it, or "" if unknown. The first ``label`` characters of ``text`` name the speaker,
    as in "Anna: ". ``tokens`` is its length by the tokenizer that the user names, or 0. ``lead_in`` is the
    position in its document of the line that introduces its list ("Members may not:"), or None. ``level`` is
    that of a heading, from 1 for the largest, or 0 if unknown.

    Without the label it stands in the text of its file from ``start`` up to, but not including, ``end``; both
    are None if unknown. ``boxes`` are the places of its lines on the pages of a PDF.
    """

    document: int
    position: int
    text: str
    words: int
    paragraph: int | None = None
    page: int | None = None
    kind: str = PROSE
    speaker: str = ""
    label: int = 0
    tokens: int = 0
    start: int | None = None
    end: int | None = None
    boxes: tuple[Box, ...] = ()
    lead_in: int | None = None
    level: int = 0

    def part(self, first: int, end: int, words: int) -> Sentence:
        """Return the sentence with only a part of its text, which has this many words.

        If the file does not have the sentence character by character, the offsets become unknown.
        """
        cut = replace(self, text=self.text[first:end], words=words, start=None, end=None)
        if self.start is None or self.end != self.start + len(self.text) - self.label or end <= self.label:
            return cut
        before = self.start - self.label
        return replace(cut, start=before + max(first, self.label), end=before + end)

    @property
    def is_running(self) -> bool:
        """Whether it belongs to the running text of its document: no fragment, and no apparatus."""
        return self.kind not in _NOT_RUNNING

    @property
    def is_whole(self) -> bool:
        """Whether it is running text of usual length: no headline, date, caption or aside."""
        return self.words >= WHOLE_WORDS and self.kind not in _NOT_RUNNING

    @property
    def text_without_label(self) -> str:
        """The text with spaces in place of the label, so that each word keeps its place."""
        return " " * len(self.text[: self.label]) + self.text[self.label :] if self.label else self.text


class Section(NamedTuple):
    """A section of a document: its sentences from position ``start`` up to, but not including, ``end``.

    If it has a heading, that is its first sentence, and ``kind`` is the kind of the heading; otherwise "".
    """

    start: int
    end: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A text: its sentences in reading order, its date, written as 2005-01-08, and its title.

    Each is "" if unknown. A text without a title has the name of its file as ``id``.
    """

    id: str
    sentences: tuple[Sentence, ...]
    date: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        """What people call the document: its title, or else its id.

        The number of a news text is shorter than its title, and says who reported and on which day.
        """
        return self.id if _NEWS.fullmatch(self.id) else self.title or self.id

    @property
    def sections(self) -> list[Section]:
        """The sections in order; every sentence is in exactly one section."""
        kinds = [sentence.kind for sentence in self.sentences]
        starts = [i for i, kind in enumerate(kinds) if i == 0 or kind in HEADINGS]
        return [
            Section(start, end, kinds[start] if kinds[start] in HEADINGS else "")
            for start, end in pairwise([*starts, len(kinds)])
        ]

    @property
    def headings(self) -> tuple[str, ...]:
        """The heading above each sentence, or "" above the first heading; the title is no heading.

        A heading that occurs several times or has one word, such as "Fixes", follows the heading of the
        section around it: "Version 2.0: Fixes". If levels are unknown, that is the last heading that occurs
        once. A heading within what somebody says or writes names no section.
        """
        own = [s for s in self.sentences if s.kind in HEADINGS and not s.speaker]
        often = Counter(s.text for s in own)
        headings, around, heading = list[str](), list[tuple[int, str]](), ""
        for sentence in self.sentences:
            if sentence.kind in HEADINGS and not sentence.speaker:
                level, recurs = sentence.level, often[sentence.text] > 1
                text = sentence.text if heading or sentence.text != self.title else ""
                text = text.translate(_NO_BRACKETS).rstrip(":")
                while around and (around[-1][0] >= level if level else not recurs):
                    around.pop()
                within = around[-1][1] if around and (recurs or (level and " " not in text)) else ""
                heading = ": ".join(filter(None, (within, text)))
                if level or not recurs:
                    around.append((level, text))
            headings.append(heading)
        return tuple(headings)


@dataclass(frozen=True)  # without slots, because cached_property needs a place to store its value
class Cluster:
    """Documents to be summarized together, and the summaries that people wrote of them (``references``).

    ``language`` is a code such as ``en``. ``query`` is the question that a summary should answer, or "".
    ``title`` is the topic of a cluster that was made by grouping documents. ``members`` are members of the
    cluster's JSON line that summc only copies to the JSON of the summary (name -> value). ``stories`` is the
    number of stories that the documents tell; if there are several, labels say which document speaks.
    ``labels`` is False if the user wants no labels.
    """

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...] = ()
    language: str = "en"
    query: str = ""
    title: str = ""
    members: Mapping[str, Any] = field(default_factory=dict, hash=False)
    stories: int = 1
    labels: bool = True

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, by document and then position. Every index of a sentence refers to this order."""
        return tuple(chain.from_iterable(map(attrgetter("sentences"), self.documents)))

    @cached_property
    def document_of(self) -> Indices:
        """The index of the document of each of N sentences, shape (N,)."""
        return np.fromiter(map(attrgetter("document"), self.sentences), np.intp, len(self.sentences))

    @cached_property
    def lengths(self) -> Floats:
        """The length of each sentence in words, which is its cost c_i, shape (N,)."""
        return np.fromiter(map(attrgetter("words"), self.sentences), np.float64, len(self.sentences))


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each value once, ascending; faster than ``np.unique``, but no value may be negative."""
    ascending = np.sort(values)
    return ascending[np.diff(ascending, prepend=-1) > 0] if len(values) else ascending


def distinct_with_index(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each value once, ascending, and for each value its index among these.

    ``np.unique`` does the same, but imports ``numpy.ma``, which takes as long as a small summary's search.
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    is_first = np.ones(len(values), dtype=bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    index = np.empty(len(values), dtype=np.int64)
    index[order] = np.cumsum(is_first) - 1
    return ascending[is_first], index


@dataclass(frozen=True, eq=False)  # without slots, because cached_property needs a place to store its value
class ConceptIndex(_OfArrays):
    """Where each concept (word or bigram) of a cluster occurs. P is the number of all occurrences.

    Attributes:
        concepts: the concepts, sorted.
        concept: the concept of each occurrence, in reading order, as an index into ``concepts``, shape (P,).
        sentence: the sentence of each occurrence, as an index into the cluster's sentences, shape (P,).
        size: the number of sentences.
    """

    concepts: tuple[str, ...]
    concept: Indices32
    sentence: Indices32
    size: int

    @classmethod
    def of(cls, tokens: Sequence[Sequence[str]]) -> ConceptIndex:
        """Return where each concept occurs, given the concepts of each sentence."""
        lengths = np.fromiter(map(len, tokens), dtype=np.intp, count=len(tokens))
        number_of: defaultdict[str, int] = defaultdict(count().__next__)  # by first occurrence
        numbers = map(number_of.__getitem__, chain.from_iterable(tokens))
        concept = np.fromiter(numbers, dtype=np.int32, count=int(lengths.sum()))
        words = tuple(sorted(number_of))
        rank = np.empty(len(words), dtype=np.int32)
        rank[list(map(number_of.__getitem__, words))] = np.arange(len(words))
        sentence = np.repeat(np.arange(len(tokens), dtype=np.int32), lengths)
        return cls(words, rank[concept], sentence, len(tokens))

    def __eq__(self, other: object) -> bool:
        """Tell whether the other index has the same concepts in each sentence."""
        return isinstance(other, ConceptIndex) and self.tokens == other.tokens

    def __hash__(self) -> int:
        """Return the same number for equal indices."""
        return hash(self.tokens)

    @cached_property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The concepts of each sentence, in reading order."""
        flat = [self.concepts[number] for number in self.concept.tolist()]
        return tuple(tuple(flat[start:end]) for start, end in pairwise(self._starts))

    def in_sentence(self, sentence: int) -> Indices32:
        """Return the concepts of a sentence in reading order, as indices into ``concepts``."""
        return self.concept[self._starts[sentence] : self._starts[sentence + 1]]

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = np.searchsorted(self.sentence, np.arange(self.size + 1)).tolist()
        return starts

    def where(self, kept: Mask) -> ConceptIndex:
        """Return the index of those occurrences for which the mask ``kept`` is true, shape (P,)."""
        concept = self.concept[kept]
        is_left = np.bincount(concept, minlength=len(self.concepts)) > 0
        number = np.cumsum(is_left, dtype=np.int32) - 1
        words = tuple(compress(self.concepts, is_left.tolist()))
        return ConceptIndex(words, number[concept], self.sentence[kept], self.size)

    @cached_property
    def is_bigram(self) -> Mask:
        """Whether each concept is a bigram: two terms joined by a space."""
        return np.fromiter(map(contains, self.concepts, repeat(" ")), dtype=bool, count=len(self.concepts))

    @cached_property
    def pairs(self) -> tuple[Indices32, Indices32, Indices32]:
        """Each pair of a sentence and a concept in it, sorted, and how often it occurs: three arrays."""
        size = max(len(self.concepts), 1)
        ascending = np.sort(self.sentence.astype(np.int64) * size + self.concept)
        starts = np.flatnonzero(np.diff(ascending, prepend=-1))
        count = np.diff(starts, append=len(ascending))
        once = ascending[starts]
        arrays = (once // size).astype(np.int32), (once % size).astype(np.int32), count.astype(np.int32)
        for array in arrays:
            array.flags.writeable = False
        return arrays

    def only(self, kept: Mask) -> tuple[str, ...]:
        """Return the concepts for which the mask ``kept`` is true; it has an entry for each concept."""
        return tuple(compress(self.concepts, kept.tolist()))

    def numbers_among(self, words: Sequence[str]) -> Indices:
        """Return, for each concept of the cluster, its index in ``words``, or -1 if ``words`` lacks it."""
        if words is self.concepts:
            return np.arange(len(words))
        number = dict(zip(words, range(len(words)), strict=True))
        return np.fromiter(map(number.get, self.concepts, repeat(-1)), np.intp, count=len(self.concepts))


@dataclass(frozen=True, slots=True)
class TokenizedCluster:
    """A cluster with the terms or concepts of each sentence (``index``).

    ``candidates`` are the sentences that may be chosen. ``whole`` are those of running text with 8 words or
    more; only these are counted to find how early a sentence comes in its document. Both are ascending
    indices, or None for all sentences. ``banned`` are those that the user leaves out; their words count all
    the same. ``function_terms`` are the terms of function words, for weightings that treat them differently.
    ``one_voice`` says how far one voice says everything once, from 0 (reports, papers) to 1.
    """

    cluster: Cluster
    index: ConceptIndex
    whole: tuple[int, ...] | None = None
    candidates: tuple[int, ...] | None = None
    banned: frozenset[int] = frozenset()
    one_voice: float = 0.0
    function_terms: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def are_reports(self) -> bool:
        """Whether the documents are probably reports of a story, as news is: enough for each, and alike.

        Reports say the same, in whole sentences, and have neither sections nor speakers.
        """
        documents, sentences = self.cluster.documents, self.cluster.sentences
        if len(documents) < _ENOUGH_TO_AGREE * self.cluster.stories or self.one_voice >= _ONE_VOICE:
            return False
        if 2 * sum(sentence.words < WHOLE_WORDS for sentence in sentences) > len(sentences):
            return False
        marked = sum(any(s.speaker or s.kind in HEADINGS for s in d.sentences) for d in documents)
        return marked * 2 < len(documents)

    @property
    def has_abstract(self) -> bool:
        """Whether a document has an abstract, which says first what matters."""
        return any(sentence.kind == "abstract" for sentence in self.cluster.sentences)

    @property
    def is_content_word(self) -> Mask:
        """Whether each concept is a single word that is no function word, shape (M,)."""
        words = self.index.concepts
        is_function = np.fromiter(map(self.function_terms.__contains__, words), bool, len(words))
        return ~is_function & ~self.index.is_bigram

    @property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The terms or concepts of each sentence, as texts."""
        return self.index.tokens


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question, and what it asks of a cluster.

    Attributes:
        text: the question.
        terms: the terms of the cluster that it asks for, with how much each counts: 1 for a word of the
            question, less for a related word.
        relevance: how relevant each sentence is, by its words or by its meaning, 1 on average, shape (N,).
        promise: how much each word of a sentence promises to answer the question, shape (N,); None if
            only several sentences together answer it, as with "Why?".
        answered: whether the documents seem to answer it.
        nearest: the index of the sentence that comes nearest to an answer.
        model: the model of meaning that was used, or "".
    """

    text: str
    terms: Mapping[str, float]
    relevance: Floats
    promise: Floats | None = None
    answered: bool = True
    nearest: int = 0
    model: str = ""

    def asks_for(self, concept: str) -> float:
        """Return how much a concept (a term or a bigram) belongs to the question."""
        return max(self.terms.get(term, 0.0) for term in concept.split(" "))


@dataclass(frozen=True, slots=True, eq=False)
class WordWeights(_OfArrays):
    """The words of a cluster, and their weights: how much a summary gains by covering each.

    ``words`` may include bigrams. ``weight[a]`` is w_a, the weight of ``words[a]``. ``counted`` is what was
    counted to find how common a word is: "cluster", "document", "section" or "sentence". ``bonus[i]`` is what
    a summary gains by choosing sentence i near the start of its document; None if positions do not matter.
    ``repeats`` has the weights of the second, third, ... occurrence of each word in a summary, word by word;
    those of ``words[a]`` begin at ``repeats_start[a]``. Both are None if only first occurrences have weight.
    ``weigher`` is the fitted weighting; None if the weights were read. ``question`` is the question that the
    summary should answer, or None.
    """

    words: tuple[str, ...]
    weight: Floats
    counted: str
    bonus: Floats | None = None
    repeats: Floats | None = None
    repeats_start: Indices | None = None
    weigher: Any = None
    question: Question | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What each occurrence of M words in a summary is worth. Level n of a word is that of its nth occurrence.

    Attributes:
        weight: w_a of each word, what its first occurrence is worth, shape (M,).
        repeats: what the second, third, ... occurrence of each word is worth, word by word, shape (F,).
        repeats_start: the index in ``repeats`` at which the weights of each word begin, then F, shape
            (M + 1,).
    """

    weight: Floats
    repeats: Floats
    repeats_start: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Coverage(Levels):
    """A weighted maximum-coverage problem: N sentences, M words, E edges, without any text.

    An edge says that a sentence contains a word. The second and later occurrences of a word in a summary may
    have weights too, each no larger than the one before. If only first occurrences have weight and all counts
    are 1, this is the problem of Kitano and Takeda's paper.

    Attributes:
        cost: c_i of each sentence, how much of the budget it takes, shape (N,).
        edge_sentence: the sentence of each edge, shape (E,).
        edge_word: the word of each edge, shape (E,).
        count: how often the word of each edge occurs in its sentence, 1 or more, shape (E,).
    """

    cost: Floats
    edge_sentence: Indices
    edge_word: Indices
    count: Indices


@dataclass(frozen=True, slots=True, eq=False)
class CoverageGraph(Coverage, _OfArrays):
    """The problem of a cluster. Edges are sorted by sentence, then word, without duplicates.

    Attributes:
        sentence_ids: the index of each sentence in the cluster, shape (N,).
        word_ids: the index of each word among the V words of ``WordWeights``, shape (M,). The bonus of
            sentence i of the cluster is the weight of an extra word in it, whose id is V + i.
    """

    sentence_ids: Indices
    word_ids: Indices


@dataclass(frozen=True, slots=True)
class Selection:
    """The sentences that a selector chose from a coverage graph.

    ``chosen`` has the indices of the sentences in the graph, ascending. ``bound`` is a proven upper bound on
    the weight that any selection within the budget can cover, or None if nothing was proven. ``unit`` is what
    the budget counts: words, sentences, characters or tokens, or "" if the problem has no text.
    ``diagnostics`` is what the selector reports about its search, by name. ``cut`` is the index of one more
    sentence, whose first words fill the rest of the budget, or None; the cost and the weight do not include
    it.
    """

    selector: str
    budget: float
    chosen: tuple[int, ...]
    cost: float
    covered_weight: float
    bound: float | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    unit: str = "words"
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The chosen sentences in reading order, and what they cover.

    Attributes:
        cluster: the documents that were summarized, in the order in which the summary has them.
        total_weight: the weight that all sentences of the graph cover together.
        forecast: the share of a person's summary of the same length that this one is expected to contain, or
            None if the weighting cannot tell.
        answered: whether the documents seem to answer the question, if there is one.
    """

    cluster: Cluster
    selection: Selection
    sentences: tuple[Sentence, ...]
    total_weight: float
    forecast: float | None = None
    answered: bool = True

    @property
    def text(self) -> str:
        """The text of the summary, with each sentence on a line of its own."""
        return "\n".join(map(attrgetter("text"), self.sentences))

    @property
    def words(self) -> int:
        """The length of the summary in words."""
        return sum(sentence.words for sentence in self.sentences)

    @property
    def covered(self) -> float:
        """The covered weight as a share of the weight that all sentences cover together."""
        return self.selection.covered_weight / self.total_weight if self.total_weight else 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """How a summary was found: the records of stages 2 to 4, and the ``Config`` with all settings."""

    summary: Summary
    tokenized: TokenizedCluster = field(compare=False, repr=False)
    weights: WordWeights = field(compare=False, repr=False)
    graph: CoverageGraph = field(compare=False, repr=False)
    config: Any = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Score:
    """The ROUGE score of one summary against its references; ``signature`` states the options used."""

    recall: float
    precision: float
    f1: float
    signature: str

    @property
    def figures(self) -> dict[str, float]:
        """The three numbers by name."""
        return {"recall": self.recall, "precision": self.precision, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The summary that a selector or another system made of one cluster, and its score by each metric.

    If the system made several summaries, ``text`` is one of them and ``words`` is their mean length.
    ``selection`` is None if the system did not choose sentences. If there is no summary, ``problem`` says
    why.
    """

    cluster: str
    selector: str
    text: str = ""
    words: int | float = 0.0
    scores: Mapping[str, Score] = field(default_factory=dict)
    selection: Selection | None = None
    problem: str = ""
