"""Weights by a model of how likely a concept is to be in a person's summary.

The model is two logistic regressions, of words and of bigrams, on features that any language has; ``summc
learn`` makes the file it stands in. What is not known of a concept, capital letters in a script without
them or rarity where there is no other text, counts as what is usual.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from summc.errors import InputError, NotFoundError
from summc.records import Floats, TokenizedCluster
from summc.resources import learned_weights
from summc.settings import plain
from summc.weights.base import Counts, document_frequencies
from summc.weights.shape import bigrams_among
from summc.weights.tfidf import split_units

#: What is known of a concept, each as a number near 0 to 1, or NaN where it is not known.
FEATURES = (
    "documents", "documents^2", "occurrences", "leads", "leads^2", "headlines", "openings", "first", "length",
    "documents x leads", "occurrences a document", "capitals", "rarity",
)  # fmt: skip
#: The regressions of a model.
KINDS = ("words", "bigrams")
_LONG = 10  # letters of a term; more make no difference


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """Logistic regression on standardized features: coefficients and what they were standardized by."""

    intercept: float
    coefficients: Floats
    mean: Floats
    scale: Floats

    def predict(self, features: Floats) -> Floats:
        """Return the chance of each concept to be in a person's summary; features have shape (M, F)."""
        made: Floats = 1 / (
            1 + np.exp(-(self.intercept + standardized(features, self.mean, self.scale) @ self.coefficients))
        )
        return made


def standardized(features: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return features less their means, in units of their scales; what is not known is as the mean is."""
    return np.nan_to_num((features - mean) / scale, nan=0.0)


Model = Mapping[str, Regression]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """In how many of so many documents, those of the cluster itself included, each concept stands."""

    frequency: Counter[str]
    documents: int

    @classmethod
    def among(cls, clusters: Sequence[TokenizedCluster]) -> Elsewhere:
        """Count the documents of clusters."""
        units = [terms for each in clusters for terms in split_units(each, "document")]
        return cls(document_frequencies(units), len(units))

    def rarity(self, counts: Counts) -> Floats:
        """Return how rare the concepts of one of the clusters are in the documents of the others.

        From 0, what all of these hold, to 1, what none does, by the logarithm; NaN where there are no others.
        """
        others = self.documents - counts.size
        if others <= 0:
            return np.full(len(counts.words), np.nan)
        held = np.array([self.frequency[word] for word in counts.words]) - counts.documents
        made: Floats = 1 - np.log1p(np.maximum(held, 0)) / np.log1p(others)
        return made


@dataclass(frozen=True, slots=True)
class Learned:
    """w = p^power, p the chance that the model gives; ``model`` is its file, by default the shipped one."""

    others: ClassVar[bool] = True
    capitals: ClassVar[bool] = True

    power: float = 1.5
    model: str = ""

    def fit(self, clusters: Sequence[TokenizedCluster], background: Sequence[TokenizedCluster]) -> Predicted:
        """Return it with its model, and with what there is to be rare among."""
        path = Path(self.model) if self.model else learned_weights()
        return Predicted(read_model(path), self.power, path.name, Elsewhere.among([*clusters, *background]))


@dataclass(frozen=True, slots=True)
class Predicted:
    """A model at work."""

    model: Model
    power: float
    name: str
    elsewhere: Elsewhere
    unit: str = "document"

    @property
    def signature(self) -> Mapping[str, Any]:
        """The model, the power, and how many documents there are in all to be rare among."""
        rare = f"document/{self.elsewhere.documents}"
        return {"power": plain(self.power), "model": self.name, "rarity": rare, "background": ""}

    def weigh(self, tokenized: TokenizedCluster) -> tuple[tuple[str, ...], Floats]:
        """Return the concepts of a cluster and what each is worth."""
        counts = Counts(tokenized)
        if not counts.words:
            return (), np.zeros(0)
        features = features_of(counts, self.elsewhere)
        words, bigrams = (self.model[kind].predict(features) for kind in KINDS)
        made: Floats = np.where(bigrams_among(counts.words), bigrams, words) ** self.power
        return counts.words, made


def features_of(counts: Counts, elsewhere: Elsewhere) -> Floats:
    """Return the features of each concept, shape (M, F)."""
    size = max(counts.size, 1)
    df, lead = counts.documents / size, counts.leads / size
    length = [min(len(word.replace(" ", "")) / (1 + word.count(" ")), _LONG) / _LONG for word in counts.words]
    often = counts.occurrences / counts.documents
    return np.column_stack([
        df, df**2, np.log1p(counts.occurrences) / 4, lead, lead**2, counts.headlines / size,
        counts.openings / size, counts.first, np.array(length), df * lead, np.minimum(often / 4, 1),
        counts.capitals, elsewhere.rarity(counts),
    ])  # fmt: skip


def read_model(path: Path) -> Model:
    """Return the model that a file holds."""
    try:
        found = json.loads(path.read_bytes())
        if tuple(found["features"]) != FEATURES:
            raise InputError(str(path), "made for other features", "make it again: summc learn")
        made = {kind: _regression(found["regressions"][kind]) for kind in KINDS}
    except FileNotFoundError:
        raise NotFoundError(str(path), "no such weights", "make them: summc learn") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "check the path") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(str(path), "not weights that summc learn made", "make them: summc learn") from None
    return made


def _regression(found: Mapping[str, Any]) -> Regression:
    arrays = [np.array(found[name], dtype=np.float64) for name in ("coefficients", "mean", "scale")]
    made = Regression(float(found["intercept"]), *arrays)
    if (
        any(a.shape != (len(FEATURES),) or not np.isfinite(a).all() for a in arrays)
        or (made.scale <= 0).any()
    ):
        raise ValueError("not a number for each feature")
    return made


def encode_model(model: Model) -> dict[str, Any]:
    """Return a model as it stands in a file."""
    return {
        "features": list(FEATURES),
        "regressions": {
            kind: {
                "intercept": _rounded(made.intercept),
                "coefficients": [_rounded(value) for value in made.coefficients.tolist()],
                "mean": [_rounded(value) for value in made.mean.tolist()],
                "scale": [_rounded(value) for value in made.scale.tolist()],
            }
            for kind, made in model.items()
        },
    }


def _rounded(value: float) -> float:
    # The last digits are those of the machine's linear algebra.
    return float(f"{value:.6g}")
