"""Stage 3: the weight of each word or other concept. Each weighting has a file of its own.

A weighting is fitted on all clusters of a run and then weighs one cluster after another. ``shape.py`` has the
settings that all weightings share: how many documents must hold a concept, the weight of a bigram compared
with a word, and the bonus of a sentence for its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from summc.weights.base import Weigher, Weighting
from summc.weights.document_frequency import DocumentFrequency
from summc.weights.expected import Expected
from summc.weights.mixed import ContentWeigher, Mixed, MixedWeigher, mixed
from summc.weights.position import Position
from summc.weights.shape import Shape
from summc.weights.tfidf import IDF_UNITS, TFIDFS, Idf, TfIdf, fit_idf, split_units, weigh

__all__ = [
    "IDF_UNITS",
    "TFIDFS",
    "WEIGHTINGS",
    "ContentWeigher",
    "Expected",
    "Idf",
    "MixedWeigher",
    "Shape",
    "Weigher",
    "Weighting",
    "fit_idf",
    "mixed",
    "split_units",
    "weigh",
]

#: The name a user types -> the weighting. The fields of each weighting become settings of the stage.
WEIGHTINGS: Mapping[str, type[Weighting]] = {
    "tfidf": TfIdf,
    "document-frequency": DocumentFrequency,
    "position": Position,
    "expected": Expected,
    "mixed": Mixed,
}
