"""Adapters for retrieval frameworks: passages in, the sentences that fit a budget out.

Each module needs its framework, which an extra of the same name installs. No other module imports them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from summc.api import ConfigLike
from summc.api.summaries import summarize

#: All characters but those that reading may drop or add: white space, controls, the hyphen of a divided word
#: and the ">" before quoted lines.
_KEPT = re.compile("[^\\s\x00-\x1f\x7f-\x9f\u00ad\u200b\u2010\u2060\ufeff\ufffe>]")


class Extract(NamedTuple):
    """A chosen sentence: the index of its passage, its text, and what it adds to the metadata of the passage.

    ``passage[start_char:end_char]`` is the text. Without offsets, the text differs from the passage, as where
    a program wrote &amp;. ``speaker`` is who says it, if that is known.
    """

    passage: int
    text: str
    metadata: dict[str, Any]


def extracts(
    passages: Sequence[str], budget: float | str, query: str | None, config: ConfigLike | None
) -> list[Extract]:
    """Return the sentences of passages that cover the most within a budget, in the order of the passages.

    The arguments are those of ``summc.summarize``. Passages without letters and digits have no sentences.
    """
    index = {f"passage {i}": i - 1 for i, text in enumerate(passages, start=1) if any(map(str.isalnum, text))}
    if not index:
        return []
    texts = {name: passages[i] for name, i in index.items()}
    summary = summarize(texts, budget, query=query or None, order="given", config=config).run.summary
    chosen = {(sentence.document, sentence.position): sentence for sentence in summary.sentences}
    result = []
    for number, document in enumerate(summary.cluster.documents):
        passage = texts[document.id]
        sentences = [chosen.get((number, each.position), each) for each in document.sentences]
        places = _places(passage, (sentence.text[sentence.label :] for sentence in sentences))
        for sentence, place in zip(sentences, places, strict=True):
            if (number, sentence.position) in chosen:
                offsets = {"start_char": place.start, "end_char": place.stop} if place else {}
                speaker = {"speaker": sentence.speaker} if sentence.speaker else {}
                text = passage[place] if place else sentence.text
                result.append(Extract(index[document.id], text, {**speaker, **offsets}))
    return result


def _places(passage: str, sentences: Iterable[str]) -> Iterator[slice | None]:
    """Yield the place of each sentence in its passage, or None if it is not found; sentences are in order."""
    indices = [match.start() for match in _KEPT.finditer(passage)]
    bare, after = "".join(map(passage.__getitem__, indices)), 0
    for sentence in sentences:
        wanted = "".join(_KEPT.findall(sentence))
        start = bare.find(wanted, after)
        if start < 0:
            yield None
        else:
            after = start + len(wanted)
            end = indices[after - 1] + 1
            yield slice(indices[start], end + (sentence.endswith(">") and passage[end : end + 1] == ">"))
