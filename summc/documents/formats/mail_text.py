"""Extract what the writer of a plain-text mail wrote: without quotations and signatures, lines rejoined."""

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
# "On Mon, 7 Jan 2030, Ann <ann@example.org> wrote:" in any language has a date or an address, and a colon.
_DATE = re.compile(r"\b\d{4}\b|\d[.:/-]\d")
_ADDRESS = re.compile(r"[\d@]")
_LONGEST_ATTRIBUTION = 3
_MARKED = re.compile(r"\s*>")


def without_quotes(text: str) -> str:
    """Return a mail without quoted lines, the lines that announce them, and the signature."""
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
    """Remove the announcement of a quotation from the end of the lines; it may be wrapped over several."""
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
    """Return a text with the lines joined that a mail program broke (RFC 3676): those that end in a space."""
    joined: list[list[str]] = []  # each line as a list of parts
    flowing = False
    for line in text.splitlines():
        unstuffed = line.removeprefix(" ")
        if flowing and not _MARKED.match(line) and not _SIGNATURE.fullmatch(line):
            joined[-1].append(unstuffed)
        else:
            joined.append([unstuffed])
        flowing = line.endswith(" ") and not _SIGNATURE.fullmatch(line) and not _MARKED.match(line)
    return "\n".join(map("".join, joined))
