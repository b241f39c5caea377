"""Render an HTML page with the summary of a cluster beside its documents, and the reasons for the choice.

The page is a single file that loads nothing from the network. Code in a document cannot run: all text is
escaped, and the page's security policy allows only its own script and its own style, by their hashes. The
template ``page.html.j2`` has the structure of the page; the functions here prepare its data.
"""

from __future__ import annotations

import base64
import datetime as dt
import functools
import hashlib
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import jinja2
import numpy as np

from summc.graph import cost_in
from summc.preprocess.concepts import is_bigram
from summc.preprocess.terms import Span
from summc.records import HEADINGS, Cluster
from summc.report.budgets import ClusterReport
from summc.report.explain import Explanation, worth_showing
from summc.report.summaries import amount, forecast, name_of, proven, written_out
from summc.report.text import again, besides, changed, cut_to, stands, weight
from summc.signatures import signature_of_run
from summc.system.versions import version
from summc.text.languages import RIGHT_TO_LEFT
from summc.text.numbers import plain

#: The most characters of labels that fit under the slider on a phone. If the labels are longer, only the
#: label of the slider's position is shown.
_MOST_LABELLED = 40
#: The most characters that the problems of all clusters may take in a page. If they take more, the page has
#: none of them, and sentences cannot be pinned.
MOST_PROBLEM = 1_000_000
#: The most words shown of the first sentence of a document that has no headline.
_MOST_OPENING = 10

#: Two labels on the strip are at least this far apart, in percent of its length.
_LABEL_GAP = 17.0
#: Two marks on the strip in the same row are at least this far apart, if possible.
_MARK_GAP = 8.0
_MOST_ROWS = 3

#: Characters that reverse the order of the characters after them, even of text that the browser adds.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def render_page(reports: Sequence[ClusterReport]) -> str:
    """Return the HTML page of one or several clusters."""
    clusters = [_cluster(f"c{number}", report) for number, report in enumerate(reports, start=1)]
    problems, asked_runs = _problems(reports), [report.explanations[report.asked].run for report in reports]
    return _template().render(
        title=f"{len(reports)} summaries" if len(reports) > 1 else _TURNING.sub("", clusters[0]["name"]),
        level=2 if len(reports) > 1 else 1,  # of the heading of a cluster
        signatures=list(dict.fromkeys(map(signature_of_run, asked_runs))), version=version("summc"),
        clusters=clusters, data=list(map(_data, reports, clusters, problems)), can_pin=bool(problems[0]),
        style=_resource("page.css") + "".join(_places(shown["id"], shown["days"]) for shown in clusters),
        script=_resource("search.js") + _resource("page.js"),
    )  # fmt: skip


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("summc.report", ""), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    filters = (again, amount, besides, changed, cut_to, sha256, stands, weight, worth_showing, written_out)
    environment.filters |= {function.__name__: function for function in filters}
    # Jinja's filter ``tojson`` escapes "<", so that no text in the data can end the script element around it.
    json_options = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    environment.policies["json.dumps_kwargs"] = json_options
    return environment.get_template("page.html.j2")


def sha256(text: str) -> str:
    """Return the hash of a style or a script, by which the policy of the page allows it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _resource(name: str) -> str:
    return files("summc.report").joinpath(name).read_text(encoding="utf-8")


# The strip of time, a line from the first day to the last: a mark shows the sentences of its day


class DayMark(NamedTuple):
    """A day on which a document was written; ``place`` is in percent of the length of the strip.

    ``row`` is for its mark, so that the marks of near days do not cover each other. ``label`` is a short
    date, or "" if there is no room.
    """

    date: str
    place: float
    row: int
    label: str


def timeline_of(dates: Sequence[str], marked: Collection[str]) -> tuple[DayMark, ...]:
    """Return the distinct days of some dates in order, or () if there are fewer than two.

    ``marked`` are the days that may get a mark; the others have row 0.
    """
    days = sorted(set(filter(None, dates)))
    if len(days) < 2:  # noqa: PLR2004
        return ()
    numbers = [dt.date.fromisoformat(day).toordinal() for day in days]
    places = [100 * (number - numbers[0]) / (numbers[-1] - numbers[0]) for number in numbers]
    year, free_from = "", 0.0  # the next label has room from there on
    last = [-math.inf] * _MOST_ROWS  # the place of the last mark in each row
    marks = []
    for i, (day, place) in enumerate(zip(days, places, strict=True)):
        label, row = "", 0
        # The labels of both ends stand beside their places, so they take more room on one side.
        if i in (0, len(days) - 1) or free_from <= place <= 100 - 1.2 * _LABEL_GAP:
            number, month, _ = written_out(day, "en").split()
            label = f"{number} {month[:3]}" + ("" if day[:4] == year else f" {day[:4]}")
            year, free_from = day[:4], place + _LABEL_GAP * (1 if i else 1.5)
        if day in marked:  # in the first row with room, or else in the row with the most room
            free = [n for n, before in enumerate(last) if place - before >= _MARK_GAP]
            row = free[0] if free else last.index(min(last))
            last[row] = place
        marks.append(DayMark(day, place, row, label))
    return tuple(marks)


# What the template shows


def _cluster(id_: str, report: ClusterReport) -> dict[str, Any]:
    """Return what the page shows of a cluster. A sentence is given by its index in the cluster.

    ``choices`` has the summaries of all lengths, and ``asked`` is the index of the summary that the user
    asked for. ``numbers`` maps the sentences of that summary to their numbers in it. ``linked`` has
    the sentences of the documents that are links to the summary: all that may be in it, also after the reader
    has moved the slider or pinned sentences.
    """
    cluster, explanation = report.run.tokenized.cluster, report.explanations[report.asked]
    choices, texts = list(map(_choice, report.explanations)), [s.text for s in cluster.sentences]
    documents, dates = _documents(cluster), [document.date for document in cluster.documents]
    marks = {chosen.location.document.date for choice in report.explanations for chosen in choice.sentences}
    days = timeline_of(dates, marks)
    number = {day.date: n for n, day in enumerate(days)}
    numbers = {chosen.location.index: n for n, chosen in enumerate(explanation.sentences, start=1)}
    lengths = [f"{choice['length']:,}" for choice in choices]
    marked = {term: a for term, a in _word_of(report).items() if not report.words[a].function}
    headings = [group[0] for is_heading, group in documents[0]["paragraphs"] if is_heading]
    in_summaries = {chosen.location.index for choice in report.explanations for chosen in choice.sentences}
    candidates = {i for choice in choices for i in choice["data"]["candidates"]}
    return {
        "id": id_, "name": (documents[0]["title"] if len(documents) == 1 else "") or name_of(cluster),
        "language": cluster.language, "direction": "rtl" if cluster.language in RIGHT_TO_LEFT else "ltr",
        "words": f"{sum(sentence.words for sentence in cluster.sentences):,}", "asked": report.asked,
        "lengths": lengths, "many": sum(len(length) + 1 for length in lengths) > _MOST_LABELLED,
        "choices": choices, "documents": documents,
        "headings": headings if len(documents) == 1 < len(headings) else [],
        "days": days, "day_of": [number.get(date, -1) for date in dates],
        "marks": _marks(cluster, days, numbers), "numbers": numbers, "texts": texts,
        "pieces": [list(_pieces(*pair, marked)) for pair in zip(texts, report.spans, strict=True)],
        "linked": candidates if report.problems else in_summaries,
    }  # fmt: skip


def _choice(choice: Explanation) -> dict[str, Any]:
    """Return what the page shows of a summary.

    ``covered`` and ``bound`` are percents of the total weight. ``proven`` is the share of the best possible
    coverage in percent, rounded down, so that it is never overstated; it is None without a bound. ``data`` is
    for the script: ``now`` is shown in the heading of the cluster, and ``told`` is read out when the reader
    moves the slider.
    """
    selection, total = choice.summary.selection, choice.summary.total_weight
    covered, unit = selection.covered_weight, selection.unit
    cut = 0 if choice.cut is None else choice.cut.sentence.words  # only budgets in words are filled
    share, used = f"{100 * covered / total:.1f}%", plain(selection.cost + cut)
    budget, weight_covered = plain(selection.budget), f"{share} of the weight covered"
    length, expected = amount(budget, unit), forecast(choice.summary)
    return {
        "why": choice, "share": share, "covered": 100 * covered / total,
        "bound": min(100 * (selection.bound or covered) / total, 100), "proven": proven(selection),
        "forecast": expected, "used": used, "length": budget, "budget": length,
        "data": {
            "budget": budget, "unit": unit, "room": plain(selection.budget - selection.cost),
            "chosen": [chosen.location.index for chosen in choice.sentences],
            "figures": _rounded(choice.figures), "candidates": choice.run.graph.sentence_ids.tolist(),
            "told": f"{length}: {amount(len(choice.summary.sentences), 'sentences')}, {weight_covered}",
            "now": ", ".join(filter(None, (f"in {used} of {length}", weight_covered, expected))),
            "share": share,
        },
    }  # fmt: skip


def _documents(cluster: Cluster) -> list[dict[str, Any]]:
    """Return what the page shows of each document. Sentences are given by their indices in the cluster.

    ``paragraphs`` has the sentences of each paragraph, and whether it is a heading.
    """
    first, documents = 0, []
    for document in cluster.documents:
        headline = next((sentence for sentence in document.sentences if sentence.kind == "headline"), None)
        opening = document.sentences[0].text.split() if document.sentences else []
        paragraphs = [list(group) for _, group in groupby(document.sentences, attrgetter("paragraph"))]
        documents.append({
            "id": document.id, "date": document.date, "title": document.title,
            "opening": " ".join(opening[:_MOST_OPENING]) + ("…" if len(opening) > _MOST_OPENING else ""),
            "size": amount(len(document.sentences), "sentences"),
            "headline": first + headline.position if headline else None,
            "paragraphs": [
                (len(group) == 1 and group[0].kind in HEADINGS, [first + s.position for s in group])
                for group in paragraphs if group != [headline]
            ],
        })  # fmt: skip
        first += len(document.sentences)
    return documents


def _marks(
    cluster: Cluster, days: Sequence[DayMark], numbers: Mapping[int, int]
) -> list[tuple[str | int, ...]]:
    """Return for each day the numbers of the summary's sentences from that day, and the first sentence.

    For a day without a sentence in the summary, return ("",).
    """
    by_day: dict[str, list[int]] = {day.date: [] for day in days}
    for i in numbers:
        by_day.setdefault(cluster.documents[cluster.sentences[i].document].date, []).append(i)
    return [(_run([numbers[i] for i in by_day[day.date]]), *by_day[day.date][:1]) for day in days]


def _run(numbers: Sequence[int]) -> str:
    is_run = 1 < len(numbers) == numbers[-1] - numbers[0] + 1
    return f"{numbers[0]}\N{EN DASH}{numbers[-1]}" if is_run else ", ".join(map(str, numbers))


def _places(cluster: str, days: Sequence[DayMark]) -> str:
    """Return the style that places the days on the strip: the policy allows no style attributes."""
    return "".join(
        f"#{cluster}-x{n}, #{cluster}-t{n} {{ left: {day.place:.2f}%; }}\n" for n, day in enumerate(days)
    )


def _pieces(text: str, spans: Sequence[Span], word_of: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
    """Yield the text of a sentence in pieces, each with the index of the word to highlight in it, or None."""
    candidates = [span for span in spans if span.term in word_of]
    words = [span for span in candidates if not is_bigram(span.term)]
    # Single words are highlighted, and a bigram only where neither of its two words is highlighted.
    marked = {at for span in words for at in range(span.start, span.end)}
    pairs = [s for s in candidates if is_bigram(s.term) and marked.isdisjoint(range(s.start, s.end))]
    done = 0
    for span in sorted([*words, *pairs], key=lambda span: span.start):
        if span.start >= done:
            yield text[done : span.start], None
            yield text[span.start : span.end], word_of[span.term]
            done = span.end
    yield text[done:], None


def _word_of(report: ClusterReport) -> dict[str, int]:
    """Return for each term the index of its word in the graph; terms that the graph lacks are left out."""
    graph, words = report.run.graph, report.run.weights.words
    return {words[id_]: a for a, id_ in enumerate(graph.word_ids.tolist()) if id_ < len(words)}


# What the script reads


def _data(report: ClusterReport, cluster: Mapping[str, Any], problems: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a cluster for the script of the page: words, summaries of all lengths, problems.

    The weights of the words are used only to sort them.
    """
    explanation, unit = report.explanations[report.asked], report.run.summary.selection.unit
    return {
        "words": _rounded([(word.word, word.weight) for word in report.words]),
        "function": [a for a, word in enumerate(report.words) if word.function],
        "held": _words_by_sentence(report),
        "costs": [plain(cost_in(sentence, unit)) for sentence in report.run.tokenized.cluster.sentences],
        "asked": report.asked, "choices": [choice["data"] for choice in cluster["choices"]],
        "days": cluster["day_of"],
        "required": [chosen.location.index for chosen in explanation.sentences if chosen.required],
        **problems,
    }  # fmt: skip


def _words_by_sentence(report: ClusterReport) -> list[list[int]]:
    """Return for each sentence of the cluster its words, as indices in the graph."""
    graph, tokens, word_of = report.run.graph, report.run.tokenized.tokens, _word_of(report)
    words = [sorted({word_of[term] for term in terms if term in word_of}) for terms in tokens]
    rows = np.split(graph.edge_word, np.searchsorted(graph.edge_sentence, np.arange(1, len(graph.cost))))
    for index, row in zip(graph.sentence_ids.tolist(), rows, strict=True):
        words[index] = row.tolist()
    return words


def _problems(reports: Sequence[ClusterReport]) -> list[dict[str, Any]]:
    """Return the problems of each cluster, or {} for each if they are too large for the page together."""
    problems = [_rounded(report.problems) for report in reports]
    size = sum(len(json.dumps(problem, separators=(",", ":"))) for problem in problems)
    return problems if size <= MOST_PROBLEM and all(problems) else [{} for _ in problems]


def _rounded(value: Any) -> Any:
    """Return JSON data with all numbers in it rounded to six significant digits, more than the page shows."""
    return json.loads(json.dumps(value), parse_float=lambda number: plain(float(f"{float(number):.6g}")))
