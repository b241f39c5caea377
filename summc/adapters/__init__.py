"""Adapters for retrieval frameworks: passages in, the sentences that fit a budget out.

Each module needs its framework, which an extra of the same name installs. No other module imports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from summc.api import ConfigLike
from summc.api.summaries import summarize
from summc.system.json_objects import nonempty


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
    result = []
    for sentence in summary.sentences:
        i = index[summary.cluster.documents[sentence.document].id]
        text = sentence.text if sentence.start is None else passages[i][sentence.start : sentence.end]
        places = {"start_char": sentence.start, "end_char": sentence.end}
        result.append(Extract(i, text, nonempty(speaker=sentence.speaker, **places)))
    return result
