"""Other summarizers on the same file, each by its own interface: ``python -m summc.bench.peers NAME FILE``.

Only the peer that is named is imported, so that a run measures it alone. sumy's tokenizer wants a model that
NLTK downloads; here, where nothing is downloaded, sentences are split by a pattern, which is quicker.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W\d_]+")
#: What about a hundred words are, for those that count sentences.
_COUNT, _WORDS = 5, 100


class PatternTokenizer:
    """What sumy asks of a tokenizer."""

    def to_sentences(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text."""
        return tuple(_SENTENCE.split(text.strip()))

    def to_words(self, text: str) -> tuple[str, ...]:
        """Return the words of a sentence."""
        return tuple(_WORD.findall(text))


def sumy(text: str, method: str, home: str) -> str:
    """Return the summary as the command ``sumy`` makes it."""
    from sumy.nlp.stemmers import Stemmer  # noqa: PLC0415 (the peer alone is imported)
    from sumy.parsers.plaintext import PlaintextParser  # noqa: PLC0415
    from sumy.utils import get_stop_words  # noqa: PLC0415

    module = importlib.import_module(f"sumy.summarizers.{home}")
    summarizer = getattr(module, f"{method}Summarizer")(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    document = PlaintextParser.from_string(text, PatternTokenizer()).document
    return "\n".join(map(str, summarizer(document, _COUNT)))


def luhn(text: str) -> str:
    """Return sumy's summary by Luhn's method, the quickest it has."""
    return sumy(text, "Luhn", "luhn")


def lex_rank(text: str) -> str:
    """Return sumy's summary by LexRank."""
    return sumy(text, "LexRank", "lex_rank")


def summa(text: str) -> str:
    """Return summa's summary, by TextRank."""
    from summa.summarizer import summarize  # noqa: PLC0415 (the same)

    return str(summarize(text, words=_WORDS))


def submodlib(text: str) -> str:
    """Return the greedy weighted set cover of submodlib, within the same budget, words weighed alike."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 (the same)
    from submodlib import SetCoverFunction  # noqa: PLC0415

    sentences = [each for each in _SENTENCE.split(text.strip()) if _WORD.search(each)]
    vectorizer = TfidfVectorizer(stop_words="english").fit(sentences)
    rows = vectorizer.transform(sentences)
    weights = vectorizer.transform([text]).toarray()[0].tolist()
    cover = [set(map(int, rows[[i]].indices)) for i in range(len(sentences))]
    function = SetCoverFunction(len(sentences), cover, len(weights), weights)
    chosen = function.maximize(
        budget=_WORDS,
        optimizer="LazyGreedy",
        costs=[float(len(sentence.split())) for sentence in sentences],
        costSensitiveGreedy=True,
        show_progress=False,
    )
    return "\n".join(sentences[i] for i, _ in chosen)


@dataclass(frozen=True, slots=True)
class Peer:
    """A summarizer: the package it is in, what runs it, and whether a large collection can be asked of it."""

    package: str
    summarize: Callable[[str], str]
    large: bool

    @property
    def installed(self) -> bool:
        """Whether its package is there."""
        return importlib.util.find_spec(self.package) is not None


#: Those that compare every two sentences take minutes and gigabytes where there are thousands.
PEERS: Mapping[str, Peer] = {
    "sumy-luhn": Peer("sumy", luhn, large=True),
    "sumy-lex-rank": Peer("sumy", lex_rank, large=False),
    "summa": Peer("summa", summa, large=False),
    "submodlib": Peer("submodlib", submodlib, large=True),
}


if __name__ == "__main__":
    name, file = sys.argv[1:]
    print(PEERS[name].summarize(Path(file).read_text(encoding="utf-8")))  # noqa: T201 (a command of its own)
