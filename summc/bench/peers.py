"""Run other summarizers, by their own commands or by ``python -m summc.bench.peers NAME FILE``.

submodlib has no command. sumy's command needs a model that NLTK downloads. We download nothing: without the
model, sentences are split by a pattern, which is faster. Only the named peer is imported, so that the run
measures it alone.
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
#: The length of a summary: in sentences for peers that count them, about 100 words, and in words for others.
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
    """Return the summary that the command ``sumy`` makes, by the ``method`` in its module ``home``."""
    from sumy.nlp.stemmers import Stemmer  # noqa: PLC0415 (the peer alone is imported)
    from sumy.parsers.plaintext import PlaintextParser  # noqa: PLC0415
    from sumy.utils import get_stop_words  # noqa: PLC0415

    module = importlib.import_module(f"sumy.summarizers.{home}")
    summarizer = getattr(module, f"{method}Summarizer")(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    document = PlaintextParser.from_string(text, PatternTokenizer()).document
    return "\n".join(map(str, summarizer(document, _COUNT)))


def luhn(text: str) -> str:
    """Return sumy's summary by Luhn's method, its fastest."""
    return sumy(text, "Luhn", "luhn")


def lex_rank(text: str) -> str:
    """Return sumy's summary by LexRank."""
    return sumy(text, "LexRank", "lex_rank")


def submodlib(text: str) -> str:
    """Return submodlib's summary by greedy weighted set cover, by TF-IDF weights within 100 words."""
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
    """Another summarizer: its package, and whether it can handle a ``large`` collection.

    ``command`` has the arguments for Python that run its own command; the file name comes after them.
    ``summarize`` takes its place if it has no command, or none that works without a download.
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
        """Return the arguments for Python that summarize a file."""
        if self.command and (self.summarize is None or _has_model()):
            return [*self.command, file]
        return ["-m", "summc.bench.peers", name, file]


@cache
def _has_model() -> bool:
    import nltk  # noqa: PLC0415 (slow)

    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        return False
    return True


#: Peers that compare all pairs of sentences are not ``large``: thousands take minutes and gigabytes.
PEERS: Mapping[str, Peer] = {
    "sumy-luhn": Peer("sumy", ("-m", "sumy", "luhn", f"--length={_COUNT}", "--file"), luhn, large=True),
    "sumy-lex-rank": Peer("sumy", ("-m", "sumy", "lex-rank", f"--length={_COUNT}", "--file"), lex_rank),
    "summa": Peer("summa", ("-m", "summa.textrank", "--words", str(_WORDS), "--text")),
    "submodlib": Peer("submodlib", (), submodlib, large=True),
}


if __name__ == "__main__":
    name, file = sys.argv[1:]
    summarize = PEERS[name].summarize
    assert summarize is not None  # noqa: S101 (the others have a command of their own)
    print(summarize(Path(file).read_text(encoding="utf-8")))  # noqa: T201 (a command too)
