"""Tell line ends that a program made when it wrapped a text from line ends that the writer meant.

A program breaks a line where the next word does not fit. So if much more would have fitted on a line, the
writer meant the line end: after a headline, a date, a list item or an address. If the width of the lines does
not decide, their words do. Prose has full stops, and lines that begin with a small letter. Verse and lists
begin every line with a capital.

Three terms are used below. A block is the lines between two blank lines. A stretch is a part of a block: it
begins at a line that must begin a paragraph. A stretch consists of one or more paragraphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import regex

from summc.documents.headings import known_kind
from summc.system.resources import english_stopwords

#: Characters that, at the start of a line, are bullets and nothing else, the last two as Word writes them.
BULLETS = r"\u2022\u2023\u2043\u2219\u25a0-\u25ff\u2713\u2714\u2794\u27a2\u27a4\u30fb\uff65\uf0a7\uf0b7"
#: The beginning of a list item.
LIST_ITEM = regex.compile(
    rf"\s*(?:(?P<mark>[-*+\u00b7\u2013\u2014]|(?P<bullet>[{BULLETS}]))|(?P<number>\d{{1,3}})[.)])\s"
)

#: A character of a script without spaces between words, such as Chinese; it is twice as wide as a letter.
WITHOUT_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uffef]")

#: A line counts as wrapped even if this many more characters of the next line would have fitted on it.
_SLACK = 15
#: Fewer lines than this do not show the width of a text, because the last line of a paragraph may be short.
_FEW = 3
#: Lines that are all shorter than this many characters are usually not prose (see ``_is_prose``).
_NARROW = 25
#: In any language, a repeated word of up to this many letters counts as a function word such as "the".
_SHORT = 3

#: A longer line, in characters, is not a known heading such as "8. Conclusions and Future Work".
_LONGEST_HEADING = 50

#: English stop words that may have a capital inside a sentence: names, and forms of "I". At the start of a
#: line they do not show that a sentence begins.
_OFTEN_CAPITAL = {"don", "ma", "will", "i", "i'd", "i'll", "i'm", "i've"}

#: Hyphens that divide a word at a line end and are not part of it, unlike the one on a keyboard.
SOFT_HYPHEN, HYPHEN = "\N{SOFT HYPHEN}", "\N{HYPHEN}"
_GOES_ON = (*",;-_(\N{EN DASH}\N{EM DASH}\N{ARABIC COMMA}\N{ARABIC SEMICOLON}", SOFT_HYPHEN, HYPHEN)
_SHORT_SMALL_END = regex.compile(r"(?:^|\s)\p{Ll}{1,3}$")  # "of", "in the"
# Marks at the start of a line that belong to the line before it. Some languages open a quotation with a mark
# that closes it in others, so such a mark counts only if no word follows it directly.
_CLINGS = regex.compile(r"\s*(?:[,;:!?.)\]%\u060c\u061b]|\u201d(?![\p{L}\p{N}\p{Ps}])|[_\u00bb]\s)")
_WORD = regex.compile(r"[\p{L}\p{N}]")
_FIRST_WORD = regex.compile(r"[^\p{L}\p{N}(\[]*([\p{L}\p{M}][\p{L}\p{M}\p{N}'\u2019-]*)")
_SMALL_WORD = regex.compile(r"(?<![\p{L}\p{N}'\u2019-])\p{Ll}[\p{L}\p{M}]*(?![\p{L}\p{M}'\u2019.-])")
# A name: a word with a capital inside a sentence, that is, after a small letter, perhaps with a comma.
_NAME = regex.compile(r"(?<=\p{Ll},? )\p{Lu}[\p{L}\p{M}]*(?![\p{L}\p{M}'\u2019.-])")
_NOT_CAPITAL = regex.compile(r"[\p{Ll}\p{Lo}]")
_QUOTE = regex.compile(r"``|''|[\"\u00ab\u00bb\u201c-\u201f]")

_FINAL = r"[.!?\u2026\u061f\u06d4\u0964\u3002\uff01\uff1f](?:\s?\u00bb|[\"'\u2019\u201d)\]])*"
# A line does not end with the initial of a name: "Michael E." goes on with "Moody".
_CLOSED = regex.compile(rf"(?<!\p{{Lu}}\p{{Ll}}{{1,20}} \p{{Lu}})(?:{_FINAL}|:)$")
_HAS_SENTENCE_END = regex.compile(rf"[\p{{L}}\p{{M}}\p{{N}}]\W{{0,8}}{_FINAL}(?:\s|$)")

_ABBREVIATED = regex.compile(r"(?:^|\s)\p{L}{1,3}\.$")  # "Mr.", "Gov."

#: A day and a year with up to three words beside them: "Le mardi 8 janvier 2005", "8 de enero de 2005".
_DATE = regex.compile(
    r"(?:[\p{L}\p{M}]+[.,\u060c]?\s+){0,2}(?:\p{Lo}-\s?)?\d{1,2}(?:\.|er|st|nd|rd|th)?[.,\u060c]?\s+"
    r"(?:[\p{L}\p{M}]+[.,\u060c]?\s+){0,3}(?:19|20)\d\d"
)
#: The place and the agency above a news text: "PELL CROSSING, Wendmark (EQW) _".
_DATELINE = regex.compile(r"\p{Lu}{3}[\p{Lu}.' -]*+(?:,[^(:]{2,40})?(?:[(_\u2014]|(?<= -)-)")


def unwrap(blocks: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield, for each block of a text, its paragraphs, each as a sequence of lines.

    A block is the lines between two blank lines, without white space at the ends of the lines.
    """
    stretches = [_stretches(block) for block in blocks]
    text = _Text([stretch for block in stretches for stretch in block])
    for block in stretches:
        yield [paragraph for stretch in block for paragraph in _paragraphs(stretch, text)]


def goes_on(line: str, following: str) -> bool:
    """Tell whether ``following`` clearly continues the sentence of ``line``, the line before it.

    It does if it begins with a small letter, or if ``line`` ends with a comma or the like.
    """
    return _continues(following) or line.endswith(_GOES_ON)


def is_closed(line: str) -> bool:
    """Tell whether a line ends with a full stop or another mark that ends a sentence, or with a colon."""
    return _CLOSED.search(line) is not None


def is_date(line: str) -> bool:
    """Tell whether a line is a date with its year, such as "January 8, 2005", and nothing else."""
    return line[-4:].isdigit() and _DATE.fullmatch(line.strip()) is not None


# First, divide blocks into stretches. A new stretch begins at a line that must begin a paragraph, whatever
# the width of the text: an indented line, a list item, or a date or known heading on its own line.


def _stretches(lines: Sequence[str]) -> list[list[str]]:
    if len(lines) == 1:
        return [list(lines)]
    depths = [_depth(line) for line in lines]
    shallowest = min(depths)
    begins = _items(lines) | _lone(lines)
    stretches = [[lines[0]]]
    for i in range(1, len(lines)):
        indented = depths[i] > shallowest and (depths[i] > depths[i - 1] or is_closed(lines[i - 1]))
        if i in begins or (indented and not _continues(lines[i]) and not _hangs(lines[i], stretches[-1][0])):
            stretches.append([lines[i]])
        else:
            stretches[-1].append(lines[i])
    return stretches


def _depth(line: str) -> int:
    """Return by how many columns a line is indented."""
    if not line[:1].isspace():
        return 0
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def _hangs(line: str, first: str) -> bool:
    """Tell whether a line belongs to the list item that the line ``first``, above it, begins."""
    return LIST_ITEM.match(first) is not None and _depth(line) > _depth(first)


def _items(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines that begin a list item."""
    matches = [None if line[:1].isalpha() else LIST_ITEM.match(line) for line in lines]
    labels = [match and (match["mark"] or int(match["number"])) for match in matches]
    items, all_labels = set[int](), frozenset(labels)
    item_labels: set[str | int] = set()
    for i, (label, match) in enumerate(zip(labels, matches, strict=True)):
        if label is None:
            continue
        before = lines[i - 1] if i else ":"
        last, following = (label - 1, label + 1) if isinstance(label, int) else (label, label)
        follows = last in item_labels or before.endswith(":")
        beside = last in labels[max(i - 1, 0) : i] or following in labels[i + 1 : i + 2]
        ended = is_closed(before) if isinstance(label, str) else not all_labels.isdisjoint((last, following))
        if follows or beside or ended or (match and match["bullet"]):
            item_labels.add(label)
            items.add(i)
    return items


def _lone(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines that begin a paragraph because of a date or a known heading."""
    indices: set[int] = set()
    for i, line in enumerate(lines):
        # Check the length first: it is quick, and most lines are too long.
        if len(line) <= _LONGEST_HEADING and not line.endswith((".", *_GOES_ON)):
            above = i > 0 and lines[i - 1].endswith(_GOES_ON)
            below = i + 1 < len(lines) and _continues(lines[i + 1])
            if not (above or below) and (is_date(line) or known_kind(line)):
                indices |= {i, i + 1}
    return indices


# Then, decide which line ends inside each stretch the writer meant, by widths and words.


@dataclass(frozen=True)
class _Text:
    """All stretches of a text. The long ones show its width and its words, which short ones do not show."""

    stretches: Sequence[Sequence[str]]

    @cached_property
    def width(self) -> int:
        """The width, in characters, that the prose of the text was wrapped at, or 0 if it is unknown."""
        widths = (_width(lines) for lines in self.stretches if len(lines) >= _FEW and _runs_on(lines))
        return max(widths, default=0)

    @cached_property
    def _function_words(self) -> frozenset[str]:
        joined = "\n".join(line for lines in self.stretches for line in lines)
        times = Counter(_SMALL_WORD.findall(joined))
        repeated = {word for word, n in times.items() if len(word) <= _SHORT and n > 1}
        names = {word.lower() for word in _NAME.findall(joined)}
        return (english_stopwords() | repeated) - names - _OFTEN_CAPITAL

    def width_of(self, lines: Sequence[str]) -> int:
        """Return the width, in characters, that lines were wrapped at.

        If the lines do not look like prose, the width of the whole text is used if it is larger.
        """
        return _width(lines) if _runs_on(lines) else max(_width(lines), self.width)

    def begins_sentence(self, line: str) -> bool:
        """Tell whether a line begins a sentence: with a word such as "The", which is not a name."""
        word = line.split(maxsplit=1)[0]
        likely = word.istitle() and (len(word) <= _SHORT or word.lower() in english_stopwords())
        return likely and word.lower() in self._function_words


def _paragraphs(lines: Sequence[str], text: _Text) -> Iterator[Sequence[str]]:
    if all(_hangs(line, lines[0]) for line in lines[1:]):
        yield lines
        return
    if not _is_prose(lines, text):
        yield from ([line] for line in lines)
        return
    start, width = 0, text.width_of(lines)
    if _has_headline(lines, width, text):
        yield lines[:1]
        start, width = 1, text.width_of(lines[1:])  # a headline may be wider than the text below it
    for i in range(start + 1, len(lines)):
        if not _was_wrapped(lines[i - 1], lines[i], width):
            yield lines[start:i]
            start = i
    yield lines[start:]


def _is_prose(lines: Sequence[str], text: _Text) -> bool:
    """Tell whether lines are wrapped prose."""
    ends = any(_HAS_SENTENCE_END.search(line) for line in lines)
    wide = any(len(line) >= _NARROW or len(WITHOUT_SPACES.findall(line)) * 2 >= _NARROW for line in lines)
    if _runs_on(lines):
        return ends or wide or not _continues(lines[0])
    if len(lines) >= _FEW and all(is_closed(line) and not _ABBREVIATED.search(line) for line in lines):
        return False
    return ends and wide and not _is_verse(lines, text)


def _is_verse(lines: Sequence[str], text: _Text) -> bool:
    """Tell whether lines look like verse: most begin like a sentence although the line above ends none."""
    within = [following for line, following in pairwise(lines) if not is_closed(line)]
    return len(lines) >= _FEW and 2 * sum(map(text.begins_sentence, within)) > len(within)


def _runs_on(lines: Sequence[str]) -> bool:
    return any(map(_continues, lines[1:]))


def _width(lines: Sequence[str]) -> int:
    """Return the length of the longest line."""
    return max(map(_length, lines[1:] if len(lines) > _FEW else lines))


def _length(line: str) -> int:
    """Return the length of a line without its indent; the quotes `` and '' count as one character each."""
    return len(line.lstrip()) - line.count("``") - line.count("''")


def _was_wrapped(line: str, following: str, width: int) -> bool:
    if _continues(following):
        return True
    if line.endswith(_GOES_ON):
        return 2 * len(line) > width or len(line.split()) > _FEW  # a short line is a greeting: "Dear Ann,"
    # Quotation marks may have been replaced after wrapping, one character by two or two by one. So each mark
    # allows a line to be one character shorter.
    slack = _SLACK + len(_QUOTE.findall(f"{line} {following}"))
    room = 0  # how many characters of the following line would have fitted, in whole words
    for word in following.split():
        if len(line) + room + 1 + len(word) > width:
            break
        room += 1 + len(word)
    return room <= slack


def _has_headline(lines: Sequence[str], width: int, text: _Text) -> bool:
    """Tell whether the first line is a headline, and the lines below it are the text."""
    line, following = lines[:2]
    if goes_on(line, following) or is_closed(line):
        return False
    if _DATELINE.match(following) and not _is_shouted(following):
        return True
    if _SHORT_SMALL_END.search(line):
        return False
    shouted = _is_shouted(line) and not _is_shouted(following)
    return _length(line) > width + 2 * _SLACK or shouted or text.begins_sentence(following)


def _is_shouted(line: str) -> bool:
    return line.isupper() and _NOT_CAPITAL.search(line) is None


def _continues(line: str) -> bool:
    """Tell whether a line continues the sentence of the line before: it begins with a small letter or comma.

    So does a line without letters and digits.
    """
    if line[:1].isalpha():  # true for most lines, and quicker than the patterns below
        return line[0].islower()
    if _CLINGS.match(line) or not _WORD.search(line):
        return True
    match = _FIRST_WORD.match(line)
    return match is not None and match[1][0].islower()
