"""Run the peers: other summarizers, to compare summc with.

A peer is run by its own command or by ``python -m tests.bench.peers NAME FILE``. The latter is needed for
submodlib, which has no command, and for sumy, whose command needs a model that NLTK downloads. We download
nothing. If the model is missing, we split sentences by a pattern, which is faster. Only the named peer is
imported, so that the time of other imports is not measured.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W\d_]+")
#: The length of a summary: in sentences, about 100 words, for peers that count sentences; in words for
#: others.
_COUNT, _WORDS = 5, 100


class PatternTokenizer:
    """A tokenizer with the interface that sumy expects."""

    def to_sentences(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text."""
        return tuple(_SENTENCE.split(text.strip()))

    def to_words(self, text: str) -> tuple[str, ...]:
        """Return the words of a sentence."""
        return tuple(_WORD.findall(text))


def sumy(text: str, method: str, home: str) -> str:
    """Return sumy's summary of a text; ``method`` is a summarizer in the module ``home`` of sumy."""
    from sumy.nlp.stemmers import Stemmer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.utils import get_stop_words

    module = importlib.import_module(f"sumy.summarizers.{home}")
    summarizer = getattr(module, f"{method}Summarizer")(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    document = PlaintextParser.from_string(text, PatternTokenizer()).document
    return "\n".join(map(str, summarizer(document, _COUNT)))


def luhn(text: str) -> str:
    """Return sumy's summary by Luhn's method, which is its fastest."""
    return sumy(text, "Luhn", "luhn")


def lex_rank(text: str) -> str:
    """Return sumy's summary by LexRank."""
    return sumy(text, "LexRank", "lex_rank")


def submodlib(text: str) -> str:
    """Return submodlib's summary of at most 100 words, by greedy weighted set cover with TF-IDF weights."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from submodlib import SetCoverFunction

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
    """Another summarizer: its package, and whether it can handle a ``large`` collection.

    ``command`` has the arguments for Python that run the peer's own command, to which the file name is
    appended. ``summarize`` is a function to use instead if the peer has no command, or if its command needs a
    model that is not installed.
    """

    package: str
    command: tuple[str, ...]
    summarize: Callable[[str], str] | None = None
    large: bool = False

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return importlib.util.find_spec(self.package) is not None

    def arguments(self, name: str, file: str) -> list[str]:
        """Return the arguments for Python that run this peer on a file; ``name`` is its key in ``PEERS``."""
        if self.command and (self.summarize is None or _has_model()):
            return [*self.command, file]
        return ["-m", "tests.bench.peers", name, file]


@cache
def _has_model() -> bool:
    import nltk

    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        return False
    return True


#: The peers by name. Those that compare all pairs of sentences are not marked as ``large``, because with
#: thousands of sentences they take minutes and gigabytes.
PEERS: Mapping[str, Peer] = {
    "sumy-luhn": Peer("sumy", ("-m", "sumy", "luhn", f"--length={_COUNT}", "--file"), luhn, large=True),
    "sumy-lex-rank": Peer("sumy", ("-m", "sumy", "lex-rank", f"--length={_COUNT}", "--file"), lex_rank),
    "summa": Peer("summa", ("-m", "summa.textrank", "--words", str(_WORDS), "--text")),
    "submodlib": Peer("submodlib", (), submodlib, large=True),
}


if __name__ == "__main__":
    name, file = sys.argv[1:]
    summarize = PEERS[name].summarize
    assert summarize is not None
    print(summarize(Path(file).read_text(encoding="utf-8")))
