"""Read the documents in one file: plain text, DUC's SGML, or a format such as PDF, Word or mail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from summc.documents import formats
from summc.documents.decoding import decode
from summc.documents.paragraphs import read_body
from summc.documents.raw import Attachment, RawDocument
from summc.documents.sgml import is_sgml, read_sgml
from summc.documents.tree import is_system_file
from summc.errors import InputError, MissingExtraError, NotFoundError

_DEEPEST = 8


def read_documents(data: bytes, name: str, place: str, encoding: str = "auto") -> list[RawDocument]:
    """Return the documents in a file; raise an error if it cannot be read or holds no text.

    ``name`` is the name of the file, and ``place`` its path for messages. Most files are one document. SGML
    has a document for each ``<DOC>``. A mail is a document, and so is each of its attachments.
    """
    return _read(data, name, place, encoding, formats.Allowance(data), depth=0)


def _read(
    data: bytes, name: str, place: str, encoding: str, allowance: formats.Allowance, depth: int
) -> list[RawDocument]:
    format_ = formats.recognise(data, name)
    if format_ is None:
        return _read_text(data, name, place, encoding)
    content = formats.read(format_, data, place, encoding, allowance)
    if not content.paragraphs and not content.attachments:
        raise InputError(place, f"{format_.kind} with no text in it", "give a file that holds text")
    own = RawDocument(
        name,
        content.paragraphs,
        place,
        pages=content.pages,
        date=content.date,
        file_date=content.file_date,
        language=content.language,
    )
    attached = [
        # An attachment without a date gets that of its mail: it cannot be newer.
        replace(document, file_date=document.file_date or content.date)
        for each in content.attachments
        for document in _attached(each, name, place, encoding, allowance, depth + 1)
    ]
    return [own, *attached] if content.paragraphs else attached


def _attached(
    file: Attachment, name: str, place: str, encoding: str, allowance: formats.Allowance, depth: int
) -> list[RawDocument]:
    # The user named the mail, not its attachments, so an unreadable attachment is left out and not an error.
    inner, where = f"{name}/{file.name}", f"{place}: {file.name}"
    if depth > _DEEPEST:
        return [RawDocument(inner, [], where, f"mails nested more than {_DEEPEST} deep")]
    try:
        return _read(file.data, inner, where, encoding, allowance, depth)
    except InputError as error:
        return [_unread(inner, error)]


def _unread(name: str, error: InputError | NotFoundError) -> RawDocument:
    lacks_extra = isinstance(error, MissingExtraError)
    return RawDocument(name, [], error.place, error.problem, lacks_extra=lacks_extra)


def _read_text(data: bytes, name: str, place: str, encoding: str) -> list[RawDocument]:
    text = decode(data, place, encoding)
    if is_sgml(text):
        return [
            RawDocument(
                news.id or f"{name}#{i}",
                news.paragraphs,
                f"{place}: {news.id or f'document {i}'}",
                states_id=bool(news.id),
                date=news.date,
            )
            for i, news in enumerate(read_sgml(text), start=1)
        ]
    body = read_body(text)
    if not body.paragraphs:
        raise InputError(place, "an empty file", "give a file that holds text")
    return [RawDocument(name, body.paragraphs, place, parted=body.parted)]


def read_found_documents(
    read: Callable[[], bytes], name: str, place: str, encoding: str = "auto"
) -> list[RawDocument]:
    """Return the documents in a file that was found in a folder.

    ``read`` returns the data of the file, and ``place`` is its path for messages. If the file cannot be read,
    return a document without text that has the ``problem``. It is not an error, because the user did not name
    the file, and the other files can still be read.
    """
    try:
        documents = read_documents(read(), name, place, encoding)
    except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
        return [_unread(name, error)]
    if is_system_file(name):
        return [RawDocument(name, [], place, "a file of the system, not a document")]
    return documents
