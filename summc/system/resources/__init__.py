"""Find and read the files that ship with summc: sample clusters, configurations, lists of words.

In the repository, the sample clusters and the configurations are in top-level folders. In an installed
package, copies of them are beside this file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path


def sample_folder() -> Path:
    """Return the folder of the sample clusters."""
    return _folder("sample", "data/sample")


def configs_folder() -> Path:
    """Return the folder of the configurations."""
    return _folder("configs", "configs")


@functools.cache
def english_stopwords() -> frozenset[str]:
    """Return NLTK's 198 English stop words, in lower case."""
    return frozenset(_text("stopwords-english.txt").split())


@functools.cache
def stopwords(language: str) -> frozenset[str]:
    """Return the stop words of a language: NLTK's for English, stopwordsiso's for others, or an empty set."""
    if language == "en":
        return english_stopwords()
    return common_words(language)


@functools.cache
def common_words(language: str) -> frozenset[str]:
    """Return the words that a language uses everywhere, by stopwordsiso; for English more than stop words."""
    import stopwordsiso  # noqa: PLC0415 (reads all its languages when imported)

    if not stopwordsiso.has_lang(language):
        return frozenset()
    words = frozenset(stopwordsiso.stopwords(language))
    # stopwordsiso's Lithuanian list was decoded as Windows-1252, but is Windows-1257. Repair that.
    if language == "lt" and "a\u00f0" in words:
        words = frozenset(word.encode("cp1252").decode("cp1257") for word in words)
    return words


@functools.cache
def word_lists() -> dict[str, list[str]]:
    """Return the lists in ``words.txt``, by name: calendar -> Monday, Tuesday, ..."""
    lines = [line.split() for line in _text("words.txt").splitlines() if not line.startswith("#")]
    return {name: words for name, *words in lines}


@functools.cache
def wordnet_exceptions() -> dict[str, str]:
    """Return the irregular forms of words in WordNet 2.0, each with its base form: ``went`` -> ``go``."""
    lines = _text("wordnet-2.0-exceptions.tsv").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


@functools.cache
def word_families() -> list[str]:
    """Return English words that mean the same to a question but are spelled differently: "buy purchase"."""
    return [family.replace("_", " ") for family in word_lists()["families"]]


@functools.cache
def linked_words(language: str) -> frozenset[str]:
    """Return the words that, at the start of a sentence, link it to the sentence before: he, this, on_that.

    An entry that ends in a comma, such as ``later,``, matches only if a comma follows the word.
    """
    return frozenset(_words("linked.txt", language))


@functools.cache
def act_words(act: str, language: str) -> frozenset[str]:
    """Return the words of a language that mark an act of a sentence: such as "outcome" or "number"."""
    return frozenset(_words("acts.txt", act, language))


@functools.cache
def months(language: str) -> dict[str, int]:
    """Return the names of the months in a language, each with its number from 1 to 12, or {}."""
    return {name: i % 12 + 1 for i, name in enumerate(_words("months.txt", language))}


@functools.cache
def heading_kinds() -> dict[str, str]:
    """Return the known headings of papers, each with the part that it begins: bibliography -> references."""
    lines = _text("headings.txt").splitlines()
    parted = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {heading.strip(): kind for kind, headings in parted for heading in headings.split("|")}


def minilm_tokenizer() -> str:
    """Return the tokenizer of all-MiniLM-L6-v2, which the package with the model lacks, as JSON."""
    return _text("minilm-tokenizer.json")


def _words(name: str, *key: str) -> Iterator[str]:
    """Yield the words that follow ``key`` in the lines of a file that begin with it."""
    for line in map(str.split, _text(name).splitlines()):
        if tuple(line[: len(key)]) == key:
            yield from line[len(key) :]


def _text(name: str) -> str:
    # Importing pathlib would make help slower.
    with open(__file__.removesuffix("__init__.py") + name, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _folder(packaged: str, in_repository: str) -> Path:
    here = Path(__file__).parent
    return here / packaged if (here / packaged).is_dir() else here.parent.parent.parent / in_repository
