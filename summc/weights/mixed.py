"""The mean of the weightings ``position`` and ``expected``, for summaries that both inform and read well.

``position`` favours the facts that many documents share and begin with. ``expected`` favours the words that a
person would write, including function words and repetitions. The weights of each half are divided by the most
that a summary of this length could be worth with them, so that both halves matter equally.

Both count words, which serves reports of one story. In a text with sections a sentence is also worth
something for its place and form (``prominence``). A text by one voice has little to count: there every
content word is worth the same, and a sentence is worth more if it gives a number, a decision or an outcome.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from summc.records import Floats, Mask, Question, TokenizedCluster, WordWeights
from summc.settings import same_setting, values_for
from summc.weights.acts import acts_of
from summc.weights.base import Counts
from summc.weights.coverage import CoverageWeighting, Position
from summc.weights.expected import Expected
from summc.weights.prominence import has_sections, prominence

#: Each half is scaled so that the best conceivable summary is worth 52 by ``position`` and 48 by
#: ``expected``. Not 50 and 50, because the share of it that g-greedy reaches by ``position`` is 0.92 times
#: the share by ``expected``, in the mean of 150 problems of MultiLing.
_SHARES = (52.0, 48.0)
#: The same with a question: words that belong to it count more than those with which documents begin. Chosen
#: on questions about meetings and stories.
_ASKED_SHARES = (10.0, 90.0)
#: The share of ``prominence`` in the weights of texts with sections. From 0.7 to 0.8 facts hardly differ.
_PROMINENT = 0.7
#: With a question, the share of what sentences promise in the weights of texts that are no reports, up to
#: this length in words. An answer is short: the rest of a longer summary covers what belongs to it.
_ANSWER, _ANSWER_WORDS = 0.5, 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mixed(CoverageWeighting):
    """The weighting ``mixed`` with the settings of its two halves, not fitted yet."""

    power: float = same_setting(Position, "power")
    lead_factor: float = same_setting(Position, "lead_factor")
    opening_factor: float = same_setting(Position, "opening_factor")
    early_power: float = same_setting(Expected, "early_power")
    share_power: float = same_setting(Expected, "share_power")
    bigram_share: float = same_setting(Expected, "bigram_share")
    dispersion: float = same_setting(Expected, "dispersion")

    uses_other_texts: ClassVar[bool] = False
    needs_stopwords: ClassVar[bool] = True

    def fit(self, _clusters: Sequence[TokenizedCluster], _: Sequence[TokenizedCluster]) -> MixedWeigher:
        """Return both weightings, with their settings."""
        return MixedWeigher(Position(**values_for(Position, self)), Expected(**values_for(Expected, self)))


@dataclasses.dataclass(frozen=True, slots=True)
class MixedWeigher:
    """The two fitted halves of the mixture."""

    position: Position
    expected: Expected

    @property
    def signature(self) -> Mapping[str, Any]:
        """The settings of both halves; the names of those of ``expected`` get the prefix "expected-"."""
        second = {f"expected-{name}": value for name, value in self.expected.signature.items()}
        return {**self.position.signature, **second}

    def weigh(
        self, tokenized: TokenizedCluster, length: float, question: Question | None = None
    ) -> WordWeights:
        """Return the sum of both halves, each scaled. Function words have a weight by ``expected`` only."""
        counts, has_content = Counts(tokenized), _has_content(tokenized)
        weight = self.position.of_concepts(counts)[has_content]
        words = tokenized.index.only(has_content)
        first = self.position.as_weights(tokenized, words, weight, question, counts=counts)
        second = self.expected.weigh(tokenized, length, question, counts)
        is_bigram, in_first = tokenized.index.is_bigram, tokenized.index.numbers_among(first.words) >= 0
        most_by_first = _most(tokenized, first, length, is_bigram[in_first])
        most = (most_by_first, _most(tokenized, second, length, is_bigram))
        shares = _SHARES if question is None else _ASKED_SHARES
        scales = np.divide(shares, most, out=np.zeros(2), where=np.array(most) > 0)
        mixed: Floats = scales[1] * second.weight
        mixed[in_first] += scales[0] * first.weight
        repeats = None if second.repeats is None else scales[1] * second.repeats
        bonus = None if first.bonus is None else scales[0] * first.bonus
        weights = WordWeights(second.words, mixed, second.counted, bonus, repeats, second.repeats_start)
        if question is not None:  # it says what matters
            # Many sentences of reports answer it, and coverage chooses among them.
            if question.promise is None or tokenized.are_reports:
                return weights
            promise = tokenized.cluster.lengths * question.promise
            most_promised = _most_bonus(promise, tokenized.cluster.lengths, length)
            share = _ANSWER * min(1.0, _ANSWER_WORDS / max(length, 1.0))
            return _blended(weights, share, 0.0, 100.0 / max(most_promised, 1e-300) * promise)
        acts, share = acts_of(tokenized.cluster), tokenized.one_voice
        if share:
            weights = _blended(weights, share, *_by_acts(tokenized, length, acts))
        # Also a text by one voice says in some places rather than others what matters.
        if has_sections(tokenized) and not (tokenized.are_reports or tokenized.has_abstract):
            promise = prominence(tokenized, acts)
            most_promised = _most_bonus(promise, tokenized.cluster.lengths, length)
            weights = _blended(weights, _PROMINENT, 0.0, 100.0 / max(most_promised, 1e-300) * promise)
        return weights


def _blended(weights: WordWeights, share: float, weight: Floats | float, bonus: Floats) -> WordWeights:
    """Return weights of which a part, ``share``, has another ``weight`` of words and ``bonus``."""
    return dataclasses.replace(
        weights, weight=(1 - share) * weights.weight + share * weight,
        bonus=share * bonus + (0.0 if weights.bonus is None else (1 - share) * weights.bonus),
        repeats=None if weights.repeats is None else (1 - share) * weights.repeats,
    )  # fmt: skip


def _by_acts(tokenized: TokenizedCluster, length: float, acts: Floats) -> tuple[Floats, Floats]:
    """Return weights of words and the bonus of sentences by what sentences do, not by how often words occur.

    Every content word is worth the same, and a sentence that gives a number, a decision, an outcome, a cause
    or a limit has a bonus: a share of its content words (``acts_of``).
    """
    index, is_content = tokenized.index, tokenized.is_content_word
    # About half of the words of a summary are content words. So the best summary is worth about 100, which is
    # also the sum of ``_SHARES``.
    content_weight = 100.0 / max(length / 2, 1.0)
    sentence, concept, _ = index.pairs
    content = np.bincount(sentence, is_content[concept], index.size)
    return content_weight * is_content.astype(float), content_weight * content * acts


def _most(tokenized: TokenizedCluster, weights: WordWeights, length: float, is_bigram: Mask) -> float:
    """Return the most that a summary of ``length`` words could be worth.

    It would have ``length`` of the heaviest words and of the heaviest bigrams, and the sentences with the
    largest bonus per word. ``is_bigram`` says which of the words that have weight are bigrams.
    """
    weight, owner = weights.weight, np.arange(len(weights.words))
    if weights.repeats is not None and weights.repeats_start is not None:
        weight = np.concatenate([weight, weights.repeats])
        owner = np.concatenate([owner, np.repeat(owner, np.diff(weights.repeats_start))])
    total = 0.0
    for family in (False, True):
        total += float(np.sort(weight[is_bigram[owner] == family])[::-1][: int(length)].sum())
    return total + (
        0.0 if weights.bonus is None else _most_bonus(weights.bonus, tokenized.cluster.lengths, length)
    )


def _most_bonus(bonus: Floats, words: Floats, length: float) -> float:
    """Return the bonus of the sentences with the largest bonus per word that fill ``length`` words."""
    a_word = bonus / np.maximum(words, 1)
    best = np.argsort(-a_word, kind="stable")
    room = np.clip(length - (np.cumsum(words[best]) - words[best]), 0, words[best])
    return float((a_word[best] * room).sum())


def _has_content(tokenized: TokenizedCluster) -> Mask:
    """Return a mask of the concepts that contain a content word: not function words or pairs of them."""
    words, function = tokenized.index.concepts, tokenized.function_terms
    has_content = np.ones(len(words), dtype=bool)
    for term in function:
        # "!" sorts right after " ", so these are the term itself and the bigrams that begin with it.
        for a in range(bisect_left(words, term), bisect_left(words, f"{term}!")):
            _, _, second = words[a].partition(" ")
            has_content[a] = second and second not in function
    return has_content
