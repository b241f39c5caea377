"""Make the inputs of the measurements from a seed: random texts and graphs.

Their sentence lengths and word frequencies are similar to those of news.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from summc.documents import load
from summc.graph.build import make_graph
from summc.records import CoverageGraph, Indices
from summc.system.resources import english_stopwords, sample_folder

_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_SENTENCES, _SHORTEST, _LONGEST = 23, 8, 36
_STOPWORDS = 0.2
_PARAGRAPH = 3
_SUMMARY = 6


def vocabulary(size: int) -> list[str]:
    """Return ``size`` distinct made-up words; each one is a number written in syllables."""
    base = len(_SYLLABLES)
    found: list[str] = []
    for number in range(base, base + size):  # at least two syllables each, so that none is a stop word
        word, left = "", number
        while left:
            left, digit = divmod(left, base)
            word += _SYLLABLES[digit]
        found.append(word)
    return found


def make_dense_graph(items: int, density: float, least: int, seed: int = 1) -> CoverageGraph:
    """Return a random problem of the kind that papers on budgeted maximum coverage use.

    An item covers each of as many elements with the probability ``density``. Costs and weights are whole
    numbers from ``least`` to below 2 * ``least``.
    """
    rng = np.random.default_rng(seed)
    item, element = np.nonzero(rng.random((items, items)) < density)
    cost, weight = rng.integers(least, 2 * least, (2, items))
    return make_graph(cost, weight, item, element)


def zipf_ranks(rng: np.random.Generator, size: int, count: int) -> Indices:
    """Return ``count`` random ranks of words, from 0 to below ``size``, distributed by Zipf's law."""
    return np.asarray(np.exp(rng.random(count) * np.log(size)), dtype=np.intp) - 1


def make_texts(documents: int, seed: int = 1) -> Iterator[str]:
    """Yield random documents of about 500 words, whose vocabulary grows with their number as in news."""
    rng = np.random.default_rng(seed)
    words = vocabulary(int(40 * (documents * _SENTENCES) ** 0.7))
    stopwords = sorted(word for word in english_stopwords() if word.isalpha())
    for _ in range(documents):
        lengths = rng.integers(_SHORTEST, _LONGEST + 1, _SENTENCES)
        ranks = zipf_ranks(rng, len(words), int(lengths.sum())).tolist()
        filler = rng.integers(0, len(stopwords), len(ranks)).tolist()
        is_filler = (rng.random(len(ranks)) < _STOPWORDS).tolist()
        chosen = [
            stopwords[f] if stop else words[rank]
            for rank, f, stop in zip(ranks, filler, is_filler, strict=True)
        ]
        yield _as_text(chosen, lengths.tolist())


def _as_text(words: list[str], lengths: list[int]) -> str:
    sentences, start = [], 0
    for length in lengths:
        sentence = " ".join(words[start : start + length])
        sentences.append(f"{sentence[0].upper()}{sentence[1:]}.")
        start += length
    paragraphs = (sentences[i : i + _PARAGRAPH] for i in range(0, len(sentences), _PARAGRAPH))
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs) + "\n"


def write_texts(folder: Path, documents: int, seed: int = 1) -> int:
    """Write random documents to a new folder, a file each, and return their total number of words."""
    folder.mkdir(parents=True)
    count = 0
    for number, text in enumerate(make_texts(documents, seed)):
        Path(folder, f"{number:05}.txt").write_text(text, encoding="utf-8")
        count += len(text.split())
    return count


def write_clusters(path: Path, clusters: int, documents: int, sentences: int, references: int = 0) -> None:
    """Write clusters as JSON lines, with ``documents`` documents and ``references`` references each.

    A document consists of ``sentences`` random sentences of the sample that ships with summc.
    """
    rng = np.random.default_rng(7)
    known = [sentence.text for cluster in load([sample_folder()]) for sentence in cluster.sentences]
    with path.open("w", encoding="utf-8") as file:
        for number in range(clusters):
            cluster = {
                "id": f"c{number:05}",
                "documents": [" ".join(rng.choice(known, sentences)) for _ in range(documents)],
                "references": [" ".join(rng.choice(known, _SUMMARY)) for _ in range(references)],
            }
            file.write(f"{json.dumps(cluster)}\n")


def make_text_graph(sentences: int, seed: int = 1) -> CoverageGraph:
    """Return a random graph like that of a text: sentences of about 20 words, drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    length = rng.integers(8, 35, sentences)
    rank = zipf_ranks(rng, int(40 * sentences**0.7), int(length.sum()))
    sentence = np.repeat(np.arange(sentences), length)
    used, word = np.unique(rank, return_inverse=True)
    return make_graph(length, rng.gamma(1.0, 0.015, len(used)), sentence, word)
