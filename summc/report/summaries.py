"""Render summaries and scores as text, JSON and Markdown."""

from __future__ import annotations

import html
import itertools
import math
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np

from summc.errors import as_typed
from summc.graph import gains, occurrences
from summc.records import Box, Cluster, Document, Run, Score, Selection, Summary
from summc.report.screens import Screen
from summc.report.tables import render_cells, unlinked
from summc.system.json_objects import dump, is_number, nonempty
from summc.system.resources import months
from summc.text.languages import RIGHT_TO_LEFT
from summc.text.numbers import SUFFIXES, figure, plain

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~]|&(?=#?\w+;))")
#: The least share of coverage given up for easier reading that is shown; a smaller one would be shown as
#: 0.0%.
_SHOWN = 0.0005
#: A summary that uses this share of its budget is as long as the user asked for.
_FULL = 0.9
#: The longest label, in characters.
_LONGEST_LABEL = 70
#: The parameters of belief propagation to show, whether the user gave them or summc found them.
_TERMS = ("beta", "mu", "damping")
_WORD = re.compile(r"\w+")
_MARKDOWN_START = re.compile(r"^(\s*\d*)([-+.)])(?=\s)")


class SentenceResult(TypedDict):
    """A sentence of a summary, and where it comes from. What is unknown is left out."""

    document: Annotated[str, "the name of its document"]
    title: NotRequired[Annotated[str, "the title of its document"]]
    date: NotRequired[Annotated[str, "the date of its document, as 2005-01-08"]]
    heading: NotRequired[Annotated[str, "the heading of its section"]]
    position: Annotated[int, "its place among the sentences of its document, from 0"]
    paragraph: NotRequired[Annotated[int, "the paragraph that it begins in, from 0"]]
    page: NotRequired[Annotated[int, "the page that it begins on, from 1"]]
    speaker: NotRequired[Annotated[str, "who says or writes it"]]
    text: Annotated[str, "its text, after the name of its speaker if several people speak"]
    words: Annotated[int, "its length in words"]
    cut: NotRequired[Annotated[str, "the rest of its text, cut off to fill the budget"]]
    start: NotRequired[Annotated[int, "where it begins in the text of its file, in characters"]]
    end: NotRequired[Annotated[int, "where it ends there: text[start:end] is the sentence"]]
    boxes: NotRequired[
        Annotated[list[Box], "its lines in a PDF: page, left, bottom, right and top, in points"]
    ]


class SummaryResult(TypedDict):
    """A summary. The members of your own JSON line come after these."""

    id: Annotated[str, "the name of the cluster"]
    title: NotRequired[Annotated[str, "the topic, in a summary by topic"]]
    documents: NotRequired[Annotated[list[str], "the documents of the topic"]]
    budget: Annotated[float, "the length that was asked for"]
    unit: Annotated[str, "what the budget counts: words, sentences, characters or tokens"]
    words: Annotated[int, "the length of the summary in words"]
    covered_weight: Annotated[float, "the weight of the words that the summary covers"]
    covered: Annotated[float, "the same, as a share of the weight of all words: from 0 to 1"]
    forecast: NotRequired[Annotated[float, "the share of a person's summary that it probably contains"]]
    stories: NotRequired[Annotated[int, "how many stories the documents tell, if several"]]
    answered: NotRequired[Annotated[bool, "false if the documents probably do not answer the question"]]
    text: Annotated[str, "the summary, with each sentence on a line of its own"]
    sentences: Annotated[list[SentenceResult], "the sentences in reading order"]
    signature: Annotated[str, "the settings that the summary was made with"]
    explanation: NotRequired[Annotated[dict[str, Any], "why these sentences, as in explanation.json"]]
    given: NotRequired[Annotated[dict[str, Any], "members of your own line with names of these"]]


#: The names of the members that the JSON of a summary, or of a cluster without one, may have.
RESULT_MEMBERS = frozenset({*SummaryResult.__annotations__, "error"})


def render(
    summaries: Sequence[Summary], format_: str, *, several: bool, dates: bool, name_budgets: bool = False,
    signatures: Sequence[str] = (), members: Sequence[Mapping[str, Any]] = (),
) -> str:  # fmt: skip
    """Return summaries in a format (``text``, ``md``, ``json`` or ``jsonl``); every line ends with a newline.

    ``several`` says whether several summaries were asked for, even if only one was made. JSON needs the
    signature of each summary; ``members`` has extra members of its JSON object.
    """
    if format_ == "text":
        parts = []
        for summary in summaries:
            # Like the commands head and tail, show headings only for several summaries.
            head = f"==> {_heading(summary, name_budgets)} <==\n" if several else ""
            parts.append(f"{head}{text_of(summary, dates=dates)}\n")
        return "\n".join(parts)
    if format_ == "md":
        return "\n".join(_as_markdown(summary, _heading(summary, name_budgets)) for summary in summaries)
    triples = zip(summaries, signatures, members or [{}] * len(summaries), strict=True)
    objects = [{**summary_object(summary, signature), **extra} for summary, signature, extra in triples]
    if format_ == "jsonl":
        return "".join(f"{dump(result)}\n" for result in objects)
    return dump(objects if several else objects[0], indent=2) + "\n"


def _heading(summary: Summary, name_budget: bool) -> str:  # noqa: FBT001
    budget = f"{plain(summary.selection.budget)}{SUFFIXES[summary.selection.unit]}"
    return name_of(summary.cluster) + (f", K = {budget}" if name_budget else "")


def text_of(summary: Summary, *, dates: bool = False) -> str:
    """Return the text of a summary, with labels above its sentences if it needs labels (``_labels``).

    ``dates``: with a date, or "[?]", after the last of successive sentences of a day.
    """
    cluster, documents = summary.cluster, summary.cluster.documents
    title = _title_above(summary)
    lines, shown, above = [f"[{title}]"] if title else [], -1, ""
    labelled = zip(summary.sentences, _labels(summary), strict=True)
    by_day = itertools.groupby(labelled, key=lambda pair: documents[pair[0].document].date)
    is_dated = dates and any(documents[sentence.document].date for sentence in summary.sentences)
    for day, sentences in by_day:
        for sentence, label in sentences:
            # Messages of one conversation stand together: each names its speaker.
            is_new = label != above or (sentence.document != shown and not sentence.speaker)
            if label and is_new:
                lines.append(f"[{label}]")
            shown, above = sentence.document, label
            lines.append(sentence.text)
        if is_dated:
            lines[-1] += f" [{written_out(day, cluster.language) if day else '?'}]"
    return "\n".join(lines)


def _title_above(summary: Summary) -> str:
    """Return the title to print above a summary of one document or thread, or "" if its text has the title.

    Sentences from the middle of a text seldom say what it is about.
    """
    cluster = summary.cluster
    titles = {document.title for document in cluster.documents}
    if not cluster.labels or cluster.query or cluster.stories > 1 or len(titles) != 1:
        return ""
    title = textwrap.shorten(titles.pop(), _LONGEST_LABEL, placeholder=" …")
    said = " ".join(sentence.text for sentence in summary.sentences).lower()
    return "" if all(map(said.__contains__, _WORD.findall(title.lower()))) else title


def _labels(summary: Summary) -> Iterator[str]:
    """Yield the label of each sentence: its document, if there are several stories, and its section.

    A section is named, unless it is the whole document: what holds in one ("Until 1 May", "Not allowed") need
    not hold in the other. If the summary answers a question, every sentence
    has its document, section and page, because people look the answer up.
    """
    cluster, is_asked = summary.cluster, bool(summary.cluster.query) and summary.cluster.labels
    are_several = len(cluster.documents) > 1
    # Policies of several firms have one title, and so have the messages of a thread, which are in one file.
    titles = Counter(title for title, _ in {(d.title, d.id.partition("#")[0]) for d in cluster.documents})
    shared = {title for title, files in titles.items() if title and files > 1}
    for _, group in itertools.groupby(summary.sentences, key=attrgetter("document")):
        sentences = list(group)
        document = cluster.documents[sentences[0].document]
        is_named = cluster.stories > 1 or (is_asked and are_several)
        name = label_of(document, cluster.language) if is_named else ""
        name += f" ({document.id})" * (name in shared and not sentences[0].speaker)
        above = document.headings
        headings = [above[sentence.position] for sentence in sentences]
        shows_sections = cluster.labels and (name or not are_several)
        for sentence, heading in zip(sentences, headings, strict=True):
            section = heading if shows_sections or is_asked else ""
            page = f"page {sentence.page}" if is_asked and sentence.page else ""
            label = ": ".join(filter(None, (name, section)))
            yield textwrap.shorten(", ".join(filter(None, (label, page))), _LONGEST_LABEL, placeholder=" …")


def label_of(document: Document, language: str) -> str:
    """Return what to call a document, on one line: its title, who wrote it and when, or its file."""
    speakers = {sentence.speaker for sentence in document.sentences}
    who = speakers.pop() if len(speakers) == 1 else ""
    when = written_out(document.date, language) if document.date else ""
    name = document.title or (", ".join(filter(None, (who, when))) if who else document.id)
    return textwrap.shorten(name, _LONGEST_LABEL, placeholder=" …") or document.id


def written_out(date: str, language: str) -> str:
    """Return the date 2009-06-08 as "8 June 2009"; unchanged if summc does not know the language's months."""
    year, month, day = date.split("-")
    name = next((name for name, number in months(language).items() if number == int(month)), "")
    return f"{int(day)} {name.capitalize() if language == 'en' else name} {year}" if name else date


def passed_on(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extra members of a cluster's JSON line as members of its JSON result.

    Members with names that summc writes itself are put into the object ``given``.
    """
    clashing = {name: value for name, value in members.items() if name in RESULT_MEMBERS}
    free = {name: value for name, value in members.items() if name not in clashing}
    return {**free, **nonempty(given=clashing)}


def summary_object(summary: Summary, signature: str) -> dict[str, Any]:
    """Return a summary as a JSON object, with the settings that it was made with."""
    documents, title = summary.cluster.documents, summary.cluster.title
    topic = {"title": title, "documents": [document.id for document in documents]} if title else {}
    return {
        "id": summary.cluster.id, **topic, "budget": plain(summary.selection.budget),
        "unit": summary.selection.unit, "words": summary.words,
        "covered_weight": summary.selection.covered_weight, "covered": round(summary.covered, 4),
        **forecast_of(summary),
        **({"stories": summary.cluster.stories} if summary.cluster.stories > 1 else {}),
        **({} if summary.answered else {"answered": False}),
        "text": text_of(summary),
        "sentences": sentence_objects(summary), "signature": signature, **passed_on(summary.cluster.members),
    }  # fmt: skip


def sentence_objects(summary: Summary) -> list[dict[str, Any]]:
    """Return the sentences of a summary as JSON objects."""
    documents = summary.cluster.documents
    headings = {i: documents[i].headings for i in {sentence.document for sentence in summary.sentences}}
    return [
        {
            "document": documents[s.document].id,
            **nonempty(title=documents[s.document].title, date=documents[s.document].date),
            **nonempty(heading=headings[s.document][s.position]),
            "position": s.position, **nonempty(paragraph=s.paragraph, page=s.page, speaker=s.speaker),
            "text": s.text, "words": s.words,
            **nonempty(cut=documents[s.document].sentences[s.position].text[len(s.text) :].strip()),
            **nonempty(start=s.start, end=s.end, boxes=list(map(list, s.boxes))),
        }
        for s in summary.sentences
    ]  # fmt: skip


def amount(cost: float, unit: str = "words") -> str:
    """Return a cost with its unit: "1 word", "20 words"."""
    return f"{plain(cost)} {unit.removesuffix('s') if cost == 1 else unit}"


def name_of(cluster: Cluster) -> str:
    """Return the heading of a cluster: its id, or for a topic the folder's id, the title and the size."""
    if not cluster.title:
        return cluster.id
    size = amount(len(cluster.documents), "documents")
    return f"{cluster.id.rpartition('/')[0]}: {cluster.title} ({size})"


def forecast_of(summary: Summary) -> dict[str, float]:
    """Return the JSON member for the forecast, or {} if the summary has no forecast."""
    return {} if summary.forecast is None else {"forecast": round(summary.forecast, 3)}


def forecast(summary: Summary) -> str:
    """Return a phrase such as "expected to contain 41% of a person's summary of this length", or ""."""
    if summary.forecast is None:
        return ""
    return f"expected to contain {summary.forecast:.0%} of a person's summary of this length"


def describe(summary: Summary) -> str:
    """Return on one line the length of a summary, the weight it covers, and the selector's diagnostics."""
    selection = summary.selection
    covered, total = figure(selection.covered_weight, 4), figure(summary.total_weight, 4)
    facts = [
        _length(summary),
        f"weight {covered} of {total} covered ({summary.covered:.1%})",
        _convergence(summary),
    ]
    if selection.bound:
        facts.append(f"covers {proven(selection):.1f}% of the best possible, proven")
    given_up = selection.diagnostics.get("given_up")
    if isinstance(given_up, float) and given_up >= _SHOWN:
        facts.append(f"{given_up:.1%} given up for reading")
    facts.append(forecast(summary))
    return f"{summary.cluster.id}: {', '.join(fact for fact in facts if fact)}"


def _length(summary: Summary) -> str:
    selection, budget = summary.selection, plain(summary.selection.budget)
    sentences = f" in {amount(len(summary.sentences), 'sentences')}"
    if selection.unit == "words":
        return f"{summary.words} of {budget} words{sentences}"
    used = f"{plain(selection.cost)} of {budget} {selection.unit}, {summary.words} words"
    return used if selection.unit == "sentences" else used + sentences


def why_short(run: Run) -> str:
    """Return on one line why a summary uses less than nine tenths of its budget, or "" if it does not."""
    graph, summary, selection = run.graph, run.summary, run.summary.selection
    used = summary.words if selection.unit == "words" else selection.cost
    if used >= _FULL * selection.budget:
        return ""
    is_left = np.isin(np.arange(len(graph.cost)), selection.chosen, invert=True)
    fits = is_left & (graph.cost <= selection.budget - selection.cost)
    gain = gains(graph, occurrences(graph, selection.chosen))[fits]
    if len(selection.chosen) == len(summary.cluster.sentences):
        reason = "the documents have no more sentences"
    elif not is_left.any():
        reason = "the other sentences repeat it or are left out"
    elif not fits.any():
        reason = "no other sentence fits"
    elif gain.max() <= 0:
        reason = "what else fits adds nothing new"
    elif "given_up" in selection.diagnostics:
        reason = f"what else fits repeats it or reads badly; {as_typed('reading')} 0 allows that"
    else:
        reason = f"{selection.selector} chose no more"
    length = f"{plain(used)} of {plain(selection.budget)} {selection.unit}"
    return f"{summary.cluster.id}: {length} used: {reason}"


def render_scores(
    scores: Sequence[tuple[str, Mapping[str, Score]]], format_: str, screen: Screen | None = None
) -> str:
    """Return the scores of summaries as a table or as JSON; ``scores`` has the name and the scores of each.

    Markdown and JSON have the signatures of the scores too. A text table fits the ``screen``.
    """
    if format_ == "json":
        objects: list[dict[str, Any]] = []
        for name, metrics in scores:
            members = {metric: score.figures for metric, score in metrics.items()}
            objects.append({"id": name, **members, "signature": next(iter(metrics.values())).signature})
        return dump(objects if len(objects) != 1 else objects[0], indent=2) + "\n"
    rows = [(name, metric, score.figures) for name, metrics in scores for metric, score in metrics.items()]
    if len(scores) > 1:
        for metric in scores[0][1]:
            figures = [metrics[metric].figures for _, metrics in scores]
            rows.append(("mean", metric, {part: fmean(row[part] for row in figures) for part in figures[0]}))
    cells = [["summary", "metric", "recall", "precision", "F1"]]
    cells += [[name, metric, *(f"{part:.4f}" for part in figures.values())] for name, metric, figures in rows]
    table = render_cells(cells, format_, screen, fold=[cells[0].index(name) for name in ("F1", "precision")])
    return "\n".join([table, *score_signatures(scores), ""]) if format_ == "md" else table


def score_signatures(scores: Sequence[tuple[str, Mapping[str, Score]]]) -> list[str]:
    """Return the distinct signatures: lines with the options of ROUGE and the number of references."""
    return list(dict.fromkeys(score.signature for _, by_metric in scores for score in by_metric.values()))


def proven(selection: Selection) -> float | None:
    """Return the share of the best possible coverage in percent, rounded down; None without a bound."""
    return math.floor(1000 * selection.covered_weight / selection.bound) / 10 if selection.bound else None


def _convergence(summary: Summary) -> str:
    selection, diagnostics = summary.selection, summary.selection.diagnostics
    # Diagnostics from a file of another program may have any type.
    terms = {n: v for n, v in diagnostics.items() if is_number(v) and abs(v) <= sys.float_info.max}
    used = ", ".join(f"{name} {terms[name]:.3g}" for name in _TERMS if name in terms)
    by = f"by {selection.selector}" + (f" at {used}" if used else "")
    if "converged" not in diagnostics or not terms.keys() >= {"iterations", "last_change"}:
        return by
    verdict = "converged" if diagnostics["converged"] else "did not converge"
    rounds, change = terms["iterations"], terms["last_change"]
    return f"{by}, which {verdict} in {rounds} iterations (last change {change:.1e})"


def _as_markdown(summary: Summary, heading: str) -> str:
    documents = summary.cluster.documents
    sources = [", ".join(filter(None, (document.name, document.date))) for document in documents]
    lines = [f"- {_escaped(s.text)} ({_escaped(sources[s.document])})" for s in summary.sentences]
    return "\n".join([f"## {_escaped(heading)}", "", *lines, ""])


def render_notebook(summary: Summary) -> str:
    """Return a summary as a piece of HTML for a notebook; all text is escaped."""
    documents, language = summary.cluster.documents, summary.cluster.language
    items = []
    for sentence in summary.sentences:
        document = documents[sentence.document]
        source = ", ".join(filter(None, (document.name, document.date, f"sentence {sentence.position + 1}")))
        items.append(f"<li>{html.escape(sentence.text)} <small>({html.escape(source)})</small></li>")
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    attributes = f'lang="{html.escape(language)}" dir="{direction}"'
    lines = [f"<ul {attributes}>", *items, "</ul>", f"<p><small>{html.escape(describe(summary))}</small></p>"]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return unlinked(_MARKDOWN_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", text)))
