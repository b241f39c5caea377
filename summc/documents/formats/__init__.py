"""Recognize the format of a file (PDF, Word, mail, ...) and read it.

Each format has a reader: a module in this folder with ``read(data, place, encoding) -> Content``. ``place``
is the path of the file for messages. A reader is imported only when a file needs it, so it may import its
libraries at the top. Other packages may add a ``Format`` through entry points of the group ``summc.formats``.

A file of a few kilobytes can make a library fill the memory, or work for hours. So all these formats are read
in a helper process with limits on memory and, for libraries that hang, on CPU time. Formats of other packages
are read in this process.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from summc.documents.raw import Content
from summc.documents.sgml import is_sgml
from summc.errors import InputError, MissingExtraError, SummcError, as_typed, typed_as
from summc.system import plugins, processes
from summc.system.inputs import MOST_MEMORY, limits, most

log = logging.getLogger("summc")


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    ``module`` is the full name of the module that reads it, ``kind`` its name in messages, such as "a PDF",
    and ``suffixes`` are those of its files, such as ``.pdf``.
    """

    module: str
    kind: str
    suffixes: tuple[str, ...]


def _own(module: str, kind: str, suffixes: tuple[str, ...]) -> Format:
    return Format(f"{__name__}.{module}", kind, suffixes)


PDF = _own("pdf", "a PDF", (".pdf",))
WORD = _own("word", "a Word document", (".docx", ".docm"))
EPUB = _own("epub", "an e-book", (".epub",))
WEB_PAGE = _own("web_page", "an HTML page", (".html", ".htm", ".xhtml"))
MARKDOWN = _own("markdown_text", "a Markdown text", (".md", ".markdown"))
MAIL = _own("mail", "a mail", (".eml",))

_OWN: Mapping[str, Format] = {
    suffix: format_ for format_ in (PDF, WORD, EPUB, WEB_PAGE, MARKDOWN, MAIL) for suffix in format_.suffixes
}
#: Formats that are read in a process with limits.
LIMITED: tuple[Format, ...] = (PDF, WORD, EPUB, WEB_PAGE, MARKDOWN, MAIL)
#: That process may use this many times the size of the file, besides the memory that is always allowed.
_COPIES = 3
#: The seconds of CPU time after which a library is taken to hang: a base, and more for each megabyte of the
#: file. Files of any length stay far below: a PDF takes about 4 s per megabyte, the slowest web pages 16 s.
#: The limit is needed, because nothing can be counted while PDFium loads a page, which may take it days.
HANGS, HANGS_PER_MEGABYTE = 30.0, 100.0
_MEGABYTE = 1024**2

#: Suffixes that no package may add a format for. Such files are read as text or as JSON lines, or are
#: unpacked first.
_READ_OTHERWISE = {".txt", ".jsonl", ".gz", ".tgz", ".zip", ".zst"}
_SUFFIX = re.compile(r"\.[a-z0-9_-]+")


def _accepted(name: str, found: Any, known: Mapping[str, Format]) -> dict[str, Format]:
    del name, known
    if not isinstance(found, Format) or not all(isinstance(text, str) for text in (found.module, found.kind)):
        raise ValueError("it is not a summc.documents.formats.Format")
    if not found.suffixes or not isinstance(found.suffixes, tuple):
        raise ValueError('its suffixes must be a tuple, as (".rtf",)')
    for suffix in found.suffixes:
        if not isinstance(suffix, str) or not _SUFFIX.fullmatch(suffix) or suffix in _READ_OTHERWISE:
            raise ValueError(f"it cannot have the suffix {suffix!r}")
    return dict.fromkeys(found.suffixes, found)


#: Suffix of a file -> its format.
FORMATS: plugins.Registry[Format] = plugins.Registry(plugins.FORMATS, _OWN, _accepted)

_HTML = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?=\s)")
_MAIL_ONLY = {"message-id", "mime-version", "received"}
_MEMO = {"date", "subject", "to"}
_OPENING = 65_536  # bytes to examine; a mail may have many headers, because servers add signatures
_LIBRARIES = (
    "trafilatura",
    "htmldate",
    "courlan",
    "justext",
    "charset_normalizer",
    "pypdfium2",
    "markdown_it",
)


def recognise(data: bytes, name: str) -> Format | None:
    """Return the format of a file; None means plain text or DUC's SGML.

    A PDF, a Word document and an e-book are recognized by their content, whatever the name. Of other files, a
    ``.txt`` file is always text, and any other known suffix decides. If the suffix is not known, the content
    shows whether the file is an HTML page or a mail.
    """
    suffix = PurePath(name).suffix.lower()
    by_name = FORMATS.get(suffix)
    if data.startswith(b"%PDF-"):
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return _in_zip(data) or by_name
    opening = _opening(data)
    if suffix == ".txt" or is_sgml(opening):
        return None
    if by_name:
        return by_name
    if _HTML.match(opening):
        return WEB_PAGE
    return MAIL if _is_mail(opening) else None


class Allowance:
    """The seconds of CPU time that are left for a file and all files attached to it, before it hangs."""

    def __init__(self, data: bytes) -> None:
        self.most = HANGS + HANGS_PER_MEGABYTE * len(data) / _MEGABYTE
        self.seconds = self.most


def read(format_: Format, data: bytes, place: str, encoding: str, allowance: Allowance) -> Content:
    """Return the content of a file in a known format.

    ``place`` is the path of the file for messages. The time that reading takes is subtracted from
    ``allowance``. Raise an InputError if the file is damaged, if it is too large or a library hangs on it, or
    if a library that the format needs is not installed.
    """
    try:
        if format_ in LIMITED:
            content = _read_limited(format_, data, place, encoding, allowance)
        else:
            content = _read_here(format_.module, data, place, encoding)
    except ImportError as error:
        if format_ in _OWN.values():
            problem = f"{format_.kind}, which needs the extra summc[documents]"
            raise MissingExtraError(place, problem, "pip install 'summc[documents]'") from error
        problem = f"{format_.kind}, which {format_.module} cannot read ({_in_a_line(error)})"
        raise InputError(place, problem, "install what it needs") from error
    except (SummcError, MemoryError):
        raise
    except Exception as error:  # the libraries may raise any error on a damaged file
        problem = f"{format_.kind} that cannot be read ({_in_a_line(error)})"
        raise InputError(place, problem, "it may be damaged: save it again, or as text") from error
    if not isinstance(content, Content):
        raise plugins.fault(format_.module, f"its read() returned {type(content).__name__}, not Content")
    return content


def _read_here(module: str, data: bytes, place: str, encoding: str) -> Any:
    with _quiet():
        return importlib.import_module(module).read(data, place, encoding)


def read_in_helper(
    module: str, data: bytes, place: str, encoding: str, names: dict[str, str], environment: dict[str, str]
) -> tuple[Any, list[str]]:
    """Return what a reader, given by its module, returns for a file, and the warnings that the reader logged.

    This runs in the helper process. ``place`` is the path of the file for messages. ``names`` maps the name
    of each setting to how messages write it. ``environment`` has the limits, which may have changed since the
    helper was started.
    """
    os.environ.update(environment)
    warned: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    log.handlers = [handler]
    with typed_as(names.__getitem__):
        return _read_here(module, data, place, encoding), warned


def _read_limited(format_: Format, data: bytes, place: str, encoding: str, allowance: Allowance) -> Any:
    megabytes = most(MOST_MEMORY) + _COPIES * (len(data) // _MEGABYTE)
    arguments = (format_.module, data, place, encoding, {"encoding": as_typed("encoding")}, limits())
    allowed = processes.Limits(allowance.seconds, megabytes)
    try:
        (content, warned), seconds = processes.call(__name__, "read_in_helper", arguments, allowed)
    except processes.LimitError as error:
        if error.reason == processes.MEMORY:
            problem = f"{format_.kind} that takes more than {megabytes} MB of memory to read"
            raise InputError(place, problem, f"split it, save it as text, or raise {MOST_MEMORY}") from None
        problem = f"{format_.kind} that makes its reader crash"
        if error.reason == processes.TIME:
            allowance.seconds = 0.0
            problem = f"{format_.kind} that keeps its reader busy for more than {allowance.most:.0f} s"
        raise InputError(place, problem, "it may be damaged: save it again, or as text") from None
    allowance.seconds = max(0.0, allowance.seconds - seconds)
    for message in warned:
        log.warning("%s", message)
    return content


def _in_zip(data: bytes) -> Format | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None
    if "META-INF/container.xml" in names:
        return EPUB
    return WORD if any(name.startswith("word/") for name in names) else None


def _opening(data: bytes) -> str:
    start = data[:_OPENING]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return start.decode("utf-16", "replace")
    return start.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _is_mail(opening: str) -> bool:
    """Tell whether a file is a mail, given its beginning.

    Up to the first blank line there must be only headers, "From" among them and others that only mails have.
    """
    names: set[str] = set()
    for number, line in enumerate(opening.splitlines()):
        header = _HEADER.match(line)
        if header:
            names.add(header[1].lower())
        elif not line.strip():
            break
        elif not (names and line[0] in " \t") and not (number == 0 and line.startswith("From ")):
            return False
    return "from" in names and (bool(names & _MAIL_ONLY) or names >= _MEMO)


def _in_a_line(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return first[:100].rstrip(".") or type(error).__name__


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log messages and warnings of the libraries that readers use."""
    loggers = [logging.getLogger(name) for name in _LIBRARIES]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
