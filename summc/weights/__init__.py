"""Stage 3: find how much each concept is worth to a summary (its weight).

A concept is a word or a bigram (two neighbouring words). A weighting is a method to find the weights. Each
weighting has a file of its own. It is fitted on all clusters of a call, and then weighs the concepts of one
cluster after another.

``coverage.py`` has what weightings by documents share. Other packages add weightings through entry points of
the group ``summc.weightings``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from summc.system import plugins
from summc.weights.base import Weigher, Weighting
from summc.weights.coverage import CoverageWeighting
from summc.weights.expected import Expected
from summc.weights.mixed import Mixed
from summc.weights.position import DocumentFrequency, Position
from summc.weights.tfidf import IDF_UNITS, TFIDFS, Idf, TfIdf, fit_idf, split_units, weigh

__all__ = [
    "IDF_UNITS",
    "TFIDFS",
    "WEIGHTINGS",
    "CoverageWeighting",
    "Expected",
    "Idf",
    "Weigher",
    "Weighting",
    "fit_idf",
    "split_units",
    "weigh",
]

_OWN: Mapping[str, type[Weighting]] = {
    "tfidf": TfIdf,
    "document-frequency": DocumentFrequency,
    "position": Position,
    "expected": Expected,
    "mixed": Mixed,
}


def _accepted(name: str, found: Any, known: Mapping[str, type[Weighting]]) -> dict[str, type[Weighting]]:  # noqa: ARG001
    plugins.check_class(found, "fit", 2)
    for switch in ("others", "needs_stopwords"):
        if not isinstance(getattr(found, switch, None), bool):
            raise ValueError(f"its class must say whether {switch} is True or False")  # noqa: TRY004
    return {name: found}


#: The name a user types -> the class of the weighting. Each field of the class is a setting of stage 3 with
#: the same name.
WEIGHTINGS: plugins.Registry[type[Weighting]] = plugins.Registry(plugins.WEIGHTINGS, _OWN, _accepted)
