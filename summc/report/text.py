"""Render the explanations of summaries: as lines of text for a terminal, and as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from summc.report.explain import (
    Answer,
    ChosenSentence,
    Explanation,
    Location,
    MissedWord,
    Replacement,
    Word,
    worth_showing,
)
from summc.report.screens import Styled, clipped, harmless, painted, wrap
from summc.report.summaries import amount, describe, forecast_of, written_out
from summc.system.json_objects import nonempty
from summc.text.numbers import figure, plain

#: Style -> parameters of the ECMA-48 control "select graphic rendition" (colours and bold).
_STYLES = {"number": "1;36", "sentence": "1", "label": "2", "place": "2", "word": "32", "amount": "33"}
_INDENT = 4
_LABEL = 11
#: The most words that are shown of a list, and the most columns of a sentence that is quoted within a line.
_MOST_WORDS = 12
_MOST_COLUMNS = 64
#: From this value on, a weight has four or more digits before the decimal point after rounding.
_LONG = 999.5

#: The attributes of an explanation that its JSON never has, and those that it has only with a value.
NOT_IN_JSON = {"run", "levels", "figures", "function"}
MAY_LACK = {"cut", "reading", "required", "occurrences"}

#: Label -> the text behind it.
Rows = dict[str, list[Styled]]


def render_explanations(
    explanations: Sequence[Explanation], width: int, *, colour: bool = False, dates: bool = False
) -> str:
    """Return explanations as text; its lines have at most ``width`` columns, or 30 if ``width`` is less.

    ``dates`` adds the dates of the documents to the sentences that are explained.
    """
    pages = (
        _lines(item, _Page(max(width, 30), colour, item.summary.cluster.language if dates else ""))
        for item in explanations
    )
    return "\n".join("".join(f"{line}\n" for line in page) for page in pages)


def _lines(explanation: Explanation, page: _Page) -> Iterator[str]:
    yield from page.text([(describe(explanation.summary), "")])
    for number, chosen in enumerate(explanation.sentences, start=1):
        yield from page.sentence(f"{number}", chosen.location, amount(chosen.location.sentence.words))
        yield from page.rows(_chosen(chosen, "lost" if explanation.levels else "alone"))
    if (cut := explanation.cut) is not None:
        yield from page.sentence(f"{len(explanation.sentences) + 1}", cut, cut_to(cut))
    if explanation.uncovered:
        yield ""
        yield from page.text([("The heaviest words that are not covered", "number")])
        for missed in explanation.uncovered:
            yield from page.text(_missed(missed), " " * _INDENT, _INDENT + 2)
    for answer in explanation.why_not:
        yield ""
        yield from page.text([(f'Why not "{answer.asked}"?', "number")])
        nearest = "" if answer.quoted else "; the nearest to what was asked for"
        length = f"{amount(answer.location.sentence.words)}{nearest}"
        yield from page.sentence("" if answer.quoted else "~", answer.location, length, gap=False)
        yield from page.rows(_answered(answer, explanation))


def _chosen(chosen: ChosenSentence, alone: str) -> Rows:
    """Return the rows about a chosen sentence; ``alone`` is the label for the words that only it covers."""
    loss = f"; {weight(chosen.lost_without)} would be" if chosen.shared else ", all of it"
    return {
        "weight": [(weight(chosen.weight), "amount"), (f"{loss} lost without it", "")],
        alone: _listed(chosen.alone),
        "shared": _listed(chosen.shared),
        "belief": [] if chosen.field is None else [(f"h = {chosen.field:.4g}", "")],
        "required": [("you asked for it, so nothing may take its place", "")] if chosen.required else [],
        "runner-up": [] if chosen.required else list(_runner_up(chosen.runner_up)),
    }


def _runner_up(exchange: Replacement | None) -> Iterator[Styled]:
    if exchange is None:
        yield "no other sentence that fits would add weight", ""
        return
    location = exchange.location
    yield f"{_quoted(location)} ", ""
    yield f"({location.document.name}, {stands(location)}, {amount(location.sentence.words)})", "place"
    yield f" would cover {changed(exchange.change)}{besides(exchange)}", ""


def besides(exchange: Replacement) -> str:
    """Return why the summary would be hard to read after one sentence is replaced by another.

    It is the end of a sentence, such as ", but it names nobody and no figure", or "" if there is no reason.
    """
    joint = "but" if exchange.change > 0 else "and"
    return f", {joint} {'; '.join(exchange.reading)}" if exchange.reading else ""


def _missed(missed: MissedWord) -> Iterator[Styled]:
    yield missed.word, "word"
    yield f"{again(missed)} {weight(missed.weight)}, in {_quoted(missed.in_)} ", ""
    yield f"({missed.in_.document.name}, {stands(missed.in_)})", "place"
    yield f", which would add {weight(missed.adds)}", ""


def _answered(answer: Answer, explanation: Explanation) -> Rows:
    """Return the rows that say why a sentence is not in the summary."""
    there = "" if answer.chosen_as is None else f"as sentence {answer.chosen_as}"
    if explanation.cut is not None and explanation.cut.index == answer.location.index:
        there = f"at its end, cut to {amount(explanation.cut.sentence.words)}"
    if there:
        return {"": [(f"It is in the summary, {there}.", "")]}
    if not answer.weight:
        reason = f"It cannot be chosen: {answer.no_candidate}." if answer.no_candidate else ""
        return {"": [(reason or "None of its words is worth covering.", "")]}
    rows: Rows = {
        "weight": [(weight(answer.weight), "amount"), (f", of which it would add {weight(answer.adds)}", "")],
        "adds" if explanation.levels else "new": _listed(answer.new),
        **{f"in {common.sentence}": _listed(common.words) for common in answer.covered_by},
        "belief": [] if answer.field is None else [(f"h = {answer.field:.4g}", "")],
        "fits": [(_fits(answer, explanation), "")],
    }
    if answer.exchange is not None:
        chosen = [sentence.location for sentence in explanation.sentences]
        number, change = chosen.index(answer.exchange.location) + 1, changed(answer.exchange.change)
        effect = f"of sentence {number}, where it does best: {change} covered{besides(answer.exchange)}"
        rows["instead"] = [(effect, "")]
    return rows


def _fits(answer: Answer, explanation: Explanation) -> str:
    budget, unit = explanation.summary.selection.budget, explanation.summary.selection.unit
    if answer.cost > budget:
        return f"no: it is longer than the whole budget of {amount(budget, unit)}"
    room = f"{plain(answer.room)} of {plain(budget)} left"
    return f"{'yes' if answer.fits else 'no'}: it takes {amount(answer.cost, unit)}, with {room}"


def _listed(words: Sequence[Word]) -> list[Styled]:
    """Return the first words with their weights, then how many are not shown.

    Function words are not shown, unless there are no other words.
    """
    first_words = worth_showing(words, _MOST_WORDS)
    pieces: list[Styled] = []
    for word in first_words:
        # Keep a word and its weight on one line.
        name = word.word.replace(" ", "\N{NO-BREAK SPACE}")
        pieces += [(", ", ""), (name, "word"), (f"\N{NO-BREAK SPACE}{weight(word.weight)}", "")]
    if len(words) > len(first_words):
        pieces.append((f", and {len(words) - len(first_words)} more", ""))
    return pieces[1:]


def again(missed: MissedWord) -> str:
    """Return " (again)" for a missed word that the summary has already, but not often enough; else ""."""
    return " (again)" if missed.occurrences else ""


def stands(location: Location) -> str:
    """Return the position of a sentence in its document, such as "page 2, sentence 3 of 20".

    The page is left out if the document has no pages.
    """
    page = "" if location.sentence.page is None else f"page {location.sentence.page}, "
    return f"{page}sentence {location.sentence.position + 1} of {len(location.document.sentences)}"


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
    whole = harmless(location.sentence.text)
    text = clipped(whole, 0, _MOST_COLUMNS)
    return f"“{text if text == whole else f'{text.rstrip()}...'}”"


@dataclass(frozen=True, slots=True)
class _Page:
    """Lays out lines. ``dates_in`` is the language to write dates in, or "" to leave them out."""

    width: int
    colour: bool
    dates_in: str = ""

    def sentence(self, mark: str, location: Location, length: str, *, gap: bool = True) -> Iterator[str]:
        """Yield the lines of a sentence after ``mark``, such as its number, and its place in the document."""
        if gap:
            yield ""
        text, first = location.sentence.text, f"{mark:>{_INDENT - 2}}  "
        yield from self.text([(text, "sentence")], first, _INDENT, "number")
        document = location.document
        date = f"{written_out(document.date, self.dates_in)}, " if document.date and self.dates_in else ""
        file = "" if document.name == document.id else f" ({document.id})"
        source = f"{document.name}{file}, {date}{stands(location)}, {length}"
        yield from self.rows({"": [(source, "place")]})

    def rows(self, rows: Mapping[str, Sequence[Styled]]) -> Iterator[str]:
        """Yield the lines of texts, each behind its label; rows without text are left out."""
        for label, pieces in rows.items():
            first = " " * _INDENT + (f"{label:{_LABEL}}" if label else "")
            if pieces:
                yield from self.text(pieces, first, len(first), "label")

    def text(
        self, pieces: Iterable[Styled], first: str = "", indent: int = 0, style: str = ""
    ) -> Iterator[str]:
        """Yield styled text as lines; ``first`` begins the first line, and the others are indented."""
        text = "".join(self.paint(harmless(piece), style_) for piece, style_ in pieces)
        yield from wrap(text, self.width, self.paint(first, style), " " * indent)

    def paint(self, text: str, style: str) -> str:
        return painted(text, _STYLES[style]) if self.colour and style and text else text


# JSON


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as a JSON object."""
    summary = explanation.summary
    return {
        "covered_weight": summary.selection.covered_weight, "total_weight": summary.total_weight,
        "bound": summary.selection.bound, **forecast_of(summary), **as_json(explanation),
    }  # fmt: skip


def as_json(value: Any) -> Any:
    """Return a part of an explanation as JSON: a record becomes an object with its attributes as members.

    The members of the attribute ``location`` are put in its place.
    """
    if isinstance(value, tuple):
        return [as_json(part) for part in value]
    if isinstance(value, Location):
        document, sentence = value.document, value.sentence
        place = {"position": sentence.position, "text": sentence.text}
        return {"document": document.id, **nonempty(date=document.date), **place}
    if not is_dataclass(value):
        return value
    members: dict[str, Any] = {}
    for name in (field.name for field in fields(value) if field.name not in NOT_IN_JSON):
        member = getattr(value, name)
        if member or name not in MAY_LACK:
            members |= as_json(member) if name == "location" else {name.rstrip("_"): as_json(member)}
    return members
