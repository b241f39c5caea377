"""The settings of stage 3, which weighs words and bigrams."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from summc.settings import Rule, Value, own_of, rules, same_setting, setting
from summc.weights import WEIGHTINGS, Shape, Weighting


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """The settings of stage 3 that are not fields of a weighting's own class."""

    weighting: str = setting("mixed", "How to weigh words.", choices=tuple(WEIGHTINGS))
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
    background: tuple[str, ...] = setting(
        (),
        "tfidf: more text to count words in, a path or a data set; repeatable.",
        metavar="NAME|PATH",
    )
    boost: tuple[str, ...] = setting(
        (),
        "Weigh a word more or less (dam=2, dam=0.5); repeatable.",
        metavar="WORD=FACTOR",
        common=True,
        heading="Steering",
    )
    ignore: tuple[str, ...] = setting(
        (),
        "Give a word no weight; repeatable.",
        metavar="WORD",
        common=True,
        heading="Steering",
    )
    query: str = setting(
        "",
        "Question that the summary should answer.",
        common=True,
        heading="Steering",
    )
    use_query: bool = setting(
        True,  # noqa: FBT003
        "Answer the question that comes with the documents, if any.",
        off="no-query",
        heading="Steering",
    )

    def question_for(self, own: str) -> str:
        """Return the question that the summary of a cluster should answer, or "" if there is none.

        ``own`` is the question that came with the cluster, or "".
        """
        return (self.query or own) if self.use_query else ""

    def shape_for(self, question: str) -> Shape:
        """Return the settings that all weightings share, given the question for a cluster or "".

        If there is a question or a boosted word, ``least_documents`` becomes 1, so that concepts in only one
        document have weight too: the user asked for them.
        """
        shape = Shape(**own_of(self, Shape))
        return dataclasses.replace(shape, least_documents=1) if self.boost or question else shape


def _with_those_of(weightings: Iterable[type[Weighting]]) -> type[WeighSettings]:
    """Return the settings class of stage 3: the fields of ``WeighSettings`` and of all weightings.

    A field that several weightings have appears once; they must declare it in the same way.
    """
    declared: dict[str, tuple[Value, Rule]] = {}
    fields = []
    for weighting in weightings:
        for name, rule in rules(weighting).items():
            if name not in declared:
                fields.append((name, type(rule[0]), same_setting(weighting, name)))
            if declared.setdefault(name, rule) != rule:
                raise TypeError(f"two weightings declare {name} differently")
    made = dataclasses.make_dataclass("AllWeighSettings", fields, bases=(WeighSettings,), frozen=True)
    made.__module__ = __name__  # so that pickle finds the class
    return made


AllWeighSettings = _with_those_of(WEIGHTINGS.values())
