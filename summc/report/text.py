"""Render the explanations of summaries as lines of text for a terminal, with or without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from summc.report.explain import (
    Answer,
    ChosenSentence,
    Exchange,
    Explanation,
    Location,
    MissedWord,
    Word,
    missed_to_show,
    worth_showing,
)
from summc.report.summaries import describe, written_out
from summc.text.numbers import figure, plain
from summc.text.screens import Styled, beginning, painted, wrap

#: Style -> parameters of the ECMA-48 control "select graphic rendition" (colours and bold).
_STYLES = {"number": "1;36", "sentence": "1", "label": "2", "place": "2", "word": "32", "amount": "33"}
_INDENT = 4
_LABEL = 11
#: The most words that are shown of a list, and the most columns of a sentence that is quoted within a line.
_MOST_WORDS = 12
_MOST_COLUMNS = 64
#: From this value on, a weight has four or more digits before the decimal point after rounding.
_LONG = 999.5


def render_explanations(
    explanations: Sequence[Explanation], width: int, *, colour: bool = False, dates: bool = False
) -> str:
    """Return explanations as text; its lines have at most ``width`` columns, or 30 if ``width`` is less.

    ``dates`` adds the dates of the documents to the sentences that are explained.
    """
    pages = (
        _lines(each, _Page(max(width, 30), colour, each.summary.cluster.language if dates else ""))
        for each in explanations
    )
    return "\n".join("".join(f"{line}\n" for line in page) for page in pages)


def _lines(explanation: Explanation, page: _Page) -> Iterator[str]:
    yield from page.wrapped([(describe(explanation.summary), "")], "", "")
    for number, sentence in enumerate(explanation.sentences, start=1):
        yield ""
        yield from _chosen(page, number, sentence, "lost" if explanation.levels else "alone")
    if explanation.cut is not None:
        yield ""
        yield from page.sentence(f"{len(explanation.sentences) + 1}", explanation.cut)
        yield from page.line("", [(f"{page.where(explanation.cut)}, {cut_to(explanation.cut)}", "place")])
    if explanation.missed:
        yield ""
        yield from page.wrapped([("The heaviest words that are not covered", "number")], "", "")
        for missed in missed_to_show(explanation):
            yield from _missed(page, missed)
    for answer in explanation.answers:
        yield ""
        yield from _answered(page, answer, explanation)


def _chosen(page: _Page, number: int, chosen: ChosenSentence, alone: str) -> Iterator[str]:
    """Yield the lines about a chosen sentence; ``alone`` is the label for the words that only it covers."""
    yield from page.sentence(f"{number}", chosen.location)
    yield from page.line(
        "", [(f"{page.where(chosen.location)}, {amount(chosen.location.sentence.words)}", "place")]
    )
    lost = (
        f"; {weight(chosen.loss)} would be lost without it"
        if chosen.shared
        else ", all of it lost without it"
    )
    yield from page.line("weight", [(weight(chosen.total), "amount"), (lost, "")])
    if chosen.alone:
        yield from page.line(alone, _listed(chosen.alone))
    if chosen.shared:
        yield from page.line("shared", _listed(chosen.shared))
    if chosen.field is not None:
        yield from page.line("belief", [(f"h = {chosen.field:.4g}", "")])
    if chosen.required:
        yield from page.line("required", [("you asked for it, so nothing may take its place", "")])
    else:
        yield from page.line("runner-up", _runner_up(chosen.runner_up))


def _runner_up(exchange: Exchange | None) -> Iterator[Styled]:
    if exchange is None:
        yield "no other sentence that fits would add weight", ""
        return
    yield f"{_quoted(exchange.location)} ", ""
    yield f"({where(exchange.location)}, {amount(exchange.location.sentence.words)})", "place"
    yield f" would cover {changed(exchange.change)}{besides(exchange)}", ""


def besides(exchange: Exchange) -> str:
    """Return why the summary would be hard to read after one sentence is replaced by another.

    It is the end of a sentence, such as ", but it names nobody and no figure", or "" if there is no reason.
    """
    joint = "but" if exchange.change > 0 else "and"
    return f", {joint} {'; '.join(exchange.reasons)}" if exchange.reasons else ""


def _missed(page: _Page, missed: MissedWord) -> Iterator[str]:
    yield from page.wrapped(
        [
            (missed.word.text, "word"),
            (again(missed), ""),
            (f" {weight(missed.word.weight)}, in {_quoted(missed.location)} ", ""),
            (f"({where(missed.location)})", "place"),
            (f", which would add {weight(missed.gain)}", ""),
        ],
        " " * _INDENT,
        " " * (_INDENT + 2),
    )


def _answered(page: _Page, answer: Answer, explanation: Explanation) -> Iterator[str]:
    yield from page.wrapped([(f'Why not "{answer.question}"?', "number")], "", "")
    yield from page.sentence("" if answer.quoted else "~", answer.location)
    nearest = "" if answer.quoted else "; the nearest to what was asked for"
    yield from page.line(
        "", [(f"{page.where(answer.location)}, {amount(answer.location.sentence.words)}{nearest}", "place")]
    )
    if answer.number is not None:
        yield from page.line("", [(f"It is in the summary, as sentence {answer.number}.", "")])
        return
    if explanation.cut is not None and explanation.cut.index == answer.location.index:
        there = amount(explanation.cut.sentence.words)
        yield from page.line("", [(f"It is in the summary, at its end, cut to {there}.", "")])
        return
    if not answer.total:
        why_not = (
            f"It cannot be chosen: {answer.reason}."
            if answer.reason
            else "None of its words is worth covering."
        )
        yield from page.line("", [(why_not, "")])
        return
    yield from page.line(
        "weight", [(weight(answer.total), "amount"), (f", of which it would add {weight(answer.gain)}", "")]
    )
    if answer.new:
        yield from page.line("adds" if explanation.levels else "new", _listed(answer.new))
    for number, words in answer.covered:
        yield from page.line(f"in {number}", _listed(words))
    if answer.field is not None:
        yield from page.line("belief", [(f"h = {answer.field:.4g}", "")])
    yield from page.line("fits", [(_fits(answer, explanation), "")])
    if answer.exchange is not None:
        number = [each.location.index for each in explanation.sentences].index(
            answer.exchange.location.index
        ) + 1
        change = changed(answer.exchange.change)
        said = f"of sentence {number}, where it does best: {change} covered{besides(answer.exchange)}"
        yield from page.line("instead", [(said, "")])


def _fits(answer: Answer, explanation: Explanation) -> str:
    budget, unit = explanation.summary.selection.budget, explanation.summary.selection.unit
    if answer.cost > budget:
        return f"no: it is longer than the whole budget of {amount(budget, unit)}"
    room = f"{plain(answer.room)} of {plain(budget)} left"
    return f"{'yes' if answer.fits else 'no'}: it takes {amount(answer.cost, unit)}, with {room}"


def _listed(words: Sequence[Word]) -> Iterator[Styled]:
    """Yield the first words with their weights, then how many are not shown.

    Function words are not shown, unless there are no other words.
    """
    shown = worth_showing(words)[:_MOST_WORDS]
    for i, word in enumerate(shown):
        yield ", " if i else "", ""
        # Keep a word and its weight on one line.
        yield word.text.replace(" ", "\N{NO-BREAK SPACE}"), "word"
        yield f"\N{NO-BREAK SPACE}{weight(word.weight)}", ""
    if len(words) > len(shown):
        yield f", and {len(words) - len(shown)} more", ""


def again(missed: MissedWord) -> str:
    """Return " (again)" for a missed word that the summary has already, but not often enough; else ""."""
    return " (again)" if missed.covered else ""


def where(location: Location) -> str:
    """Return the document of a sentence and its position in it: "a.txt, sentence 3 of 20"."""
    return f"{location.document}, {stands(location)}"


def stands(location: Location) -> str:
    """Return the position of a sentence in its document, such as "page 2, sentence 3 of 20".

    The page is left out if the document has no pages.
    """
    page = "" if location.sentence.page is None else f"page {location.sentence.page}, "
    return f"{page}sentence {location.sentence.position + 1} of {location.length}"


def amount(cost: float, unit: str = "words") -> str:
    """Return a cost with its unit: "1 word", "20 words"."""
    return f"{plain(cost)} {unit.removesuffix('s') if cost == 1 else unit}"


def cut_to(location: Location) -> str:
    """Return the remark about a sentence that was cut to fill the budget."""
    return f"cut to {amount(location.sentence.words)}, to fill the budget; it counts for no weight"


def weight(value: float) -> str:
    """Return a weight as text with three significant digits, or more if more are before the decimal point."""
    return f"{value:#.3g}".rstrip(".") if value < _LONG else figure(value, 3)


def changed(change: float) -> str:
    """Return a change in covered weight in words: "0.120 more", "0.120 less" or "as much"."""
    return "as much" if abs(change) < 5e-4 else f"{weight(abs(change))} {'more' if change > 0 else 'less'}"  # noqa: PLR2004 (what is shown as 0)


def _quoted(location: Location) -> str:
    whole = location.sentence.text
    text = beginning(whole, _MOST_COLUMNS)
    if text != whole:
        text = f"{text.rstrip()}..."
    return f"\N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}"


# Lines


@dataclass(frozen=True, slots=True)
class _Page:
    """The width of the output and whether it has colour, with methods that lay out lines.

    ``dates_in`` is the language to write dates in, or "" to leave them out.
    """

    width: int
    colour: bool
    dates_in: str = ""

    def where(self, location: Location) -> str:
        """Return where a sentence stands, with the date of its document if the page has dates."""
        date = f"{written_out(location.date, self.dates_in)}, " if location.date and self.dates_in else ""
        return f"{location.document}, {date}{stands(location)}"

    def sentence(self, mark: str, location: Location) -> Iterator[str]:
        """Yield the lines of a sentence; before the first line comes ``mark``, such as its number."""
        first = f"{mark:>{_INDENT - 2}}  "
        lines = self.wrapped([(location.sentence.text, "sentence")], " " * len(first), " " * _INDENT)
        for i, line in enumerate(lines):
            yield line if i else self.paint(first, "number") + line[len(first) :]

    def line(self, label: str, pieces: Iterable[Styled]) -> Iterator[str]:
        """Yield the lines of a text. The first one begins with the label, if any; the others are indented."""
        if not label:
            yield from self.wrapped(pieces, " " * _INDENT, " " * _INDENT)
            return
        indent = " " * (_INDENT + _LABEL)
        for i, line in enumerate(self.wrapped(pieces, indent, indent)):
            yield (
                line if i else " " * _INDENT + self.paint(f"{label:{_LABEL}}", "label") + line[len(indent) :]
            )

    def wrapped(self, pieces: Iterable[Styled], first: str, rest: str) -> Iterator[str]:
        """Return styled text as lines; ``first`` indents the first line, and ``rest`` the others."""
        return wrap(pieces, self.width, first, rest, self.paint)

    def paint(self, text: str, style: str) -> str:
        if not self.colour or not style:
            return text
        return painted(text, _STYLES[style])
