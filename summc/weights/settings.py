"""The settings of stage 3, which weighs words and bigrams."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from summc.records import TokenizedCluster
from summc.settings import Rule, Value, own_of, rules, same_setting, setting
from summc.system.plugins import blamed
from summc.weights import WEIGHTINGS, Weigher, Weighting


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """The settings of stage 3 that are not fields of a weighting's own class."""

    weighting: str = setting("mixed", "How to weigh words.", choices=tuple(WEIGHTINGS))
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

    @property
    def forecasts(self) -> bool:
        """Whether the covered weight says how much of a person's summary a summary contains."""
        return self.weighting == "expected" and not (self.boost or self.ignore)

    def fitted(self, texts: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Weigher:
        """Return the weighting that is configured, fitted on the clusters of a call and background texts.

        If words are boosted, concepts in only one document have weight too: the user asked for them.
        """
        make = WEIGHTINGS[self.weighting]
        own = own_of(self, make)
        if self.boost and "least_documents" in own:
            own["least_documents"] = 1
        with blamed(WEIGHTINGS.package_of(self.weighting), f"weighting {self.weighting}"):
            return make(**own).fit(texts, background)


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
