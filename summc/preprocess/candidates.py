"""Find the sentences that may be chosen for a summary (the candidates), and those that the user requires.

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
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import Cluster, Sentence, TokenizedCluster
from summc.settings import setting
from summc.system.resources import linked_words
from summc.text import lazy
from summc.text.papers import apparatus_of, in_abstract, is_paper, points_elsewhere, speaks_of_itself
from summc.text.structure import SENTENCE_END

log = logging.getLogger("summc")

DATELINES = ("cut", "kept")

_ABBREVIATED = lazy(r"\b\p{Lu}\.\p{Lu}\.$")  # a text that ends in "U.S." is usually a headline
_QUESTION = lazy(r"""(?r)[?\u061f\uff1f]\s*[\p{Pf}\p{Pe}\p{Pi}"'`]*\s*$""")
# Also the marks of question and answer in an interview.
_OPENS_QUOTE = lazy(r"""\s*(?:["“”„‟«»「『]|``|''|[QA]:\s)""")
#: The kinds of quotation marks. Any mark of a kind may open or close a quotation, because languages differ:
#: „so“, ”so”.
_QUOTES = tuple(map(lazy, ("\"|``|''", "[“”„‟]", "[«»]", "[「」『』]")))
_NO_MARKS = (0,) * len(_QUOTES)
# Marks that look like quotation marks and are not: feet and inches, as in 34' 28", and the mark before the
# last letter of a Hebrew abbreviation.
_NO_QUOTES = lazy(
    r"""(?x)\d\s*['\u2032]\s*\d+(?:[.,]\d+)?\s*(?:"|'') | (?<=\p{Hebrew})"(?=\p{Hebrew}(?!\p{Hebrew}))"""
)
#: A line that gives a date has a year, and a day or a month in digits. Names of months are not looked for, so
#: that the rule holds in every language.
_A_YEAR = lazy(r"\b\d{4}\b")
_A_DAY_OR_MONTH = lazy(r"(?<!\d)\d{1,2}(?!\d)")
#: A line with more words is a sentence that mentions a date.
_DATED_WORDS = 7
_OPENING = 3  # a headline, a date line, and the first sentence of the text
_SMALL = lazy(r"[^\p{L}\p{N}]*\p{Ll}")
_SAID = lazy(
    r"""(?x)
    [,"'\p{Pf}]\s+(?:he|she|they)\s+(?:\p{Ll}+ly\s+)?
    (?: \p{Ll}+ (?:\s+\p{L}+){0,4} [.…]\s*$
      | (?: said|says|told|wrote|writes|admit(?:s|ted)|repli(?:ed|es)|(?:argu|conced|estimat|not|observ)e[ds]
          | (?:add|claim|confirm|explain|insist|predict|recall|stress|suggest|warn)(?:ed|s) )
        (?:\s+\p{L}+){0,3} , )
    """
)
_FIRST_WORD = lazy(r"[^\p{L}\p{M}\p{N}]*([\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*)")
_NEXT_WORD = lazy(r"\s+([\p{L}\p{M}]+)")
_OPENING_WORDS = 4  # no entry in a list of linked words is longer than "on_the_other_hand"
#: The default of ``least_words``. A text with fewer words is usually a headline, a caption or an aside.
_USUAL_LEAST = 8
#: A sentence is boilerplate if it occurs word for word in at least this many documents, and in at least half
#: of all documents.
_REPEATED = 3


def ends_as_sentence(text: str) -> bool:
    """Tell whether a text ends as a sentence does; most headlines, dates and captions do not."""
    return bool(SENTENCE_END.search(text) and not _ABBREVIATED.search(text))


def heads_of(sentences: Sequence[Sentence]) -> dict[int, str]:
    """Return the headlines and date lines that stand above the texts: index -> why it is no candidate.

    A headline is the paragraph above a second paragraph that is nothing but a date.
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


def required(texts: Sequence[str], cluster: Cluster) -> dict[str, int]:
    """Return, for each text of the setting ``must``, the index of the first sentence that contains it.

    Headlines come last. Case and white space are ignored. A text that nothing contains is left out.
    """
    sentences, heads = cluster.sentences, heads_of(cluster.sentences)
    folded = [" ".join(sentence.text.casefold().split()) for sentence in sentences]
    found: dict[str, int] = {}
    for text in texts:
        wanted = " ".join(text.casefold().split())
        if not wanted:
            raise SettingError(as_typed("must"), "is empty", "give words of a sentence")
        holding = [i for i, sentence in enumerate(folded) if wanted in sentence]
        whole = (i for i in holding if i not in heads and ends_as_sentence(sentences[i].text))
        if holding:
            found[text] = next(whole, holding[0])
    return found


def check_required(texts: Iterable[str], found: Collection[str]) -> None:
    """Raise ``SettingError`` if one of the texts that the user requires is not among those ``found``."""
    for text in texts:
        if text not in found:
            problem = f'no sentence holds "{text}"'
            raise SettingError(as_typed("must"), problem, "copy a part of the sentence as it stands")


def _count_quotes(text: str) -> tuple[int, ...]:
    """Return how many quotation marks of each kind in ``_QUOTES`` a text has."""
    if text.isascii() and '"' not in text and "``" not in text and "''" not in text:
        return _NO_MARKS
    bare = _NO_QUOTES.sub("", text)
    return tuple(len(kind.findall(bare)) for kind in _QUOTES)


def _within_quotations(sentences: Sequence[Sentence]) -> frozenset[int]:
    """Return the indices of sentences inside a quotation that an earlier sentence of the paragraph opens.

    In a summary, such a sentence would look like the writer's own words. Paragraphs with an odd number of
    quotation marks are skipped, because one mark may be a typo.
    """
    found: set[int] = set()
    placed = [(i, s) for i, s in enumerate(sentences) if s.paragraph is not None]
    for _, group in groupby(placed, key=lambda each: (each[1].document, each[1].paragraph)):
        paragraph = [(i, _count_quotes(sentence.text)) for i, sentence in group]
        for kind in range(len(_QUOTES)):
            inside, marks = [], 0
            for i, counts in paragraph:
                if marks % 2:
                    inside.append(i)
                marks += counts[kind]
            if marks % 2 == 0:
                found.update(inside)
    return frozenset(found)


def _is_unbalanced(text: str, _language: str) -> bool:
    return text.count("(") != text.count(")") or any(count % 2 for count in _count_quotes(text))


def _is_linked(text: str, language: str) -> bool:
    """Tell whether a sentence refers to the one before it: it begins with "he", "this", "but" or the like.

    In English, a sentence that contains ", he said" or the like is linked too.
    """
    linked, found = linked_words(language), _FIRST_WORD.match(text)
    opening = ""
    if found and found[1].lower() in _first_words(linked):  # false for most sentences, and quick
        for _ in range(_OPENING_WORDS):
            opening += found[1].lower()
            if opening in linked or (text[found.end() : found.end() + 1] == "," and f"{opening}," in linked):
                return True
            found = _NEXT_WORD.match(text, found.end())
            if found is None:
                break
            opening += "_"
    return language == "en" and _SAID.search(text) is not None


@functools.cache
def _first_words(linked: frozenset[str]) -> frozenset[str]:
    """Return the first word of each entry in a list of linked words, such as "for" of "for_example,"."""
    return frozenset(entry.partition("_")[0].removesuffix(",") for entry in linked)


#: Name of a rule -> the function of a text and its language that tells whether a sentence cannot stand alone,
#: and the reason that is shown to the user.
_READABLE: Mapping[str, tuple[Callable[[str, str], object], str]] = {
    "questions": (lambda text, _: _QUESTION.search(text), "it is a question"),
    # It is hard to understand alone, because another sentence often names the speaker.
    "quotes": (lambda text, _: _OPENS_QUOTE.match(text), "it opens with a quotation"),
    "unbalanced": (_is_unbalanced, "a quotation or parenthesis is only half in it"),
    "small-letters": (lambda text, _: _SMALL.match(text), "it begins with a small letter"),
    "linked": (_is_linked, "it points back to what was said before"),
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

    @property
    def signature(self) -> str:
        """The settings on one line, for the list of settings that is printed with a result."""
        lengths = (
            f"{self.least_words}-{self.most_words}" if self.most_words < 10**6 else f"{self.least_words}+"
        )
        return f"{'+'.join(self._rules()) or 'all'},words={lengths},overlap={self.most_overlap:g}"

    def mark(self, text: TokenizedCluster, wanted: Collection[int] = ()) -> TokenizedCluster:
        """Return a cluster with the indices of its whole sentences, and of its candidates.

        If no sentence can stand alone, all whole sentences become candidates, with a warning. Sentences in
        the apparatus of a paper lose their concepts, because they say nothing about the topic. ``wanted`` has
        the indices of the sentences that the user requires. These keep their concepts, and are always
        candidates.
        """
        size, apparatus = text.index.size, self._apparatus(text.cluster)
        if apparatus:
            loses = np.zeros(size, dtype=bool)
            loses[[i for i in apparatus if i not in wanted]] = True
            text = dataclasses.replace(text, index=text.index.where(~loses[text.index.sentence]))
        not_whole = self._not_whole(text.cluster, apparatus)
        whole = tuple(i for i in range(size) if i not in not_whole)
        left_out = self._left_out(text, whole)
        if not (not_whole or left_out or self._rules()):
            return text
        found = [i for i in whole if i not in left_out]
        if whole and not found:
            log.warning("%s: no sentence can stand alone by the rules; all are taken", text.cluster.id)
            found = list(whole)
        return dataclasses.replace(text, whole=whole, candidates=tuple(sorted({*found, *wanted})))

    def reason(self, text: TokenizedCluster, index: int) -> str:
        """Return why the sentence with this index is not a candidate, or "" if it is one."""
        if text.candidates is None or index in text.candidates:
            return ""
        not_whole = self._not_whole(text.cluster, self._apparatus(text.cluster))
        left_out = self._left_out(text, text.whole or ())
        # Without a reason, the candidates were found with other rules.
        return not_whole.get(index) or left_out.get(index, "another sentence says the same")

    def _rules(self) -> list[str]:
        return [rule for rule in self.leave_out if rule != "nothing"]

    def _apparatus(self, cluster: Cluster) -> dict[int, str]:
        """Return the sentences of apparatus in documents that have other whole sentences: index -> reason."""
        found: dict[int, str] = {}
        first = 0
        for document in cluster.documents if "apparatus" in self.leave_out else ():
            if framing := apparatus_of(document):
                rest = [s for i, s in enumerate(document.sentences) if i not in framing]
                if not all(map(self._form_reason, rest)):
                    found |= {first + i: reason for i, reason in framing.items()}
            first += len(document.sentences)
        return found

    def _not_whole(self, cluster: Cluster, apparatus: Mapping[int, str]) -> dict[int, str]:
        """Return the sentences that are not whole: index -> reason.

        If a document has no whole sentence, perhaps because it has no punctuation, all its sentences are
        taken as whole, and the default of ``least_words`` is not applied to them.
        """
        heads = heads_of(cluster.sentences) if "fragments" in self.leave_out else {}
        found: dict[int, str] = {}
        documents = set()
        for i, sentence in enumerate(cluster.sentences):
            if reason := apparatus.get(i) or self._form_reason(sentence, heads.get(i, "")):
                found[i] = reason
            else:
                documents.add(sentence.document)
        return {i: reason for i, reason in found.items() if cluster.sentences[i].document in documents}

    def _form_reason(self, sentence: Sentence, head: str = "") -> str:
        """Return why a sentence is not whole by its length and its end, or ``head`` if that is why."""
        if sentence.words < self.least_words:
            return f"it has fewer than {self.least_words} words"
        if sentence.words > self.most_words:
            return f"it has more than {self.most_words} words"
        if head or "fragments" not in self.leave_out or ends_as_sentence(sentence.text):
            return head
        if SENTENCE_END.search(sentence.text):
            return "it ends in an abbreviation, as headlines do"
        return "it does not end as a sentence does"

    def _left_out(self, text: TokenizedCluster, whole: Sequence[int]) -> dict[int, str]:
        """Return the whole sentences that are no candidates: index -> reason."""
        cluster, rules = text.cluster, self.leave_out
        papers = {n for n, each in enumerate(cluster.documents) if "linked" in rules and is_paper(each)}
        quoted = _within_quotations(cluster.sentences) if "quotes" in rules else frozenset()
        found: dict[int, str] = {}
        for i in whole:
            if reason := self._unreadable(cluster, i, quoted, papers):
                found[i] = reason
        readable = [i for i in whole if i not in found]
        if "repetitions" in rules:
            found |= self._repeated(text, readable)
        if "boilerplate" in rules:
            found |= _boilerplate(cluster, readable)
        return found

    def _unreadable(self, cluster: Cluster, index: int, quoted: frozenset[int], papers: set[int]) -> str:
        """Return why the sentence with this index cannot stand alone, or "" if it can.

        ``quoted`` are the sentences inside a quotation, and ``papers`` the documents that are papers.
        """
        sentence = cluster.sentences[index]
        text = sentence.text[sentence.label :]
        # The default of ``least_words`` is not applied, so that a document of short notes can be summarized.
        if sentence.words > self.most_words or sentence.words < self.least_words > _USUAL_LEAST:
            return self._form_reason(sentence)
        in_paper = sentence.document in papers
        for rule, (applies, reason) in _READABLE.items():
            if rule not in self.leave_out or not applies(text, cluster.language):
                continue
            # In a paper, "we" and "this report" are clear: they mean its authors and the paper itself. After
            # the name of a speaker "we" is clear too. A linked sentence of the abstract may be chosen too,
            # because the sentence that it refers to is nearly always chosen with it.
            is_clear = (in_paper or sentence.label > 0) and rule == "linked"
            document = cluster.documents[sentence.document]
            if not is_clear or not (in_abstract(document, sentence.position) or speaks_of_itself(text)):
                return reason
        # The summary will not have the figure, table or section that the sentence points to.
        if in_paper and points_elsewhere(text):
            return "it points to another part of the paper"
        return "it stands within a quotation" if index in quoted else ""

    def _repeated(self, text: TokenizedCluster, readable: Sequence[int]) -> dict[int, str]:
        """Return the sentences in ``readable`` that repeat an earlier one of them: index -> reason."""
        found: dict[int, str] = {}
        seen: dict[bytes, int] = {}
        kept: dict[int, frozenset[int]] = {}  # the concepts of each sentence that repeats no other
        holders: defaultdict[int, list[int]] = defaultdict(list)  # the kept sentences with each concept
        for i in readable:
            concepts = text.index.in_sentence(i)
            before = seen.setdefault(concepts.tobytes(), i)
            if before != i:
                found[i] = f"it repeats {_place_of(text.cluster, before)}"
            elif self.most_overlap < 1:
                own = frozenset(concepts.tolist())
                least = math.floor(self.most_overlap * len(own)) + 1
                # A sentence with ``least`` of n concepts has one of any n - ``least`` + 1. Take the rarest.
                rarest = sorted(own, key=lambda concept: (len(holders[concept]), concept))
                near = {j for concept in rarest[: len(own) - least + 1] for j in holders[concept]}
                other = min((j for j in near if len(own & kept[j]) >= least), default=None)
                if other is not None:
                    place = _place_of(text.cluster, other)
                    found[i] = f"more than {self.most_overlap:.0%} of what it holds stands in {place}"
                    continue
                kept[i] = own
                for concept in own:
                    holders[concept].append(i)
        return found


def _place_of(cluster: Cluster, index: int) -> str:
    sentence = cluster.sentences[index]
    return f"sentence {sentence.position + 1} of {cluster.documents[sentence.document].id}"


def _boilerplate(cluster: Cluster, readable: Sequence[int]) -> dict[int, str]:
    """Return the sentences in ``readable`` that many documents contain: index -> reason."""
    documents, texts = cluster.documents, [sentence.text for sentence in cluster.sentences]
    if len(set(texts)) == len(texts):
        return {}
    holders = Counter(chain.from_iterable({s.text for s in document.sentences} for document in documents))
    often = {i: holders[texts[i]] for i in readable}
    least = max(_REPEATED, len(documents) / 2)
    return {i: f"it stands word for word in {n} documents" for i, n in often.items() if n >= least}
