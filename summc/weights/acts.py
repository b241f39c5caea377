"""What sentences do, by their words: give a number, report a decision or an outcome, or answer a question."""

from __future__ import annotations

import functools

import numpy as np
import regex

from summc.records import Cluster, Floats, Mask
from summc.system.resources import act_words, months
from summc.text.languages import SNOWBALL, Stem, snowball

#: What is added to a sentence for digits, for each number, measure or month in words, and for each word of
#: decision or outcome, as a share of what its words are worth. Chosen on invented everyday texts.
_FIGURE, _NUMBER, _OUTCOME = 0.6, 0.25, 0.4
_DIGIT = regex.compile(r"\p{N}")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]+")
#: A name is a capitalized word that does not begin its sentence.
_NAME = regex.compile(r"(?<=[\p{Ll}\p{N},;:] )\p{Lu}\p{L}")


def acts_of(cluster: Cluster) -> Floats:
    """Return what the act of each sentence is worth, as a share of what its words are worth, shape (N,).

    Words of decision and outcome are listed by language; figures and questions need no list.
    """
    stem = _stemmer(cluster.language)
    numbers, outcomes = _numbers(cluster.language), _stems("outcome", cluster.language)
    worth = np.zeros(len(cluster.sentences))
    for i, sentence in enumerate(cluster.sentences):
        if sentence.kind in {"question", "courtesy"}:
            continue
        stems = {stem(word) for word in _WORD.findall(sentence.text.lower())}
        figure = _FIGURE if _DIGIT.search(sentence.text) else 0.0
        worth[i] = figure + _NUMBER * len(stems & numbers) + _OUTCOME * len(stems & outcomes)
    return worth


def gives_answer(cluster: Cluster, question: str) -> Mask | None:
    """Tell which sentences give the number, date or name that a question asks for, shape (N,).

    "How many" and "when" ask for a number or date, and "who" for a name, in the languages that have a list.
    None if the question asks for something else.
    """
    asked = f" {' '.join(_WORD.findall(question.lower()))} "
    texts = [sentence.text_without_label for sentence in cluster.sentences]
    if _has_any(asked, act_words("asks_number", cluster.language)):
        stem, numbers = _stemmer(cluster.language), _numbers(cluster.language)
        gives = (
            bool(_DIGIT.search(text)) or any(stem(word) in numbers for word in _WORD.findall(text.lower()))
            for text in texts
        )
    elif _has_any(asked, act_words("asks_name", cluster.language)):
        gives = (bool(_NAME.search(text)) for text in texts)
    else:
        return None
    return np.fromiter(gives, bool, len(texts))


def _has_any(text: str, phrases: frozenset[str]) -> bool:
    return any(f" {phrase.replace('_', ' ')} " in text for phrase in phrases)


def _stemmer(language: str) -> Stem:
    return snowball(SNOWBALL[language]) if language in SNOWBALL else str


@functools.cache
def _numbers(language: str) -> frozenset[str]:
    return _stems("number", language) | frozenset(map(_stemmer(language), months(language)))


@functools.cache
def _stems(act: str, language: str) -> frozenset[str]:
    return frozenset(map(_stemmer(language), act_words(act, language)))
