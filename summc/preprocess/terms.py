"""Find the terms of each sentence. A term is a word in lower case, reduced to its stem.

As in the paper, text becomes lower case, exclamation marks and parentheses are deleted, words are stemmed,
and stop words are kept or removed. Where the paper leaves a choice, summc does this:

- a word is a run of letters, marks and digits of any script, after Unicode composition (NFC); every other
  character separates words;
- ``U.S.`` and ``p.m.`` stay one word each, ``u.s`` and ``p.m``, apart from the pronoun "us";
- numbers keep their inner points and commas: ``3.5``, ``1,000``;
- a hyphen separates: ``long-term`` is "long" and "term";
- in English an apostrophe joins (``don't``, ``O'Brien``) and a final ``'s`` is dropped (``China's`` is
  "china"); in other languages it separates (``l'homme`` is "l" and "homme");
- the mark of a Hebrew abbreviation joins, even if written as a quotation mark: ``או"ם`` is one word;
- each Chinese or Japanese character is a word.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import regex

from summc.errors import SettingError
from summc.records import Cluster, ConceptIndex, TokenizedCluster
from summc.system import resources
from summc.text.languages import MOST_KEPT, SNOWBALL, Stem, nltk_stemmer, porter, snowball

load_stopwords = resources.stopwords
#: Maps a word to its term, or to "" if the word is left out.
TermOf = Callable[[str], str]
STEMMERS = ("porter", "snowball", "nltk-porter", "nltk-snowball", "none")

#: Both apostrophes are one; exclamation marks and parentheses are deleted.
_FOLDED = str.maketrans("\N{RIGHT SINGLE QUOTATION MARK}", "'", "!()")
_TERM = regex.compile(
    r"""(?xV1)
      \b (?:\p{L}\.)+ \p{L} \b                                    # U.S, p.m
    | \p{N}+ (?:[.,]\p{N}+)+ \b                                   # 3.5, 1,000
    | [\p{Han}\p{Hiragana}\p{Katakana}]                           # one character, one word
    | [[\p{L}\p{N}\p{M}] -- [\p{Han}\p{Hiragana}\p{Katakana}]]+   # word, 1990s
      (?: ['\u200c\u200d\u05f3\u05f4] [\p{L}\p{M}]+ )*             # don't
    """
)
# The same pattern for ASCII text, which takes half the time; most sentences are ASCII.
_ASCII_TERM = re.compile(
    r"\b(?:[a-z]\.)+[a-z]\b | [0-9]+(?:[.,][0-9]+)+\b | [a-z0-9]+(?:'[a-z]+)*", re.VERBOSE | re.ASCII
)
_GERSHAYIM = regex.compile(r"""(?<=\p{Hebrew})"(?=\p{Hebrew}(?!\p{Hebrew}))""")  # before the last letter
_GRAPHEME = regex.compile(r"\X")
_HAS_NO_STEM = regex.compile(r"[\p{N}.]")  # numbers and abbreviations are not stemmed


def find_terms(
    cluster: Cluster, *, stemmer: str = "porter", remove_stopwords: bool = True
) -> TokenizedCluster:
    """Return a cluster with the terms of each of its sentences; ``stemmer`` is one of ``STEMMERS``."""
    term_of = term_finder(cluster.language, stemmer, remove_stopwords)
    texts = map(attrgetter("text_without_label"), cluster.sentences)
    tokens = list(map(partial(terms, language=cluster.language, term_of=term_of), texts))
    return TokenizedCluster(cluster, ConceptIndex.of(tokens))


def terms(text: str, language: str, term_of: TermOf) -> list[str]:
    """Return the terms of one sentence in order; ``term_of`` comes from ``term_finder``."""
    folded = _folded(text, language)
    return list(filter(None, map(term_of, (_ASCII_TERM if folded.isascii() else _TERM).findall(folded))))


@functools.cache
def term_finder(language: str, stemmer: str, remove_stopwords: bool) -> TermOf:  # noqa: FBT001
    """Return a function that maps a word of a text to its term, or to "" if it is a stop word.

    It has a cache, which is kept from one cluster to the next, because clusters share most of their words.
    ``stemmer`` is one of ``STEMMERS``.
    """
    stem = make_stemmer(stemmer, language)
    listed = load_stopwords(language) if remove_stopwords else frozenset()

    @functools.lru_cache(MOST_KEPT)
    def term_of(token: str) -> str:
        word = token.removesuffix("'s") if language == "en" else token
        return "" if word in listed else stem(word)

    return term_of


def words(text: str, language: str = "en") -> list[str]:
    """Return the words of a text in lower case, stop words included, not stemmed."""
    return terms(text, language, term_finder(language, "none", remove_stopwords=False))


def _folded(text: str, language: str) -> str:
    text = unicodedata.normalize("NFC", text).lower().translate(_FOLDED)
    if language == "he":
        text = _GERSHAYIM.sub("\u05f4", text)
    return text if language == "en" else text.replace("'", " ")


@dataclass(frozen=True, slots=True)
class Span:
    """A term, and where it stands in its text: from ``start`` up to, but not including, ``end``."""

    start: int
    end: int
    term: str


def term_spans(text: str, language: str, term_of: TermOf) -> list[Span]:
    """Return the same terms as ``terms``, and where each stands in the sentence."""
    # Folding to lower case may change the number of characters. So fold each grapheme by itself, to know
    # which characters of the text each folded character comes from.
    pieces = [(grapheme.span(), _folded(grapheme.group(), language)) for grapheme in _GRAPHEME.finditer(text)]
    places = [span for span, piece in pieces for _ in piece]
    folded = _folded(text, language)
    if len(folded) != len(places):
        folded = "".join(piece for _, piece in pieces)
    spans = []
    for match in _TERM.finditer(folded):
        end = match.end() - (len("'s") if language == "en" and match.group().endswith("'s") else 0)
        if term := term_of(match.group()):
            spans.append(Span(places[match.start()][0], places[end - 1][1], term))
    return spans


def stemmer_used(stemmer: str, language: str) -> str:
    """Return the stemmer for a language if the user chose ``stemmer``: Porter's is for English alone.

    Another language uses its Snowball stemmer, or "none" if it has none.
    """
    if stemmer not in STEMMERS:
        raise SettingError("stemmer", f'unknown stemmer "{stemmer}"', f"choose from {', '.join(STEMMERS)}")
    if stemmer == "none" or language not in SNOWBALL:
        return "none"
    return stemmer if language == "en" else stemmer.replace("porter", "snowball")


def stemmer_library(stemmer: str) -> str:
    """Return the name of the library that a stemmer comes from, or "" for the stemmer "none"."""
    if stemmer == "none":
        return ""
    return "nltk" if stemmer.startswith("nltk-") else "pystemmer"


@functools.cache
def make_stemmer(stemmer: str, language: str) -> Stem:
    """Return a function that stems a word of a language, with a cache; ``stemmer`` is one of ``STEMMERS``."""
    stemmer = stemmer_used(stemmer, language)
    if stemmer == "none":
        return str
    name = "porter" if stemmer.endswith("porter") else SNOWBALL[language]
    if stemmer.startswith("nltk-"):
        stem = nltk_stemmer(name)
    else:
        stem = porter() if name == "porter" else snowball(name)

    @functools.lru_cache(MOST_KEPT)
    def stem_once(word: str) -> str:
        return word if _HAS_NO_STEM.search(word) else stem(word)

    return stem_once


@functools.cache
def stop_terms(stemmer: str, language: str) -> frozenset[str]:
    """Return the stop words of a language as terms; ``stemmer`` is one of ``STEMMERS``."""
    return frozenset(map(make_stemmer(stemmer, language), load_stopwords(language)))
