"""Read mail (RFC 5322 and MIME) with the standard library: what the sender wrote, and the attachments.

The messages of a mailbox (mbox) are read like attachments: each is a document of its own. Signatures and
quotations from earlier mails are left out. The text of a forwarded mail is kept.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parseaddr

from summc.documents.decoding import decode_declared
from summc.documents.paragraphs import paragraphs, without_controls
from summc.documents.raw import Attachment, Content, paragraph_blocks
from summc.errors import InputError
from summc.text.dates import read_stated_date

# The line above each message of an mbox, such as "From ann@example.org Mon Jan  7 09:00:00 2030".
_ENVELOPE = re.compile(rb"^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[A-Za-z-]+:)", re.MULTILINE)
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_NO_DOCUMENT = ("image/", "audio/", "video/", "font/", *_SIGNATURES)
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")

_SIGNATURE = re.compile(r"--[ \u00a0]?")
_ORIGINAL = re.compile(
    r"(?i)\s*-{2,}\s*(?:Original Message|Urspr\u00fcngliche Nachricht|Message d'origine)\s*-{2,}\s*"
)
_FORWARDED = re.compile(
    r"\s*-{2,}\s*(?:Forwarded message|Begin forwarded message|Weitergeleitete Nachricht)\b.*", re.IGNORECASE
)
_RULE = re.compile(r"\s*_{10,}\s*")
_HEADER = re.compile(
    r"\s*\*?(?:From|Sent|To|Cc|Date|Subject|Reply-To|Von|Gesendet|An|Betreff|De|Envoy\u00e9|Objet)\s?:\*?\s"
)
# Above a quotation is a line such as "On Mon, 7 Jan 2030, Ann <ann@example.org> wrote:". It is recognized in
# any language by its date or address, and by the colon at its end. It may be wrapped over three lines.
_DATE = re.compile(r"\b\d{4}\b|\d[.:/-]\d")
_ADDRESS = re.compile(r"[\d@]")
_LONGEST_ATTRIBUTION = 3
_MARKED = re.compile(r"\s*>")
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
    """Return the paragraphs that the sender of a mail wrote, and its attachments that may be documents.

    A mailbox has no paragraphs, and its messages are its attachments.
    """
    messages = _ENVELOPE.split(data)[1:] if data.startswith(b"From ") else []
    if len(messages) > 1:
        return Content([], attachments=[Attachment(f"{i}.eml", mail) for i, mail in enumerate(messages, 1)])
    mail = message_from_bytes(data, policy=policy.default)
    if mail.get_content_type() in _ENCRYPTED:
        raise InputError(place, "encrypted", "save it decrypted")
    language, written = str(mail["Content-Language"] or "").strip(), _written(mail, place, encoding)
    return Content(
        paragraph_blocks(written, _sender(mail)),
        attachments=list(_attachments(mail)),
        date=read_stated_date(_unparsed(mail, "date")),
        language="" if "," in language else language,
    )


def _unparsed(mail: EmailMessage, header: str) -> str:
    """Return a header as it is written, because the library fails to parse some."""
    return next((str(value) for name, value in mail.raw_items() if name.lower() == header), "")


def _sender(mail: EmailMessage) -> str:
    """Return the name of the sender of a mail, or the part of the address before the @."""
    name, address = parseaddr(_unparsed(mail, "from"))
    decoded = str(policy.default.header_factory("subject", name))
    return without_controls(decoded) or address.partition("@")[0]


def _written(part: MIMEPart, place: str, encoding: str) -> list[str]:
    """Return the paragraphs that the sender wrote in a part of a mail, and in the parts inside it."""
    kind = part.get_content_type()
    is_multipart = part.get_content_maintype() == "multipart"
    if _is_attached(part) or not (is_multipart or kind in ("text/plain", "text/html")):
        return []
    if kind == "multipart/alternative":
        forms = sorted(part.iter_parts(), key=lambda form: form.get_content_type() != "text/plain")
        return next(filter(None, (_written(form, place, encoding) for form in forms)), [])
    if is_multipart:
        return [text for inner in part.iter_parts() for text in _written(inner, place, encoding)]
    text = decode_declared(_data(part), place, part.get_content_charset("utf-8"), encoding)
    if kind == "text/html":
        return _written_html(text)
    return paragraphs(without_quotes(text))


def _written_html(text: str) -> list[str]:
    # Imported only here, so that mails of plain text can be read without the libraries of the extra.
    from summc.documents.formats.markup import WHOLE, parse_html, tree_paragraphs  # noqa: PLC0415

    tree = parse_html(text)
    if tree is None:
        return []
    # If the mail contains a forwarded mail, that mail is in one of the quoted elements.
    is_forwarded = "-- Forwarded message --" in "".join(tree.itertext())
    for element in () if is_forwarded else tree.xpath(_QUOTED):
        if element.getparent() is not None:
            element.drop_tree()
    return paragraphs(without_quotes("\n\n".join(tree_paragraphs(tree, WHOLE))))


def _is_attached(part: MIMEPart) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _data(part: MIMEPart) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _attachments(part: MIMEPart) -> Iterator[Attachment]:
    """Yield the attachments of a mail, also attached mails."""
    if part.get_content_type() == "message/rfc822":
        for mail in part.iter_parts():
            subject = mail["Subject"] or "message"
            yield Attachment(without_controls(part.get_filename() or f"{subject}.eml"), mail.as_bytes())
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            yield from _attachments(inner)
    elif _is_attached(part) and not part.get_content_type().startswith(_NO_DOCUMENT):
        yield Attachment(without_controls(part.get_filename() or "attachment"), _data(part))


def without_quotes(text: str) -> str:
    """Return the text of a mail without quoted lines, the lines that introduce them, and the signature."""
    lines: list[str] = []
    in_headers = False  # whether the line is in the headers of a forwarded mail
    for line in text.splitlines():
        in_headers = in_headers and (not line.strip() or _HEADER.match(line) is not None)
        if _SIGNATURE.fullmatch(line) or _ORIGINAL.fullmatch(line):
            break
        if _FORWARDED.fullmatch(line):
            in_headers = True
        elif lines and _RULE.fullmatch(lines[-1]) and _HEADER.match(line):
            lines.pop()
            break
        elif _MARKED.match(line):
            _drop_attribution(lines)
        elif not in_headers and (line.strip() or not lines or lines[-1].strip()):
            lines.append(line)
    return "\n".join(lines)


def _drop_attribution(written: list[str]) -> None:
    """Remove the introduction of a quotation ("... wrote:") from the end of ``written``, if there is one."""
    end = len(written) - (1 if written and not written[-1].strip() else 0)
    if not end or not written[end - 1].rstrip().endswith(":"):
        return
    lines = list(itertools.takewhile(str.strip, reversed(written[max(end - _LONGEST_ATTRIBUTION, 0) : end])))
    lengths = [n for sign in (_DATE, _ADDRESS) for n, line in enumerate(lines, start=1) if sign.search(line)]
    if lengths:
        written[end - lengths[0] :] = [""]
