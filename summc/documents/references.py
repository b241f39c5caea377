"""Read summaries that people or other systems wrote: plain text, or the HTML of DUC 2003."""

from __future__ import annotations

import re
from dataclasses import dataclass

from summc.documents.decoding import decode
from summc.documents.sgml import is_sgml, read_sgml, without_comments, without_entities
from summc.documents.tree import TreeFile
from summc.errors import InputError, NotFoundError

_HTML = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_HTML_LABEL = re.compile(r"<a\s+name=[^<>]*>\s*\[\d+\]\s*</a>", re.IGNORECASE)
_HTML_HEAD_BEGINS = re.compile(r"<head\b", re.IGNORECASE)
_HTML_HEAD_ENDS = re.compile(r"</head\s*>", re.IGNORECASE)
_HTML_TAG = re.compile(r"<(?:/?[a-z]|[!?])[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawReference:
    """A reference summary as read; ``problem`` is a message about what is wrong with it, or "".

    ``text`` is None if the reference cannot be read. An empty reference has the text "" and is kept, because
    the official scores count it.
    """

    text: str | None
    problem: str = ""


def read_reference(file: TreeFile, encoding: str = "auto") -> RawReference:
    """Return the reference in a file; if it cannot be read, raise no error but set its ``problem``."""
    try:
        text = written(decode(file.read(), file.place, encoding), file.path)
    except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
        return RawReference(None, f"{error.place}: {error.problem}; left out")
    return RawReference(text, "" if text else f"{file.place}: an empty reference")


def written(text: str, name: str) -> str:
    """Return the text of a summary; tags and entities are removed if it is HTML or SGML.

    ``name`` is the name of its file: a ``.txt`` file is never taken for HTML. In DUC's HTML a label such as
    ``[1]`` begins each sentence. Each sentence becomes a line, because ROUGE-L and ROUGE-W compare line by
    line.
    """
    if is_sgml(text):
        return "\n".join(paragraph for news in read_sgml(text) for paragraph in news.paragraphs)
    if _is_html(text, name.lower()):
        labelled = _HTML_LABEL.split(_without_head(without_comments(text)))
        lines = (" ".join(without_entities(_HTML_TAG.sub(" ", line)).split()) for line in labelled)
        return "\n".join(filter(None, lines))
    return text.strip()


def _is_html(text: str, name: str) -> bool:
    return name.endswith((".html", ".htm")) or (not name.endswith(".txt") and bool(_HTML.match(text)))


def _without_head(text: str) -> str:
    """Return an HTML text without its first ``<head>`` element; a page has only one."""
    begins = _HTML_HEAD_BEGINS.search(text)
    ends = _HTML_HEAD_ENDS.search(text, begins.end()) if begins else None
    return f"{text[: begins.start()]} {text[ends.end() :]}" if begins and ends else text
