"""Read documents with pandoc: Word, OpenDocument, e-books, Markdown, LaTeX, notebooks, wikis and many more.

Pandoc parses a file into a tree of blocks and inlines, in JSON. Here the tree becomes blocks of plain text.
Code on its own lines, pictures, notes, formulas in markup, citation keys and the targets of links are not
words of a sentence, so they are left out.
"""

from __future__ import annotations

import html
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from lxml import etree

from summc.documents.decoding import decode
from summc.documents.formats.markup import parse_html, tree_text
from summc.documents.headings import SENTENCE_END
from summc.documents.paragraphs import join_lines, meant_lines
from summc.documents.raw import CELL, FORMULA, HEADING, ITEM, PARAGRAPH, QUOTATION, ROW, Block, Content
from summc.documents.talk import Line, find_talk, with_turns_apart
from summc.documents.wrapping import BULLETS, is_closed, unwrap
from summc.errors import InputError
from summc.system.inputs import MOST_MB, MOST_MEMORY, most, most_bytes, whole_characters
from summc.system.processes import MEMORY, TIME, LimitError
from summc.text.dates import read_property_date, read_stated_date

#: The formats that are zip files. Of the others, all but RTF are texts, which pandoc wants in UTF-8.
_ZIPPED = ("docx", "odt", "epub")
_OFF = frozenset({"0", "false", "off"})
_TEXT, _HIDES = "word/document.xml", re.compile(rb"vanish|[Tt][Oo][Cc]\d|txbxContent")
#: The properties of an office document, and the days in them. Two are those of the templates of python-docx
#: and python-pptx, whatever the day.
_PROPERTIES = ("docProps/core.xml", "meta.xml")
_DAY = re.compile(rb"<(?:\w+:)?(created|creation-date|modified)\b[^<>]*>([^<]*)<")
_TEMPLATES = ("2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z")
#: Quotation marks, dashes, ^ and ~ stay as they are written.
MARKDOWN = "commonmark_x-smart-superscript-subscript"
#: In RTF, the question mark that old programs show for a character. With it pandoc drops the letter after it.
_REPLACEMENT = re.compile(rb"(\\u-?\d+ ?)\?")
#: In RTF, two codes for one character, each perhaps with what old programs show for it. Pandoc reads them
#: as two characters that do not exist.
_PAIR = re.compile(rb"\\u(-?\d{4,5}) ?(\?|\\'[0-9a-fA-F]{2}|)\\u(-?\d{4,5}) ?\2")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Front matter: YAML or TOML above the text, between two lines of "---" or "+++". The line after the first
#: one must have a colon or an equals sign; otherwise "---" is only a horizontal rule.
_FRONT_MATTER = re.compile(
    r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(?=.*[:=])(?:[^\n]*\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_WITH_FRONT_MATTER = (MARKDOWN, "asciidoc")
#: What pandoc would take for text. In Markdown: commands of the programs that make a site, as "{% if x %}",
#: "{{< note >}}" and "{: .class}". In a wiki: functions, such as notes.
_NO_TEXT = {
    MARKDOWN: re.compile(r"\{%.*?%\}|\{\{[<%].*?[%>]\}\}|^\{:[^{}\n]*\}$", re.MULTILINE),
    "mediawiki": re.compile(r"\{\{#[^{}]*(?:\{\{[^{}]*\}\}[^{}]*)*\}\}"),
    "asciidoc": re.compile(r"^(?:ifn?def|ifeval|endif|include)::.*\n?", re.MULTILINE),
}
_TAG_TEXT = re.compile(r"(?<=\btext=\")[^\"]*")  # what a tag shows: {{< term text="node" id="n" >}}
_KEY = re.compile(
    r"(?m)^(?P<name>[A-Za-z]+)[ \t]*[:=][ \t]*(?P<mark>[\"']?)(?P<value>.*?)(?P=mark)[ \t]*(?:\s#.*)?\r?$"
)
_TITLE_MARKUP = re.compile(r"[*`]|<[^<>]*>")
#: A formula that reads as text: no command, no braces.
_PLAIN_MATH = re.compile(r"[^\\{}$&#]{1,20}")
#: The box of a task, and the mark of a footnote that is not there.
_NO_WORDS = re.compile(r"^\[[ xX]\]\s+|\[\^[^\[\]\s]+\]:?")
#: The target of a link at the end of its text.
_TARGET = re.compile(r"\s<[^<>]{1,200}>\Z")
_MARKS = {
    "DoubleQuote": ("\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"),
    "SingleQuote": ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}"),
}
#: The members of metadata that have the date of the text, the most reliable first.
_DATES = ("date", "published", "pubdate", "publishdate", "created")
_BOLD_LEVEL = 7  # of a bold line: below all headings by markup
_SOFT_BREAK, _BREAKS = "\x1f", frozenset(("SoftBreak", "LineBreak"))
_ANY_BREAK = re.compile("[\x1f\n]")
_BULLET = re.compile(rf"\s*[{BULLETS}]\s")
#: Wrapped lines have at least this many characters, and lengths at most this far apart.
_LEAST_WIDTH, _UNEVEN = 60, 25
_LONGEST_HEADING = 15  # words, if it ends as a sentence does
#: A longer row of a table, in words, is text that a table only places.
_LONGEST_ROW, _BETWEEN_CELLS = 50, " | "
#: The exit code of pandoc if it takes more memory than its limit.
_OUT_OF_MEMORY = 251
#: Classes of parts that are not text of the document.
_APART = {"references", "toc", "navigation", "footnotes", "sidebar", "output"}
_MEGABYTE = 1024**2


def read(data: bytes, place: str, encoding: str, name: str) -> Content:
    """Return the blocks of a document, with the date and the language that it states.

    ``name`` is pandoc's name of the format.
    """
    if data.startswith(_OLE):
        problem = "encrypted, or in the format of Word 97"
        raise InputError(place, problem, "save it as .docx without a password")
    stated, file_date = dict[str, str](), ""
    if name in _ZIPPED:
        file_date = checked_zip(data, place)
        data = _as_seen(data) if name == "docx" else data
    elif name == "rtf":
        data = _REPLACEMENT.sub(rb"\1\\'3f", _PAIR.sub(_as_character, data) if data.isascii() else data)
    else:
        text = decode(data, place, encoding)
        if name in _WITH_FRONT_MATTER and (front := _FRONT_MATTER.match(text)):
            stated = {match["name"].lower(): match["value"].strip() for match in _KEY.finditer(front[0])}
            text = text[front.end() :]
        if name in _NO_TEXT:
            text = _NO_TEXT[name].sub(lambda tag: (_TAG_TEXT.search(tag[0]) or [""])[0], text)
        text = with_turns_apart(text) if name == MARKDOWN else text
        data = text.encode("utf-8", "replace")
    tree = _parse(data, name)
    stated = {key: _words(value).strip() for key, value in tree["meta"].items()} | stated
    days = [stated[key] for key in _DATES if key in stated]
    return Content(
        _unwrapped([*_abstract(tree["meta"].get("abstract")), *_blocks(tree["blocks"], PARAGRAPH)], name),
        date=next(filter(None, map(read_stated_date, days)), ""),
        file_date=file_date,
        language=stated.get("lang") or stated.get("language", ""),
        knows_headings=True,
        title=_TITLE_MARKUP.sub("", stated.get("title", "")),
    )


def _abstract(meta: Any) -> Iterator[Block]:
    """Yield the abstract, which LaTeX, JATS and others state beside the text, under a heading."""
    if meta:
        content = meta["c"]
        nodes = content if meta["t"] == "MetaBlocks" else [{"t": "Para", "c": content}]
        yield Block("Abstract", HEADING)
        yield from _blocks(nodes if isinstance(content, list) else [], PARAGRAPH)


def _as_character(pair: re.Match[bytes]) -> bytes:
    first, second = (int(pair[group]) % 2**16 for group in (1, 3))
    is_pair = 0xD800 <= first < 0xDC00 <= second < 0xE000  # noqa: PLR2004 (of UTF-16)
    return b"{%b}" % whole_characters(chr(first) + chr(second)).encode() if is_pair else pair[0]


def checked_zip(data: bytes, place: str) -> str:
    """Return the day on which an office document was made, or ""; raise an error if it unpacks to too much.

    Stated sizes may be wrong, so pandoc's memory is limited too.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if sum(sizes.values()) > most_bytes():
            problem = f"unpacks to more than {most_bytes() // _MEGABYTE} MB"
            raise InputError(place, problem, f"split it, save it as text, or raise {MOST_MB}")
        properties = b"".join(archive.read(name) for name in _PROPERTIES if name in sizes)
    days = dict(reversed(_DAY.findall(properties)))
    stated = [days[name].decode("ascii", "replace") for name in sorted(days)]
    return next(filter(None, (read_property_date(day) for day in stated if day not in _TEMPLATES)), "")


def _as_seen(data: bytes) -> bytes:
    """Return a Word document without the text that Word hides, and with its text boxes as paragraphs."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if not _HIDES.search(members.get(_TEXT, b"")):
        return data
    tree = etree.fromstring(members[_TEXT], etree.XMLParser(resolve_entities=False))
    for element in list(_unseen(tree)):
        element.clear(keep_tail=True)
    for box in list(tree.iter("{*}txbxContent")):  # pandoc does not look into the drawing around it
        for outer in itertools.islice(box.iterancestors("{*}p"), 1):
            for paragraph in list(box):
                outer.addprevious(paragraph)
    members[_TEXT] = etree.tostring(tree)
    seen = io.BytesIO()
    with zipfile.ZipFile(seen, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return seen.getvalue()


def _unseen(tree: Any) -> Iterator[Any]:
    """Yield what Word does not show: copies of drawings for old programs, hidden runs, lines of contents.

    A run may turn off that its style is hidden. XPath would take quadratic time.
    """
    for element in tree.iter("{*}Fallback", "{*}vanish", "{*}pStyle"):
        name, values = etree.QName(element).localname, element.values()
        if name == "Fallback":
            yield element
        elif name == "vanish":
            runs = itertools.islice(element.iterancestors(), 1, 2)
            yield from (run for run in runs if etree.QName(run).localname == "r" and _OFF.isdisjoint(values))
        elif any(value.upper().startswith("TOC") for value in values):
            yield from itertools.islice(element.iterancestors(), 1, 2)


def _parse(data: bytes, name: str) -> Any:
    """Return pandoc's tree of a file. Pandoc may open no other file, and its memory and time are limited."""
    seconds = 30 + 100 * len(data) / _MEGABYTE
    memory = ("+RTS", f"-M{most(MOST_MEMORY)}m", "-RTS")
    command = (pandoc(), "--from", name, "--to", "json", "--sandbox", "--quiet", *memory)
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise LimitError(TIME) from None
    if done.returncode == _OUT_OF_MEMORY:
        raise LimitError(MEMORY)
    if done.returncode:
        raise ValueError(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])
    try:
        return json.loads(done.stdout)
    except RecursionError:
        raise ValueError("its elements are nested too deeply") from None


def pandoc() -> str:
    """Return the path of pandoc: the one in the package pypandoc_binary, or else that of the system.

    The package comes first, so that a file is read in the same way on every machine that has it.
    """
    package = find_spec("pypandoc")
    folders = (package and package.submodule_search_locations) or []
    places = [*(os.path.join(folder, "files") for folder in folders), None]  # noqa: PTH118 (which wants a text)
    if path := next(filter(None, (shutil.which("pandoc", path=place) for place in places)), ""):
        return path
    raise ImportError("pandoc is not installed")


def _blocks(nodes: Iterable[Any], kind: str) -> Iterator[Block]:
    """Yield the text of each block of a tree; ``kind`` is that of the list or quotation around them."""
    for node in nodes:
        name, content = node["t"], node.get("c")
        if name in {"Para", "Plain"}:
            head = list(itertools.takewhile(lambda inline: inline["t"] not in _BREAKS, content))
            is_head = name == "Para" and kind == PARAGRAPH and _is_strong(head)
            headings = _lines(_text(head), HEADING) if is_head else ()
            yield from (replace(heading, level=_BOLD_LEVEL) for heading in headings)
            yield from _lines(_text(content[len(head) * is_head :]), kind)
        elif name == "Header":
            heading = _text(content[2]).replace("\n", " ")
            # A row of hyphens below a paragraph makes it a heading in Markdown, whatever was meant.
            is_prose = len(heading.split()) > _LONGEST_HEADING and heading.endswith(".")
            level = 0 if is_prose else content[0]
            blocks = _lines(heading, kind if is_prose else HEADING)
            yield from (replace(block, level=level) for block in blocks)
        elif name == "LineBlock":
            yield from _lines("\n".join(map(_text, content)), kind)
        elif name == "RawBlock" and content[0] == "html":
            yield from _lines(tree_text(parse_html(content[1])), kind)
        elif name == "Table":
            yield from _rows(*content[3:])
        for nodes_within, kind_within in _within(name, content, kind):
            yield from _blocks(nodes_within, kind_within)


def _is_strong(inlines: Sequence[Any]) -> bool:
    """Tell whether the first line of a paragraph is a few words in bold, as people write headings."""
    text, marks = _text(inlines), [node for node in inlines if node["t"] != "Strong"]
    few = len(text.split()) <= _LONGEST_HEADING
    return few and len(marks) < len(inlines) and _text(marks) in {"", ":"} and not SENTENCE_END.search(text)


def _within(name: str, content: Any, kind: str) -> list[tuple[Any, str]]:
    """Return the lists of blocks that a block holds, each with the kind of its paragraphs."""
    lists: list[tuple[Any, str]] = []
    if name == "BlockQuote":
        lists = [(content, QUOTATION)]
    elif name in {"BulletList", "OrderedList"}:
        lists = [(item, ITEM) for item in (content[1] if name == "OrderedList" else content)]
    elif name == "DefinitionList":
        for term, definitions in content:
            lists += [([{"t": "Plain", "c": term}], ITEM), *((blocks, ITEM) for blocks in definitions)]
    elif name == "Div" and _APART.isdisjoint(content[0][1]):
        lists = [(content[1], kind)]
    return lists


def _rows(head: Any, bodies: Any, foot: Any) -> Iterator[Block]:
    """Yield the rows of a table, or the cells of a row that is long, as in tables that only place text."""
    for _, cells in (*head[1], *(row for body in bodies for part in body[2:] for row in part), *foot[1]):
        blocks = list(filter(None, (list(_blocks(cell[4], CELL)) for cell in cells)))
        row = _BETWEEN_CELLS.join(" ".join(block.text for block in cell) for cell in blocks)
        is_row = len(blocks) > 1 and len(row.split()) <= _LONGEST_ROW
        yield from [Block(row, ROW)] if is_row else itertools.chain.from_iterable(blocks)


def _lines(text: str, kind: str) -> Iterator[Block]:
    """Yield a block whose line ends ``_unwrapped`` decides about, or a block for each line that is meant."""
    bare = _NO_WORDS.sub("", text)
    if _is_wrapped(bare.split("\n")):
        bare = bare.replace("\n", _SOFT_BREAK)
    # Markdown joins the line of an unknown bullet to the item above.
    if _SOFT_BREAK in bare and (kind == PARAGRAPH or any(map(_BULLET.match, bare.split(_SOFT_BREAK)))):
        yield Block(bare, kind)
    else:
        yield from (Block(line, kind) for line in meant_lines(bare.replace(_SOFT_BREAK, " ")))


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Tell whether an editor broke lines and marked their ends as meant: all but the last are as long."""
    *wrapped, _ = lines
    lengths = list(map(len, wrapped)) or [0]
    is_even = min(lengths) >= _LEAST_WIDTH and max(lengths) - min(lengths) <= _UNEVEN
    return is_even and 2 * sum(map(is_closed, wrapped)) < len(wrapped)


def _unwrapped(blocks: Sequence[Block], name: str) -> list[Block]:
    """Return blocks without line ends: each is a space, or ends a paragraph if the writer meant it.

    Only writers of Markdown mean line ends, and not around the head of a message.
    """
    rows = (map(str.strip, _ANY_BREAK.split(block.text)) for block in blocks)
    lines = [list(filter(None, row)) or [""] for row in rows]
    pairs = zip(blocks, unwrap(lines), strict=True)
    divided = [
        replace(block, text=join_lines(part), kind=_kind_of_part(part, block.kind, is_first=not i))
        for block, parts in pairs for i, part in enumerate(parts)
    ]  # fmt: skip
    if name == MARKDOWN and not find_talk([Line(block.text, block.kind) for block in divided]):
        return divided
    return [replace(block, text=join_lines(part)) for block, part in zip(blocks, lines, strict=True)]


def _kind_of_part(lines: Sequence[str], kind: str, *, is_first: bool) -> str:
    """Return the kind of a part of a divided block: only its first part is an item without a bullet."""
    if _BULLET.match(lines[0]):
        return ITEM
    return PARAGRAPH if kind == ITEM and not is_first else kind


def _text(inlines: Iterable[Any]) -> str:
    parts: list[str] = []
    for node in inlines:
        words: Callable[[Any], str] = _WORDS.get(node["t"], _text)
        parts.append(words(node.get("c")))
    return "".join(parts)


#: What docutils prints before the number in :pep:`8`.
_SERIES = {"pep": "PEP ", "rfc": "RFC "}


def _code(attributes: Any, text: str) -> str:
    """Return the words of code within a sentence; in reStructuredText, "the title <target>" may be a link."""
    if "interpreted-text" not in attributes[1]:
        return html.unescape(text)
    series = _SERIES.get(dict(attributes[2]).get("role", ""), "")
    return series + _TARGET.sub("", text).lstrip("~!.")


#: The words of each inline that is not simply a list of inlines, as emphasized text is.
_WORDS: Mapping[str, Callable[[Any], str]] = {
    "Str": str,
    "Space": lambda _: " ",
    "SoftBreak": lambda _: _SOFT_BREAK,
    "LineBreak": lambda _: "\n",
    "Code": lambda content: _code(*content),
    "Math": lambda content: str(content[1]) if _PLAIN_MATH.fullmatch(content[1]) else FORMULA,
    "Quoted": lambda content: _text(content[1]).join(_MARKS[content[0]["t"]]),  # between the two marks
    "RawInline": lambda content: "\n" if content[1].lower().startswith("<br") else "",
    "Link": lambda content: _text(content[1]),
    "Span": lambda content: _text(content[1]),
    **dict.fromkeys(("Cite", "Image", "Note"), lambda _: ""),
}


def _words(meta: Any) -> str:
    """Return the text of a value of the metadata; of a list, its first value."""
    kind, content = meta["t"], meta["c"]
    if kind == "MetaList":
        return _words(content[0]) if content else ""
    return _text(content) if kind == "MetaInlines" else str(content) if kind == "MetaString" else ""
