"""The settings of stage 1, which reads the documents."""

from __future__ import annotations

from dataclasses import dataclass

from summc.settings import setting


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How documents are read: their encoding, their language, and where data sets are."""

    encoding: str = setting(
        "auto",
        "Encoding of the files; auto: UTF-8, UTF-16 with BOM, else the language's usual one or Windows-1252.",
    )
    language: str = setting(
        "auto",
        "Language of the documents, as a name or a code; auto: as stated or detected, for each cluster.",
        metavar="LANGUAGE",
    )
    data: str = setting("", "Folder to look for data sets in first.", metavar="DIR")
