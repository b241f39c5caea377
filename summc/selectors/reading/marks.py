"""Tests of a sentence that look only at its text: names and numbers, days, signs of news, verbs."""

from __future__ import annotations

import regex

_INNER_NAME = regex.compile(r"(?<=[\p{Ll}\p{M}\p{N},;:'\u2019)\"] )\p{Lu}|\p{Lu}[\p{L}'\u2019-]* \p{Lu}")
_DIGIT = regex.compile(r"\p{N}")
_HAS_CASE = regex.compile(r"\p{Lu}|\p{Ll}")
_DAY = regex.compile(r"\b(?:today|yesterday|tomorrow|tonight)\b", regex.IGNORECASE)
_WEEKDAY_OR_MONTH = regex.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|"
    r"September|October|November|December)\b"
)
_REPORTED = regex.compile(
    r"\b(?:said|says|today|yesterday|tonight|last night|according|announce[ds]|report(?:s|ed|edly)?|"
    r"confirmed|declared)\b",
    regex.IGNORECASE,
)
#: The most frequent verb forms in news, and all words in -ed. A line with none of them is probably a caption.
_VERB = regex.compile(
    r"""\b(?:is|are|was|were|be|been|has|have|had|will|would|can|could|may|might|must|should|do|does|did|
    sa(?:id|ys?)|tells?|told|go(?:es)?|went|comes?|came|makes?|made|takes?|took|gives?|gave|begins?|began|
    wins?|won|loses?|lost|finds?|found|leaves?|left|holds?|held|meets?|met|sends?|sent|strikes?|struck|hits?|
    rises?|rose|falls?|fell|sees?|saw|sets?|puts?|keeps?|kept|shot|broken?|spoken?|runs?|ran|leads?|led|
    becomes?|became|gets?|got|brought|writes?|wrote|thought|felt|spent|cuts?|shut|built|bought|sold|drew|flew|
    grew|knew|threw|stood|understood|sat|lay|paid|read|heard|wants?|needs?|remains?|seems?|appears?|includes?|
    shows?|shown|insists?|believes?|calls?|claims?|continues?|lives?|plans?|hopes?|asks?|expects?|
    \p{Ll}+ed)\b""",
    regex.VERBOSE,
)


def is_bland(text: str) -> bool:
    """Tell whether a sentence has neither a name nor a number.

    False in scripts without capital letters, because names cannot be found in them.
    """
    return bool(_HAS_CASE.search(text)) and not (_DIGIT.search(text) or _INNER_NAME.search(text))


def has_loose_day(text: str) -> bool:
    """Tell whether an English sentence has "today" or the like.

    In a summary of documents from several days, it is not clear which day is meant.
    """
    return bool(_DAY.search(text))


def is_news(text: str) -> bool:
    """Tell whether an English sentence reports news: it names a day or month, or has a word like "said"."""
    return bool(_WEEKDAY_OR_MONTH.search(text) or _REPORTED.search(text))


def has_verb(text: str) -> bool:
    """Tell whether an English sentence has a common verb form; if not, it is probably a caption."""
    return bool(_VERB.search(text))
