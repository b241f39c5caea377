"""The sentences that a user requires, found by words of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from summc.errors import SettingError, named
from summc.records import Cluster


def required(texts: Sequence[str], cluster: Cluster) -> dict[str, int]:
    """Return for each text that a sentence of a cluster holds that sentence, the first of several."""
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


def check_required(texts: Iterable[str], found: Iterable[str]) -> None:
    """Refuse a text that no sentence anywhere holds."""
    missing = [text for text in texts if text not in set(found)]
    if missing:
        problem = f'no sentence holds "{missing[0]}"'
        raise SettingError(named("must"), problem, "copy a part of the sentence as it stands")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
