"""Run what the sender of a plain-text mail wrote: remove quotations and signatures, join broken lines."""

from __future__ import annotations

import re

_SIGNATURE = re.compile(r"--[ \u00a0]?")
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:Original Message|Urspr\u00fcngliche Nachricht|Message d'origine)\s*-{2,}\s*",
    re.IGNORECASE,
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


def without_quotes(text: str) -> str:
    """Return the text of a mail without quoted lines, the lines that introduce them, and the signature."""
    kept: list[str] = []
    in_headers = False  # whether the line is in the headers of a forwarded mail
    for line in text.splitlines():
        in_headers = in_headers and (not line.strip() or _HEADER.match(line) is not None)
        if _SIGNATURE.fullmatch(line) or _ORIGINAL.fullmatch(line):
            break
        if _FORWARDED.fullmatch(line):
            in_headers = True
        elif kept and _RULE.fullmatch(kept[-1]) and _HEADER.match(line):
            kept.pop()
            break
        elif _MARKED.match(line):
            _drop_attribution(kept)
        elif not in_headers and (line.strip() or not kept or kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept)


def _drop_attribution(kept: list[str]) -> None:
    """Remove the introduction of a quotation ("... wrote:") from the end of ``kept``, if there is one.

    It may be wrapped over several lines.
    """
    end = len(kept) - (1 if kept and not kept[-1].strip() else 0)
    if not end or not kept[end - 1].rstrip().endswith(":"):
        return
    for pattern in (_DATE, _ADDRESS):
        for start in range(end - 1, max(end - 1 - _LONGEST_ATTRIBUTION, -1), -1):
            if not kept[start].strip():
                break
            if pattern.search(" ".join(kept[start:end])):
                kept[start:] = [""]
                return


def unflow(text: str) -> str:
    """Return the text of a mail in the format "flowed" (RFC 3676), with its broken lines joined.

    In this format, a line that ends in a space continues on the next line.
    """
    joined: list[list[str]] = []  # each joined line as a list of its parts
    flowing = False  # whether the line before ends in a space
    for line in text.splitlines():
        unstuffed = line.removeprefix(" ")
        if flowing and not _MARKED.match(line) and not _SIGNATURE.fullmatch(line):
            joined[-1].append(unstuffed)
        else:
            joined.append([unstuffed])
        flowing = line.endswith(" ") and not _SIGNATURE.fullmatch(line) and not _MARKED.match(line)
    return "\n".join(map("".join, joined))
