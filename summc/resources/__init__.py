"""The files that ship with summc: sample clusters, configurations, lists of words.

In the repository, the sample clusters and the configurations are in folders at the top; a wheel has copies of
them beside this file.
"""

from __future__ import annotations

import functools
from pathlib import Path

_HERE = Path(__file__).parent
_REPOSITORY = _HERE.parent.parent


def sample_folder() -> Path:
    """Return the folder of the sample clusters."""
    return _first_there(_HERE / "sample", _REPOSITORY / "data" / "sample")


def configs_folder() -> Path:
    """Return the folder of the configurations."""
    return _first_there(_HERE / "configs", _REPOSITORY / "configs")


def command_outlines() -> Path:
    """Return the file that lists the commands and options for shell completion."""
    return _HERE / "command-outlines.json"


@functools.cache
def english_stopwords() -> frozenset[str]:
    """Return NLTK's 198 English stop words."""
    return frozenset((_HERE / "stopwords-english.txt").read_text(encoding="utf-8").split())


@functools.cache
def stopwords(language: str) -> frozenset[str]:
    """Return the stop words of a language, if any: NLTK's for English, stopwordsiso's for other languages."""
    if language == "en":
        return english_stopwords()
    import stopwordsiso  # noqa: PLC0415 (reads all its languages when imported)

    if not stopwordsiso.has_lang(language):
        return frozenset()
    found = frozenset(stopwordsiso.stopwords(language))
    if language == "lt" and "a\u00f0" in found:  # stopwordsiso decoded Windows-1257 as Windows-1252
        found = frozenset(word.encode("cp1252").decode("cp1257") for word in found)
    return found


@functools.cache
def wordnet_exceptions() -> dict[str, str]:
    """Return the base form of each irregular form in WordNet 2.0, such as ``go`` for ``went``."""
    lines = (_HERE / "wordnet-2.0-exceptions.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


@functools.cache
def linked_words(language: str) -> frozenset[str]:
    """Return the opening words that link a sentence to the one before it: he, this, but.

    Phrases are joined with underscores, as in ``on_that``. An entry that ends in a comma matches only before
    a comma: ``later,`` matches "Later, it ..." but not "Later this week".
    """
    if language == "en":
        return frozenset((_HERE / "linked-english.txt").read_text(encoding="utf-8").split())
    lines = (_HERE / "linked-others.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if line.split()[0] == language for word in line.split()[1:])


@functools.cache
def months(language: str) -> dict[str, int]:
    """Return the number of each month by its name in a language, in the form used in dates."""
    lines = [line.split() for line in (_HERE / "months.txt").read_text(encoding="utf-8").splitlines()]
    return {name: n for code, *names in lines if code == language for n, name in enumerate(names, start=1)}


@functools.cache
def heading_kinds() -> dict[str, str]:
    """Return the part of a paper that each known heading opens, by the heading as the file spells it."""
    lines = (_HERE / "headings.txt").read_text(encoding="utf-8").splitlines()
    parted = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {heading.strip(): kind for kind, headings in parted for heading in headings.split("|")}


def _first_there(packaged: Path, in_repository: Path) -> Path:
    return packaged if packaged.is_dir() else in_repository
