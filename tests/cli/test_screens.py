"""Output fits the screen: tables fold, summaries wrap on a terminal, and only a terminal gets colour."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from summc.cli.console import in_colour, say
from summc.cli.options import Output
from summc.report.screens import Screen, shortened, width, wrap, wrap_lines
from summc.report.tables import BETTER, render_cells
from tests.conftest import SAMPLE, Cli
from tests.support.terminals import on_terminal

CELLS = [
    ["selector", "score", "95% interval", "words", "vs first", "95% interval"],
    ["greedy", "0.1", "[0.0, 0.2]", "98.5", "-", "-"],
    ["lead", "0.3", "[0.2, 0.4]", "97.5", "+0.2", "[+0.1, +0.3]"],
]
CASES = (Path(__file__).parent / "cases" / "tables.txt").read_text().split("-----\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


# Tables


@pytest.mark.parametrize("case", CASES)
def test_a_table_fits_the_screen(case: str) -> None:
    given, shown = re.sub(r"^# .*\n+", "", case).split("=>\n")
    settings, *rows = given.splitlines()
    columns, _, fold = settings.partition(";")
    screen = Screen(None if columns == "-" else int(columns))
    cells = [row.split("|") for row in rows]
    assert render_cells(cells, "text", screen, fold=[int(each) for each in fold.split()]) == shown


def test_machine_formats_have_all_columns_and_no_colour() -> None:
    for format_ in ("md", "csv"):
        made = render_cells(CELLS, format_, Screen(20, colour=True), fold=[3, 2])
        assert made == render_cells(CELLS, format_)
        assert "words" in made
        assert "\x1b" not in made


def test_headings_and_marked_cells_have_colour_only_on_a_screen_with_colour() -> None:
    coloured = render_cells(CELLS, "text", Screen(80, colour=True), styles={(2, 4): BETTER})
    assert coloured.startswith("\x1b[1mselector\x1b[0m  \x1b[1mscore\x1b[0m  ")
    assert "      \x1b[32m+0.2\x1b[0m  " in coloured
    assert "\x1b" not in render_cells(CELLS, "text", Screen(80), styles={(2, 4): BETTER})


# Lines


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("The dam broke on Friday.", 12, ["The dam", "broke on", "Friday."]),
        ("a\u00a0b c", 4, ["a\u00a0b", "c"]),  # not at a no-break space
        ("洪水が来た。町は無事", 10, ["洪水が来", "た。町は無", "事"]),  # no line begins with a full stop
        ("彼は「水」と言った", 6, ["彼は", "「水」", "と言っ", "た"]),
        ("홍수가 마을을", 8, ["홍수가", "마을을"]),  # Korean has spaces
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),  # a word that is longer than a line
        ("cafe\u0301s x", 5, ["cafe\u0301s", "x"]),  # a combining accent takes no column
        ("👍🏽👩\u200d👧 x", 4, ["👍🏽👩\u200d👧", "x"]),  # an emoji of several characters takes two
    ],
)
def test_lines_are_broken_between_words(text: str, columns: int, lines: list[str]) -> None:
    assert wrap(text, columns) == lines


def test_lines_that_fit_are_not_changed_and_shortened_texts_keep_their_ends() -> None:
    assert wrap_lines("a  b\n\nlong line\n", 6, rest=" ") == "a  b\n\nlong\n line\n"
    assert wrap_lines("long line\n", None) == "long line\n"
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert shortened("abcdefghij", 8) == "abc...ij"
    assert width(shortened("洪水洪水洪水", 8)) <= 8


# Terminals


@pytest.mark.parametrize(
    ("environment", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colour_is_for_terminals_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, pipe: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    assert (in_colour(Terminal()), in_colour(io.StringIO()), in_colour(None)) == (terminal, pipe, False)


def test_a_table_has_the_width_of_the_terminal_and_80_columns_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert Output().screen == Output("a.txt").screen == Screen(80, colour=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert Output().screen == Output("-").screen == Screen(120, colour=False)
    assert Output(wide=True).screen.columns is None
    assert Output("a.txt").screen == Screen(80, colour=False)


def test_the_kind_of_a_message_has_colour(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for message, kind in (("a: \x1b[1mb", "error"), ("c", "warning"), ("measuring bp", "")):
        say(message, kind)
    assert capsys.readouterr().err == (
        "\x1b[31m\x1b[1merror:\x1b[0m a: \N{REPLACEMENT CHARACTER}[1mb\n"
        "\x1b[33m\x1b[1mwarning:\x1b[0m c\nmeasuring bp\n"
    )


def test_a_summary_is_wrapped_on_a_terminal_only(summc: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    quick = ("-k", "60", "--selector", "g-greedy", "--weighting", "position", "--reading", "0")
    folder = SAMPLE / "docs" / "d90001t"
    piped = summc("summarize", *quick, folder).out
    assert max(map(len, piped.splitlines())) > 80
    with on_terminal("stdout", columns=60) as shown:
        assert summc("summarize", *quick, folder).code == 0
        lines = shown().split("\r\n")
    assert max(map(len, lines)) <= 60
    assert " ".join(lines).split() == piped.split()
