"""Read mail (RFC 5322 and MIME) with the standard library: what the sender wrote, and the attachments.

Signatures and quotations from earlier mails are left out. The text of a forwarded mail is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import MIMEPart

from summc.documents.decoding import decode_declared
from summc.documents.formats.mail_text import unflow, without_quotes
from summc.documents.paragraphs import meant_lines, paragraphs
from summc.documents.raw import Attachment, Content
from summc.errors import InputError
from summc.text.dates import read_stated_date

# A limit on multipart parts, because the time to parse grows with the square of the depth of nested parts.
_MOST_PARTS = 500
_NO_DOCUMENT = ("image", "audio", "video", "font")
_NO_DOCUMENT_TYPES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
)
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the content of a mail: the paragraphs that its sender wrote, and its attachments.

    The subject is left out, and so are attachments that cannot be documents, such as pictures. ``place`` is
    the path of the file for messages. ``encoding`` is used instead of the one that the mail states, unless it
    begins with "auto".
    """
    if data.lower().count(b"multipart/") > _MOST_PARTS:
        raise InputError(place, f"more than {_MOST_PARTS} parts within parts", "save its text alone")
    mail = message_from_bytes(data, policy=policy.default)
    if mail.get_content_type() in _ENCRYPTED:
        raise InputError(place, "encrypted", "save it decrypted")
    return Content(
        _written(mail, place, encoding),
        attachments=list(_attachments(mail)),
        date=_sent(mail),
        language=_stated_language(mail),
    )


def _sent(mail: MIMEPart) -> str:
    """Return the day on which a mail was sent, in the time zone of its sender, or ""."""
    # Use the unparsed header, because the library fails on some dates.
    stated = next((str(value) for name, value in mail.raw_items() if name.lower() == "date"), "")
    return read_stated_date(stated)


def _stated_language(mail: MIMEPart) -> str:
    """Return the language that a mail states (RFC 3282), or "" if it states none or several."""
    stated = str(mail["Content-Language"] or "").strip()
    return "" if "," in stated else stated


def _written(part: MIMEPart, place: str, encoding: str) -> list[str]:
    """Return the paragraphs that the sender wrote in a part of a mail, and in the parts inside it.

    If a part holds the same text in several formats, plain text is read, or else the first format that gives
    any text. Attachments are skipped.
    """
    kind = part.get_content_type()
    if _is_attached(part):
        return []
    if kind == "multipart/alternative":
        forms = sorted(part.iter_parts(), key=lambda form: form.get_content_type() != "text/plain")
        return next(filter(None, (_written(form, place, encoding) for form in forms)), [])
    if part.get_content_maintype() == "multipart":
        return [text for inner in part.iter_parts() for text in _written(inner, place, encoding)]
    reader = {"text/plain": _written_plain, "text/html": _written_html}.get(kind)
    return reader(part, _text(part, place, encoding)) if reader else []


def _written_plain(part: MIMEPart, text: str) -> list[str]:
    if part.get_param("format") == "flowed":
        return meant_lines(without_quotes(unflow(text)))
    return paragraphs(without_quotes(text))


def _written_html(_part: MIMEPart, text: str) -> list[str]:
    # Imported only here, so that mails of plain text can be read without the libraries of the extra.
    from summc.documents.formats.mail_html import written_html  # noqa: PLC0415

    return written_html(text)


def _is_attached(part: MIMEPart) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _text(part: MIMEPart, place: str, encoding: str) -> str:
    return decode_declared(_data(part), place, part.get_content_charset("utf-8"), encoding)


def _data(part: MIMEPart) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _attachments(part: MIMEPart) -> Iterator[Attachment]:
    """Yield the attachments of a mail, also attached mails.

    Pictures, sounds, videos, fonts and signatures are left out.
    """
    if part.get_content_type() == "message/rfc822":
        for mail in part.iter_parts():
            subject = mail["Subject"] or "message"
            yield Attachment(_name(part.get_filename() or f"{subject}.eml"), mail.as_bytes())
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            yield from _attachments(inner)
    elif _is_attached(part) and not _is_no_document(part):
        yield Attachment(_name(part.get_filename() or "attachment"), _data(part))


def _name(text: str) -> str:
    """Return the name of an attachment on one line, without characters that cannot be written as UTF-8."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def _is_no_document(part: MIMEPart) -> bool:
    return part.get_content_maintype() in _NO_DOCUMENT or part.get_content_type() in _NO_DOCUMENT_TYPES
