"""Read mail (RFC 5322 and MIME) with the standard library: who wrote what, and the attachments.

Each mail of a mailbox (mbox), and of a month in the archive of a mailing list, is a document of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from itertools import islice

from summc.documents.decoding import decode_declared
from summc.documents.formats.passages import decoded, passages, sender_name
from summc.documents.paragraphs import paragraphs, without_controls
from summc.documents.raw import PARAGRAPH, QUOTATION, Attachment, Block, Content
from summc.errors import InputError
from summc.system.logs import log
from summc.text.dates import read_stated_date

# The line above each message of an mbox, such as "From ann@example.org Mon Jan  7 09:00:00 2030".
_ENVELOPE = re.compile(rb"^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[A-Za-z-]+:)", re.MULTILINE)
# A mailbox has a ">" before a line of a message that begins with "From ".
_ESCAPED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_NO_DOCUMENT = (
    *("image/", "audio/", "video/", "font/", *_ENCRYPTED),
    *("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"),
)
# "Re: [Dam-list] Fwd: " before a subject.
_REPLY = re.compile(r"(?i)\A(?:(?:re|aw|antw|fwd?|wg|sv|tr|res|rif)(?:\[\d+\])?\s*:\s*|\[[^\[\]]*\]\s*)+")
# XPath of the elements in which Gmail, Thunderbird, Apple Mail, Yahoo and Outlook on the web put quotations
# and signatures.
_CLASSES = "gmail_quote gmail_signature gmail_attr moz-cite-prefix moz-signature yahoo_quoted"
_QUOTED = " | ".join((
    "//blockquote[@type='cite']",
    *(f"//*[contains(concat(' ', @class, ' '), ' {name} ')]" for name in _CLASSES.split()),
    "//*[@id='divRplyFwdMsg' or @id='appendonsend']/following-sibling::*",
    "//*[@id='divRplyFwdMsg']",
))  # fmt: skip


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return what the sender of a mail and the people that it quotes wrote, and its attachments.

    A mailbox, or the archive of a mailing list, has a part for each mail.
    """
    messages = _ENVELOPE.split(data)[1:] if data.startswith(b"From ") else []
    if len(messages) <= 1:
        mail = message_from_bytes(_ESCAPED.sub(b"", data) if messages else data, policy=policy.default)
        if mail.get_content_type() in _ENCRYPTED:
            raise InputError(place, "encrypted", "save it decrypted")
        return _content(mail, place, encoding)
    mails = (message_from_bytes(_ESCAPED.sub(b"", message), policy=policy.default) for message in messages)
    parts = [_content(mail, place, encoding) for mail in mails]
    if without := sum(not part.blocks and not part.attachments for part in parts):
        log.warning("%s: %d of %d mails have no text; left out", place, without, len(parts))
    return Content([], parts=parts)


def _content(mail: EmailMessage, place: str, encoding: str) -> Content:
    language, subject = str(mail["Content-Language"] or "").strip(), decoded(_unparsed(mail, "subject"))
    sender = sender_name(_unparsed(mail, "from"))
    passed = (passage for text in _texts(mail, place, encoding) for passage in passages(text, sender))
    return Content(
        [
            Block(paragraph, QUOTATION if is_quoted else PARAGRAPH, name)
            for name, text, is_quoted in passed
            for paragraph in paragraphs(text)
        ],
        attachments=list(_attachments(mail)),
        date=read_stated_date(_unparsed(mail, "date")),
        language="" if "," in language else language,
        title=_REPLY.sub("", subject),
    )


def _unparsed(mail: EmailMessage, header: str) -> str:
    """Return a header as it is written, because the library fails to parse some."""
    return next((str(value) for name, value in mail.raw_items() if name.lower() == header), "")


def _texts(part: MIMEPart, place: str, encoding: str) -> list[str]:
    """Return the text of a part of a mail, and those of the parts inside it."""
    kind = part.get_content_type()
    if part.get_content_maintype() == "multipart":
        parts = list(part.iter_parts())
        is_choice = kind == "multipart/alternative"
        if is_choice:  # plain text is preferred
            parts.sort(key=lambda form: form.get_content_type() != "text/plain")
        texts = (text for inner in parts for text in _texts(inner, place, encoding) if text.strip())
        return list(islice(texts, 1 if is_choice else None))
    if _is_attached(part) or kind not in ("text/plain", "text/html"):
        return []
    text = decode_declared(_data(part), place, part.get_content_charset("utf-8"), encoding)
    return [_html_text(text) if kind == "text/html" else text]


def _html_text(text: str) -> str:
    # Imported only here, so that mails of plain text can be read without the libraries of the extra.
    from summc.documents.formats.markup import parse_html, tree_text  # noqa: PLC0415

    tree = parse_html(text)
    # If the mail contains a forwarded mail, that mail is in one of the quoted elements.
    is_forwarded = "-- Forwarded message --" in "".join(tree.itertext())
    for element in () if is_forwarded else tree.xpath(_QUOTED):
        if element.getparent() is not None:
            element.drop_tree()
    return tree_text(tree, "nav")


def _is_attached(part: MIMEPart) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _data(part: MIMEPart) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _attachments(part: MIMEPart) -> Iterator[Attachment]:
    """Yield the attachments of a mail, also attached mails."""
    kind = part.get_content_type()
    if kind.startswith(_NO_DOCUMENT):
        return
    if kind == "message/rfc822":
        for mail in part.iter_parts():
            subject = mail["Subject"] or "message"
            yield Attachment(without_controls(part.get_filename() or f"{subject}.eml"), mail.as_bytes())
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            yield from _attachments(inner)
    elif _is_attached(part):
        yield Attachment(without_controls(part.get_filename() or "attachment"), _data(part))
