"""Stage 3: find how much each concept is worth to a summary (its weight).

A weighting is a method to find the weights. It is fitted on all clusters of a call, and then weighs the
concepts of one cluster after another. Other packages add weightings through entry points of the group
``summc.weightings``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from summc.settings import plugins
from summc.weights.base import Weigher, Weighting
from summc.weights.coverage import CoverageWeighting, DocumentFrequency, Position
from summc.weights.expected import Expected
from summc.weights.mixed import Mixed
from summc.weights.tfidf import TfIdf

__all__ = ["WEIGHTINGS", "CoverageWeighting", "Expected", "Weigher", "Weighting"]

_BUILT_IN: Mapping[str, type[Weighting]] = {
    "tfidf": TfIdf, "document-frequency": DocumentFrequency, "position": Position, "expected": Expected,
    "mixed": Mixed,
}  # fmt: skip


def _accepted(name: str, weighting: Any) -> dict[str, type[Weighting]]:
    plugins.check_class(weighting, "fit")
    for switch in ("uses_other_texts", "needs_stopwords"):
        if not isinstance(getattr(weighting, switch, None), bool):
            raise ValueError(f"its class must say whether {switch} is True or False")  # noqa: TRY004
    return {name: weighting}


#: The name a user types -> the class of the weighting. Each field of the class is a setting of stage 3 with
#: the same name.
WEIGHTINGS: plugins.Registry[type[Weighting]] = plugins.Registry(plugins.WEIGHTINGS, _BUILT_IN, _accepted)
