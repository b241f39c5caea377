"""Read the documents in a file: plain text, DUC's SGML, or a format such as PDF, Word or mail.

Each format has a reader: a module in this folder with ``read(data, place, encoding) -> Content``, where
``place`` is the path of the file for messages. A reader is imported only when a file needs it. Other packages
may add a ``Format`` through entry points of the group ``summc.formats``.

A small file can make a library fill the memory, or work for hours. So these formats are read in a helper
process with limits on memory and CPU time. Formats of other packages are read in this process.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from functools import partial
from pathlib import PurePath
from typing import Any

from summc.documents.decoding import decode, decode_html
from summc.documents.formats.data_files import is_table
from summc.documents.formats.sgml import SGML, read_sgml
from summc.documents.places import ESCAPES, MARKUP, located
from summc.documents.plain import plain_content
from summc.documents.raw import Content, RawDocument
from summc.documents.talk import with_speakers
from summc.errors import InputError, MissingExtraError, NotFoundError, SummcError
from summc.settings import plugins
from summc.system import processes
from summc.system.inputs import MOST_MEMORY, limits, most, whole_characters
from summc.system.logs import captured_logs, log


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: the full name of the module that reads it, its name in messages, and its suffixes.

    If one module reads several formats, its ``read`` gets the ``name`` of the format too.
    """

    module: str
    kind: str
    suffixes: tuple[str, ...]
    name: str = ""


PDF = Format(f"{__name__}.pdf", "a PDF", (".pdf",))
WEB_PAGE = Format(f"{__name__}.web_page", "an HTML page", (".html", ".htm", ".xhtml"))
SLIDES = Format(f"{__name__}.slides", "a PowerPoint presentation", (".pptx",))
MAIL = Format(f"{__name__}.mail", "a mail", (".eml", ".mbox"))
_by_pandoc = partial(Format, f"{__name__}.pandoc")
WORD = _by_pandoc("a Word document", (".docx", ".docm"), "docx")
OPEN_TEXT = _by_pandoc("an OpenDocument text", (".odt",), "odt")
EPUB = _by_pandoc("an e-book", (".epub",), "epub")
MARKDOWN = _by_pandoc(
    "a Markdown text", (".md", ".markdown", ".mdx"), "commonmark_x-smart-superscript-subscript"
)
_data_file = partial(Format, f"{__name__}.data_files")
TABLE = _data_file("a table", (".csv", ".tsv"), "csv")
EXCEL = _data_file("an Excel file", (".xlsx", ".xlsm"), "xlsx")
EXPORT = _data_file("JSON", (".json", ".ndjson"), "json")
RTF = _by_pandoc("an RTF document", (".rtf",), "rtf")
LATEX = _by_pandoc("a LaTeX text", (".tex", ".latex"), "latex")
RST = _by_pandoc("a reStructuredText", (".rst",), "rst")
WIKI = _by_pandoc("a wiki page", (".wiki", ".mediawiki"), "mediawiki")

#: Formats that are read in a process with limits.
LIMITED: tuple[Format, ...] = (
    PDF, WEB_PAGE, MAIL, SLIDES, WORD, OPEN_TEXT, EPUB, RTF, MARKDOWN, TABLE, EXCEL, EXPORT, LATEX, RST, WIKI,
    _by_pandoc("an AsciiDoc text", (".adoc", ".asciidoc", ".asc"), "asciidoc"),
    _by_pandoc("an Org text", (".org",), "org"),
    _by_pandoc("a notebook", (".ipynb",), "ipynb"),
    _by_pandoc("a Textile text", (".textile",), "textile"),
    _by_pandoc("a Djot text", (".dj", ".djot"), "djot"),
    _by_pandoc("a DocBook text", (".dbk", ".docbook"), "docbook"),
    _by_pandoc("a JATS article", (".jats", ".nxml"), "jats"),
    _by_pandoc("a FictionBook", (".fb2",), "fb2"),
    _by_pandoc("a man page", (".man",), "man"),
    _by_pandoc("a Jira text", (".jira",), "jira"),
)  # fmt: skip
_BY_SUFFIX: Mapping[str, Format] = {suffix: format_ for format_ in LIMITED for suffix in format_.suffixes}
#: That process may use this many times the size of the file, besides the memory that is always allowed.
_COPIES = 3
#: The seconds of CPU time after which a library is taken to hang: a base, and more for each megabyte of the
#: file. Files of any length stay far below: a PDF takes about 4 s per megabyte, the slowest web pages 16 s.
#: The limit is needed, because nothing can be counted while PDFium loads a page, which may take it days.
HANGS, HANGS_PER_MEGABYTE = 30.0, 100.0
_MEGABYTE = 1024**2
#: The processes that read the limited formats.
READERS = processes.Helpers()
_DAMAGED = "it may be damaged: save it again, or as text"
#: The fields that a document copies from the content of its file, apart from the blocks.
_STATED = ("date", "file_date", "language", "knows_headings", "title")
#: The most mails within mails.
_DEEPEST = 8
#: Names, in lower case, of files that Windows and macOS create in folders. They are never documents.
_SYSTEM_FILES = frozenset({"_ds_store", "thumbs.db", "desktop.ini"})

#: Suffixes that no package may add a format for. Such files are read as text or as JSON lines, or are
#: unpacked first.
_READ_OTHERWISE = {".txt", ".jsonl", ".gz", ".tgz", ".zip", ".zst"}


def _accepted(_name: str, format_: Any) -> dict[str, Format]:
    if not isinstance(format_, Format):
        raise ValueError("it is not a summc.documents.formats.Format")  # noqa: TRY004
    for suffix in format_.suffixes:
        if not re.fullmatch(r"\.[a-z0-9_-]+", suffix) or suffix in _READ_OTHERWISE:
            raise ValueError(f"it cannot have the suffix {suffix!r}")
    return dict.fromkeys(format_.suffixes, format_)


#: Suffix of a file -> its format.
FORMATS: plugins.Registry[Format] = plugins.Registry(plugins.FORMATS, _BY_SUFFIX, _accepted)

#: Signs of markup in a file whose name does not tell: two kinds of signs, several times together, are no
#: accident.
_SIGNS: Mapping[Format, tuple[str, ...]] = {
    LATEX: (r"\\(?:documentclass|usepackage)\b", r"\\(?:begin|end)\{\w+\}", r"\\(?:sub)*section\*?\{"),
    RST: (
        r"^\.\. [\w-]+::",
        r":[\w-]+:`[^`\n]+`",
        r"``[^`\n]+``",
        r"`[^`\n]+`_\b",
        r"^\S.{2,70}\n[=~^-]{4,}$",
    ),
    WIKI: (r"\[\[[^\[\]\n]+\]\]", r"^={2,4} ?[^=\n]+={2,4}$", r"\{\{[^{}\n]+\}\}"),
    MARKDOWN: (r"^#{1,6} \S", r"\*\*\w[^*\n]*\*\*", r"\]\(\S+\)", r"^\|[ :|-]+\|[ \r]*$", r"^```"),
}
_FEWEST_SIGNS, _FEWEST_KINDS = 5, 2
_HTML = re.compile(r"(?is)\s*(?:<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*)*<(?:!doctype\s+html|html|head|body)\b")
#: A list of objects, or an object.
_JSON = re.compile(r"\s*(?:\[\s*){0,2}\{\s*\"[^\"\n]{1,80}\"\s*:")
_MAIL_ONLY = {"message-id", "mime-version", "received"}
_MEMO = {"date", "subject", "to"}
_OPENING = 65_536  # bytes to examine; a mail may have many headers, because servers add signatures
#: Bytes in the files of formats that are zip files: names of members, or how the first member begins.
_ZIPPED: Mapping[bytes, Format] = {
    b"META-INF/container.xml": EPUB,
    b"mimetypeapplication/vnd.oasis.opendocument.text": OPEN_TEXT,
    b"word/document": WORD,
    b"ppt/presentation": SLIDES,
    b"xl/worksheets": EXCEL,
}


def recognise(data: bytes, name: str) -> Format | None:
    """Return the format of a file; None means plain text or DUC's SGML.

    The content shows a PDF, RTF, zip or SGML file. Of other files, a known suffix decides, and without one
    the content shows an HTML page, a mail, JSON or a table. A ``.txt`` file is text or mail, as archives of
    lists are.
    """
    suffix = PurePath(name.removesuffix(".gz")).suffix.lower()
    by_name = FORMATS.get(suffix)
    if data.startswith((b"%PDF-", b"{\\rtf")):
        return PDF if data.startswith(b"%") else RTF
    if data.startswith(b"PK\x03\x04"):
        return next((format_ for part, format_ in _ZIPPED.items() if part in data), by_name)
    start = data[:_OPENING]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        opening = start.decode("utf-16", "replace")
    else:
        opening = start.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    if SGML.match(opening):
        return None
    if by_name:
        return by_name
    shown: dict[Format, object] = {MAIL: _is_mail(opening)}
    if suffix != ".txt":
        shown |= {WEB_PAGE: _HTML.match(opening), EXPORT: _JSON.match(opening), TABLE: is_table(opening)}
    return next(filter(shown.get, shown), None)


def _is_mail(opening: str) -> bool:
    """Tell whether a text begins with the headers of a mail and nothing else, up to the first blank line."""
    head = HeaderParser().parsestr(opening)
    names = {name.lower() for name in head}
    return not head.defects and "from" in names and (bool(names & _MAIL_ONLY) or names >= _MEMO)


def read_documents(
    data: bytes, name: str, place: str, encoding: str = "auto", depth: int = 0
) -> list[RawDocument]:
    """Return the documents in a file; raise an error if it cannot be read or holds no text.

    Each ``<DOC>`` of SGML, each mail of a mailbox and each attachment of a mail is a document. ``depth`` is
    the number of mails that the file is in.
    """
    if depth > _DEEPEST:
        raise InputError(place, f"mails nested more than {_DEEPEST} deep", "save it by itself")
    log.debug("reading %s", place)
    format_ = recognise(data, name)
    if format_ is not None:
        content = with_speakers(_read(format_, data, place, encoding))
        content = located(content, *_source(format_, data, place, encoding))
        kind = f"{format_.kind} with no text in it"
    else:
        text = decode(data, place, encoding)
        if SGML.match(text):
            return _news(text, name, place)
        content, kind = _read_text(text, place), "an empty file"
    documents = _documents(content, name, place, encoding, depth)
    if not documents:
        raise InputError(place, kind, "give a file that holds text")
    return documents


def _source(format_: Format, data: bytes, place: str, encoding: str) -> tuple[str, re.Pattern[str]]:
    """Return the text of a file, or "" if it is binary, and what the readers of its format leave out."""
    with captured_logs(), suppress(SummcError):  # the reader has given the warnings
        text = (decode_html if format_ is WEB_PAGE else decode)(data, place, encoding)
        return text, ESCAPES if format_.name in ("json", "ipynb") else MARKUP
    return "", MARKUP


def _news(text: str, name: str, place: str) -> list[RawDocument]:
    """Return the documents of a text in SGML; one without an id is known by its number."""
    documents = list(read_sgml(text, place))
    content = located(Content([], parts=[Content(news.blocks) for news in documents]), text, MARKUP)
    return [
        replace(
            news, id=news.id or f"{name}#{i}", place=f"{place}: {news.id or f'document {i}'}",
            blocks=content.parts[i - 1].blocks,
        )
        for i, news in enumerate(documents, start=1)
    ]  # fmt: skip


def _read_text(text: str, place: str) -> Content:
    """Return the content of a text, which may have markup."""
    for format_, patterns in _SIGNS.items():
        counts = [len(re.findall(pattern, text[:_OPENING], re.MULTILINE)) for pattern in patterns]
        if sum(counts) >= _FEWEST_SIGNS and sum(map(bool, counts)) >= _FEWEST_KINDS:
            with suppress(MissingExtraError):  # without the extra, a text is read as it stands
                content = with_speakers(_read(format_, text.encode("utf-8", "replace"), place, "utf-8"))
                # Plain text with some marks of Markdown also has headings without marks.
                knows = content.knows_headings and format_ is not MARKDOWN
                return located(replace(content, knows_headings=knows), text, MARKUP)
    return plain_content(text)


def _documents(content: Content, name: str, place: str, encoding: str, depth: int) -> list[RawDocument]:
    """Return the document of a file, and those of its parts and attachments."""
    stated = {field: getattr(content, field) for field in _STATED}
    whole = whole_characters  # libraries may return halves of surrogate pairs
    blocks = [replace(b, text=whole(b.text), speaker=whole(b.speaker)) for b in content.blocks]
    documents = [RawDocument(name, blocks, place, **stated)] if blocks else []
    for i, part in enumerate(content.parts, start=1):
        documents += _documents(part, f"{name}#{i}", f"{place}: {i}", encoding, depth)
    for attachment in content.attachments:
        inner, where = f"{name}/{attachment.name}", f"{place}: {attachment.name}"
        attached = try_read_documents(partial(bytes, attachment.data), inner, where, encoding, depth + 1)
        # An attachment without a date gets that of its mail: it cannot be newer.
        documents += [replace(raw, file_date=raw.file_date or content.date) for raw in attached]
    return documents


def try_read_documents(
    read: Callable[[], bytes], name: str, place: str, encoding: str = "auto", depth: int = 0
) -> list[RawDocument]:
    """Return the documents in a file of a folder or a mail; ``read`` returns its data.

    If the file cannot be read, return a document that has the ``problem``: the user did not name the file.
    """
    try:
        documents = read_documents(read(), name, place, encoding, depth)
    except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
        lacks_extra = isinstance(error, MissingExtraError)
        return [RawDocument(name, [], error.place, error.problem, lacks_extra=lacks_extra)]
    if name.lower() in _SYSTEM_FILES:
        return [RawDocument(name, [], place, "a file of the system, not a document")]
    return documents


def _read(format_: Format, data: bytes, place: str, encoding: str) -> Content:
    """Return the content of a file in a known format."""
    try:
        if format_ in LIMITED:
            content = _read_limited(format_, data, place, encoding)
        else:
            content = importlib.import_module(format_.module).read(data, place, encoding)
    except (SummcError, MemoryError):
        raise
    except Exception as error:  # the libraries may raise any error on a damaged file
        if isinstance(error, ImportError) and format_ in _BY_SUFFIX.values():
            problem = f"{format_.kind}, which needs the extra summc[documents]"
            raise MissingExtraError(place, problem, "pip install 'summc[documents]'") from error
        reason = str(error).strip().partition("\n")[0][:100].rstrip(".") or type(error).__name__
        problem = f"{format_.kind} that cannot be read ({reason})"
        raise InputError(place, problem, _DAMAGED) from error
    if not isinstance(content, Content):
        raise plugins.fault(format_.module, f"its read() returned {type(content).__name__}, not Content")
    return content


def read_in_helper(
    module: str, name: str, data: bytes, place: str, encoding: str, environment: dict[str, str]
) -> tuple[Any, list[str]]:
    """Return what a reader returns for a file, and the warnings that it logged; runs in the helper process.

    ``environment`` has the limits, which may have changed since the helper was started.
    """
    os.environ.update(environment)
    with captured_logs() as warned:
        return importlib.import_module(module).read(data, place, encoding, *filter(None, [name])), warned


def time_limit(size: int) -> float:
    """Return the seconds of CPU time that reading a file of this size, or splitting its text, may take."""
    return HANGS + HANGS_PER_MEGABYTE * size / _MEGABYTE


def _read_limited(format_: Format, data: bytes, place: str, encoding: str) -> Any:
    megabytes = most(MOST_MEMORY) + _COPIES * (len(data) // _MEGABYTE)
    allowed = processes.Limits(time_limit(len(data)), megabytes)
    file = (format_.module, format_.name, data, place, encoding, limits())
    try:
        content, warned = READERS.call(read_in_helper, *file, limits=allowed)
    except processes.LimitError as error:
        if str(error) == processes.MEMORY:
            problem = f"{format_.kind} that takes more than {megabytes} MB of memory to read"
            raise InputError(place, problem, f"split it, save it as text, or raise {MOST_MEMORY}") from None
        busy = f"keeps its reader busy for more than {allowed.seconds:.0f} s"
        problem = busy if str(error) == processes.TIME else "makes its reader crash"
        raise InputError(place, f"{format_.kind} that {problem}", _DAMAGED) from None
    for message in warned:
        log.warning("%s", message)
    return content
