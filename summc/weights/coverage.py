"""What weightings by documents share: which concepts count, the factor of bigrams, and the position bonus.

The bonus is extra weight that a selection earns for a sentence near the start of its document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from summc.records import Floats, TokenizedCluster, WordWeights, distinct
from summc.settings import setting
from summc.weights.base import Asked, holdings, units_in
from summc.weights.steering import turned_toward
from summc.weights.units import Units

#: With this many documents or fewer, concepts in only one document have weight too, because two documents
#: share too few concepts.
_FEW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageWeighting:
    """What these weightings share: it makes ``WordWeights`` of the weights that a weighting gives concepts.

    The bonus of a sentence is ``place_bonus`` times its length c_i, times max(0, 1 - rank / ``place_fades``),
    times the mean weight per word. The rank is 0 for the first sentence of a document.
    """

    least_documents: int = setting(
        2,
        "Ignore words in fewer documents than this, unless there are only two documents or no shared words.",
        at_least=1,
    )
    bigram_factor: float = setting(2.0, "Weight of a bigram relative to a word.", above=0, at_most=1e9)
    place_bonus: float = setting(
        1.0,
        "Bonus for the first sentence of a document, per word, in mean word weights.",
        at_least=0,
        at_most=1e9,
    )
    place_fades: int = setting(
        5, "How many sentences of a document get a bonus; it falls with each.", at_least=1
    )

    def shaped(
        self,
        text: TokenizedCluster,
        words: tuple[str, ...],
        weight: Floats,
        is_asked: Asked = None,
        unit: str = "",
    ) -> WordWeights:
        """Return the concepts that have weight, their weights, and the bonus of each sentence.

        ``words`` are the concepts and ``weight`` what the weighting gives each. With a question, concepts in
        only one document have weight too, and those near the question's words weigh more. ``unit`` is what
        was counted to find how common a word is; by default the documents or sections of the cluster.
        """
        units = units_in(text)
        if self.least_documents > 1 and is_asked is None:
            words, weight = _shared(text, units, words, weight, self.least_documents)
        if self.bigram_factor != 1:
            weight = np.where(bigrams_among(words), self.bigram_factor * weight, weight)
        bonus = self._bonus(text, units, words, weight) if self.place_bonus > 0 else None
        for array in (weight, bonus):
            if array is not None:
                array.flags.writeable = False
        weights = WordWeights(words, weight, unit or units.name, bonus)
        return weights if is_asked is None else turned_toward(weights, text, is_asked)

    def _bonus(
        self, tokenized: TokenizedCluster, units: Units, words: Sequence[str], weight: Floats
    ) -> Floats:
        """Return the position bonus of each sentence of the cluster, shape (N,).

        The bonus is 0 for a sentence that is not a candidate. It is also 0 for a sentence without a word of
        positive weight, because a position alone is no reason to choose a sentence. The bonus is proportional
        to the length of the sentence: if it were the same for all, it would favour many short sentences.
        """
        sentences, places = tokenized.cluster.sentences, tokenized.index
        number = places.numbers_among(words)
        worth = np.where(number >= 0, weight[number], 0.0) if len(weight) else np.zeros(len(number))
        sentence, concept, _ = places.held
        is_candidate = np.ones(len(sentences), dtype=bool)
        if tokenized.candidates is not None:
            is_candidate[:] = False
            is_candidate[list(tokenized.candidates)] = True
        cost = np.where(is_candidate, np.array([s.words for s in sentences], dtype=np.float64), 0.0)
        held = np.where(is_candidate, np.bincount(sentence, worth[concept], len(sentences)), 0.0)
        unit = held.sum() / max(cost.sum(), 1)
        early = np.maximum(0.0, 1 - units.rank / self.place_fades)
        made: Floats = np.where(held > 0, self.place_bonus * unit * cost * early, 0.0)
        return made


def bigrams_among(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the concepts that are bigrams: two terms with a space between them."""
    return np.array([" " in word for word in words], dtype=bool)


def _shared(
    tokenized: TokenizedCluster, units: Units, words: tuple[str, ...], weight: Floats, least: int
) -> tuple[tuple[str, ...], Floats]:
    """Return the concepts that occur in at least ``least`` documents, and their weights.

    ``words`` and ``weight`` have all concepts and their weights. ``units`` says what counts as a document. If
    there are at most two documents, or no concept is in enough documents, all concepts are returned.
    """
    places, (holding, size) = tokenized.index, holdings(tokenized, units)
    frequency = np.bincount(distinct(holding) // size, minlength=len(places.words))
    number = places.numbers_among(words)
    kept = (number >= 0) & (frequency >= least)
    if units.size <= _FEW or not kept.any():
        return words, weight
    return places.only(kept), weight[number[kept]]
