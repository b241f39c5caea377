"""Find the sentences that may be chosen for a summary: the candidates.

A whole sentence is long enough and ends as a sentence does; headlines, dates and captions are not whole. The
position of a sentence in its document is counted in whole sentences. A candidate must be whole, and a reader
must understand it without the sentences around it: it can stand alone. A whole sentence that cannot stand
alone is not a candidate, but it counts for positions, and its words count for the weights. The apparatus of a
paper (its bibliography, captions, formulas) counts for nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, islice

import numpy as np
import regex

from summc.errors import SettingError, as_typed
from summc.records import Sentence, TokenizedCluster
from summc.settings import setting
from summc.system.resources import linked_words
from summc.text.structure import apparatus_of, in_abstract, is_paper

log = logging.getLogger("summc")

DATELINES = ("cut", "kept")

# Patterns for the end of a sentence are searched from its end, so that a long sentence takes no longer.
_CLOSING = r"""\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$"""
_ENDS = regex.compile(rf"[\p{{STerm}}…]{_CLOSING}", regex.REVERSE)
_ABBREVIATED = regex.compile(r"\b\p{Lu}\.\p{Lu}\.$")  # a text that ends in "U.S." is usually a headline
_QUESTION = regex.compile(rf"[?\u061f\uff1f]{_CLOSING}", regex.REVERSE)
# Also the marks of question and answer in an interview.
_OPENS_QUOTE = regex.compile(r"""\s*(?:["“”„‟«»「『]|``|''|[QA]:\s)""")
#: The kinds of quotation marks. Any mark of a kind may open or close a quotation, because languages differ:
#: „so“, ”so”.
_QUOTES = tuple(map(regex.compile, ("\"|``|''", "[“”„‟]", "[«»]", "[「」『』]")))
# Marks that look like quotation marks and are not: feet and inches, as in 34' 28", and the mark before the
# last letter of a Hebrew abbreviation.
_NO_QUOTES = regex.compile(
    r"""\d\s*['\u2032]\s*\d+(?:[.,]\d+)?\s*(?:"|'') | (?<=\p{Hebrew})"(?=\p{Hebrew}(?!\p{Hebrew}))""",
    regex.VERBOSE,
)
#: A line that gives a date has a year, and a day or a month in digits. Names of months are not looked for, so
#: that the rule holds in every language.
_A_YEAR = regex.compile(r"\b\d{4}\b")
_A_DAY_OR_MONTH = regex.compile(r"(?<!\d)\d{1,2}(?!\d)")
#: A line with more words is a sentence that mentions a date.
_DATED_WORDS = 7
_OPENING = 3  # a headline, a date line, and the first sentence of the text
_SMALL = regex.compile(r"[^\p{L}\p{N}]*\p{Ll}")
_SAID = regex.compile(
    r"""
    [,"'\p{Pf}]\s+(?:he|she|they)\s+(?:\p{Ll}+ly\s+)?
    (?: \p{Ll}+ (?:\s+\p{L}+){0,4} [.…]\s*$
      | (?: said|says|told|wrote|writes|admit(?:s|ted)|repli(?:ed|es)|(?:argu|conced|estimat|not|observ)e[ds]
          | (?:add|claim|confirm|explain|insist|predict|recall|stress|suggest|warn)(?:ed|s) )
        (?:\s+\p{L}+){0,3} , )
    """,
    regex.VERBOSE,
)
_FIRST_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]*([\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*)")
_NEXT_WORD = regex.compile(r"\s+([\p{L}\p{M}]+)")
_OPENING_WORDS = 4  # no entry in a list of linked words is longer than "on_the_other_hand"
#: The default of ``least_words``. A text with fewer words is usually a headline, a caption or an aside.
_USUAL_LEAST = 8
#: A sentence is boilerplate if it occurs word for word in at least this many documents, and in at least half
#: of all documents.
_REPEATED = 3


def is_question(sentence: Sentence, language: str) -> bool:  # noqa: ARG001 (all rules have the same signature)
    """Tell whether a sentence is a question."""
    return bool(_QUESTION.search(sentence.text))


def opens_with_quote(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether a sentence begins with a quotation, or with the "Q:" or "A:" of an interview.

    Such a sentence is hard to understand alone, because another sentence often names the speaker.
    """
    return bool(_OPENS_QUOTE.match(sentence.text))


def is_unbalanced(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether a sentence contains only the beginning or only the end of a quotation or parenthesis."""
    text = sentence.text
    return text.count("(") != text.count(")") or any(count % 2 for count in _count_quotes(text))


def _count_quotes(text: str) -> tuple[int, ...]:
    """Return how many quotation marks of each kind in ``_QUOTES`` a text has."""
    if text.isascii() and '"' not in text and "``" not in text and "''" not in text:
        return (0,) * len(_QUOTES)
    bare = _NO_QUOTES.sub("", text)
    return tuple(len(kind.findall(bare)) for kind in _QUOTES)


def within_quotations(sentences: Sequence[Sentence]) -> frozenset[int]:
    """Return the indices of sentences inside a quotation that an earlier sentence opens.

    In a summary, such a sentence would look like the writer's own words. A quotation is taken to end with its
    paragraph. Paragraphs with an odd number of quotation marks are skipped, because one mark may be a typo.
    """
    found: set[int] = set()
    counts = [_count_quotes(sentence.text) for sentence in sentences]
    places = [(sentence.document, sentence.paragraph) for sentence in sentences]
    marked = {place for place, count in zip(places, counts, strict=True) if any(count)}
    in_marked = (i for i, place in enumerate(places) if place in marked and place[1] is not None)
    for _, group in groupby(in_marked, key=places.__getitem__):
        paragraph = [(i, counts[i]) for i in group]
        for kind in range(len(_QUOTES)):
            marks = [count[kind] for _, count in paragraph]
            if sum(marks) % 2 == 0:
                before = accumulate(marks, initial=0)
                found.update(i for (i, _), opened in zip(paragraph, before, strict=False) if opened % 2)
    return frozenset(found)


def ends_as_sentence(text: str) -> bool:
    """Tell whether a text ends as a sentence does; most headlines, dates and captions do not."""
    return bool(_ENDS.search(text) and not _ABBREVIATED.search(text))


def heads_of(sentences: Sequence[Sentence]) -> Mapping[int, str]:
    """Return the headlines and date lines that stand above the texts: index -> why it is no candidate.

    If the second paragraph of a document is nothing but a date, the paragraph above it is the headline, even
    if both end in a full stop as sentences do. No other headlines are looked for.
    """
    found: dict[int, str] = {}
    for _, group in groupby(enumerate(sentences), key=lambda each: each[1].document):
        opening = list(islice(group, _OPENING))
        if len({sentence.paragraph for _, sentence in opening}) < _OPENING:
            continue
        (above, _), (line, dated), _ = opening
        is_short = dated.words <= _DATED_WORDS
        if is_short and _A_YEAR.search(dated.text) and _A_DAY_OR_MONTH.search(dated.text):
            found |= {above: "it is a headline", line: "it is the date of the text"}
    return found


def opens_small(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether the first letter of a sentence is a lower-case letter."""
    return bool(_SMALL.match(sentence.text))


def is_linked(sentence: Sentence, language: str) -> bool:
    """Tell whether a sentence refers to the one before it: it begins with "he", "this", "but" or the like.

    In English, a sentence that contains ", he said" or the like is linked too. A language without a word list
    has no linked sentences.
    """
    return _opens_linked(sentence.text, linked_words(language)) or (
        language == "en" and bool(_SAID.search(sentence.text))
    )


def _opens_linked(text: str, linked: frozenset[str]) -> bool:
    found = _FIRST_WORD.match(text)
    if found is None or found[1].lower() not in _first_words(linked):  # true of most sentences, and quick
        return False
    opening: list[str] = []
    while found and len(opening) < _OPENING_WORDS:
        opening.append(found[1].lower())
        entry = "_".join(opening)
        if entry in linked or (text[found.end() : found.end() + 1] == "," and f"{entry}," in linked):
            return True
        found = _NEXT_WORD.match(text, found.end())
    return False


@functools.cache
def _first_words(linked: frozenset[str]) -> frozenset[str]:
    """Return the first word of each entry in a list of linked words, such as "for" of "for_example,"."""
    return frozenset(entry.partition("_")[0].removesuffix(",") for entry in linked)


#: Name of a rule -> the function that tells whether a sentence cannot stand alone, and the reason that is
#: shown to the user.
_READABLE: Mapping[str, tuple[Callable[[Sentence, str], bool], str]] = {
    "questions": (is_question, "it is a question"),
    "quotes": (opens_with_quote, "it opens with a quotation"),
    "unbalanced": (is_unbalanced, "a quotation or parenthesis is only half in it"),
    "small-letters": (opens_small, "it begins with a small letter"),
    "linked": (is_linked, "it points back to what was said before"),
}
RULES = ("fragments", "repetitions", "boilerplate", *_READABLE, "apparatus", "nothing")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The settings that decide which sentences may be chosen (the candidates).

    ``leave_out`` names the rules that exclude sentences; the rule "nothing" excludes no sentence.
    """

    datelines: str = setting(
        "cut", "Datelines, such as HANOI (AP) _, at the start of documents.", choices=DATELINES
    )
    leave_out: tuple[str, ...] = setting(
        RULES[:-1], "Kinds of sentences that are never chosen.", choices=RULES, commas=True
    )
    least_words: int = setting(_USUAL_LEAST, "Choose no sentence of fewer words.", at_least=1, at_most=10**6)
    most_words: int = setting(10**6, "Choose no sentence of more words.", at_least=1, at_most=10**6)
    most_overlap: float = setting(
        1.0,
        "Skip a sentence if an earlier one contains more than this share of its concepts.",
        above=0,
        at_most=1,
    )

    def __post_init__(self) -> None:
        """Raise an error if ``least_words`` is above ``most_words``, because then no sentence would fit."""
        if self.least_words > self.most_words:
            problem = f"{self.most_words} is below {as_typed('least_words')}, {self.least_words}"
            raise SettingError(as_typed("most_words"), problem, "raise it, or lower the other")

    def mark(self, tokenized: TokenizedCluster, wanted: frozenset[int] = frozenset()) -> TokenizedCluster:
        """Return a cluster with the indices of its whole sentences, and of its candidates.

        A whole sentence has an allowed length and ends as a sentence does. If a document has none, perhaps
        because it has no punctuation, all its sentences are taken as whole, and the default of
        ``least_words`` is not applied to them. The candidates are the sentences that may be chosen for a
        summary: the whole sentences of allowed length that no rule in ``leave_out`` excludes. If there are
        none, all whole sentences become candidates, with a warning.

        Sentences in the apparatus of a paper (bibliography, captions, formulas) lose their concepts, because
        they say nothing about the topic. ``wanted`` has the indices of the sentences that the user requires;
        these keep their concepts.
        """
        sentences = tokenized.cluster.sentences
        apparatus, papers = self._framed(tokenized)
        if apparatus:
            loses = np.zeros(len(sentences), dtype=bool)
            loses[[i for i in apparatus if i not in wanted]] = True
            kept = tokenized.index.where(~loses[tokenized.index.sentence])
            tokenized = dataclasses.replace(tokenized, index=kept)
        heads = self._heads(tokenized)
        complete = [
            i not in apparatus and i not in heads and self._is_complete(s) for i, s in enumerate(sentences)
        ]
        some = {s.document for s, is_one in zip(sentences, complete, strict=True) if is_one}
        whole = tuple(i for i, s in enumerate(sentences) if complete[i] or s.document not in some)
        if (
            len(whole) == len(sentences)
            and not self._rules()
            and not any(map(self._misses_length, sentences))
        ):
            return tokenized
        candidates = tuple(self._distinct(tokenized, self._readable(tokenized, whole, papers)))
        if whole and not candidates:
            log.warning("%s: no sentence can stand alone by the rules; all are taken", tokenized.cluster.id)
            candidates = whole
        return dataclasses.replace(tokenized, whole=whole, candidates=candidates)

    def reason(self, tokenized: TokenizedCluster, index: int) -> str:
        """Return why the sentence with this index is not a candidate, or "" if it is one.

        The reason is printed after "no candidate:".
        """
        sentence = tokenized.cluster.sentences[index]
        if tokenized.candidates is None or _holds(tokenized.candidates, index):
            return ""
        apparatus, papers = self._framed(tokenized)
        if index in apparatus:
            return apparatus[index]
        if _holds(tokenized.whole or (), index):
            unreadable = self._unreadable(tokenized, index, self._quoted(tokenized), papers)
            return unreadable or self._repeated_reason(tokenized, index, papers)
        return (
            self._length_reason(sentence)
            or self._heads(tokenized).get(index)
            or (
                "it ends in an abbreviation, as headlines do"
                if _ENDS.search(sentence.text)
                else "it does not end as a sentence does"
            )
        )

    @property
    def signature(self) -> str:
        """The settings on one line, for the list of settings that is printed with a result."""
        lengths = (
            f"{self.least_words}-{self.most_words}" if self.most_words < 10**6 else f"{self.least_words}+"
        )
        return f"{'+'.join(self._rules()) or 'all'},words={lengths},overlap={self.most_overlap:g}"

    def _rules(self) -> tuple[str, ...]:
        return tuple(rule for rule in self.leave_out if rule != "nothing")

    def _length_reason(self, sentence: Sentence) -> str:
        if sentence.words < self.least_words:
            return f"it has fewer than {self.least_words} words"
        return f"it has more than {self.most_words} words" if sentence.words > self.most_words else ""

    def _misses_length(self, sentence: Sentence) -> bool:
        # The default of ``least_words`` is not applied, so that a document of short notes can be summarized.
        least = self.least_words if self.least_words > _USUAL_LEAST else 0
        return not least <= sentence.words <= self.most_words

    def _heads(self, tokenized: TokenizedCluster) -> Mapping[int, str]:
        return heads_of(tokenized.cluster.sentences) if "fragments" in self.leave_out else {}

    def _is_complete(self, sentence: Sentence) -> bool:
        text = sentence.text
        return self.least_words <= sentence.words <= self.most_words and (
            "fragments" not in self.leave_out or ends_as_sentence(text)
        )

    def _readable(
        self, tokenized: TokenizedCluster, whole: tuple[int, ...], papers: frozenset[int]
    ) -> tuple[int, ...]:
        """Return the indices of the whole sentences that can stand alone.

        ``whole`` has the indices of the whole sentences, and ``papers`` those of documents that are research
        papers.
        """
        quoted = self._quoted(tokenized)
        return tuple(i for i in whole if not self._unreadable(tokenized, i, quoted, papers))

    def _distinct(self, tokenized: TokenizedCluster, readable: tuple[int, ...]) -> Iterator[int]:
        """Yield the indices in ``readable`` of sentences that repeat no earlier one and are not boilerplate.

        ``readable`` has the indices of the sentences that can stand alone.
        """
        boilerplate = self._boilerplate(tokenized)
        for i, before in self._repeated(tokenized, readable):
            if before is None and tokenized.cluster.sentences[i].text not in boilerplate:
                yield i

    def _repeated(
        self, tokenized: TokenizedCluster, readable: tuple[int, ...]
    ) -> Iterator[tuple[int, int | None]]:
        """Yield each index in ``readable``, and the index of the earlier sentence that it repeats, or None.

        ``readable`` has the indices of the sentences that can stand alone. A sentence is compared only with
        these, boilerplate included. So a sentence that repeats one that cannot stand alone gets None.
        """
        seen: dict[bytes, int] = {}
        kept = _Kept(self.most_overlap)
        for i in readable:
            before = None
            if "repetitions" in self.leave_out:
                concepts = tokenized.index.in_sentence(i)
                before = seen.get(concepts.tobytes())
                seen.setdefault(concepts.tobytes(), i)
                if before is None and self.most_overlap < 1:
                    own = frozenset(concepts.tolist())
                    before = kept.repeated_by(own)
                    if before is None:
                        kept.add(i, own)
            yield i, before

    def _repeated_reason(self, tokenized: TokenizedCluster, index: int, papers: frozenset[int]) -> str:
        sentences, documents = tokenized.cluster.sentences, tokenized.cluster.documents
        if often := self._boilerplate(tokenized).get(sentences[index].text):
            return f"it stands word for word in {often} documents"
        readable = self._readable(tokenized, tokenized.whole or (), papers)
        before = dict(self._repeated(tokenized, readable)).get(index)
        if before is None:  # the candidates were found with other rules
            return "another sentence says the same"
        other = f"sentence {sentences[before].position + 1} of {documents[sentences[before].document].id}"
        if np.array_equal(tokenized.index.in_sentence(before), tokenized.index.in_sentence(index)):
            return f"it repeats {other}"
        return f"more than {self.most_overlap:.0%} of what it holds stands in {other}"

    def _boilerplate(self, tokenized: TokenizedCluster) -> dict[str, int]:
        """Return each sentence text that is boilerplate, with the number of documents that contain it.

        A text is boilerplate if at least three documents, and at least half of all, contain it word for word.
        """
        if "boilerplate" not in self.leave_out:
            return {}
        documents = tokenized.cluster.documents
        holders = Counter(text for document in documents for text in {s.text for s in document.sentences})
        least = max(_REPEATED, len(documents) / 2)
        return {text: count for text, count in holders.items() if count >= least}

    def _framed(self, tokenized: TokenizedCluster) -> tuple[dict[int, str], frozenset[int]]:
        """Return the sentences that belong to an apparatus, with reasons, and the documents that are papers.

        Sentences and documents are given by index. The apparatus is the bibliography, captions, formulas and
        the like. If a document has no whole sentence outside its apparatus, its apparatus is not returned.
        """
        found: dict[int, str] = {}
        papers: set[int] = set()
        first = 0
        for number, document in enumerate(tokenized.cluster.documents):
            framing = apparatus_of(document) if "apparatus" in self.leave_out else {}
            others = (s for i, s in enumerate(document.sentences) if i not in framing)
            if framing and any(map(self._is_complete, others)):
                found |= {first + i: reason for i, reason in framing.items()}
            if "linked" in self.leave_out and is_paper(document):
                papers.add(number)
            first += len(document.sentences)
        return found, frozenset(papers)

    def _is_clear(self, tokenized: TokenizedCluster, sentence: Sentence) -> bool:
        """Tell whether a sentence of a paper may be chosen although it seems to refer to the one before it.

        In most texts "we" and "this report" refer to the sentence before. In a paper they are clear: they
        mean its authors and the paper itself. A sentence of the abstract may be chosen too, because the
        sentence that it refers to is nearly always chosen with it.
        """
        from summc.text.structure.papers import speaks_of_itself  # noqa: PLC0415 (slow to import)

        document = tokenized.cluster.documents[sentence.document]
        return in_abstract(document, sentence.position) or speaks_of_itself(sentence.text)

    def _quoted(self, tokenized: TokenizedCluster) -> frozenset[int]:
        return within_quotations(tokenized.cluster.sentences) if "quotes" in self.leave_out else frozenset()

    def _unreadable(
        self, tokenized: TokenizedCluster, index: int, quoted: frozenset[int], papers: frozenset[int]
    ) -> str:
        """Return why the sentence with this index cannot stand alone, or "" if it can.

        ``quoted`` has the indices of the sentences inside a quotation, and ``papers`` the indices of the
        documents that are research papers.
        """
        sentence, language = tokenized.cluster.sentences[index], tokenized.cluster.language
        if self._misses_length(sentence):
            return self._length_reason(sentence)
        for rule, (applies, reason) in _READABLE.items():
            if rule in self.leave_out and applies(sentence, language):
                is_in_paper = rule == "linked" and sentence.document in papers
                if is_in_paper and self._is_clear(tokenized, sentence):
                    continue
                return reason
        if sentence.document in papers:
            from summc.text.structure.papers import points_elsewhere  # noqa: PLC0415 (slow to import)

            # The summary will not have the figure, table or section that the sentence points to.
            if points_elsewhere(sentence.text):
                return "it points to another part of the paper"
        return "it stands within a quotation" if index in quoted else ""


class _Kept:
    """The sentences kept so far, as sets of concepts.

    ``repeated_by`` finds a kept sentence that contains most of the concepts of a new one.
    """

    def __init__(self, most_overlap: float) -> None:
        self._most_overlap = most_overlap
        self._sets: dict[int, frozenset[int]] = {}
        self._holders: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, sentence: int, concepts: frozenset[int]) -> None:
        for concept in concepts:
            self._holders[concept].append(sentence)
        self._sets[sentence] = concepts

    def repeated_by(self, concepts: frozenset[int]) -> int | None:
        """Return the index of the first kept sentence that contains most of the concepts of a new sentence.

        "Most" is more than the share ``most_overlap`` of ``concepts``, which are those of the new sentence.
        Return None if no kept sentence does.
        """
        least = math.floor(self._most_overlap * len(concepts)) + 1
        likely = self.to_compare(concepts, least)
        return next((i for i in likely if len(concepts & self._sets[i]) >= least), None)

    def to_compare(self, concepts: frozenset[int], least: int) -> list[int]:
        """Return, ascending, the kept sentences that may contain at least ``least`` of these concepts.

        No such sentence is missed; a few others may be returned. A sentence that has ``least`` of n concepts
        lacks n - ``least`` of them. So whichever n - ``least`` + 1 of the concepts are picked, it has one of
        those. The rarest are picked, because few sentences contain them.
        """
        rarest = sorted(concepts, key=lambda concept: (len(self._holders[concept]), concept))
        return sorted({i for concept in rarest[: len(concepts) - least + 1] for i in self._holders[concept]})


def _holds(ascending: Sequence[int], index: int) -> bool:
    at = bisect_left(ascending, index)
    return at < len(ascending) and ascending[at] == index
