"""Wrapped lines are joined; headlines, dates, items, verse and addresses keep their lines."""

from __future__ import annotations

import itertools
import random
import re
import textwrap
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.datasets import count_sentences
from summc.documents.formats.sgml import read_sgml
from summc.documents.paragraphs import indented_paragraphs, paragraphs
from summc.documents.raw import RawCluster, RawDocument, paragraph_blocks
from summc.documents.sentences import split_sentences
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.cases import read_cases
from tests.support.depth import every_second, few_examples

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011" / "SourceTexts"
CASES = read_cases("documents/cases/wrapping.toml")
LANGUAGES = {"english": "en", "french": "fr", "czech": "cs", "arabic": "ar", "hebrew": "he"}

#: Changes of quotation marks that are made after a text is wrapped: each first mark becomes the second.
QUOTES = ["", "`` \" '' \"", "\" ''", '“ " ” "', "“ `` ” ''", '« " » "']


def requoted(text: str, changes: str) -> str:
    marks = changes.split()
    for old, new in zip(marks[::2], marks[1::2], strict=True):
        text = text.replace(old, new)
    return text


def wrapped(text: str, width: int, rng: random.Random) -> list[str]:
    """Wrap a text into lines, some up to 15 characters short, some with trailing spaces."""
    words, lines, i = text.split(" "), [], 0
    while i < len(words):
        lengths = [len(words[i])]
        while i + len(lengths) < len(words) and lengths[-1] + 1 + len(words[i + len(lengths)]) <= width:
            lengths.append(lengths[-1] + 1 + len(words[i + len(lengths)]))
        taken = len(lengths)
        if i + taken < len(words) and rng.random() < 0.5:
            taken = rng.choice([n for n, length in enumerate(lengths, 1) if lengths[-1] - length <= 15])
        lines.append(" ".join(words[i : i + taken]) + " " * rng.choice((0, 0, 1, 3)))
        i += taken
    return lines


def broken(prose: list[list[str]], language: str, seed: int) -> tuple[int, list[str]]:
    """Return how many sentences were wrapped and read, and those that did not come back.

    Every text is tried as plain text in both layouts, as SGML, and paragraph by paragraph.
    """
    rng = random.Random(seed)
    tried, lost = 0, []
    sentences_of = cache(partial(split_sentences, language=language))  # most texts come back as they were
    for original in prose:
        width, changes = rng.randint(40, 100), rng.choice(QUOTES)
        body = [[requoted(line, changes) for line in wrapped(text, width, rng)] for text in original]
        wanted = [sentence for text in original for sentence in sentences_of(requoted(text, changes))]
        alone = [text for lines in body for text in paragraphs("\n".join(lines))]
        divided = "\n\n".join("\n".join(lines) for lines in body)
        indented = "\n".join("   " + "\n".join(lines) for lines in body)
        for found in (paragraphs(divided), paragraphs(indented), indented_paragraphs(indented), alone):
            got = {sentence for text in found for sentence in sentences_of(text)}
            tried += len(wanted)
            lost += [sentence for sentence in wanted if sentence not in got]
    return tried, lost


def sample_prose() -> list[list[str]]:
    files = sorted((SAMPLE / "docs").glob("*/*"))
    return [document.paragraphs for path in files for document in read_sgml(path.read_text())]


def multiling_prose(language: str) -> Iterator[list[str]]:
    """Yield the prose paragraphs of each text: long ones that end with a final mark."""
    for path in every_second(sorted(MULTILING.glob(f"*.?{language[1:]}"))):
        lines = path.read_text(encoding="utf-8-sig", errors="replace").replace("\u200b", " ").splitlines()
        folded = [" ".join(line.split()) for line in lines]
        # Drop texts that begin with a comma. Join "pre- ", which would be ambiguous at the end of a line.
        prose = [t for t in folded if len(t) >= 80 and re.search(r"[.!?؟][\"'”»’)]*$", t) and t[0] != "،"]
        yield [re.sub(r"(?<=\w)- ", "-", text) for text in prose]


def test_wrapped_sentences_of_the_sample_are_joined_again() -> None:
    tried, lost = broken(sample_prose() * 2, "en", seed=1)
    assert tried > 5500
    assert lost == []


@pytest.mark.skipif(not MULTILING.is_dir(), reason="MultiLing 2011 is not here")
@pytest.mark.parametrize("language", LANGUAGES)
def test_wrapped_sentences_of_multiling_are_joined_again(language: str) -> None:
    tried, lost = broken(list(multiling_prose(language)), LANGUAGES[language], seed=1)
    assert tried > 2000
    assert len(lost) <= tried / 2000, lost  # "Alain" above "Le Roy" looks like a headline above its text


@few_examples()
@given(
    words=st.lists(st.text("abcdefghijklm", min_size=1, max_size=12), min_size=1, max_size=60),
    width=st.integers(20, 80),
)
def test_evenly_wrapped_small_words_are_joined_again(words: list[str], width: int) -> None:
    text = " ".join(words).capitalize() + "."
    assert paragraphs(textwrap.fill(text, width)) == [text]


DAM = "The dam broke early on Tuesday after 23 days of rain, and the Ossel Valley Power company said that Pell Crossing and Lower Ansby were cut off. No one was hurt."  # noqa: E501


WIDTHS = range(40, 101, 7)


@pytest.mark.parametrize("above", CASES["above"], ids=lambda lines: lines[0])
def test_lines_above_the_text_stay_separate(above: list[str]) -> None:
    for width in WIDTHS:
        assert paragraphs("\n".join([*above, *textwrap.wrap(DAM, width)])) == [*above, DAM], width


@pytest.mark.parametrize("marks", ["---", "***", "\u2022\u2022\u2022", "123"])
def test_items_of_a_list_stay_separate(marks: str) -> None:
    texts = ["a rope that is long enough to hold both of you when Ossel Valley floods", "Boots", "Water"]
    items = [f"{mark}{'.' * mark.isdigit()} {text}" for mark, text in zip(marks, texts, strict=True)]
    for width in WIDTHS:
        lines = [line for item in items for line in textwrap.wrap(item, width, subsequent_indent="   ")]
        assert paragraphs("\n".join([*textwrap.wrap(DAM, width), *lines])) == [DAM, *items], width


@pytest.mark.parametrize(("text", "expected"), CASES["counts"])
def test_plain_text_is_divided_into_paragraphs(text: str, expected: int) -> None:
    assert len(paragraphs(text)) == expected


def test_a_wide_headline_does_not_break_the_sentences_below_it() -> None:
    prose = [" ".join([DAM] * 3), " ".join([DAM] * 2)]
    for width, wider in itertools.product(WIDTHS, range(1, 40, 3)):
        headline = textwrap.wrap("Thousands flee Marrowby " * 7, width + wider)[0]
        text = f"{headline}\n" + "\n\n".join(textwrap.fill(paragraph, width) for paragraph in prose)
        assert paragraphs(text) == [headline, *prose], (width, wider)


@pytest.mark.parametrize(("lines", "joined"), CASES["joined"])
def test_lines_are_joined_with_a_space_only_if_needed(lines: str, joined: str) -> None:
    assert paragraphs(lines) == [joined]


def test_a_line_end_in_sgml_is_white_space() -> None:
    text = "<DOC><TEXT>\n   Pell\nCrossing\nOssel\n   Lower Ansby\n\nMarrowby\n<P>\nDam\n</P></TEXT></DOC>"
    (document,) = read_sgml(text)
    assert document.paragraphs == ["Pell Crossing Ossel", "Lower Ansby", "Marrowby", "Dam"]
    indented = indented_paragraphs("\tPell\n\tCrossing\n\n\tOssel\n\t  Ansby\n")
    assert indented == ["Pell Crossing", "Ossel", "Ansby"]  # the indentation of all lines does not count


@pytest.mark.parametrize(("text", "broken"), CASES["broken"])
def test_sentences_that_look_broken_are_found(text: str, broken: list[str]) -> None:
    document = RawDocument("d", paragraph_blocks(paragraphs(text)), "d.txt")
    _, found = count_sentences([RawCluster("c", [document], "c")], "en")
    assert [sentence for _, sentence in found] == broken


def test_check_counts_sentences_and_shows_some_that_look_broken(summc: Cli, tmp_path: Path) -> None:
    for i in range(7):
        (tmp_path / f"{i}.txt").write_text(f"It rained {i}.\n\nand the river rose.\n")
    lines = summc("datasets", "check", tmp_path).out.splitlines()
    assert lines[2] == "14 sentences, of which 7 look broken"
    assert lines[3] == f'note: {tmp_path / "0.txt"}: looks broken: "and the river rose."'
    assert sum("looks broken" in line for line in lines) == 5
