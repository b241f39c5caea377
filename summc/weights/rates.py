"""Rates learned from people's summaries: how often a person writes each word of the documents.

The rate q_w of a word is its share of all words that a person writes. ln q_w is a linear combination of
features that do not depend on the language. Words and bigrams are two families: each family has coefficients
of its own. ``summc learn`` fits the coefficients and writes the file that this module reads. The rates of a
family sum to 1, as in the formula of ``expected.py``, so no intercept is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from summc.errors import InputError, as_typed
from summc.records import Floats, Indices
from summc.system.inputs import read_file
from summc.system.json_objects import parse_object
from summc.text.arithmetic import exp, log
from summc.weights.base import Counts

#: The features of every concept (word or bigram).
FEATURES = (
    "occurrences", "early occurrences", "documents", "occurrences^2", "documents^2",
    "occurrences x documents", "once", "one document", "leads", "openings", "headlines", "first place",
    "sentences", "length", "number",
)  # fmt: skip
#: The two families of concepts, and the features of each. A bigram also has the frequencies of its two terms.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "words": FEATURES,
    "bigrams": (*FEATURES, "first term", "second term"),
}
_FORMAT = "summc rates 1"
_AGAIN = f"make it again: {as_typed('summc learn')}"
_LONG = 10  # letters; longer terms count as this long
#: The number of digits of a file's digest that signatures show.
_DIGITS = 8
#: Larger coefficients are rejected: no fit gives them.
_LARGEST = 1e6


@dataclass(frozen=True, slots=True)
class Rates:
    """Fitted coefficients: family ("words" or "bigrams") -> feature -> coefficient.

    ``name`` identifies them among the settings that are printed with a result.
    """

    coefficients: Mapping[str, Mapping[str, float]]
    name: str = ""

    def of(self, counts: Counts) -> Floats:
        """Return the rate q_w of each concept of a cluster, shape (M,); those of each family sum to 1."""
        made = np.zeros(len(counts.words))
        for family, (rows, features) in features_of(counts).items():
            if len(rows) and family not in self.coefficients:
                raise InputError(self.name, f"has no rates of {family}", _AGAIN)
            if len(rows):
                theta = np.array([self.coefficients[family][name] for name in FAMILIES[family]])
                log_rate = (features * theta).sum(axis=1)
                rate = exp(log_rate - log_rate.max())
                made[rows] = rate / rate.sum()
        return made


def features_of(counts: Counts) -> dict[str, tuple[Indices, Floats]]:
    """Return, for each family, the indices of its m concepts, and their F features, shape (m, F)."""
    is_bigram = counts.text.index.is_bigram
    made = {}
    for family, mask in (("words", ~is_bigram), ("bigrams", is_bigram)):
        rows = np.flatnonzero(mask)
        columns = _columns(counts, rows)
        if family == "bigrams":
            columns += _terms_of_bigrams(counts, rows)
        made[family] = rows, np.column_stack(columns)
    return made


def _columns(counts: Counts, rows: Indices) -> list[Floats]:
    """Return the values of each feature in ``FEATURES`` for the concepts with these indices."""
    size = max(counts.size, 1)
    often, holders = counts.occurrences[rows], counts.documents[rows]
    occurrences, documents = log(often / often.sum()), log(holders / size)
    early = counts.emphasized(1.0)[rows]
    words = [counts.words[a] for a in rows.tolist()]
    length = [min(len(word.replace(" ", "")) / (1 + word.count(" ")), _LONG) / _LONG for word in words]
    number = [any(map(str.isdigit, word)) for word in words]
    return [
        occurrences,
        log(early / early.sum()),
        documents,
        occurrences * occurrences,
        documents * documents,
        occurrences * documents,
        (often == 1).astype(np.float64),
        (holders == 1).astype(np.float64),
        counts.leads[rows] / size,
        counts.openings[rows] / size,
        counts.headlines[rows] / size,
        counts.first[rows],
        counts.sentences[rows] / max(counts.text.index.size, 1),
        np.array(length, dtype=np.float64),
        np.array(number, dtype=np.float64),
    ]


def _terms_of_bigrams(counts: Counts, rows: Indices) -> list[Floats]:
    """Return the logarithm of the share of bigrams with the same first term, and with the same second."""
    often, made = counts.occurrences[rows], []
    for side in (0, 1):
        terms = [counts.words[a].split(" ")[side] for a in rows.tolist()]
        number = {term: n for n, term in enumerate(dict.fromkeys(terms))}
        index = np.array([number[term] for term in terms], dtype=np.intp)
        total = np.bincount(index, often, len(number))
        made.append(log(total[index] / max(float(often.sum()), 1.0)))
    return made


def encode_rates(rates: Rates, made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object that ``summc learn`` writes; ``made`` says how the coefficients were fitted."""
    # Further digits would depend on the machine's linear algebra.
    coefficients = {
        family: {name: float(f"{value:.6g}") for name, value in found.items()}
        for family, found in rates.coefficients.items()
    }
    return {"format": _FORMAT, "made": dict(made), "coefficients": coefficients}


def read_rates(path: Path) -> Rates:
    """Return the coefficients in a file that ``summc learn`` wrote; raise an error if it is not one."""
    import hashlib  # noqa: PLC0415 (slow, and few runs need it)

    import msgspec  # noqa: PLC0415 (not needed to print help)

    place, data = str(path), read_file(str(path))
    found = parse_object(data, place, "a file that summc learn made")
    number = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
    try:
        coefficients = msgspec.convert(found.get("coefficients"), dict[str, dict[str, number]])
    except msgspec.ValidationError:
        coefficients = {}
    complete = [
        family in FAMILIES and values.keys() == set(FAMILIES[family])
        for family, values in coefficients.items()
    ]
    if found.get("format") != _FORMAT or not complete or not all(complete):
        raise InputError(place, "not a model of this version's summc learn", _AGAIN)
    return Rates(coefficients, f"{path.name}@{hashlib.sha256(data).hexdigest()[:_DIGITS]}")
