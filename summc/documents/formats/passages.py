"""Tell who wrote which lines of a mail: its sender, or somebody who is quoted in it.

A quotation has ">" before its lines, under a line such as "Ann wrote:". Or the whole earlier mail stands
below the text, under its headers. Signatures, footers of mailing lists and notices of programs are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email import policy
from itertools import groupby, takewhile
from textwrap import dedent

from summc.documents.paragraphs import without_controls

# Where the text of a writer ends: at a signature, or at the footer of a mailing list.
_END = re.compile(r"(?m)^(?:--[ \u00a0]?$|[ \t]*_{10,}[ \t]*\n(?=(?:.*\n)?.*mailing list))")
_ORIGINAL = re.compile(
    r"(?i)\s*-{2,}\s*(?:Original Message|Urspr\u00fcngliche Nachricht|Message d'origine)\s*-{2,}\s*"
)
_FORWARDED = re.compile(
    r"(?i)-{0,40}\s?(?:Forwarded message|Begin forwarded message|Weitergeleitete Nachricht)\s?(?:-+|:)"
)
_RULE = re.compile(r"_{10,}")
_HEADER = re.compile(
    r"\s*\*?(?P<name>From|Sent|To|Cc|Date|Subject|Reply-To|Von|Gesendet|An|Betreff|De|Envoy\u00e9|Objet)"
    r"\s?:\*?(?:\s+(?P<value>.*)|$)"
)
_SENDERS = ("From", "Von", "De")
#: Without a line such as "Original Message" above it, an earlier mail begins with its sender and at least two
#: other headers. All its headers together have at most 20 lines.
_OTHER_HEADERS, _MOST_HEADER_LINES = 2, 20
# What programs write into a mail: notices of the archive, of a telephone, and of PGP.
_NOTICES = re.compile(
    r"""(?imx) ^[>\ \t]*+ (?: \[\[alternative\ HTML\ version\ deleted\]\] | -+\ next\ part\ -+
    | An?\ \S+\ attachment\ was\ scrubbed\.\.\.(?:\r?\n[>\ \t]*+(?:Name|Type|Size|Desc|URL)\s*:.*)*
    | -{5}BEGIN\ PGP\ SIGNED\ MESSAGE-{5}(?:\r?\n[>\ \t]*+Hash:.*)?
    | -{5}BEGIN\ PGP\ (SIGNATURE|MESSAGE|PUBLIC\ KEY\ BLOCK)-{5}(?s:.*?)(?:-{5}END\ PGP\ \1-{5}|\Z)
    | (?:Sent\ from\ (?:my|Mail\ for)|Get\ Outlook\ for|Von\ meinem|Envoy\u00e9\ de\ mon)\b.{0,60}
    )[ \t\r]*$"""
)
# The lines of a program that are to be changed; a mail may have wrapped them.
_PATCH = re.compile(
    r"""(?mx) ^(?:Index:\ .*\n=+\n)? ---\ .*\n \+\+\+\ .*\n
    (?: @@\ .* (?: \n(?!--\ ?$)[-+\ \t].*(?:\n[^\s@].*(?=\n[-+\ \t]))? | \n(?=\n{0,2}[-+\ @]) )*+ \n? )+"""
)
_MARK = re.compile(r"[ \t]{0,8}>[ ]?")
#: The most quotations within quotations.
_DEEPEST = 20
# The line above a quotation, such as "On Mon, 7 Jan 2030, Ann <ann@example.org> wrote:", is recognized in any
# language by its date, its address or its verb, and by the colon at its end. It may be wrapped over three
# lines. The name stands before the address or the verb, and in some languages after the verb.
_WROTE = r"(?:wrote|writes|a \u00e9crit|escribi\u00f3|escreveu|ha scritto)"
_WROTE_FIRST = r"(?:schrieb|schreef)"
_SIGNS = tuple(map(re.compile, (r"\b\d{4}\b|\d[.:/-]\d", r"[\d@]", rf"\b(?:{_WROTE}|{_WROTE_FIRST})\b")))
_LONGEST_ATTRIBUTION, _LONGEST = 3, 300  # lines, and characters
_NAME = r"(?P<name>[^\d<>:;]{2,80}?)"
_NAMED = (
    re.compile(rf"{_NAME}\s?[<(\[]{{1,3}}[^\s<>]{{0,80}}(?:@|\s(?:at|@))[^<>]{{0,80}}[>)\]]"),
    re.compile(rf"{_NAME}\s{_WROTE}(?:\s(?:on|at|in|le|el)\s[^<>]{{0,80}})?\s?:$"),
    re.compile(rf"{_WROTE_FIRST}\s{_NAME}\s?:$"),
    re.compile(rf"^{_NAME},?\s(?:{_WROTE_FIRST}\s)?(?:on|am|op)\s.*:$"),
)
# What may stand around a name, as in: 3:52 PM, "Dam list on behalf of Ann Lee", or: Ann Lee via Dam-list.
_AROUND_NAME = re.compile(
    rf"""(?ix) ^.*\bon\ behalf\ of\s+ | \svia\s.*$ | ^(?:On|Am|Le|El|Il|Op)\s(?:.*,)?
    | ^(?:\W|[ap]\.?m\b\.?|Uhr\b|{_WROTE_FIRST}\b)+ | [\s,"'\u201d(\[<*]{{1,9}}$"""
)
_MOST_NAME_WORDS = 6
_ARCHIVED_NAME = re.compile(r"\s\(([^()]{1,80})\)\s?$")  # Mailman writes "From: ann at example.org (Ann Lee)"
_ON_BEHALF = re.compile(r"(?i)^.*\bon behalf of\s+")


def passages(text: str, sender: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the passages of a mail in order: who wrote it, its text, and whether it is a quotation.

    Quotations of which the writer is not known are left out.
    """
    yield from _passages(_NOTICES.sub("", text).splitlines(), sender, 0)


def decoded(header: str) -> str:
    """Return the text of a header on one line, with MIME's encoded words decoded."""
    is_encoded = "=?" in header
    return without_controls(str(policy.default.header_factory("subject", header)) if is_encoded else header)


def sender_name(header: str) -> str:
    """Return the name in a header such as "From", or the part of the address before the @."""
    header = _ON_BEHALF.sub("", header).strip()
    archived = _ARCHIVED_NAME.search(header)
    name = _person(decoded(archived[1] if archived else re.split(r"[<\[]", header)[0]))
    local = re.split(r"(?<=\w)@(?=\w+\.)|\s", header.lstrip("<"))[0]
    return name if name and "@" not in name and " at " not in name else without_controls(local)


def _person(text: str) -> str:
    """Return the name of a person without what stands around it, or "" if the text is no name."""
    before, name = "", text.strip()
    while name != before:
        before, name = name, _AROUND_NAME.sub("", name)
    return name if name and len(name.split()) <= _MOST_NAME_WORDS and any(map(str.isalpha, name)) else ""


def _passages(lines: Sequence[str], writer: str, depth: int) -> Iterator[tuple[str, str, bool]]:
    own: list[str] = []  # lines of the writer since the last quotation
    quoted, at = "", 0  # the writer of the quotations, and the number of lines that are read
    read = lines if depth <= _DEEPEST else ()
    for is_quoted, group in groupby(read, key=lambda line: _MARK.match(line) is not None):
        run = list(group)
        if is_quoted:
            at += len(run)
            name, own = _split_attribution(own)
            quoted, run = _within(run, quoted) if name is None else (name, run)
            yield from _written(own, writer, depth)
            own = []
            yield from _passages([_MARK.sub("", line, count=1) for line in run], quoted, depth + 1)
            continue
        for line in run:
            if (earlier := _earlier_mail(lines, at, own)) is not None:
                sender, own, begin = earlier
                yield from _written(own, writer, depth)
                yield from _passages(dedent("\n".join(lines[begin:])).splitlines(), sender, depth + 1)
                return
            own.append(line)
            at += 1
    yield from _written(own, writer, depth)


def _written(lines: Sequence[str], writer: str, depth: int) -> Iterator[tuple[str, str, bool]]:
    """Yield what the writer wrote, without patches of programs."""
    text = _PATCH.sub("", _END.split("\n".join(lines), maxsplit=1)[0])
    if text.strip() and (writer or not depth):
        yield writer, text, depth > 0


def _earlier_mail(lines: Sequence[str], at: int, own: list[str]) -> tuple[str, list[str], int] | None:
    """Return who wrote the earlier mail that begins here, the lines before it, and where its text begins.

    It begins with its headers, or all its lines are indented. ``own`` are the lines before.
    """
    if at and lines[at - 1].rstrip().endswith(":") and not lines[at - 1][0].isspace():
        name, before = _split_attribution(own)
        if name and all(line[:1].isspace() for line in lines[at:] if line.strip()):
            return name, before, at
    is_marked = any(pattern.fullmatch(lines[at].strip()) for pattern in (_ORIGINAL, _FORWARDED, _RULE))
    if not is_marked and not _HEADER.match(lines[at]):
        return None
    headers, first, least = dict[str, str](), at + is_marked, 0 if is_marked else _OTHER_HEADERS
    end = first
    for i in range(first, min(first + _MOST_HEADER_LINES, len(lines))):
        if header := _HEADER.match(lines[i]):
            headers[header["name"]], end = header["value"] or "", i + 1
        elif lines[i].strip() and not (headers and lines[i][0].isspace()):
            break
    sender = next(filter(None, map(headers.get, _SENDERS)), "")
    if sender and len(headers) > least:
        return sender_name(sender), own, end
    return ("", own, first) if _ORIGINAL.fullmatch(lines[at]) else None


def _split_attribution(lines: list[str]) -> tuple[str | None, list[str]]:
    """Return the name in the line above a quotation, and the lines before that line.

    The name is "" if it cannot be told, and None if the last line does not introduce a quotation.
    """
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    last = list(takewhile(str.strip, reversed(lines[max(end - _LONGEST_ATTRIBUTION, 0) : end])))
    if not last or not last[0].rstrip().endswith(":"):
        return None, lines
    for sign in _SIGNS:
        for i, line in enumerate(last):
            if sign.search(line):
                # Emacs writes the name on the line above "on Thu, 9 Jul 2020 writes:".
                n = min(i + (2 if line.lstrip().startswith("on ") else 1), len(last))
                return _name_in(" ".join(" ".join(reversed(last[:n])).split())), lines[: end - n]
    return None, lines


def _within(run: list[str], quoted: str) -> tuple[str, list[str]]:
    """Return the name that a quotation begins with, as Apple's mails have it, or ``quoted``; and the rest.

    If the lines below the name are quoted more deeply than the name, it is not certain whose they are.
    """
    bare = [line.lstrip("> \t") for line in run]
    for n in range(1, min(_LONGEST_ATTRIBUTION, len(run)) + 1):
        name, before = _split_attribution(bare[:n])
        if name is not None and not before:
            below = next((line for line, words in zip(run[n:], bare[n:], strict=True) if words), run[n - 1])
            return ("", []) if _marks(below) > _marks(run[n - 1]) else (name, run[n:])
    return quoted, run


def _marks(line: str) -> int:
    return line[: len(line) - len(line.lstrip("> \t"))].count(">")


def _name_in(attribution: str) -> str:
    matches = (pattern.search(attribution[-_LONGEST:]) for pattern in _NAMED)
    return next(filter(None, (_person(match["name"]) for match in matches if match)), "")
