"""Find the sentences that may be chosen for a summary: the candidates.

Stage 1 gave each sentence its kind. Here the settings say which kinds may not be chosen at all. Other kinds
have a price in stage 5. The position of a sentence in its document is counted in whole sentences.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np

from summc.errors import SettingError, as_typed
from summc.records import APPARATUS, KIND_RULES, KINDS, Cluster, TokenizedCluster
from summc.settings import setting
from summc.system.logs import log

DATELINES = ("cut", "kept")
RULES = ("repetitions", "boilerplate", *KIND_RULES, "nothing")
#: A sentence is boilerplate if it occurs word for word in at least this many documents, and in at least half
#: of all documents.
_REPEATED = 3


@dataclass(frozen=True, slots=True)
class Candidates:
    """The settings that decide which sentences may be chosen (the candidates).

    ``leave_out`` names the rules that exclude sentences; the rule "nothing" excludes no sentence.
    """

    datelines: str = setting(
        "cut", "Datelines, such as HANOI (AP) _, at the start of documents.", choices=DATELINES
    )
    leave_out: tuple[str, ...] = setting(
        ("repetitions", "boilerplate", "apparatus"), "Kinds of sentences that are never chosen.",
        choices=RULES, commas=True,
    )  # fmt: skip
    least_words: int = setting(1, "Choose no sentence of fewer words.", at_least=1, at_most=10**6)
    most_words: int = setting(10**6, "Choose no sentence of more words.", at_least=1, at_most=10**6)
    most_overlap: float = setting(
        1.0, "Skip a sentence if an earlier one contains more than this share of its concepts.",
        above=0, at_most=1,
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Raise an error if ``least_words`` is above ``most_words``, because then no sentence would fit."""
        if self.least_words > self.most_words:
            problem = f"{self.most_words} is below {as_typed('least_words')}, {self.least_words}"
            raise SettingError(as_typed("most_words"), problem, "raise it, or lower the other")

    @property
    def signature(self) -> str:
        """The settings on one line, for the list of settings that is printed with a result."""
        most = f"-{self.most_words}" if self.most_words < 10**6 else "+"
        rules = "+".join(rule for rule in self.leave_out if rule != "nothing")
        return f"{rules or 'all'},words={self.least_words}{most},overlap={self.most_overlap:g}"

    def mark(self, tokenized: TokenizedCluster, required: Collection[int] = ()) -> TokenizedCluster:
        """Return a cluster with the indices of its whole sentences, and of its candidates.

        If no sentence is left, all of them become candidates, with a warning. Sentences of the apparatus lose
        their concepts, because they say nothing about the topic. ``required`` has the indices of the
        sentences that the user requires. These keep their concepts, and are always candidates.
        """
        cluster, size = tokenized.cluster, tokenized.index.size
        left_out = self._left_out(tokenized)
        if not left_out and set(self.leave_out) <= {"nothing"}:
            return tokenized
        if "apparatus" in self.leave_out:
            kinds = map(attrgetter("kind"), cluster.sentences)
            loses = np.fromiter(map(APPARATUS.__contains__, kinds), dtype=bool, count=size)
            loses[list(required)] = False
            if loses.any():
                index = tokenized.index.where(~loses[tokenized.index.sentence])
                tokenized = dataclasses.replace(tokenized, index=index)
        is_counted = np.fromiter(map(attrgetter("is_whole"), cluster.sentences), dtype=bool, count=size)
        # In a document without a whole sentence, such as a chat in short lines, every sentence counts.
        is_counted |= np.isin(cluster.document_of, cluster.document_of[is_counted], invert=True)
        left = {*range(size)} - left_out.keys()
        if size and not left:
            log.warning("%s: the rules leave no sentence; all are taken", cluster.id)
            left = {*range(size)}
        whole = tuple(np.flatnonzero(is_counted).tolist())
        return dataclasses.replace(tokenized, whole=whole, candidates=tuple(sorted(left.union(required))))

    def reason(self, tokenized: TokenizedCluster, index: int) -> str:
        """Return why the sentence with this index is not a candidate, or "" if it is one."""
        if index in tokenized.banned:
            return "you left it out"
        if tokenized.candidates is None or index in tokenized.candidates:
            return ""
        # These rules may have no reason, if the candidates were found with other rules.
        return self._left_out(tokenized).get(index, "another sentence says the same")

    def _left_out(self, tokenized: TokenizedCluster) -> dict[int, str]:
        """Return the sentences that are no candidates: index -> reason."""
        reasons: dict[int, str] = {}
        left: list[int] = []
        for i, sentence in enumerate(tokenized.cluster.sentences):
            kind = KINDS.get(sentence.kind)
            if kind and kind.rule in self.leave_out:
                reasons[i] = kind.reason
            elif sentence.words < self.least_words:
                reasons[i] = f"it has fewer than {self.least_words} words"
            elif sentence.words > self.most_words:
                reasons[i] = f"it has more than {self.most_words} words"
            else:
                left.append(i)
        if "repetitions" in self.leave_out:
            reasons |= self._repeated(tokenized, left)
        if "boilerplate" in self.leave_out:
            reasons |= _boilerplate(tokenized.cluster, left)
        return reasons

    def _repeated(self, tokenized: TokenizedCluster, left: Sequence[int]) -> dict[int, str]:
        """Return the sentences in ``left`` that repeat an earlier one of them: index -> reason."""
        reasons: dict[int, str] = {}
        seen: dict[bytes, int] = {}
        concept_sets: dict[int, frozenset[int]] = {}  # the concepts of each sentence that repeats no other
        holders: defaultdict[int, list[int]] = defaultdict(list)  # the kept sentences with each concept
        for i in left:
            concepts = tokenized.index.in_sentence(i)
            before = seen.setdefault(concepts.tobytes(), i)
            if before != i:
                reasons[i] = f"it repeats {_place_of(tokenized.cluster, before)}"
            elif self.most_overlap < 1:
                concept_set = frozenset(concepts.tolist())
                least = math.floor(self.most_overlap * len(concept_set)) + 1
                # A sentence with ``least`` of n concepts has one of any n - ``least`` + 1. Take the rarest.
                rarest = sorted(concept_set, key=lambda concept: (len(holders[concept]), concept))
                near = {j for concept in rarest[: len(concept_set) - least + 1] for j in holders[concept]}
                other = min((j for j in near if len(concept_set & concept_sets[j]) >= least), default=None)
                if other is not None:
                    place = _place_of(tokenized.cluster, other)
                    reasons[i] = f"more than {self.most_overlap:.0%} of what it holds stands in {place}"
                    continue
                concept_sets[i] = concept_set
                for concept in concept_set:
                    holders[concept].append(i)
        return reasons


def _place_of(cluster: Cluster, index: int) -> str:
    sentence = cluster.sentences[index]
    return f"sentence {sentence.position + 1} of {cluster.documents[sentence.document].id}"


def _boilerplate(cluster: Cluster, left: Sequence[int]) -> dict[int, str]:
    """Return the sentences in ``left`` that many documents contain: index -> reason."""
    documents, texts = cluster.documents, list(map(attrgetter("text"), cluster.sentences))
    if len(set(texts)) == len(texts):
        return {}
    holders = Counter(chain.from_iterable({s.text for s in document.sentences} for document in documents))
    often = {i: holders[texts[i]] for i in left if holders[texts[i]] >= max(_REPEATED, len(documents) / 2)}
    return {i: f"it stands word for word in {n} documents" for i, n in often.items()}
