"""Markdown as it is read: by markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from summc.documents.content import Content
from summc.documents.decoding import decode
from summc.documents.formats.markup import WHOLE, parse_html, tree_paragraphs
from summc.documents.paragraphs import meant_lines

# YAML or TOML above the text, closed by the line that opened it; a rule has no key and value under it.
_FRONT_MATTER = re.compile(
    r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(?=.*[:=])(?:[^\n]*\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_FOOTNOTE = re.compile(r"^(?= {0,3}\[\^[^\[\]\s]+\]:)", re.MULTILINE)
_FOOTNOTE_MARK = re.compile(r"\[\^[^\[\]\s]+\]:?")
_TASK_MARK = re.compile(r"^\[[ xX]\]\s+")


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the paragraphs, headings, items and cells; code, pictures and where links lead are left out."""
    text = _FRONT_MATTER.sub("", decode(data, place, encoding), count=1)
    text = _FOOTNOTE.sub("\n", text)  # each is a paragraph, whatever stands above it
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return Content(list(_blocks(tokens)))


def _blocks(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            words = _FOOTNOTE_MARK.sub("", _inline(token.children or []))
            yield from meant_lines(_TASK_MARK.sub("", words))
        elif token.type == "html_block":
            yield from tree_paragraphs(parse_html(token.content), WHOLE)


def _inline(tokens: Iterable[Token]) -> str:
    return "".join(map(_words, tokens))


def _words(token: Token) -> str:
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    if token.type == "hardbreak" or (token.type == "html_inline" and token.content.lower().startswith("<br")):
        return "\n"
    return " " if token.type == "softbreak" else ""
