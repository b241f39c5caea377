"""Stage 1: read documents and split them into sentences. Here are the settings of this stage."""

from __future__ import annotations

from dataclasses import dataclass

from summc.settings import setting

SPLITS = ("sentences", "lines", "paragraphs")


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How documents are read: their encoding, their language, their division, and where data sets are."""

    encoding: str = setting(
        "auto",
        "Encoding of the files. auto tries UTF-8, UTF-16 with a BOM, then the usual one of the language.",
    )
    language: str = setting("auto", "Language, such as french.", metavar="LANGUAGE", common=True)
    split: str = setting("sentences", "What a summary is made of.", choices=SPLITS)
    data: str = setting("", "Folder in which to look first for data sets.", metavar="DIR")
