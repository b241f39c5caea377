"""Describe in words what makes a sentence of a summary hard to read."""

from __future__ import annotations

from collections.abc import Mapping

from summc.selectors.reading.prices import Fault

_REASONS = {
    "opening": "it lacks the context of an opening",
    "apart": "it is torn from the sentence before it",
    "bland": "it names nobody and no figure",
    "teaser": "it is a short first sentence, as features and interviews have",
    "trivia": "no other document speaks of most of it",
    "day": '"today" and the like do not say which day',
    "verb": "it looks like a caption",
    "stage": "it leaves out a stage of the story",
}
_NEEDS = {
    "the": 'nothing before it introduces "the {}"',
    "name": 'nothing before it gives the full name of "{}"',
    "pronoun": 'nothing before it says who or what "{}" is',
    "place": 'nothing before it says where "{}" is',
}


def in_words(fault: Fault, numbers: Mapping[int, int]) -> str:
    """Return what is wrong with a sentence, as text to print after "but": "it is torn from ...".

    ``numbers`` maps the graph index of each chosen sentence to its number in the output.
    """
    if fault.kind == "introduction":
        kind, _, what = fault.about.partition(" ")
        return _NEEDS[kind].format(what)
    if fault.kind == "restated":
        number = numbers.get(int(fault.about))
        return f"it repeats much of sentence {number}" if number else "it repeats much of another sentence"
    return _REASONS[fault.kind]
