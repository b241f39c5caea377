"""Decode bytes to text: find the encoding of a file, and refuse a file that is not text."""

from __future__ import annotations

import codecs
import contextlib
import re

from summc.errors import InputError, SettingError, as_typed
from summc.system.logs import log
from summc.system.resources import word_lists

_BOMS = {  # UTF-32 comes first, because its byte-order mark begins with that of UTF-16
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
#: Language -> the most common encoding of its non-Unicode texts; for all other languages, Windows-1252.
_LEGACY = {
    language: encoding
    for encoding, languages in word_lists().items()
    if encoding.startswith("cp")
    for language in languages
}
# Windows-1250 and ISO 8859-2 are similar, but only Windows-1250 has letters at these bytes. So a text with
# none of these bytes is taken for ISO 8859-2.
_NOT_ISO = bytes(range(0x80, 0xA0))
#: The values that ask summc to detect the encoding: ``auto``, or with a language ``auto-cs`` and the like.
AUTO_ENCODINGS = frozenset(("auto", *(f"auto-{language}" for language in _LEGACY)))
_GUESSED = {"cp1252", "iso-8859-2", *_LEGACY.values()}
_AS_BROWSERS_DO = dict.fromkeys(("iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"), "cp1252")
_CHARSET = re.compile(rb"<(?:meta|\?xml)[^<>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARED_WITHIN = 4096
# How PDF, RTF, PNG, JPEG, zip and gzip files begin.
_MAGIC = (b"%PDF-", b"{\\rtf", b"\x89PNG", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b")
# Bytes that are rare in text: the control codes below 32, except tab, line ends and form feed.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
#: A file with a larger share of control bytes is binary.
_MOST_CONTROLS = 0.01


def auto_for(encoding: str, language: str) -> str:
    """Return the encoding; ``auto`` becomes ``auto-cs`` for Czech, and so on if a language has an old one."""
    return f"auto-{language}" if encoding == "auto" and language in _LEGACY else encoding


def decode(data: bytes, place: str, encoding: str = "auto") -> str:
    """Return the text of a file.

    With ``auto``, a byte-order mark decides, or else UTF-8 is tried. If that fails, the usual encoding of the
    language (``auto-cs`` names Czech) or Windows-1252 is used, with a warning.
    """
    if encoding not in AUTO_ENCODINGS:
        return _decode_as(data, place, encoding)
    for name, marks in _BOMS.items():
        if data.startswith(marks):
            return _decode_as(data, place, name)
    controls = len(data) - len(data.translate(None, delete=_CONTROLS))
    if data.startswith(_MAGIC) or b"\0" in data or controls > _MOST_CONTROLS * len(data):
        remedy = f"convert it to text, or name its encoding with {as_typed('encoding')}"
        raise InputError(place, "a binary file, not text", remedy)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        legacy = _LEGACY.get(encoding.removeprefix("auto-"), "cp1252")
        if legacy == "cp1250" and not set(data) & set(_NOT_ISO):
            legacy = "iso-8859-2"
        text = _decode_as(data, place, legacy)
        message = "%s: not UTF-8, read as %s; give %s if that is wrong"
        log.warning(message, place, _name(legacy), as_typed("encoding"))
        return text


def decode_declared(data: bytes, place: str, declared: str, encoding: str = "auto") -> str:
    """Return the text of a page or mail that declares its encoding, unless ``encoding`` is not ``auto``.

    If the declaration is wrong, ``decode`` finds the encoding. ISO 8859-1 is read as Windows-1252, as
    browsers do.
    """
    for name in (_AS_BROWSERS_DO.get(declared.lower()), declared) if encoding in AUTO_ENCODINGS else ():
        if name:
            with contextlib.suppress(InputError, SettingError):
                return _decode_as(data, place, name)
    return decode(data, place, encoding)


def decode_html(data: bytes, place: str, encoding: str) -> str:
    """Return the text of an HTML file: in ``encoding``, or if that is ``auto``, as the file declares."""
    declared = _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is None or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return decode(data, place, encoding)
    return decode_declared(data, place, declared[1].decode("ascii"), encoding)


def _decode_as(data: bytes, place: str, encoding: str) -> str:
    try:
        text = data.decode(encoding)
        text.encode("utf-8")  # some codecs produce half surrogate pairs, which cannot be written
    except LookupError:
        problem = f'unknown encoding "{encoding}"'
        raise SettingError(as_typed("encoding"), problem, "try utf-8 or latin-1") from None
    except UnicodeError as error:
        where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        name = f"UTF-8 or {_name(encoding)}" if encoding in _GUESSED else _name(encoding)
        remedy = f"name its encoding with {as_typed('encoding')}"
        raise InputError(place, f"not {name}{where}", remedy) from None
    return text


def _name(encoding: str) -> str:
    """Return the usual name of an encoding, for messages."""
    return {"utf-8-sig": "UTF-8", "iso-8859-2": "ISO 8859-2"}.get(
        encoding, encoding.replace("cp12", "Windows-12")
    )
