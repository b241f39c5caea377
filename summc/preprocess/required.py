"""Find the sentences that a user requires, by words they contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from summc.errors import SettingError, named
from summc.records import Cluster, CoverageGraph


def required(texts: Sequence[str], cluster: Cluster) -> dict[str, int]:
    """Return the first sentence of a cluster that contains each text; texts not found are left out."""
    folded = [_folded(sentence.text) for sentence in cluster.sentences]
    found: dict[str, int] = {}
    for text in texts:
        wanted = _folded(text)
        if not wanted:
            raise SettingError(named("must"), "is empty", "give words of a sentence")
        for i, sentence in enumerate(folded):
            if wanted in sentence:
                found[text] = i
                break
    return found


def nodes_of(wanted: Iterable[int], graph: CoverageGraph, cluster: Cluster) -> dict[int, int]:
    """Return the node in a graph of each wanted sentence of a cluster.

    A sentence that is not in the graph gets the first node with the same text, or is left out.
    """
    sentences = cluster.sentences
    node = {sentence: i for i, sentence in enumerate(graph.sentence_ids.tolist())}
    first: dict[str, int] = {}
    for sentence, i in sorted(node.items()):
        first.setdefault(sentences[sentence].text, i)
    found = {sentence: node.get(sentence, first.get(sentences[sentence].text)) for sentence in wanted}
    return {sentence: i for sentence, i in found.items() if i is not None}


def check_required(texts: Iterable[str], found: Iterable[str]) -> None:
    """Refuse a text that no sentence of any cluster holds."""
    held = set(found)
    missing = [text for text in texts if text not in held]
    if missing:
        problem = f'no sentence holds "{missing[0]}"'
        raise SettingError(named("must"), problem, "copy a part of the sentence as it stands")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
