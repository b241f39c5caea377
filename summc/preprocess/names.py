"""Tell whether documents speak of the same people, places and figures, as reports of one event do.

Four privacy policies, or the rules of three towns, share nearly all their words, but no names.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from statistics import median

import regex

from summc.records import HEADINGS, Document

#: Documents are about the same if the median, over all pairs, of the share of common names is at least this.
#: The least was 0.08 in 30 stories of MultiLing 2011 and 0.18 in others; unrelated texts had at most 0.06.
_COMMON = 0.04
#: Shorter documents, in words, may name nothing.
_LONG = 80
#: So many documents of a story are compared.
_COMPARED = 40
#: Scripts without capitals show no names. The least share of characters that are capitals.
_CAPITALS = 0.005
_CAPITAL = regex.compile(r"\p{Lu}")
_SMALL_WORD = regex.compile(r"\b\p{Ll}[\p{L}\p{M}]*")
#: A capitalized word within a sentence, or a number.
_NAME = regex.compile(r"(?<=[\p{Ll}\p{N},;:'\u2019)\"] )\p{Lu}[\p{L}\p{M}]*|\b\d[\d.,:-]*\d\b")


def share_names(documents: Sequence[Document]) -> bool:
    """Tell whether documents have names in common; also if they are short, or show no names."""
    some = list(islice(documents, _COMPARED))
    texts = [" ".join(s.text[s.label :] for s in document.sentences if s.is_running) for document in some]
    letters, capitals = sum(map(len, texts)), sum(len(_CAPITAL.findall(text)) for text in texts)
    is_short = median(sum(s.words for s in document.sentences) for document in some) < _LONG
    if len(some) == 1 or is_short or capitals < _CAPITALS * letters:
        return True
    small = {word for text in texts for word in _SMALL_WORD.findall(text)}
    names = [{name for name in _NAME.findall(text) if name.lower() not in small} for text in texts]
    # Rules and guides, which have headings, may share one name such as "HR" and not be about the same.
    with_headings = sum(any(s.kind in HEADINGS for s in document.sentences) for document in some)
    least = 2 if 2 * with_headings > len(some) else 1
    return median(_share(a, b, least) for a, b in combinations(names, 2)) >= _COMMON


def _share(names: set[str], others: set[str], least: int) -> float:
    """Return the share of names that two documents have in common, or 0 if they are fewer than ``least``."""
    common = len(names & others)
    return common / min(len(names), len(others)) if common >= least else 0.0
