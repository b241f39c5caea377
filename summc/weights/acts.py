"""What a sentence does: it gives a number, a decision, an outcome, a cause or a limit.

In a text by one voice, such sentences hold the facts. Words of decision and outcome are listed by language;
figures and questions need no list.
"""

from __future__ import annotations

import functools

import numpy as np
import regex

from summc.records import Cluster, Floats
from summc.system.resources import act_words, months
from summc.text.languages import SNOWBALL, Stem, snowball

#: What is added to a sentence for digits, for each number, measure or month in words, and for each word of
#: decision or outcome, as a share of what its words are worth. Chosen on invented everyday texts.
_FIGURE, _NUMBER, _OUTCOME = 0.6, 0.25, 0.4
_DIGIT = regex.compile(r"\p{N}")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]+")


def acts_of(cluster: Cluster) -> Floats:
    """Return what the act of each sentence is worth, as a share of what its words are worth, shape (N,)."""
    stem = snowball(SNOWBALL[cluster.language]) if cluster.language in SNOWBALL else str
    numbers = _stems("number", cluster.language, stem) | set(map(stem, months(cluster.language)))
    outcomes = _stems("outcome", cluster.language, stem)
    worth = np.zeros(len(cluster.sentences))
    for i, sentence in enumerate(cluster.sentences):
        if sentence.kind in {"question", "courtesy"}:
            continue
        stems = {stem(word) for word in _WORD.findall(sentence.text.lower())}
        figure = _FIGURE if _DIGIT.search(sentence.text) else 0.0
        worth[i] = figure + _NUMBER * len(stems & numbers) + _OUTCOME * len(stems & outcomes)
    return worth


@functools.cache
def _stems(act: str, language: str, stem: Stem) -> frozenset[str]:
    return frozenset(map(stem, act_words(act, language)))
