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
        "porter", "Stemmer. porter is for English; other languages use snowball instead.", choices=STEMMERS
    )
    remove_stopwords: bool = setting(True, "Cover no stop words.", off="keep-stopwords")  # noqa: FBT003
    concepts: str = setting("words+bigrams", "What a summary has to cover.", choices=tuple(CONCEPTS))
    order: str = setting("dates", "Order of the documents: by date, or as given.", choices=ORDERS)
