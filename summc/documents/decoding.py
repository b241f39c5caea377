"""Bytes to text: which encoding a file is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import contextlib
import logging

from summc.errors import InputError, SettingError

log = logging.getLogger("summc")

_BOMS = (  # the longer first: a UTF-32 mark begins with the UTF-16 one
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_AS_BROWSERS_DO = dict.fromkeys(("iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"), "cp1252")
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive or office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"{\\rtf", "an RTF document"),
)
# Control bytes that are rare in text: all below space but tab, line ends and form feed.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
_MOST_CONTROLS = 0.01


def decode(data: bytes, place: str, encoding: str = "auto") -> str:
    """Return the text of a file.

    With ``auto``: a byte-order mark decides; else UTF-8; else Windows-1252, with a warning.
    """
    if encoding != "auto":
        return _decode_as(data, place, encoding)
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _decode_as(data, place, name)
    _refuse_binary(data, place)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = _decode_as(data, place, "cp1252")
        log.warning("%s: not UTF-8, read as Windows-1252; give --encoding if that is wrong", place)
        return text


def decode_declared(data: bytes, place: str, declared: str, encoding: str = "auto") -> str:
    """Return the text of a page or mail that declares its encoding; an encoding that is given decides.

    Many declare what they are not. ISO 8859-1 means Windows-1252, as in every browser.
    """
    for name in (_AS_BROWSERS_DO.get(declared.lower()), declared) if encoding == "auto" else ():
        if name:
            with contextlib.suppress(InputError, SettingError):
                return _decode_as(data, place, name)
    return decode(data, place, encoding)


def _decode_as(data: bytes, place: str, encoding: str) -> str:
    try:
        text = data.decode(encoding)
        text.encode("utf-8")  # some codecs make half surrogate pairs, which nothing can write
    except LookupError:
        raise SettingError("--encoding", f'unknown encoding "{encoding}"', "try utf-8 or latin-1") from None
    except UnicodeError as error:
        where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        name = {"cp1252": "UTF-8 or Windows-1252", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
        raise InputError(place, f"not {name}{where}", "name its encoding with --encoding") from None
    return text


def _refuse_binary(data: bytes, place: str) -> None:
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            raise InputError(place, f"{kind}, not a text file", "convert it to text first")
    controls = len(data) - len(data.translate(None, delete=_CONTROLS))
    if b"\0" in data or controls > _MOST_CONTROLS * len(data):
        raise InputError(
            place, "a binary file, not text", "leave it out, or name its encoding with --encoding"
        )
