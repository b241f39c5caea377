"""Make the inputs of the measurements from a seed: random texts and graphs.

Their sentence lengths and word frequencies are similar to those of news.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np

from summc.documents.sources import load
from summc.graph import make_graph
from summc.records import CoverageGraph, Indices
from summc.system.resources import english_stopwords, minilm_tokenizer, sample_folder

_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_SENTENCES, _SHORTEST, _LONGEST = 23, 8, 36
_STOPWORDS = 0.2


def zipf_ranks(rng: np.random.Generator, size: int, count: int) -> Indices:
    """Return ``count`` random ranks of words, from 0 to below ``size``, distributed by Zipf's law."""
    return np.asarray(np.exp(rng.random(count) * np.log(size)), dtype=np.intp) - 1


def make_dense_graph(items: int, density: float, least: int, seed: int = 1) -> CoverageGraph:
    """Return a random problem of the kind that papers on budgeted maximum coverage use.

    An item covers each of as many elements with the probability ``density``. Costs and weights are whole
    numbers from ``least`` to below 2 * ``least``.
    """
    rng = np.random.default_rng(seed)
    item, element = np.nonzero(rng.random((items, items)) < density)
    cost, weight = rng.integers(least, 2 * least, (2, items))
    return make_graph(cost, weight, item, element)


def make_text_graph(sentences: int, seed: int = 1) -> CoverageGraph:
    """Return a random graph like that of a text: sentences of about 20 words, drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    length = rng.integers(8, 35, sentences)
    rank = zipf_ranks(rng, int(40 * sentences**0.7), int(length.sum()))
    sentence = np.repeat(np.arange(sentences), length)
    used, word = np.unique(rank, return_inverse=True)
    return make_graph(length, rng.gamma(1.0, 0.015, len(used)), sentence, word)


def write_static_model(folder: Path, rows: int = 30_522, seed: int = 1) -> Path:
    """Write a static model of random vectors, of the usual size, to a new folder, and return the folder."""
    folder.mkdir()
    (folder / "tokenizer.json").write_text(minilm_tokenizer(), encoding="utf-8")
    data = np.random.default_rng(seed).random((rows, 256), dtype=np.float32).tobytes()
    about = {"embeddings": {"dtype": "F32", "shape": [rows, 256], "data_offsets": [0, len(data)]}}
    header = json.dumps(about).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data)
    return folder


def write_texts(folder: Path, documents: int, seed: int = 1) -> int:
    """Write random documents of about 500 words to a new folder, and return their total number of words.

    Their vocabulary grows with their number as in news.
    """
    folder.mkdir()
    rng = np.random.default_rng(seed)
    syllables = itertools.chain.from_iterable(itertools.product(_SYLLABLES, repeat=n) for n in (2, 3, 4))
    size = int(40 * (documents * _SENTENCES) ** 0.7)
    words = np.array(["".join(each) for each in itertools.islice(syllables, size)])
    stopwords = sorted(word for word in english_stopwords() if word.isalpha())
    count = 0
    for number in range(documents):
        sentences = []
        for length in rng.integers(_SHORTEST, _LONGEST + 1, _SENTENCES).tolist():
            filler = rng.random(length) < _STOPWORDS
            chosen = np.where(filler, rng.choice(stopwords, length), words[zipf_ranks(rng, size, length)])
            sentences.append(f"{' '.join(chosen).capitalize()}.")
            count += length
        Path(folder, f"{number:05}.txt").write_text(" ".join(sentences))
    return count


def write_clusters(path: Path, clusters: int, documents: int, sentences: int) -> None:
    """Write clusters as JSON lines, each with documents of random sentences of the sample."""
    rng = np.random.default_rng(7)
    known = [sentence.text for cluster in load([sample_folder()]) for sentence in cluster.sentences]
    with path.open("w", encoding="utf-8") as file:
        for number in range(clusters):
            texts = [" ".join(rng.choice(known, sentences)) for _ in range(documents)]
            file.write(json.dumps({"id": f"c{number:05}", "documents": texts}) + "\n")
