"""Find who speaks: in transcripts, minutes, chats, subtitles and threads every block gets its speaker.

A head names the speaker of the text after it: a label before a turn ("Anna: "), the name and time before a
message of a chat, or a line above a comment ("anna commented on 7 January"). A name, a time and the number of
a subtitle are not words of the text. If it is not clear who speaks, a block names nobody.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple

import regex

from summc.documents.paragraphs import indented_paragraphs, paragraphs
from summc.documents.raw import HEADING, ITEM, PARAGRAPH, QUOTATION, Block, Content
from summc.documents.wrapping import LIST_ITEM, is_closed, is_date
from summc.system.resources import english_stopwords, word_lists
from summc.text.dates import read_stated_date

#: Talk has at least this many heads, of at least this many people.
_FEWEST, _FEWEST_PEOPLE = 3, 2
#: At least one of this many lines of a chat is the head of a message.
_LONGEST_MESSAGE = 6
#: If at least this share of all paragraphs has a label, even "Manager: " names a speaker.
_NEARLY_ALL = 0.9
#: Labels in small letters name speakers only if at least one of so many paragraphs has one.
_OF_NICKNAMES = 4
#: Names in capitals that are at most this long are initials, which minutes have.
_LONGEST_INITIALS = 4
#: People who speak take turns of this many words or more on average; notes of what they said are shorter.
_VERBATIM = 25
#: The longest head above a message, in characters, and the longest name in it, in words.
_LONGEST_HEAD, _LONGEST_NAME = 100, 4

_MONTH = r"\p{L}{3,9}\.?"
_DAY = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\.?[\s-]{_MONTH}[\s-]\d{{2,4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}})"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,6})?(?:\s?[ap]\.?m\.?|\s?UTC|Z|[+-]\d{2}:?\d{2})?+"
_WHEN = rf"(?i:(?:(?:{_DAY}|{_MONTH}(?=\sat\s))(?:,|T|\sat)?\s*+)?{_TIME})"
_STAMP = rf"[\[(]?{_WHEN}[\])]?"
_NAME = r"[^:<>\[\]|\t]{1,40}?"
#: The head of a message: "[12:03] Anna: ", "12/03/2026, 19:41 - Maria: ", "12:03 <anna> ", "<anna> ".
_MESSAGE = regex.compile(
    rf"""(?x)\W{{0,3}} (?:{_STAMP}\s*(?:[-\u2013]\s+)?)? (?:\[[^\[\]]{{1,20}}\]\s*)?
      (?:<|&lt;)(?P<who>{_NAME})(?:>|&gt;)[*_]{{0,3}}(?:\s+|$)
    | \W{{0,2}}{_STAMP}\s+-(?P<who>[\p{{L}}_]\S{{0,40}})-\s+
    | \W{{0,2}}{_STAMP} (?: \s*(?:[-\u2013]\s+)?(?P<who>{_NAME}):(?:\s+|$)
                          | \s*\t(?P<who>{_NAME})\t | \s+(?P<who>[^\s|]{{1,40}})\s*\|\s )"""
)
#: In a message that a program passes on from another chat, the name of who wrote it: "<bridge> <anna> hi".
_BRIDGED = regex.compile(rf"(?:\[[^\[\]]{{1,20}}\]\s*)?<(?P<who>{_NAME})>\s+")
#: A head above a message: "Anna  10:32 AM", "Anna - Today at 10:32", "[10:32] Anna", "Anna (10:32):".
_ABOVE = regex.compile(
    rf"[*_]{{0,3}}(?:(?P<who>[@\p{{L}}]{_NAME})(?<![.!?])[*_]{{0,3}}[,\s]\s*+(?:[-\u2013\u2014|\u00b7]\s*+)?{_STAMP}"
    rf"|{_STAMP}\s++(?P<who>[@\p{{L}}]{_NAME})):?[*_]{{0,3}}\s*$"
)
#: A time alone on a line belongs to the name above it.
_TIME_BELOW = regex.compile(rf"(?m)(?<=\S)\n(?=[ \t]*{_STAMP}[ \t\r]*$)")
#: The label of a speaker: "Project Manager: ", "**DR. LOWE:** ", "- Anna (00:12): ", "dveditz: ", "Q. ".
_LABEL = regex.compile(
    rf"""(?x)(?:>>\s*+|(?:[-*+\u2022]|\d{{1,3}}[.)])\s++)? [*_]{{0,3}}
    (?: (?P<who>[\p{{Lu}}\p{{Lo}}@](?:[^:.!?<>*]|(?<=\b\p{{L}}{{1,3}})\.){{0,39}}? | \p{{Ll}}[\w-]{{1,20}})
        [*_]{{0,3}} (?:\s*+{_STAMP})? :[*_]{{0,3}}
      | (?P<who>[QA])\. | <(?P<who>\w[\w-]{{1,30}})>
      | (?P<who>(?:[\p{{Lu}}@][\w.'\u2019-]*+\s?){{1,3}}?)[*_]{{0,3}}\s[-\u2013\u2014]
    ) (?:\s+|$)"""
)
#: A scribe's mark for more words of the same speaker: "... and the rest", "...: and the rest".
_GOES_ON = regex.compile(r"(?:\.{3}|\u2026):?\s+")
_BARE_TAG = regex.compile(r"(?<!\\)<")
_STAMP_FIRST = regex.compile(rf"[\[(]{_WHEN}[\])]\s*")
#: Labels that name no speaker, in lower case: those of mails, minutes, lists and logs; and the tags of HTML.
_NOBODY, _TAGS = frozenset(word_lists()["no_speakers"]), frozenset(word_lists()["blocks"])
#: Words that say that a line is above a message ("comment", "wrote"), and others beside the name ("on").
_DAYS_AND_MONTHS = {name.lower()[:end] for name in word_lists()["calendar"] for end in (3, None)}
_SENT = frozenset(word_lists()["sent"])
_MESSAGE_WORDS = frozenset((*_SENT, *word_lists()["beside_names"], *_DAYS_AND_MONTHS))
_NUMBERS = regex.compile(rf"(?i)(?:{_DAY}(?:[\sT,]+{_TIME})?|{_WHEN}|#?\b\d+\b)(?:\s+\p{{L}}+\s+ago\b)?")
_WORD = regex.compile(r"@?[\p{L}\p{N}_](?:[\p{L}\p{N}_.'\u2019-]*[\p{L}\p{N}_])?")
#: Who wrote the first message of a thread.
_AUTHOR = regex.compile(
    r"(?i)(?:author|(?:posted|opened|created|reported|asked)\ by|reporter|autor|auteur)\s*:?\s+"
    r"(?P<who>@?\S+(?:\s\p{Lu}\S*(?<!:))*)"
)
_CUE = regex.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->")
_VOICE = regex.compile(r"<v(?:\.[^ <>]*+)?\s++([^<>]*+)>")
_TAG = regex.compile(r"</?[a-zA-Z\d][^<>]*>|\{\\[^{}]*\}")
#: Subtitles in which a sentence has more lines, on average, lack the ends of sentences.
_LONGEST_SENTENCE = 12
_CHANGE = regex.compile(r"(?:[-\u2013]|>>)\s*")
#: A line that a program wrote between the messages: "12/03/2026, 18:02 - Maria added you", "*** ben left".
_EVENT = regex.compile(rf"\W?(?:\[{_WHEN}\]|{_WHEN}\s*[-\u2013*])|\*{{3}}\s|-!-|<?-->\s")
#: A notice or a stage direction in place of a message. WhatsApp marks some notices with U+200E.
_NOTICE = regex.compile(
    r"""(?ix)\u200e.* | <[^<>]*> | \[[^\[\]]*\] | \([^()]{1,60}\)
    | (?:This|You\ deleted\ this)\ message(?:\ was\ deleted)?\.?
    | (?:image|video|audio|sticker|GIF|document|contact\ card)\ omitted | missed\ (?:voice|video)\ call.*
    | (?:\S+\s){0,3}(?:joined|left)\ (?:\#\S+|the\ (?:call|meeting|chat|channel|group|conversation))\.?"""
)
#: Zoom writes "From Anna to Everyone".
_ADDRESSED = regex.compile(r"(?i)^From\s+(\S.*?)\sto\s.*")
#: Names of people, or of roles: each word has a capital; or one word in small letters, as nicknames are.
_LIKE_A_NAME = regex.compile(
    r"(?:[@\p{Lu}\p{Lo}][\w.'\u2019-]*(?:\s\([^()]*\)|,?\s|$)){1,4}|@?\p{Ll}[\w.-]{1,20}"
)
_SMALL_WORD = regex.compile(r"(?<![\p{L}\p{N}'\u2019.@_-])\p{Ll}[\p{L}\p{M}]*")
_UNKNOWN = regex.compile(r"(?i)(?:unknown|unidentified|inaudible)(?:\s\p{L}+)?")


class Line(NamedTuple):
    """A line of plain text, or a block of another format. ``begins`` says whether a paragraph begins here."""

    text: str
    kind: str = PARAGRAPH
    begins: bool = True


class Head(NamedTuple):
    """A name at the start of a line, where the words of the speaker begin, and the day of the message."""

    who: str
    end: int
    day: str = ""


Heads = list[Head | None]


@dataclass(frozen=True, slots=True)
class Talk:
    """The head of each line, or None, and how far the words of a speaker go.

    In a chat they go on up to the next head. In a thread they do too, and each message is a document of its
    own. In a transcript they end with their paragraph unless it ``goes_on``.
    """

    heads: Heads
    kind: str
    goes_on: bool = True


CHAT, THREAD, TRANSCRIPT = "chat", "thread", "transcript"


def talk_in(text: str) -> Content | None:
    """Return the turns in a plain text, each with its speaker, or None if nobody talks in it."""
    rows = [row.strip() for row in _TIME_BELOW.sub(" ", text.removeprefix("\ufeff")).splitlines()]
    if any(row.startswith("WEBVTT") for row in rows[:1]) or any(map(_CUE.match, rows[:6])):
        blocks = [block for who, parts in _in_cues(rows) for block in _turn(who, "\n".join(parts))]
        return Content(blocks, knows_headings=True)  # subtitles have none
    lines = _lines(rows)
    if not (talk := find_talk(lines)):
        return None
    turns: list[tuple[int, Block]] = []
    for (turn, who), group in groupby(_spoken(lines, talk), key=itemgetter(0, 1)):
        said = "\n".join(f"\n{text}" if lines[i].begins else text for _, _, i, text in group)
        turns += [(turn, block) for block in _turn(who, said)]
    return _content(Content([]), turns, talk)


def with_speakers(content: Content) -> Content:
    """Return the content of a file with the speaker of each block if people talk in it."""
    if any(block.speaker for block in content.blocks):
        return content
    lines = [Line(block.text, block.kind) for block in content.blocks]
    if not (talk := find_talk(lines)):
        return content
    blocks: list[tuple[int, Block]] = []
    for turn, who, i, text in _spoken(lines, talk):
        blocks.append((turn, content.blocks[i].without_head(text, who)))
    return _content(content, blocks, talk)


def with_turns_apart(text: str) -> str:
    """Return Markdown with blank lines around each turn, because Markdown joins successive lines."""
    rows = text.splitlines()
    talk = find_talk(lines := _lines(list(map(str.strip, rows))))
    if not talk:
        return text
    heads, result = iter(zip(lines, talk.heads, strict=True)), list[str]()
    for row in rows:
        line, head = next(heads) if row.strip() else (None, None)
        if head and line:
            row = _BARE_TAG.sub(r"\\<", row) if "<" in line.text[: head.end] else row  # noqa: PLW2901
            result += [row, ""] if line.kind == ITEM else ["", row, *([""] * (head.end >= len(line.text)))]
        else:
            result += ["", row] if line and _GOES_ON.match(line.text) else [row]
    return "\n".join(result)


#: The first character of a row of plain text -> its kind.
_ROW_KINDS = {"#": HEADING, ">": QUOTATION}


def _lines(rows: Sequence[str]) -> list[Line]:
    kinds = (_ROW_KINDS.get(row[:1], ITEM if LIST_ITEM.match(row) else PARAGRAPH) for row in rows)
    entries = zip(["", *rows], rows, kinds, strict=False)
    return [Line(row, kind, not before or kind != PARAGRAPH) for before, row, kind in entries if row]


def _turn(who: str, text: str) -> Iterator[Block]:
    """Yield the paragraphs of a turn; in a part that nobody speaks, line ends may have a meaning."""
    for paragraph in (indented_paragraphs if who else paragraphs)(text):
        if not _NOTICE.fullmatch(paragraph):
            yield Block(paragraph, speaker=_speaker_name(who))


def _content(content: Content, blocks: Sequence[tuple[int, Block]], talk: Talk) -> Content:
    """Return the content with these blocks, each with the number of its turn; a thread is divided."""
    if talk.kind != THREAD:
        return replace(content, blocks=[block for _, block in blocks])
    days = ["", *(head.day for head in talk.heads if head)]
    headings = (block.text for turn, block in blocks if turn == 0 and block.kind == HEADING)
    title = content.title or next(headings, "")
    parts: list[Content] = []
    for turn, group in groupby(blocks, key=itemgetter(0)):
        texts = [block for _, block in group]
        if any(block.kind != HEADING for block in texts):
            parts.append(replace(content, blocks=texts, date=days[turn] or content.date, title=title))
    return Content([], parts=parts)


def _spoken(lines: Sequence[Line], talk: Talk) -> Iterator[tuple[int, str, int, str]]:
    """Yield the number of the turn, the speaker or "", the index of the line, and its text without head."""
    turn, who, kind = 0, _author(lines, talk), ""  # the kind of the line that began the turn
    names = {_speaker_name(head.who) for head in talk.heads if head}
    for i, (line, head) in enumerate(zip(lines, talk.heads, strict=True)):
        text = line.text
        if head:
            turn, who, kind = turn + 1, _speaker_name(head.who), line.kind
            stamp = _STAMP_FIRST.match(text, head.end)
            text = text[stamp.end() if stamp else head.end :]
        elif _is_event(text, names) if talk.kind == CHAT else turn == 0 and who and _AUTHOR.match(text):
            continue
        elif kind and (more := _GOES_ON.match(text)):
            text = text[more.end() :]
        elif kind and _ends(line, kind, talk, names):
            turn, who, kind = turn + 1, "", ""
        if text and not _NOTICE.fullmatch(text):
            speaker = "" if line.kind == QUOTATION else who
            yield turn, speaker, i, html.unescape(text) if talk.kind == CHAT else text


def _is_event(text: str, names: Collection[str]) -> bool:
    """Tell whether a program wrote a line of a chat: a date, who came and left, or "* anna nods"."""
    is_act = text.startswith("* ") and text[2:].partition(" ")[0] in names
    return is_act or _EVENT.match(text) is not None or is_date(text.strip(" -\u2013\u2014*="))


def _author(lines: Sequence[Line], talk: Talk) -> str:
    """Return who wrote the first message of a thread, if a line above the second message says so."""
    if talk.kind != THREAD:
        return ""
    first = next(i for i, head in enumerate(talk.heads) if head)
    return next((_speaker_name(m["who"]) for line in lines[:first] if (m := _AUTHOR.match(line.text))), "")


def _ends(line: Line, kind: str, talk: Talk, names: Collection[str]) -> bool:
    """Tell whether a line without a head ends the turn that a line of this kind began."""
    if talk.kind == THREAD:
        return False
    if talk.kind == CHAT or line.kind == HEADING or not line.begins:
        return line.kind == HEADING
    label = _LABEL.match(line.text)
    may_be_head = label is not None and _LIKE_A_NAME.fullmatch(label["who"]) is not None
    lacks_colon = line.text.partition(" ")[0] in names
    return kind == ITEM or line.kind != kind or not talk.goes_on or may_be_head or lacks_colon


def find_talk(lines: Sequence[Line]) -> Talk | None:
    """Return the heads in a text, or None if it is no talk."""
    for pattern in (_MESSAGE, _ABOVE):
        heads = [_timed(pattern.match(line.text), line.text) for line in lines]
        places = [i for i, head in enumerate(heads) if head]
        if _name_people(heads) and _LONGEST_MESSAGE * len(places) > places[-1] - places[0]:
            return Talk(heads, CHAT)
    if heads := _above_messages(lines):
        return Talk(heads, THREAD)
    return _labels(lines) or _names_alone(lines)


def _timed(match: regex.Match[str] | None, text: str) -> Head | None:
    who = match["who"].strip() if match else ""
    is_program = not who or who.startswith("***")  # "*** Quits: anna (leaving)"
    if not match or is_program or who.lower() in (_TAGS if match[0].lstrip().startswith("<") else _NOBODY):
        return None
    inner = _BRIDGED.match(text, match.end())
    return Head(inner["who"], inner.end()) if inner else Head(match["who"], match.end())


def _name_people(heads: Heads) -> bool:
    """Tell whether there are enough heads, and most of the names in them occur again, as speakers do."""
    names = Counter(_speaker_name(head.who) for head in heads if head)
    return names.total() >= _FEWEST and 2 * sum(n for n in names.values() if n > 1) >= names.total()


def _speaker_name(speaker: str) -> str:
    """Return the name that a label shows, or "" for a single letter, as in "Q: ", or for "Unknown"."""
    name = _ADDRESSED.sub(r"\1", speaker.strip(" \t~@+%&*_\u200e"))
    name += ")" if name.count("(") > name.count(")") else ""
    return name if name[1:] and not _UNKNOWN.fullmatch(name) else ""


def _above_messages(lines: Sequence[Line]) -> Heads:
    """Return the heads above the messages of a thread: "Comment 4 - anna", "**ben** (7 January 2030)"; or [].

    Without dates, numbers and words such as "comment", such a line has only a name. The name occurs again, or
    has an @, or the words say that it is a message.
    """
    heads, fails, signs = list[Head | None](), 0, 0
    for line, after in zip(lines, [*lines, Line("")][1:], strict=True):
        head = None
        may_be = line.begins and line.kind in (HEADING, PARAGRAPH) and len(line.text) <= _LONGEST_HEAD
        if may_be and not is_closed(line.text.rstrip(":*")):
            bare = _NUMBERS.sub(lambda match: " " * len(match[0]), line.text)
            words = list(_WORD.finditer(bare))
            names = [word for word in words if word[0].lower() not in _MESSAGE_WORDS]
            is_sent = any(word[0].lower() in _SENT for word in words) or line.text[:1] == "@"
            day = next(filter(None, map(read_stated_date, _NUMBERS.findall(line.text))), "")
            if (day or is_sent) and 0 < len(names) <= _LONGEST_NAME:
                # Above a quotation, the line names who is quoted, or who quotes: that is not clear.
                is_clear = after.kind != QUOTATION or not line.text.endswith(":")
                who = line.text[names[0].start() : names[-1].end()] if is_clear else ""
                head = Head(who, len(line.text), day)
                signs += is_sent
            fails += head is None and bool(day or is_sent)
        heads.append(head)
    people = [head.who for head in heads if head and head.who]
    if len(set(people)) < _FEWEST_PEOPLE or len(people) < fails:
        return []
    return heads if 2 * signs >= len(people) or _name_people(heads) else []


def _labels(lines: Sequence[Line]) -> Talk | None:
    """Return the talk of a transcript or of minutes, in which a turn begins with the name of its speaker.

    Unless nearly all paragraphs have a label, only those count that can hardly be anything else: names that
    occur again, of which some word is never written in small letters, and names in a row with these.
    """
    labels = [None if line.kind == HEADING else _LABEL.match(line.text) for line in lines]
    heads: Heads = [
        Head(label["who"], label.end()) if label and label["who"].lower() not in _NOBODY else None
        for label in labels
    ]
    begins = sum(line.begins and not _NOTICE.fullmatch(line.text) for line in lines)
    usual = [_bare(head.who) for head in heads if head and not head.who[0].islower()]
    seeds = Counter(usual) if len(usual) >= _NEARLY_ALL * begins else _recurring(usual, lines)
    seeds += _nicknames([head.who for head in heads if head and head.who[0].islower()], lines, begins)
    again = sum(n for n in seeds.values() if n > 1)
    if len(seeds) < _FEWEST_PEOPLE or seeds.total() < _FEWEST or 2 * again < seeds.total():
        return None
    kept: Heads = []
    for is_run, group in groupby(heads, key=lambda head: head is not None):
        run = list(group)
        has_seed = is_run and any(_bare(head.who) in seeds for head in run if head)
        kept += [head if head and has_seed and _may_name(head.who, seeds) else None for head in run]
    turns = [line.text.count(" ") for line, head in zip(lines, kept, strict=True) if head]
    has_names = not all(name.isupper() and len(name) <= _LONGEST_INITIALS for name in seeds)
    goes_on = fmean(turns) >= _VERBATIM or (2 * len(usual) >= begins and has_names)
    return Talk(kept, TRANSCRIPT, goes_on)


def _bare(who: str) -> str:
    """Return a name without what stands in parentheses after it, as in "Ann Lowe (Barnby)"."""
    return who.partition(" (")[0]


def _may_name(who: str, seeds: Counter[str]) -> bool:
    """Tell whether a label in a row with those of speakers names another speaker."""
    return _bare(who) in seeds or (_LIKE_A_NAME.fullmatch(who) is not None and who not in english_stopwords())


def _recurring(names: Sequence[str], lines: Sequence[Line]) -> Counter[str]:
    """Return the names that occur again, and of which some word is never written in small letters."""
    again = {who: n for who, n in Counter(names).items() if n > 1}
    small = {word for line in lines if again for word in _SMALL_WORD.findall(line.text)}
    is_name = {who: any(word[0].lower() not in small for word in _WORD.finditer(who)) for who in again}
    return Counter({who: n for who, n in again.items() if is_name[who]})


def _nicknames(names: Sequence[str], lines: Sequence[Line], begins: int) -> Counter[str]:
    """Return the labels in small letters of several people, if so many of ``begins`` paragraphs have one.

    Each occurs again, and hardly ever but as a label: "note: " and "see: " are words of the text.
    """
    again = {who: n for who, n in Counter(names).items() if n > 1}
    if len(again) <= _FEWEST_PEOPLE or _OF_NICKNAMES * sum(again.values()) < begins:
        return Counter()
    words = Counter(word[0] for line in lines for word in _WORD.finditer(line.text))
    return Counter({who: n for who, n in again.items() if words[who] < 2 * n})


def _names_alone(lines: Sequence[Line]) -> Talk | None:
    """Return the talk of a transcript in which the name of a speaker is a line of its own."""
    heads: Heads = []
    for line in lines:
        is_name = line.begins and line.kind == PARAGRAPH and _LIKE_A_NAME.fullmatch(line.text.rstrip(":"))
        heads.append(Head(line.text.rstrip(":"), len(line.text)) if is_name else None)
    names = [head.who for head in heads if head]
    has_text = sum(head is not None and after is None for head, after in pairwise(heads))
    is_talk = 2 * has_text > len(names) and len(_recurring(names, lines)) >= _FEWEST_PEOPLE
    return Talk(heads, CHAT) if is_talk else None


def _in_cues(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the speaker and the lines of each turn of subtitles; it goes on until the speaker changes."""
    cues = list(_cue_lines(lines))
    labels = [_LABEL.match(line) for _, line in cues]
    names = Counter(label["who"] for label in labels if label)
    is_labelled = 2 * names.total() > len(cues)
    is_prose = _LONGEST_SENTENCE * sum(is_closed(line) for _, line in cues) > len(cues)
    turns: list[tuple[str, list[str]]] = [("", [])]
    for (voice, line), match in zip(cues, labels, strict=True):
        label = match if match and (is_labelled or names[match["who"]] > 1) else None
        start = label or _CHANGE.match(line)
        speaker, parts = turns[-1]
        who = voice or (label["who"] if label else "")
        # Without names, a turn is a sentence, or one line if hardly any line ends a sentence.
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
