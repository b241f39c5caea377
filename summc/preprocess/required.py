"""Find the sentences that the user wants in the summary in any case (the setting ``must``).

The user names such a sentence by a text that it contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from summc.errors import SettingError, as_typed
from summc.preprocess.candidates import ends_as_sentence, heads_of
from summc.records import Cluster


def required(texts: Sequence[str], cluster: Cluster) -> dict[str, int]:
    """Return, for each text, the index of the first sentence of a cluster that contains the text.

    A headline is returned only if no other sentence contains the text. A text that nothing contains is left
    out of the result. Case and white space are ignored.
    """
    if not texts:
        return {}
    sentences = cluster.sentences
    folded = [_folded(sentence.text) for sentence in sentences]
    heads = heads_of(sentences)
    found: dict[str, int] = {}
    for text in texts:
        wanted = _folded(text)
        if not wanted:
            raise SettingError(as_typed("must"), "is empty", "give words of a sentence")
        holding = [i for i, sentence in enumerate(folded) if wanted in sentence]
        whole = (i for i in holding if i not in heads and ends_as_sentence(sentences[i].text))
        if holding:
            found[text] = next(whole, holding[0])
    return found


def check_required(texts: Iterable[str], found: Iterable[str]) -> None:
    """Raise ``SettingError`` if a text that the user requires was found in no sentence of any cluster.

    ``texts`` has the texts that the user requires, and ``found`` those of them that were found.
    """
    held = set(found)
    missing = [text for text in texts if text not in held]
    if missing:
        problem = f'no sentence holds "{missing[0]}"'
        raise SettingError(as_typed("must"), problem, "copy a part of the sentence as it stands")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
