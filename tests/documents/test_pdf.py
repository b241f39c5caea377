"""PDF: lines, paragraphs, columns and pages, and the text that is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase.pdfmetrics import stringWidth

from summc.documents import load
from summc.documents.formats.layout import Line, page_paragraphs
from tests.support.readers import problem, read_one
from tests.support.writers import PROSE, Put, column, head_and_foot, pdf


def test_a_pdf_joins_lines_and_hyphenated_words() -> None:
    document = read_one(pdf(column(PROSE)), "x.pdf")
    assert " ".join(document.paragraphs) == (
        "The river rose all through the night and by the morning it had cut off the town from the north. "
        "The state-owned power station was closed for a week. "
        "It is a state-owned one, built in 1950 at the river."
    )
    assert document.pages == [((0, 1),)]


def test_headings_of_a_pdf_are_separate_paragraphs() -> None:
    bold = [Put(60, 760, "A bold heading of the size of the text", font="Times-Bold"), *column(PROSE, y=748)]
    large = [Put(60, 640, "A Large Heading", size=16), *column(["Short text under it that goes on"], y=626)]
    found = read_one(pdf(bold + large), "x.pdf").paragraphs
    assert [text[:30] for text in found] == [
        "A bold heading of the size of ",
        "The river rose all through the",
        "A Large Heading",
        "Short text under it that goes ",
    ]


def test_paragraphs_of_a_pdf_are_found_by_indents_spaces_and_short_lines() -> None:
    indented = [
        *column(PROSE[:3]),
        Put(75, 664, "A new paragraph is indented here, and it"),
        *column(["runs on."], y=652),
    ]
    spaced = column(["After a space there is another one, which"], y=630) + column(["ends here."], y=618)
    short = column(["Then comes one that is not set apart at all, but"], y=606)
    assert [text[:20] for text in read_one(pdf(indented + spaced + short), "x.pdf").paragraphs] == [
        "The river rose all t",
        "A new paragraph is i",
        "After a space there ",
        "Then comes one that ",
    ]


def test_headers_footers_and_page_numbers_of_a_pdf_are_dropped() -> None:
    bodies = [
        column([f"{word} stands on a page of its own, all by itself here."]) for word in ("One", "Two", "Six")
    ]
    document = read_one(pdf(*(head_and_foot(i + 9) + body for i, body in enumerate(bodies))), "x.pdf")
    assert [text[:3] for text in document.paragraphs] == ["One", "Two", "Six"]
    assert document.pages == [((0, 1),), ((0, 2),), ((0, 3),)]


def test_different_headers_on_left_and_right_pages_are_dropped() -> None:
    heads = ["On Rivers", "A. Author", "On Rivers", "A. Author"]
    pages = [
        [Put(60, 770, head), *column([f"Text {'abcd'[i]} stands here."])] for i, head in enumerate(heads)
    ]
    assert read_one(pdf(*pages), "x.pdf").paragraphs == [f"Text {c} stands here." for c in "abcd"]


def test_a_number_that_is_not_a_page_number_stays() -> None:
    page = column(["In all there were found", "42", "of them, which is a lot."])
    assert "42" in " ".join(read_one(pdf(page), "x.pdf").paragraphs)


def test_a_paragraph_continues_across_pages_and_keeps_page_numbers(tmp_path: Path) -> None:
    first = [*head_and_foot(1), *column(PROSE[:3]), Put(60, 60, "1 A note at the foot of the page.", size=7)]
    second = [*head_and_foot(2), *column(["state-owned one. The second page has this sentence."])]
    (tmp_path / "x.pdf").write_bytes(pdf(first, second))
    (cluster,) = load([tmp_path / "x.pdf"])
    assert [(s.text[:9], s.paragraph, s.page) for s in cluster.sentences] == [
        ("The river", 0, 1),
        ("The state", 0, 1),
        ("It is a s", 0, 1),
        ("The secon", 0, 2),
        ("1 A note ", 1, 1),
    ]
    assert cluster.sentences[2].text == "It is a state-owned one."


def test_a_pdf_of_a_thousand_pages_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The time after which a reader is taken to hang grows with the file, so that no length comes near it.
    monkeypatch.setattr("summc.documents.formats.HANGS", 0)
    names = ["".join("ABCDEFGHIJ"[int(digit)] for digit in str(number)) for number in range(1000)]
    pages = [
        [
            *head_and_foot(number),
            Put(60, 740, f"The Town of {name}", font="Times-Bold"),
            *column([f"{name} has a river that rose through", f"the night. {name} has no bridge."]),
        ]
        for number, name in enumerate(names, start=1)
    ]
    (tmp_path / "x.pdf").write_bytes(pdf(*pages))
    (cluster,) = load([tmp_path / "x.pdf"])
    assert [(s.text, s.page) for s in cluster.sentences] == [
        (text, number)
        for number, name in enumerate(names, start=1)
        for text in (
            f"The Town of {name}",
            f"{name} has a river that rose through the night.",
            f"{name} has no bridge.",
        )
    ]


LEFT = [
    "The left column tells of the river and of",
    "the town, and it ends with an open sen-",
    "tence that goes on",
]
RIGHT = [
    "over there, at the right of the page, and",
    "then it comes to its end after the third",
    "line of the column.",
]
READ = "and it ends with an open sentence that goes on over there, at the right"


def test_columns_of_a_pdf_are_read_one_after_the_other() -> None:
    page = [Put(60, 760, "A title", size=18), *column(LEFT), *column(RIGHT, x=320)]
    assert READ in read_one(pdf(page), "x.pdf").paragraphs[1]


def test_columns_written_row_by_row_are_read_one_after_the_other() -> None:
    rows = [put for pair in zip(column(LEFT), column(RIGHT, x=320), strict=True) for put in pair]
    page = [
        Put(60, 730, "A line above them that reaches from one side over to the other side, across both."),
        *rows,
    ]
    title, text = read_one(pdf(page), "x.pdf").paragraphs
    assert title.startswith("A line above")
    assert READ in text


def test_rows_of_a_table_stay_together() -> None:
    rows = [Put(x, y, text) for y, row in zip((700, 680, 660), ("A1 B1", "A2 B2", "A3 B3"), strict=True)
            for x, text in zip((60, 300), row.split(), strict=True)]  # fmt: skip
    assert read_one(pdf(rows), "x.pdf").paragraphs == ["A1 B1", "A2 B2", "A3 B3"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_rotated_page_is_read_without_text_across_it(turn: int) -> None:
    steps = {0: (0, -12), 90: (12, 0), 180: (0, 12), 270: (-12, 0)}[turn]
    lines = [Put(300 + steps[0] * i, 400 + steps[1] * i, text, turn=turn) for i, text in enumerate(PROSE)]
    stamp = Put(30, 30, "stamp", turn=turn + 90)
    (text,) = read_one(pdf([stamp, *lines], form=-turn % 360), "x.pdf").paragraphs
    assert text.startswith("The river rose all through the night and by the morning it had")
    assert "stamp" not in text


def test_a_pdf_that_cannot_be_read_says_why() -> None:
    assert problem(pdf(column(PROSE), password="dam"), "x.pdf") == (  # noqa: S106 (a test password)
        "x.pdf: a PDF that is encrypted; save it without a password"
    )
    assert problem(pdf([]), "x.pdf") == "x.pdf: a PDF with no text in it; it may be scanned: run OCR first"
    assert problem(pdf(column(PROSE))[:500], "x.pdf").startswith("x.pdf: a PDF that cannot be read (")
    assert problem(b"", "x.pdf").startswith("x.pdf: a PDF that cannot be read (")


def test_a_pdf_with_only_an_owner_password_is_read() -> None:
    assert read_one(pdf(column(PROSE), password=""), "x.pdf").paragraphs[0].startswith("The river rose")


lines = st.builds(
    Line,
    text=st.text("ab-. 1Z", min_size=1, max_size=12).map(str.strip).filter(bool),
    page=st.just(1),
    left=st.integers(0, 300).map(float),
    right=st.integers(301, 600).map(float),
    bottom=st.integers(0, 800).map(float),
    size=st.sampled_from([8.0, 10.0, 16.0]),
    bold=st.booleans(),
)


@given(page=st.lists(lines, min_size=1, max_size=12))
def test_no_layout_of_lines_loses_letters(page: list[Line]) -> None:
    found, pages = page_paragraphs([page])
    kept = "".join(found)
    assert len(found) == len(pages)
    # Only page numbers at the edge and hyphens at line ends may be dropped.
    for letter in "aZ":
        assert kept.count(letter) == sum(line.text.count(letter) for line in page)


def test_right_to_left_pages_are_read_in_paragraphs() -> None:
    texts = ["הנהר עלה כל הלילה ועד הבוקר כבר", "ניתק את העיר מן הצפון.", "פסקה חדשה מתחילה כאן והיא ארוכה"]
    lefts = [100.0, 180.0, 100.0]
    page = [
        Line(text, 1, left, 400.0, 700.0 - 12 * i, 10.0)
        for i, (text, left) in enumerate(zip(texts, lefts, strict=True))
    ]
    assert page_paragraphs([page])[0] == [f"{texts[0]} {texts[1]}", texts[2]]


def line(text: str, left: float, right: float, bottom: float, *, size: float = 10) -> Line:
    return Line(text, 1, left, right, bottom, size)


def test_a_block_narrower_than_the_text_stays_together() -> None:
    narrow = [
        "We forecast the height of small",
        "rivers on the border of Ostrey and",
        "Medrin from the sound that",
        "Water makes under bridges.",
    ]
    wide = [
        "Floods on small rivers arrive within the hour, and",
        "Medrin has no gauge at all on any of its rivers, so",
        "Ostrey alone is warned.",
    ]
    page = [line(text, 90, 270, 600 - 12 * i) for i, text in enumerate(narrow)]
    page += [line(text, 40, 390, 540 - 12 * i) for i, text in enumerate(wide)]
    assert page_paragraphs([page])[0] == [" ".join(narrow), " ".join(wide)]


def test_wide_gaps_within_a_column_do_not_split_it() -> None:
    left = [f"The left column of a page has line number {i} here" for i in range(15)]
    page = [line(text, 40, 270, 600 - 12 * i) for i, text in enumerate(left)]
    for i in range(15):
        text = f"and the right column of the page goes on with {i}"
        if i % 5:
            page.append(line(text, 300, 520, 600 - 12 * i))
        else:  # as on scanned pages
            page += [
                line(text[:32], 300, 480, 600 - 12 * i),
                line(f"{text[33:]} for a while now", 505, 520, 600 - 12 * i),
            ]
    text = " ".join(page_paragraphs([page])[0])
    assert text.index("line number 14") < text.index("goes on with 0")


def test_a_heading_below_centred_lines_begins_a_paragraph() -> None:
    page = [
        line("University of Lannick, the Department of", 150, 420, 700),
        line("hydrology and other wet matters", 200, 370, 688),
        line("Abstract", 40, 80, 650),
        line("The river rose in the night by a metre.", 40, 270, 630),
    ]
    assert page_paragraphs([page])[0][1] == "Abstract"


def test_a_hyphen_before_the_rest_of_a_compound_stays() -> None:
    page = [line("It beats the best state-", 40, 270, 600), line("of-the-art gauge there is.", 40, 270, 588)]
    assert page_paragraphs([page])[0] == ["It beats the best state-of-the-art gauge there is."]


def test_footnote_marks_are_dropped_and_exponents_kept() -> None:
    def put(text: str, x: float, y: float, mark: str, after: str) -> list[Put]:
        end = x + stringWidth(text, "Times-Roman", 10)
        raised = Put(end, y + 4, mark, size=6)
        return [Put(x, y, text), raised, Put(end + stringWidth(mark, "Times-Roman", 6), y, after)]

    first = put("The river rose by a metre.", 60, 700, "1", " Then it fell over a week.")
    second = put("It moved 10", 60, 650, "6", " tons of sand into the harbour.")
    said = " ".join(read_one(pdf([*first, *second]), "x.pdf").paragraphs)
    assert "a metre. Then" in said
    assert "106 tons" in said or "10 6 tons" in said
