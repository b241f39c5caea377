"""Stage 2, beside the terms: which sentences may be chosen, as far as their outside shows.

A sentence is whole where it is long enough and ends as a sentence does; headlines, dates and captions are
not. How early a sentence stands in its document is counted in whole ones. A whole sentence that could not
stand alone is no candidate, but counts there and for the weights all the same.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from summc.records import Sentence, TokenizedCluster
from summc.resources import linked_words
from summc.settings import setting

log = logging.getLogger("summc")

DATELINES = ("cut", "kept")

_CLOSING = r"""\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$"""
_ENDS = regex.compile(rf"[\p{{STerm}}…]{_CLOSING}")
_ABBREVIATED = regex.compile(r"\b\p{Lu}\.\p{Lu}\.$")  # ends in U.S.: more often a headline than a sentence
_QUESTION = regex.compile(rf"[?؟]{_CLOSING}")
_OPENS_QUOTE = regex.compile(r"""\s*(?:["“„«‟”]|``|'')""")
_SMALL = regex.compile(r"[^\p{L}]*\p{Ll}")
_SAID = regex.compile(
    r"""[,"'\p{Pf}]\s+(?:he|she|they)\s+(?:\p{Ll}+ly\s+)?\p{Ll}+(?:\s+\p{L}+){0,4}[.…]\s*$"""
)
_FIRST_WORD = regex.compile(r"[\p{L}\p{M}]+")
#: Boilerplate stands in so many documents, and in half of them, word for word.
_REPEATED = 3


def is_question(sentence: Sentence, language: str) -> bool:  # noqa: ARG001 (all rules are asked alike)
    """Tell whether a sentence asks."""
    return bool(_QUESTION.search(sentence.text))


def opens_with_quote(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether a sentence begins with somebody's words: who speaks is often said elsewhere."""
    return bool(_OPENS_QUOTE.match(sentence.text))


def is_unbalanced(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether a quotation or a parenthesis is only half in a sentence."""
    text = sentence.text
    straight = text.count('"') + text.count("``") + text.count("''")
    return bool(
        straight % 2
        or text.count("(") != text.count(")")
        or text.count("«") != text.count("»")
        or (text.count("“") != text.count("”") and "„" not in text)
    )


def opens_small(sentence: Sentence, language: str) -> bool:  # noqa: ARG001
    """Tell whether the first letter is a small one."""
    return bool(_SMALL.match(sentence.text))


def is_linked(sentence: Sentence, language: str) -> bool:
    """Tell whether a sentence begins with a word that points back, he, this, but; or ends in ", he said".

    The words are known of some languages, the ending of English alone.
    """
    first = _FIRST_WORD.search(sentence.text)
    if first is not None and first.group().lower() in linked_words(language):
        return True
    return language == "en" and bool(_SAID.search(sentence.text))


#: Rule -> what tells that a sentence cannot stand alone, and what to say of such a one.
_READABLE: Mapping[str, tuple[Callable[[Sentence, str], bool], str]] = {
    "questions": (is_question, "it is a question"),
    "quotes": (opens_with_quote, "it opens with a quotation"),
    "unbalanced": (is_unbalanced, "a quotation or parenthesis is only half in it"),
    "small-letters": (opens_small, "it begins with a small letter"),
    "linked": (is_linked, "it points back to what was said before"),
}
RULES = ("fragments", "repetitions", "boilerplate", *_READABLE, "nothing")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rules that are in force; ``nothing`` in the place of rules is none."""

    datelines: str = setting(
        "cut", "Datelines at the front of documents, as in HANOI (AP) _.", choices=DATELINES
    )
    leave_out: tuple[str, ...] = setting(
        RULES[:-1], "Sentences that are not chosen.", choices=RULES, commas=True
    )
    least_words: int = setting(8, "No sentence of fewer words is chosen.", at_least=1, at_most=10**6)
    most_words: int = setting(10**6, "No sentence of more words is chosen.", at_least=1, at_most=10**6)
    most_overlap: float = setting(
        1.0, "A sentence of whose concepts another holds more than this part repeats it.", above=0, at_most=1
    )

    def mark(self, tokenized: TokenizedCluster) -> TokenizedCluster:
        """Return a cluster with its whole sentences and its candidates, never without a candidate.

        In a document without a whole sentence, one without punctuation perhaps, all are whole. Where the
        rules leave nothing, all whole sentences are candidates, and there is a warning.
        """
        sentences = tokenized.cluster.sentences
        complete = [self._is_complete(sentence) for sentence in sentences]
        some = {s.document for s, is_one in zip(sentences, complete, strict=True) if is_one}
        whole = tuple(i for i, s in enumerate(sentences) if complete[i] or s.document not in some)
        if whole == tuple(range(len(sentences))) and not self._rules():
            return tokenized
        candidates = tuple(i for i in self._distinct(tokenized, whole) if not self._unreadable(tokenized, i))
        if whole and not candidates:
            log.warning("%s: no sentence can stand alone by the rules; all are taken", tokenized.cluster.id)
            candidates = whole
        return dataclasses.replace(tokenized, whole=whole, candidates=candidates)

    def reason(self, tokenized: TokenizedCluster, index: int) -> str:
        """Return why a sentence is no candidate, as words to follow "no candidate:", or nothing."""
        sentence = tokenized.cluster.sentences[index]
        if tokenized.candidates is None or _holds(tokenized.candidates, index):
            return ""
        if _holds(tokenized.whole or (), index):
            return self._unreadable(tokenized, index) or "another sentence says the same"
        if sentence.words < self.least_words:
            return f"it has fewer than {self.least_words} words"
        if sentence.words > self.most_words:
            return f"it has more than {self.most_words} words"
        return "it does not end as a sentence does"

    @property
    def signature(self) -> str:
        """The rules on one line."""
        lengths = (
            f"{self.least_words}-{self.most_words}" if self.most_words < 10**6 else f"{self.least_words}+"
        )
        return f"{'+'.join(self._rules()) or 'all'},words={lengths},overlap={self.most_overlap:g}"

    def _rules(self) -> tuple[str, ...]:
        return tuple(rule for rule in self.leave_out if rule != "nothing")

    def _is_complete(self, sentence: Sentence) -> bool:
        text = sentence.text
        return self.least_words <= sentence.words <= self.most_words and (
            "fragments" not in self.leave_out or bool(_ENDS.search(text) and not _ABBREVIATED.search(text))
        )

    def _distinct(self, tokenized: TokenizedCluster, whole: tuple[int, ...]) -> Iterator[int]:
        """Yield the whole sentences that repeat none before them."""
        boilerplate = self._boilerplate(tokenized)
        seen: set[tuple[str, ...]] = set()
        kept = _Kept(self.most_overlap)
        for i in whole:
            terms = tokenized.tokens[i]
            if "repetitions" in self.leave_out:
                if terms in seen:
                    continue
                seen.add(terms)
                if self.most_overlap < 1:
                    own = frozenset(terms)
                    if kept.repeats(own):
                        continue
                    kept.add(own)
            if tokenized.cluster.sentences[i].text not in boilerplate:
                yield i

    def _boilerplate(self, tokenized: TokenizedCluster) -> set[str]:
        if "boilerplate" not in self.leave_out:
            return set()
        documents = tokenized.cluster.documents
        holders = Counter(text for document in documents for text in {s.text for s in document.sentences})
        return {text for text, count in holders.items() if count >= max(_REPEATED, len(documents) / 2)}

    def _unreadable(self, tokenized: TokenizedCluster, index: int) -> str:
        sentence, language = tokenized.cluster.sentences[index], tokenized.cluster.language
        for rule, (applies, reason) in _READABLE.items():
            if rule in self.leave_out and applies(sentence, language):
                return reason
        return ""


class _Kept:
    """Sentences as sets of concepts, to find one that holds more than a part of another's."""

    def __init__(self, most_overlap: float) -> None:
        self._most_overlap = most_overlap
        self._sets: list[frozenset[str]] = []
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, concepts: frozenset[str]) -> None:
        for concept in concepts:
            self._holders[concept].append(len(self._sets))
        self._sets.append(concepts)

    def repeats(self, concepts: frozenset[str]) -> bool:
        """Tell whether one of them holds more than that part of these concepts.

        To hold m of n it must hold one of any n - m + 1, so those that fewest hold are enough to look at:
        what stands in every sentence would lead to all of them.
        """
        least = math.floor(self._most_overlap * len(concepts)) + 1
        rarest = sorted(concepts, key=lambda concept: (len(self._holders[concept]), concept))
        likely = {i for concept in rarest[: len(concepts) - least + 1] for i in self._holders[concept]}
        return any(len(concepts & self._sets[i]) >= least for i in likely)


def _holds(ascending: Sequence[int], index: int) -> bool:
    at = bisect_left(ascending, index)
    return at < len(ascending) and ascending[at] == index
