"""The settings of stage 2, except which sentences may be chosen: those settings are in ``Candidates``."""

from __future__ import annotations

from dataclasses import dataclass

from summc.preprocess.concepts import CONCEPTS
from summc.preprocess.terms import STEMMERS
from summc.settings import setting

ORDERS = ("dates", "given")


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """The settings by which stage 2 finds terms and concepts, and sorts documents."""

    stemmer: str = setting(
        "porter", "Stemmer; porter is for English, elsewhere it means snowball.", choices=STEMMERS
    )
    remove_stopwords: bool = setting(True, "Leave stop words out of what is covered.", off="keep-stopwords")  # noqa: FBT003
    concepts: str = setting("words+bigrams", "What a summary should cover.", choices=tuple(CONCEPTS))
    order: str = setting("dates", "Order of documents: by their dates, or as given.", choices=ORDERS)
