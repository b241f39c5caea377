"""Read texts in which people talk: subtitles, chat logs, transcripts and interviews become turns.

A turn is what one speaker says until another one speaks, or one message of a chat. The name of a speaker, the
time of a message and the number of a subtitle are not words of the text.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import regex

from summc.documents.log_files import log_lines
from summc.documents.paragraphs import indented_paragraphs, paragraphs
from summc.documents.raw import Block, RawDocument, paragraph_blocks
from summc.documents.wrapping import is_closed, is_date
from summc.system.resources import word_lists

#: Talk has at least this many turns with a time, or this many without.
_FEWEST_TIMED, _FEWEST = 3, 4
#: If heads stand above the messages, at least one of this many lines is a head.
_LONGEST_MESSAGE = 6

_DAY = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?|\d{1,2}[\s-]\p{L}{3,9}\.?[\s-]\d{2,4}|\p{L}{3,9}(?=\sat\s))"
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[ap]\.?m\.?)?+"
_WHEN = rf"(?:{_DAY}(?:,|T|\sat)?\s*+)?{_TIME}"
_STAMP = rf"[\[(]?{_WHEN}[\])]?"
_NAME = r"[^:<>\[\]]{1,40}?"
#: The head of a message: "[12:03] Anna: ", "12/03/2026, 19:41 - Maria: ", "12:03 <anna> ".
_MESSAGE = regex.compile(
    rf"(?i)\W{{0,2}}{_STAMP}\s*(?:[-\u2013]\s+)?(?:<(?P<who>{_NAME})>|(?P<who>{_NAME}):)(?:\s+|$)",
)
#: A head above a message: "Anna  10:32 AM", "Anna - Today at 10:32", "[10:32] Anna", "Anna (10:32):".
_ABOVE = regex.compile(
    rf"(?i)(?:(?P<who>\p{{L}}{_NAME})[,\s]\s*+(?:[-\u2013\u2014|]\s*+)?{_STAMP}|{_STAMP}\s++(?P<who>\p{{L}}{_NAME})):?\s*$",
)
#: A time alone on a line belongs to the name above it.
_TIME_BELOW = regex.compile(rf"(?im)(?<=\S)\n(?=[ \t]*{_STAMP}[ \t\r]*$)")
#: The label of a speaker: "Project Manager: ", "DR. LOWE: ", "Anna (00:12): ", "Q. ".
_LABEL = regex.compile(
    rf"""(?x)(?:>>\s*+)? (?: (?P<who>[\p{{Lu}}\p{{Lo}}](?:[^:.!?<>]|(?<=\b\p{{L}}{{1,3}})\.){{0,39}}?)
    (?:\s*+{_STAMP})?: | (?P<who>[QA])\. ) (?:\s+|$)""",
)
#: Labels that name no speaker, in lower case: those of mails, minutes and lists.
_NO_SPEAKERS = frozenset(word_lists()["no_speakers"])
_CUE = regex.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->")
_VOICE = regex.compile(r"<v(?:\.[^ <>]*+)?\s++([^<>]*+)>")
_TAG = regex.compile(r"</?[a-zA-Z\d][^<>]*>|\{\\[^{}]*\}")
_CHANGE = regex.compile(r"(?:[-\u2013]|>>)\s*")
#: A line that a program wrote between the messages: "12/03/2026, 18:02 - Maria added you".
_EVENT = regex.compile(rf"(?i)\W?(?:\[{_WHEN}\]|{_WHEN}\s*[-\u2013*])")
#: A notice that a program wrote in place of a message. WhatsApp marks some of these with U+200E.
_NOTICE = regex.compile(
    r"""(?ix)\u200e.* | <[^<>]*> | \[[^\[\]]*\] | (?:This|You\ deleted\ this)\ message(?:\ was\ deleted)?\.?
    | (?:image|video|audio|sticker|GIF|document|contact\ card)\ omitted | missed\ (?:voice|video)\ call.*
    | (?:\S+\s){0,3}(?:joined|left)\ (?:\#\S+|the\ (?:call|meeting|chat|channel|group|conversation))\.?""",
)
#: Zoom writes "From Anna to Everyone".
_ADDRESSED = regex.compile(r"(?i)^From\s+(\S.*?)\sto\s.*")
_UNKNOWN = ("unknown", "unidentified", "inaudible")

#: A speaker, and the lines of the turn.
Turn = tuple[str, list[str]]
#: The head that names the speaker, for each line of a text.
Heads: TypeAlias = "list[regex.Match[str] | None]"


def plain_document(id_: str, text: str, place: str) -> RawDocument:
    """Return the document in a plain text, with the speaker of each paragraph if it is talk."""
    turns = read_turns(text)
    if lines := log_lines(text, is_talk=bool(turns)):
        return RawDocument(id_, lines, place, knows_headings=True)
    if turns:
        return RawDocument(id_, [Block(words, speaker=name) for name, words in turns], place)
    return RawDocument(id_, paragraph_blocks(paragraphs(text)), place)


def read_turns(text: str) -> list[tuple[str, str]]:
    """Return the turns of subtitles, a chat, a transcript or an interview; [] for any other text.

    A turn is the name of its speaker, or "" if no name is known, and a paragraph.
    """
    lines = [line.strip() for line in _TIME_BELOW.sub(" ", text.removeprefix("\ufeff")).splitlines()]
    if any(line.startswith("WEBVTT") for line in lines[:1]) or any(map(_CUE.match, lines[:6])):
        turns = _in_cues(lines)
    else:
        heads = _timed_heads(lines) or _labels(lines)
        turns = _under_heads(lines, heads) if heads else []
    return [
        (_speaker_name(speaker), paragraph)
        for speaker, parts in turns
        for paragraph in indented_paragraphs("\n".join(parts))
        if not _NOTICE.fullmatch(paragraph)
    ]


def _speaker_name(speaker: str) -> str:
    """Return the name that a label shows, or "" for a single letter, as in "Q: ", or for "Unknown"."""
    name = _ADDRESSED.sub(r"\1", speaker.strip(" \t~@+%*\u200e"))
    return name if name[1:] and not name.lower().startswith(_UNKNOWN) else ""


def _in_cues(lines: Sequence[str]) -> list[Turn]:
    """Return the turns of subtitles; a turn goes on until the speaker changes."""
    cues = list(_cue_lines(lines))
    labels = [_LABEL.match(line) for _, line in cues]
    names = Counter(label["who"] for label in labels if label)
    is_labelled = 2 * names.total() > len(cues)
    is_prose = any(is_closed(line) for _, line in cues)
    turns: list[Turn] = [("", [])]
    for (voice, line), match in zip(cues, labels, strict=True):
        label = match if match and (is_labelled or names[match["who"]] > 1) else None
        start = label or _CHANGE.match(line)
        speaker, parts = turns[-1]
        who = voice or (label["who"] if label else "")
        # Without names, a turn is a sentence, or one line if no line ends a sentence.
        ended = not speaker and parts and (is_closed(parts[-1]) or not is_prose)
        if who not in ("", speaker) or (start and not label) or ended:
            turns.append((who, []))
        turns[-1][1].append(line[start.end() :] if start else line)
    return turns


def _cue_lines(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield, for each line of the subtitles, the name in its tag <v>, or "", and the text without markup."""
    in_cue, voice, before = False, "", ""
    for line in lines:
        if _CUE.match(line):
            in_cue, voice = True, ""
        elif not line:
            in_cue = False
        elif in_cue:
            tag = _VOICE.search(line)
            voice = tag[1] if tag else voice
            bare = html.unescape(_TAG.sub("", line)).strip()
            if bare != before and not _NOTICE.fullmatch(bare):  # subtitles that roll show each line twice
                yield voice, bare
            before = bare


def _timed_heads(lines: Sequence[str]) -> Heads:
    """Return, for each line, its head with a name and a time, or None; [] if too few lines have one."""
    messages = [_MESSAGE.match(line) for line in lines]
    if _name_people(messages, max(_FEWEST_TIMED, len(lines) / _LONGEST_MESSAGE)):
        return messages
    above = [_ABOVE.match(line) for line in lines]
    return above if _name_people(above, max(_FEWEST_TIMED, len(lines) / _LONGEST_MESSAGE)) else []


def _labels(lines: Sequence[str]) -> Heads:
    """Return, for each line, the label of a speaker, or None; [] if the text is no transcript.

    In a transcript at least half of all paragraphs, or of all lines, have a label.
    """
    labels = [_LABEL.match(line) for line in lines]
    heads = [label if label and label["who"].lower() not in _NO_SPEAKERS else None for label in labels]
    count = sum(map(bool, heads))
    blocks = sum(bool(line) and not before for before, line in zip(["", *lines], lines, strict=False))
    of = blocks if 2 * blocks > count else sum(map(bool, lines))
    several = len({head["who"] for head in heads if head}) > 1
    return heads if several and _name_people(heads, max(_FEWEST, of / 2)) else []


def _name_people(heads: Heads, fewest: float) -> bool:
    """Tell whether there are enough heads, and most of the names in them occur again, as speakers do."""
    names = Counter(_speaker_name(head["who"]) for head in heads if head)
    return names.total() >= fewest and 2 * sum(n for n in names.values() if n > 1) > names.total()


def _under_heads(lines: Sequence[str], heads: Heads) -> list[Turn]:
    turns: list[Turn] = [("", [])]
    for line, head in zip(lines, heads, strict=True):
        if head:
            turns.append((head["who"], [line[head.end() :]]))
        elif not _EVENT.match(line) and not is_date(line.strip(" -\u2013\u2014*=")):
            turns[-1][1].append(line)
    return turns
