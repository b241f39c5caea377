"""Find the sentences that the user quotes: those that must be in the summary, and those that must not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from summc.errors import SettingError, as_typed
from summc.records import Cluster


def quoted_sentences(quotes: Sequence[str], cluster: Cluster, name: str = "must") -> dict[str, int]:
    """Return, for each quote of the setting ``name``, the index of the first sentence that contains it.

    Headlines come last. Case and white space are ignored. A quote that no sentence contains is left out.
    """
    if not quotes:
        return {}
    sentences = cluster.sentences
    folded = [" ".join(sentence.text.casefold().split()) for sentence in sentences]
    index_of: dict[str, int] = {}
    for quote in quotes:
        words = " ".join(quote.casefold().split())
        if not words:
            raise SettingError(as_typed(name), "is empty", "give words of a sentence")
        holding = [i for i, sentence in enumerate(folded) if words in sentence]
        if holding:
            index_of[quote] = next((i for i in holding if sentences[i].is_running), holding[0])
    return index_of


def excluded_sentences(quotes: Sequence[str], cluster: Cluster) -> frozenset[int]:
    """Return the sentences that the setting ``without`` leaves out, and those with the same text."""
    sentences = cluster.sentences
    texts = {sentences[i].text for i in quoted_sentences(quotes, cluster, "without").values()}
    return frozenset(i for i, sentence in enumerate(sentences) if sentence.text in texts)


def required_and_excluded(
    must: Sequence[str], without: Sequence[str], cluster: Cluster
) -> tuple[dict[str, int], frozenset[int]]:
    """Return the sentence of each quote of ``must``, and the sentences that ``without`` leaves out.

    Raise ``SettingError`` if both name the same sentence.
    """
    required, excluded = quoted_sentences(must, cluster), excluded_sentences(without, cluster)
    for quote, sentence in required.items():
        if sentence in excluded:
            problem = f'leaves out the sentence with "{quote}", which {as_typed("must")} asks for'
            raise SettingError(as_typed("without"), problem, "give one of them")
    return required, excluded


def check_all_quoted(clusters: Iterable[Cluster], must: Sequence[str], without: Sequence[str]) -> None:
    """Raise ``SettingError`` if a quote of ``must`` or ``without`` is in no sentence of the clusters."""
    missing = {"must": [*must], "without": [*without]}
    for cluster in clusters:
        for name, quotes in missing.items():
            present = quoted_sentences(quotes, cluster, name)
            missing[name] = [quote for quote in quotes if quote not in present]
    for name, quotes in missing.items():
        for quote in quotes:
            problem = f'no sentence holds "{quote}"'
            raise SettingError(as_typed(name), problem, "copy a part of the sentence as it stands")
