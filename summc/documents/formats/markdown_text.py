"""Read Markdown with markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from summc.documents.decoding import decode
from summc.documents.paragraphs import meant_lines
from summc.documents.raw import Content
from summc.text.dates import read_stated_date

# Front matter: YAML or TOML above the text, between two lines of "---" or "+++". The line after the first one
# must have a colon or an equals sign; otherwise "---" is only a horizontal rule.
_FRONT_MATTER = re.compile(
    r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(?=.*[:=])(?:[^\n]*\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
# The date in front matter: Jekyll and Pandoc write "date: 2005-01-08", Hugo writes "date = 2005-01-08", and
# other programs use other names.
_DATE = re.compile(
    r"(?im)^(?P<name>date|published|pubdate|publishdate|created)[ \t]*[:=][ \t]*[\"']?(?P<value>.*)"
)
_FOOTNOTE = re.compile(r"^(?= {0,3}\[\^[^\[\]\s]+\]:)", re.MULTILINE)
_FOOTNOTE_MARK = re.compile(r"\[\^[^\[\]\s]+\]:?")
#: How deep quotations and lists may be nested. The parser leaves out what is deeper, without an error.
_DEEPEST = 100
#: Comments and tags. HTML without other text, such as a row of pictures, has nothing to read.
_TAGS = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_TASK_MARK = re.compile(r"^\[[ xX]\]\s+")


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the paragraphs, headings, list items and table cells of a Markdown text.

    Blocks of code, pictures and URLs are left out. Text in blocks of HTML needs lxml.
    """
    text = decode(data, place, encoding)
    front = _FRONT_MATTER.match(text)
    text = text[front.end() :] if front else text
    text = _FOOTNOTE.sub("\n", text)  # a blank line before each footnote makes it a paragraph
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        raise ValueError(f"quotations or lists are nested more than {_DEEPEST} deep")
    stated = {name.lower(): value for name, value in _DATE.findall(front[0] if front else "")}
    names = sorted(stated, key=lambda name: name != "date")  # it is preferred to other keys
    date = next(filter(None, (read_stated_date(stated[name]) for name in names)), "")
    return Content(list(_blocks(tokens)), date=date)


def _blocks(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            words = _FOOTNOTE_MARK.sub("", "".join(map(_words, token.children or [])))
            yield from meant_lines(_TASK_MARK.sub("", words))
        elif token.type == "html_block":
            yield from _html_paragraphs(token.content)


def _html_paragraphs(text: str) -> list[str]:
    if not _TAGS.sub("", text).strip():
        return []
    from summc.documents.formats.markup import WHOLE, parse_html, tree_paragraphs  # noqa: PLC0415 (an extra)

    return tree_paragraphs(parse_html(text), WHOLE)


def _words(token: Token) -> str:
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    if token.type == "hardbreak" or (token.type == "html_inline" and token.content.lower().startswith("<br")):
        return "\n"
    return " " if token.type == "softbreak" else ""
