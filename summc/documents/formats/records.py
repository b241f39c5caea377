"""Turn records, the rows of a table or the objects of an export, into documents by their fields of prose."""

from __future__ import annotations

import datetime as dt
import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

from summc.documents.paragraphs import paragraphs, without_controls
from summc.documents.raw import QUOTATION, Block, Content, paragraph_blocks
from summc.system.inputs import whole_characters
from summc.text.dates import dates_in, read_stated_date

Record = Mapping[str, Any]

#: How many records show what a field holds.
_SAMPLE = 500
#: A sentence has this many words, or the fewest and a mark at its end. A longer title is prose.
_ENOUGH_WORDS, _FEWEST_WORDS, _LONGEST_TITLE = 10, 4, 15
#: The share of the values of a field of prose that are sentences: of any field, and of one with a usual name.
_MOST, _SOME = 0.5, 0.15
#: The turns of a talk are shorter on average.
_LONG_TURN = 30
#: Names of fields, in small letters and without signs.
_BODY = re.compile(
    r".*(?:body|text|content|message|comment|review|cooked|answer|feedback|note|post|remark|transcript)s?|raw"
)
_TITLE = re.compile(
    r"(?!job|user|role).*(?:title|subject|headline)|heading|summary|topic|titel|betreff|titre|objet|t[i\u00ed]tulo|asunto"
)
_WHEN = re.compile(r".*(?:date|time|created|posted|published|sent).*|ts|day|when")
_LATER = re.compile(r".*(?:updat|edit|modif|last|clos|delet|merg|zone).*")
#: Who writes; the surest names come first.
_PEOPLE = (
    "userprofile", "speaker", "author", "autor", "auteur", "reviewer", "username", "user", "usuario",
    "sender", "from", "by", "owner", "poster", "profile", "nickname", "nick", "screenname", "displayname",
    "realname", "creator", "commenter", "customer", "respondent", "participant", "member", "postedby",
    "writtenby", "name",
)  # fmt: skip
_SPEAKER = re.compile(rf"(?:review|comment|post|message)?({'|'.join(_PEOPLE)})(?:full)?(?:name)?")
_OF_A_PERSON = (
    "name", "display_name", "displayName", "real_name", "full_name", "nickname", "username", "login",
    "screen_name", "handle", "role",
)  # fmt: skip
#: With one of these, a name is what the text is about, not who wrote it.
_ABOUT = re.compile(r".*(?:description|about|bio|abstract|overview|definition|details)")
_SIGNS = re.compile(r"[\W_]+")
_NO_NAME = re.compile(r"(?i)[UWB][A-Z0-9]{7,}|[0-9a-f-]{16,}|[\W\d_]*|\[?deleted\]?|null|none|nan")
_LONGEST_NAME = 60
#: How Excel writes a date: as the number of days since 1899-12-30.
_SERIAL = re.compile(r"[34]\d{4}\.\d+")
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?(?:\.\d+)?")

_WORD = re.compile(r"(?<!\S)[\"'(\u201c\u00bf\u00a1*]*[^\W\d_][\w'\u2019-]*(?=[\s.,;:!?)\"'\u201d\u2026*]|$)")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019)*\s]*(?:$|\s)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?(?:-->|$)", re.DOTALL)
_BLOCK_TAG = re.compile(
    r"<(?:/?(?:p|div|ul|ol|li|blockquote|table|h[1-6]|pre|aside)|br)\b[^<>]*>", re.IGNORECASE
)
#: What sites write before a text, if they do so before most texts: "Verified buyer | ".
_STATUS = re.compile(r"[^|.!?\n]{1,30}\|\s+")
#: How chats write a link, a person or a channel: <https://example.org|the page>, <@U12345>.
_REFERENCE = re.compile(r"<(?:https?:|mailto:|[@#!:])[^<>|]*\|?([^<>]*)>")
_MARKDOWN = re.compile(
    r"""(?mx) ``` | \[[^\[\]\n]*\]\([^)\s] | ^\#{1,6}\ \S | \*\*\S | ^> | ^\ {0,3}\|.*\|[ \t]*$
    | (?<!\w)`[^`\n]+` | (?<![\w*])(?:\*\w[^*\n]*\*|_\w[^_\n]*_)(?![\w*])
    | ^[ \t]*[-*]\ \[[\ xX]\]\  | ^\[[^\[\]\n]+\]:\ http"""
)
#: A character that no text has, which stands between texts that pandoc reads together.
_BETWEEN = "\uf8ff"


class Fields(NamedTuple):
    """The names of the fields of records, by what they hold; the surest come first."""

    prose: list[str]
    title: list[str]
    date: list[str]
    speaker: list[str]


class Message(NamedTuple):
    """What a record says: its texts as they are written, its title, its date and who wrote it."""

    texts: Sequence[str]
    title: str
    date: str
    speaker: str


def find_fields(records: Sequence[Record]) -> Fields:
    """Return what the fields of records hold, judged by their values and their names."""
    sample = records[:: max(1, len(records) // _SAMPLE)]
    names = {name: _SIGNS.sub("", name.lower()) for record in sample for name in record}
    fields = Fields([], [], [], [])
    people: dict[str, str] = {}
    for name, plain in names.items():
        values = [record[name] for record in sample if record.get(name) not in (None, "")]
        texts = list(filter(None, map(text_of, values)))
        if _are_dates(values[:50], is_named=_WHEN.fullmatch(plain) is not None):
            fields.date.append(name)
        elif _TITLE.fullmatch(plain) and _are_short(texts):
            fields.title.append(name)
        elif _are_prose(texts, plain):
            fields.prose.append(name)
        elif person := _SPEAKER.fullmatch(plain):
            people[name] = person[1]
    if fields.prose and all(_ABOUT.fullmatch(names[name]) for name in fields.prose):
        fields.title.extend(name for name, core in people.items() if core == "name")
    fields.date.sort(key=lambda name: bool(_LATER.fullmatch(names[name])))
    speakers = [name for name in people if name not in fields.title]
    fields.speaker.extend(sorted(speakers, key=lambda name: _PEOPLE.index(people[name])))
    return fields


def text_of(value: Any) -> str:
    """Return a text, or "" for another value; chats write a list of texts and of objects with a "text"."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else ""
    pieces: list[Any] = [piece.get("text") if isinstance(piece, dict) else piece for piece in value]
    if not all(isinstance(piece, str) for piece in pieces):
        return ""
    if pieces == value:
        return "\n\n".join(pieces) if any(map(is_sentence, pieces)) else ""
    return "".join(pieces) if any(isinstance(piece, str) for piece in value) else ""


def is_sentence(text: str) -> bool:
    """Tell whether a text is prose: words, neither a list of names nor data."""
    bare = _TAG.sub(" ", text[:2000]).strip()
    words = len(_WORD.findall(bare)) + len(_WIDE.findall(bare))
    is_long = words >= _ENOUGH_WORDS or (words >= _FEWEST_WORDS and _END.search(bare) is not None)
    is_list = 3 * bare.count(",") >= max(words, len(bare.split()))
    return is_long and not is_list and not bare.startswith(("{", "[{", "['"))


def _are_prose(texts: Sequence[str], name: str) -> bool:
    share = _SOME if _BODY.fullmatch(name) else _MOST
    are_distinct = 2 * len(set(texts)) > len(texts)  # also false if there are no texts
    return are_distinct and sum(map(is_sentence, texts)) >= share * len(texts)


def _are_short(texts: Sequence[str]) -> bool:
    return len(texts) > 0 and sum(len(text.split()) for text in texts) <= _LONGEST_TITLE * len(texts)


def _are_dates(values: Sequence[Any], *, is_named: bool) -> bool:
    """Tell whether most values are dates; numbers count only if the name of the field is that of a date."""
    days = [day_of(value) if is_named else read_stated_date(str(value)[:30]) for value in values]
    return 2 * sum(map(bool, days)) > len(days) and _are_short(list(map(str, values)))


@lru_cache(1000)
def _read_day(text: str) -> str:
    return read_stated_date(text) or next(filter(None, dates_in(text, "en")), "")


def day_of(value: Any) -> str:
    """Return a date as ``2005-01-08``, or "". A number counts seconds or milliseconds since 1970."""
    text = str(value) if isinstance(value, str | float) else ""
    if _SERIAL.fullmatch(text):
        text = (dt.date(1899, 12, 30) + dt.timedelta(days=float(text))).isoformat()
    elif _EPOCH.fullmatch(text):  # milliseconds have three digits more
        text = dt.datetime.fromtimestamp(float(text[:10]), dt.UTC).date().isoformat()
    return _read_day(text)


def name_of(value: Any) -> str:
    """Return the name of a person, given as a text or as an object with a name; "" for a number or an id."""
    if isinstance(value, Mapping):
        return next(filter(None, (name_of(value.get(key)) for key in _OF_A_PERSON)), "")
    is_name = isinstance(value, str) and len(value) <= _LONGEST_NAME and not _NO_NAME.fullmatch(value)
    return without_controls(value) if is_name else ""


def is_person(name: str) -> bool:
    """Tell whether a member of this name describes a person."""
    return _SPEAKER.fullmatch(_SIGNS.sub("", name.lower())) is not None


def letters_of(text: str) -> str:
    """Return what is left of a text without markup, spaces and marks, to compare it with another."""
    return _SIGNS.sub("", _TAG.sub("", html.unescape(text))).lower()


def message_of(record: Record, fields: Fields) -> Message:
    """Return what a record says. A text that it gives twice, as Markdown and as HTML, is taken once."""
    texts: dict[str, str] = {}
    for text in (text_of(record.get(name)).strip() for name in fields.prose):
        letters = letters_of(text)[:200]
        if letters and not any(letters.startswith(old) or old.startswith(letters) for old in texts):
            texts[letters] = text
    title = next(filter(None, (text_of(record.get(name)).strip() for name in fields.title)), "")
    date = next(filter(None, (day_of(record.get(name)) for name in fields.date)), "")
    speaker = next(filter(None, (name_of(record.get(name)) for name in fields.speaker)), "")
    return Message(list(texts.values()), html.unescape(title), date, speaker)


def contents(messages: Iterable[Message], place: str) -> list[Content]:
    """Return a document for each message, or for each talk if they are turns; repeated ones count once."""
    distinct = {(tuple(message.texts), message.speaker): message for message in messages if message.texts}
    kept = list(distinct.values())
    read = iter(_read_texts([text for message in kept for text in message.texts], place))
    parts: list[Content] = []
    for message in kept:
        blocks = [replace(block, speaker=message.speaker) for _ in message.texts for block in next(read)]
        parts.append(Content(blocks, date=message.date, title=without_controls(message.title)))
    if _is_talk(kept):
        talks = [list(group) for _, group in groupby(parts, key=attrgetter("title"))]
        parts = [replace(talk[0], blocks=[block for part in talk for block in part.blocks]) for talk in talks]
    return [part for part in parts if part.blocks]


def _is_talk(messages: Sequence[Message]) -> bool:
    """Tell whether messages are turns of a talk: short, several of each speaker, no title of their own."""
    speakers = Counter(message.speaker for message in messages if message.speaker)
    are_many = len(speakers) > 1 and speakers.total() >= max(2 * len(speakers), len(messages) / 2)
    if not are_many or 2 * len({message.title for message in messages}) > len(messages):
        return False
    return median(len(" ".join(message.texts).split()) for message in messages) < _LONG_TURN


def _read_texts(texts: Sequence[str], place: str) -> list[list[Block]]:
    """Return the blocks of each text, which may be HTML, Markdown or plain.

    Quotations are left out, unless the text is nothing else.
    """
    read: list[list[Block]] = []
    marked: dict[int, str] = {}
    if 2 * sum(map(bool, map(_STATUS.match, texts))) > len(texts):
        texts = [_STATUS.sub("", text) for text in texts]
    for number, written in enumerate(texts):
        text = _REFERENCE.sub(r"\1", whole_characters(written))
        text = text if "<" in text else html.unescape(text)
        is_html = _BLOCK_TAG.search(text) is not None
        if _MARKDOWN.search(text) and not (is_html and text.lstrip().startswith("<")):
            marked[number] = text
        plain = _html_paragraphs(text) if is_html else paragraphs(html.unescape(_TAG.sub("", text)))
        read.append(paragraph_blocks(plain))
    for number, blocks in _markdown_blocks(marked, place).items():
        read[number] = [block for block in blocks if block.kind != QUOTATION] or blocks
    return read


def _html_paragraphs(text: str) -> list[str]:
    from summc.documents.formats.markup import parse_html, tree_text  # noqa: PLC0415 (of the extra)

    tree = parse_html(text)
    return paragraphs(tree_text(tree, "nav", "aside", "blockquote")) or paragraphs(tree_text(tree, "nav"))


def _markdown_blocks(texts: Mapping[int, str], place: str) -> dict[int, list[Block]]:
    """Return the blocks of each text in Markdown; pandoc reads all of them at once."""
    if not texts:
        return {}
    from summc.documents.formats import pandoc  # noqa: PLC0415 (of the extra)

    # A text that opens a block of code and does not close it would take the next ones with it.
    closed = (f"{text}\n```" if text.count("```") % 2 else text for text in texts.values())
    joined = "".join(f"\n\n{_BETWEEN}\n\n{text.replace(_BETWEEN, '')}" for text in closed)
    blocks: list[list[Block]] = []
    for block in pandoc.read(joined.encode(), place, "utf-8", pandoc.MARKDOWN).blocks:
        if block.text == _BETWEEN:
            blocks.append([])
        else:
            blocks[-1].append(block)
    return dict(zip(texts, blocks, strict=True)) if len(blocks) == len(texts) else {}
