"""Stage 3: how much each word, or other concept, is worth; a file for each way of weighing.

A weighting is fitted on all clusters of a run and then asked about one after another. What holds for all of
them stands in ``shape.py``: how many documents must share a concept, what a bigram is worth against a word,
and what the place of a sentence is worth.
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

#: The name a user types -> the weighting; the fields of each are settings of the stage, by their names.
WEIGHTINGS: Mapping[str, type[Weighting]] = {
    "tfidf": TfIdf,
    "document-frequency": DocumentFrequency,
    "position": Position,
    "expected": Expected,
    "mixed": Mixed,
}
