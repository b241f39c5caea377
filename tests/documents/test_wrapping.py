"""Wrapped lines are joined; headlines, dates, items, verse and addresses keep their lines."""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents.catalogue import count_sentences
from summc.documents.paragraphs import indented_paragraphs, paragraphs, read_body
from summc.documents.raw import RawCluster, RawDocument
from summc.documents.sentences import split_sentences
from summc.documents.sgml import read_sgml
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.depth import every_second, few_examples

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011" / "SourceTexts"
LANGUAGES = {"english": "en", "french": "fr", "czech": "cs", "arabic": "ar", "hebrew": "he"}

#: Changes of quotation marks that are made after a text is wrapped.
QUOTES: list[list[tuple[str, str]]] = [
    [],
    [("``", '"'), ("''", '"')],
    [('"', "''")],
    [("“", '"'), ("”", '"')],
    [("“", "``"), ("”", "''")],
    [("«", '"'), ("»", '"')],
]


def requoted(text: str, changes: Iterable[tuple[str, str]]) -> str:
    for old, new in changes:
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


def blank_lines_between(body: list[list[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in body)


def first_lines_indented(body: list[list[str]]) -> str:
    return "\n".join("\n".join([f"   {lines[0]}", *lines[1:]]) for lines in body)


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
        for found in (
            paragraphs(blank_lines_between(body)),
            paragraphs(first_lines_indented(body)),
            indented_paragraphs(first_lines_indented(body)),
            alone,
        ):
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
    tried, lost = broken(sample_prose() * 3, "en", seed=1)
    assert tried > 8000
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


@pytest.mark.parametrize("width", range(40, 101, 7))
@pytest.mark.parametrize(
    "above",
    [
        ["Dam breaks"],
        ["Dam breaks in the night"],
        ["Thousands flee as dam breaks", "Saturday, January 8, 2005"],
        ["DAM BREAKS, AND 12,000 FLEE"],
        ["Samedi 8 janvier 2005"],
    ],
    ids=lambda lines: lines[0],
)
def test_lines_above_the_text_stay_separate(above: list[str], width: int) -> None:
    assert paragraphs("\n".join([*above, *textwrap.wrap(DAM, width)])) == [*above, DAM]


@pytest.mark.parametrize("width", range(40, 101, 7))
@pytest.mark.parametrize("marks", ["---", "***", "\u2022\u2022\u2022", "123"])
def test_items_of_a_list_stay_separate(marks: str, width: int) -> None:
    texts = ["a rope that is long enough to hold both of you when Ossel Valley floods", "Boots", "Water"]
    items = [f"{mark}{'.' * mark.isdigit()} {text}" for mark, text in zip(marks, texts, strict=True)]
    lines = [line for item in items for line in textwrap.wrap(item, width, subsequent_indent="   ")]
    assert paragraphs("\n".join([*textwrap.wrap(DAM, width), *lines])) == [DAM, *items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river rose all night and\nthe town was cut off by morning.\nHelp came.", 1),
        ("Flood cuts off town\n\nThe river rose all night.", 2),
        ("Flood cuts off town\nSaturday, 8 January\nThe river rose all night and the town was cut off.", 3),
        ("Flood cuts off town\r\nThe river rose all night and the town was cut off by morning.", 2),
        ("   One paragraph that is long enough to wrap\nonto a second line.\n   Another one.", 2),
        ("He met with her,\nJohn said, and then the others came home to see it.", 1),
        ("\ufeffA.\u2028B is longer than that.", 2),
        ("Things to bring that are needed:\n- a rope that is long enough to hold\n- Boots\n- Water", 4),
        ("Things to bring on the trip\n- a rope\n- boots\n- water", 4),
        ("From: Ann\nTo: Bob, whose name is long\nSubject: Dam\nDate: Monday\nSize: 3", 5),
        ("Flood\nThe river rose all night and the\nTown Hall was closed.", 2),
        ("- Third item goes on\n  over two lines", 1),
        ("- Third item names the\n  Town Hall, which is closed.", 1),
        ("> It is far\n> too expensive", 1),
        ("Flood\n-----\nThe river rose.\n* * *\nThe town was cut off.", 3),
        ("The light was on, said Orla Finnick,\n71. She had seen it from her kitchen.", 1),
        ("Work was to begin on Aug.\n12. The harbor said it would wait.", 1),
        ("The dam, which is old\n- and which nobody had looked at -\nbroke in the night.", 1),
        ("What we need now:\n1. a rope,\n2. boots,\n3. water", 4),
        ("The mayor thanked the people of\nOssel Valley Power for their help.", 1),
        ("He told the Journal that\n“The dam will hold” and left for home.", 1),
        ("Le maire a dit hier aux gens de la ville\n: « Le barrage tient. »", 1),
        (
            "The river rose, the river fell,\nThe river took the miller's bell,\nAnd none could tell\nWho.",
            4,
        ),
        ("Ossel Valley Power\n12 Mill Lane\nPell Crossing\nWendmark", 4),
        ("Ossel Valley Power,\n12 Mill Lane,\nPell Crossing,\nWendmark.", 4),
        ("apples\npears\nplums", 3),
        ("Dear Ann,\nThe dam broke early on Tuesday, and the road\nis closed.", 2),
        ("Dam cracks after 23 days of rain\nPELL CROSSING (EQW) _ A crack opened in\nthe spillway.", 2),
        ("MEDRIN, May 15: The dam broke early on\nTuesday, and nobody was hurt.", 1),
        ("He fled. He came back.\nShe stayed there all night.\nThey never met again.", 3),
    ],
)
def test_plain_text_is_divided_into_paragraphs(text: str, expected: int) -> None:
    assert len(paragraphs(text)) == expected


def test_a_headline_is_recognised_by_words_repeated_below_it() -> None:
    text = "Survivors of the London bombing launch campaign\nSurvivors who saw the bombing in London have\nurged a campaign.\n\nMore follows."  # noqa: E501
    assert paragraphs(text)[0] == "Survivors of the London bombing launch campaign"


@pytest.mark.parametrize("width", range(40, 101, 7))
@pytest.mark.parametrize("wider", range(1, 40, 3))
def test_a_wide_headline_does_not_break_the_sentences_below_it(width: int, wider: int) -> None:
    headline = textwrap.wrap("Thousands flee Marrowby " * 7, width + wider)[0]
    prose = [" ".join([DAM] * 3), " ".join([DAM] * 2)]
    text = f"{headline}\n" + "\n\n".join(textwrap.fill(paragraph, width) for paragraph in prose)
    assert paragraphs(text) == [headline, *prose]


def test_a_paragraph_may_open_with_a_closing_quotation_mark() -> None:
    text = "   Dammen brast tidigt på\nmorgonen.\n   ”Vattnet kom”, sade Ann.\n   ”[Alla] flydde”, sade Bo."
    assert len(paragraphs(text)) == 3


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (
            "A long line that ends in state-\nowned and\tgoes  on",
            "A long line that ends in state-owned and goes on",
        ),
        (
            "It was in the years of 1998-\n99 that it rained.",
            "It was in the years of 1998-99 that it rained.",
        ),
        ("The time of pre-\nand post-war rule", "The time of pre- and post-war rule"),
        ("It was an up-\nto-date state-\nof-the-art dam", "It was an up-to-date state-of-the-art dam"),
        (
            "河水在夜里上涨，城里的人都离开了家，\n没有人受伤。",
            "河水在夜里上涨，城里的人都离开了家，没有人受伤。",
        ),
    ],
)
def test_lines_are_joined_with_a_space_only_if_needed(lines: str, joined: str) -> None:
    assert paragraphs(lines) == [joined]


def test_a_line_end_in_sgml_is_white_space() -> None:
    text = "<DOC><TEXT>\n   Pell\nCrossing\nOssel\n   Lower Ansby\n\nMarrowby\n<P>\nDam\n</P></TEXT></DOC>"
    (document,) = read_sgml(text)
    assert document.paragraphs == ["Pell Crossing Ossel", "Lower Ansby", "Marrowby", "Dam"]


def test_uniform_indentation_of_sgml_does_not_count() -> None:
    assert indented_paragraphs("\tPell\n\tCrossing\n\n\tOssel\n\t  Ansby\n") == [
        "Pell Crossing",
        "Ossel",
        "Ansby",
    ]


def test_reading_takes_linear_time() -> None:
    # Anything quadratic would take minutes.
    for line in ("Aa\n", "- a\n", "January 8, 2005\n", "Ab cd.\n   Ef\n", "AAA -- \n"):
        assert paragraphs(line * 4_000)
    assert paragraphs(f"{'x' * 40_000}\n{'Ab cd ef' * 40_000}")


def raw(text: str) -> RawCluster:
    body = read_body(text)
    return RawCluster("c", [RawDocument("d", body.paragraphs, "d.txt", parted=body.parted)], "c")


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("The dam broke. Nobody was hurt.\n\nHelp came.", []),
        ("Flood cuts off the town of Ansby\nThe river rose all night and the town was cut off.", []),
        ("It rained.\n\nand the river rose.", ["and the river rose."]),
        ("It rained.\n\n, they said.", [", they said."]),
        (
            "It rained in the valley, and the lake rose all night.\nThe mayor thanked them\nOssel Valley Power owns the dam, the lake and the mill.",  # noqa: E501
            ["The mayor thanked them"],
        ),
        ("Bring with you:\n- a rope that is long\n- boots that are dry\n- water", []),
        ("Flood\nSaturday, January 8, 2005\nThe river rose.", []),
    ],
)
def test_sentences_that_look_broken_are_found(text: str, broken: list[str]) -> None:
    _, found = count_sentences([raw(text)], "en")
    assert [sentence for _, sentence in found] == broken


def test_check_counts_sentences_and_shows_some_that_look_broken(summc: Cli, tmp_path: Path) -> None:
    assert "\n695 sentences, of which 0 look broken\n" in summc("datasets", "check", "sample").out
    for i in range(7):
        (tmp_path / f"{i}.txt").write_text(f"It rained {i}.\n\nand the river rose.\n")
    lines = summc("datasets", "check", tmp_path).out.splitlines()
    assert lines[2] == "14 sentences, of which 7 look broken"
    assert lines[3] == f'note: {tmp_path / "0.txt"}: looks broken: "and the river rose."'
    assert sum("looks broken" in line for line in lines) == 5
