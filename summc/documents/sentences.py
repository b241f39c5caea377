"""Paragraphs to sentences, and what counts as a word when the budget is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import regex

from summc.records import Document, Sentence

# Scripts that write no spaces between words: there each character counts as a word, as word processors do.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")


def count_words(text: str) -> int:
    """Return how many words a reader counts: what stands between spaces (as ``wc -w``).

    A Chinese or Japanese character counts as one word.
    """
    if text.isascii():
        return len(text.split())
    return len(_UNSPACED.sub(" \\g<0> ", text).split())


def make_document(id_: str, paragraphs: Iterable[str], document: int, language: str) -> Document:
    """Split paragraphs into sentences; ``document`` is the index of the document in its cluster."""
    texts = [text for paragraph in paragraphs for text in split_sentences(paragraph, language)]
    return Document(id_, tuple(Sentence(document, i, text, count_words(text)) for i, text in enumerate(texts)))


def split_sentences(paragraph: str, language: str) -> list[str]:
    """Return the sentences of one paragraph: by nupunkt in English, by sentencex in other languages.

    What has neither letter nor digit is no sentence: it stays with the sentence before it (a closing
    quote), and a paragraph of nothing else (a row of stars) has none.
    """
    sentences: list[str] = []
    for piece in _pieces(paragraph, language):
        if _WORD_CHARACTER.search(piece):
            sentences.append(piece)
        elif sentences and piece:
            sentences[-1] += f" {piece}"
    return sentences


def _pieces(paragraph: str, language: str) -> Iterator[str]:
    if language == "en":
        import nupunkt  # noqa: PLC0415 (its model is loaded only where it is used)

        pieces: Iterable[Any] = nupunkt.sent_tokenize(paragraph)
    else:
        import sentencex  # noqa: PLC0415 (the same)

        pieces = sentencex.segment(language, paragraph)
    return (str(piece).strip() for piece in pieces)
