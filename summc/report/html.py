"""One page that stands alone: the summary beside its documents, and why.

Nothing in it comes from the network, and nothing in the documents can run: all text is escaped, and the page
forbids every script and style but its own two, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

import numpy as np

from summc.files.versions import version
from summc.graph.build import cost_in
from summc.preprocess.concepts import is_bigram
from summc.preprocess.terms import Span
from summc.records import Document
from summc.report.budgets import ClusterReport
from summc.report.explain import (
    ChosenSentence,
    Explanation,
    Place,
    Word,
    concept_names,
    function_concepts,
    missed_to_show,
    worth_showing,
)
from summc.report.markup import Html, join, json_block, tag
from summc.report.summaries import forecast, name_of
from summc.report.text import again, amount, besides, changed, cut_to, stands, weight
from summc.text.languages import RIGHT_TO_LEFT
from summc.text.numbers import plain

_MOST_WORDS = 24
#: How many characters stand side by side under the slider, on a phone; of more only the one it is at.
_MOST_LABELLED = 40
#: What the page itself says stands in English, whatever the documents are in.
_OURS = {"lang": "en", "dir": "ltr"}
_HINT = "Point at a sentence, or move to it with Tab and the arrow keys, to see what it covers."


def render_page(reports: Sequence[ClusterReport]) -> str:
    """Return the page of one cluster or several."""
    style, script = _resource("page.css"), _resource("page.js")
    several = len(reports) > 1
    parts = [_Part(number, report, 2 if several else 1) for number, report in enumerate(reports, start=1)]
    title = f"{len(reports)} summaries" if several else name_of(reports[0].made.tokenized.cluster)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{title} - summc"),
        tag("style", Html(style)),
    )
    first = tag("header", tag("h1", title), _contents(parts), class_="page") if several else Html("")
    body = tag(
        "body",
        tag("a", "Skip to the summary", class_="skip", href="#c1"),
        first,
        tag("main", (part.section(parts) for part in parts)),
        _footer(reports),
        json_block([part.data() for part in parts], id="data"),
        tag("script", Html(script)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _resource(name: str) -> str:
    return files("summc.report").joinpath(name).read_text(encoding="utf-8")


def _contents(parts: Sequence[_Part]) -> Html:
    entries = (
        tag(
            "li",
            tag("a", tag("bdi", name_of(part.cluster)), href=f"#{part.id}"),
            " ",
            tag("span", f"{part.share()} covered"),
        )
        for part in parts
    )
    return tag("nav", tag("ul", entries), aria_label="Clusters", class_="contents")


def _footer(reports: Sequence[ClusterReport]) -> Html:
    return tag(
        "footer",
        tag(
            "p",
            f"Made by summc {version('summc')}. Every sentence of a summary stands in its documents, word for"
            " word; they were chosen so that the words they hold weigh the most.",
        ),
        tag(
            "details",
            tag("summary", "Settings"),
            (
                tag("p", tag("code", signature))
                for signature in dict.fromkeys(
                    report.explanations[report.asked].summary.signature for report in reports
                )
            ),
        ),
        class_="page",
    )


class _Part:
    """The section of one cluster; ``level`` is that of its heading."""

    def __init__(self, number: int, report: ClusterReport, level: int) -> None:
        self.id, self.number, self.level, self.report = f"c{number}", number, level, report
        self.cluster = report.made.tokenized.cluster
        self.sentences = self.cluster.sentences
        graph, words = report.made.graph, report.made.weights.words
        self.weight = graph.weight
        self.word_of = {words[id_]: a for a, id_ in enumerate(graph.word_ids.tolist()) if id_ < len(words)}
        self.function = [
            a for a, is_one in enumerate(function_concepts(report.made, report.function)) if is_one
        ]
        function = set(self.function)
        self.marked = {term: a for term, a in self.word_of.items() if a not in function}
        self.asked = report.explanations[report.asked]
        self.numbers = {each.place.index: n for n, each in enumerate(self.asked.sentences, start=1)}
        sizes = (len(document.sentences) for document in self.cluster.documents)
        self.firsts = list(itertools.accumulate(sizes, initial=0))[:-1]  # sentence of each document
        self.ever = {each.place.index for choice in report.explanations for each in choice.sentences}
        self.script = {
            "lang": self.cluster.language,
            "dir": "rtl" if self.cluster.language in RIGHT_TO_LEFT else "ltr",
        }

    def data(self) -> dict[str, object]:
        """Return what the script needs to know: the words, and what each choice has.

        Words come with their weights at the length that was asked for, which only order them. The figures of
        each choice are counted with its own.
        """
        names = concept_names(self.report.made, self.report.forms)
        problems = list(dict.fromkeys(self.report.candidates))
        return {
            "words": [[name, float(self.weight[a])] for a, name in enumerate(names)],
            "function": self.function,
            "held": self._held(),
            "candidates": problems,
            "costs": self._costs(),
            "asked": self.report.asked,
            "choices": [
                {
                    "budget": plain(choice.summary.selection.budget),
                    "unit": choice.summary.selection.unit,
                    "room": plain(choice.summary.selection.budget - choice.summary.selection.cost),
                    "chosen": [each.place.index for each in choice.sentences],
                    "candidates": problems.index(candidates),
                    "figures": [[_digits(total), _digits(gain)] for total, gain in figures],
                    "told": self._told(choice),
                }
                for choice, candidates, figures in zip(
                    self.report.explanations, self.report.candidates, self.report.figures, strict=True
                )
            ],
        }

    def _held(self) -> list[list[int]]:
        """Return the words of each sentence, as the graph has them, or else those that it has."""
        graph, tokens = self.report.made.graph, self.report.made.tokenized.tokens
        held = [sorted({self.word_of[term] for term in terms if term in self.word_of}) for terms in tokens]
        rows = np.split(graph.edge_word, np.searchsorted(graph.edge_sentence, np.arange(1, len(graph.cost))))
        for index, row in zip(graph.sentence_ids.tolist(), rows, strict=True):
            held[index] = row.tolist()
        return held

    def share(self) -> str:
        return _percent(self.asked.summary.selection.covered_weight, self.asked.summary.total_weight)

    def section(self, parts: Sequence[_Part]) -> Html:
        title = f"{self.id}-title"
        return tag(
            "section",
            tag(
                "header",
                self._heading(0, tag("bdi", name_of(self.cluster)), id=title),
                tag("p", self._size(), class_="size"),
                self._neighbours(parts),
            ),
            tag(
                "div",
                tag("div", self._summary(), class_="side"),
                self._documents(),
                class_="columns",
            ),
            tag("div", class_="card", hidden=True),
            class_="cluster",
            id=self.id,
            aria_labelledby=title,
            tabindex="-1",
        )

    def _heading(self, below: int, *content: str, **attributes: str) -> Html:
        return tag(f"h{self.level + below}", *content, **attributes)

    def _costs(self) -> list[float]:
        """Return what each sentence takes of the budget."""
        unit = self.asked.summary.selection.unit
        return [plain(cost_in(sentence, unit)) for sentence in self.sentences]

    def _size(self) -> str:
        documents, total = len(self.cluster.documents), sum(s.words for s in self.sentences)
        asked = self.asked.summary.selection
        count = "1 document" if documents == 1 else f"{documents} documents"
        return f"{count}, {total:,} words, in {amount(asked.budget, asked.unit)}"

    def _neighbours(self, parts: Sequence[_Part]) -> Html:
        if len(parts) == 1:
            return Html("")
        here = self.number - 1
        links = [
            tag("a", "Previous: ", tag("bdi", name_of(p.cluster)), href=f"#{p.id}") for p in parts[:here][-1:]
        ]
        links += [
            tag("a", "Next: ", tag("bdi", name_of(p.cluster)), href=f"#{p.id}") for p in parts[here + 1 :][:1]
        ]
        return tag("nav", links, aria_label=f"Beside {name_of(self.cluster)}", class_="neighbours")

    # The summary

    def _summary(self) -> Html:
        title = f"{self.id}-summary"
        return tag(
            "section",
            self._heading(1, "Summary", id=title),
            self._slider(),
            (self._choice(k, choice) for k, choice in enumerate(self.report.explanations)),
            tag("p", class_="told", role="status", aria_live="polite"),
            class_="summary",
            aria_labelledby=title,
        )

    def _slider(self) -> Html:
        """Return the control over budgets, which the script brings to light."""
        budgets = [plain(choice.summary.selection.budget) for choice in self.report.explanations]
        if len(budgets) == 1:
            return Html("")
        name, labels = f"{self.id}-budget", [f"{budget:,}" for budget in budgets]
        return tag(
            "div",
            tag("label", "Length", for_=name),
            tag(
                "input", type="range", id=name, min=0, max=len(budgets) - 1, step=1, value=self.report.asked,
                aria_valuetext=f"{budgets[self.report.asked]} {self.asked.summary.selection.unit}",
                autocomplete="off",
            ),
            tag(
                "ol", (tag("li", label) for label in labels), aria_hidden="true",
                class_="many" if sum(len(label) + 1 for label in labels) > _MOST_LABELLED else None,
            ),
            class_="budget",
            hidden=True,
        )  # fmt: skip

    def _choice(self, k: int, choice: Explanation) -> Html:
        return tag(
            "div",
            self._coverage(choice),
            tag(
                "ol",
                (self._chosen(k, each) for each in choice.sentences),
                () if choice.cut is None else self._cut(choice.cut),
                class_="sentences",
                **self.script,
            ),
            self._left_out(choice),
            class_="choice",
            data_k=k,
            hidden=k != self.report.asked,
        )

    def _left_out(self, choice: Explanation) -> Html:
        """Return how much of the budget is used, and the heaviest words that are not covered."""
        selection = choice.summary.selection
        cut = 0 if choice.cut is None else choice.cut.sentence.words  # what is filled is counted in words
        used = f"{plain(selection.cost + cut)} of {amount(selection.budget, selection.unit)}."
        if not choice.missed:
            return tag("p", used, " Every word is covered.", class_="rest")
        words = [
            join(
                tag(
                    "a",
                    tag("bdi", missed.word.text, lang=self.cluster.language),
                    href=f"#{self.id}-s{missed.place.index}",
                ),
                again(missed),
            )
            for missed in missed_to_show(choice)
        ]
        listed = (part for i, word in enumerate(words) for part in (", " if i else " ", word))
        return tag("p", used, " The heaviest words left out:", listed, ".", class_="rest")

    def _coverage(self, choice: Explanation) -> Html:
        selection, total = choice.summary.selection, choice.summary.total_weight
        covered = 100 * selection.covered_weight / total
        bound = 100 * (selection.bound or selection.covered_weight) / total
        bars = [
            tag("rect", class_=name, width=f"{width:.3f}", height="6")
            for name, width in (("track", 100), ("bound", min(bound, 100)), ("covered", covered))
        ]
        share = tag("strong", _percent(selection.covered_weight, total))
        return tag(
            "figure",
            tag("svg", bars, viewBox="0 0 100 6", preserveAspectRatio="none", aria_hidden="true"),
            tag(
                "figcaption",
                share,
                " of the weight of all words",
                tag("span", self._proof(choice)),
                self._forecast(choice),
            ),
            class_="coverage",
        )

    def _proof(self, choice: Explanation) -> str:
        selection = choice.summary.selection
        if not selection.bound:
            return "."
        share = math.floor(1000 * selection.covered_weight / selection.bound) / 10
        if share >= 100:  # noqa: PLR2004 (percent)
            return ". No choice of this length covers more: proven."
        return f". Proven to be {share:.1f}% or more of what any choice of this length can cover."

    def _forecast(self, choice: Explanation) -> Html:
        said = forecast(choice.summary)
        return tag("p", f"{said.capitalize()}.", class_="forecast") if said else Html("")

    def _told(self, choice: Explanation) -> str:
        summary, count = choice.summary, len(choice.summary.sentences)
        length = amount(summary.selection.budget, summary.selection.unit)
        share = _percent(summary.selection.covered_weight, summary.total_weight)
        sentences = "1 sentence" if count == 1 else f"{count} sentences"
        return f"{length}: {sentences}, {share} of the weight covered"

    def _chosen(self, k: int, chosen: ChosenSentence) -> Html:
        index = chosen.place.index
        return tag(
            "li",
            tag(
                "a", self._marked(index), class_="s", id=f"{self.id}-k{k}-s{index}",
                href=f"#{self.id}-s{index}", data_s=index,
            ),
            tag(
                "details", tag("summary", self._source(chosen.place), " ", tag("span", "Why?")),
                self._why(chosen, levels=self.report.explanations[k].levels), class_="why", **_OURS,
            ),
        )  # fmt: skip

    def _cut(self, place: Place) -> Html:
        document = tag("bdi", place.document)
        return tag(
            "li",
            tag("a", place.sentence.text, class_="cut", href=f"#{self.id}-s{place.index}"),
            tag("p", document, f", {stands(place)}, {cut_to(place)}", class_="why", **_OURS),
        )

    def _source(self, place: Place) -> Html:
        where = f"{stands(place)}, {amount(place.sentence.words)}"
        return join(tag("bdi", place.document), ", ", *_dated(place.date, after=", "), where)

    def _why(self, chosen: ChosenSentence, *, levels: bool) -> Html:
        rows: list[tuple[str, Iterable[str]]] = [
            ("Weight", [f"{weight(chosen.total)}; {weight(chosen.loss)} would be lost without it"])
        ]
        if chosen.alone:
            alone = "Lost without it" if levels else "It alone covers"
            rows.append((alone, self._listed(chosen.alone, weights=levels)))
        if chosen.shared:
            rows.append(("Covered elsewhere too", self._listed(chosen.shared, weights=levels)))
        if chosen.field is not None:
            rows.append(("Belief h", [f"{chosen.field:.4g}"]))
        if chosen.required:
            rows.append(("Required", ["It must be in, so that no other could take its place"]))
        if chosen.runner_up is not None:
            place, change = chosen.runner_up.place, chosen.runner_up.change
            verdict = f"{changed(change).capitalize()} would be covered with "
            text = tag("a", place.sentence.text, href=f"#{self.id}-s{place.index}", **self.script)
            source = [" (", self._source(place), ")", besides(chosen.runner_up)]
            rows.append(("Runner-up", [verdict, text, *source]))
        return tag("dl", (join(tag("dt", name), tag("dd", content)) for name, content in rows))

    def _listed(self, words: Sequence[Word], *, weights: bool) -> Iterator[str]:
        """Yield words, with how much of each is counted where they are counted in parts."""
        shown = worth_showing(words)[:_MOST_WORDS]
        for i, word in enumerate(shown):
            yield ", " if i else ""
            # No line ends between a word and its weight.
            text = word.text.replace(" ", "\N{NO-BREAK SPACE}") if weights else word.text
            yield tag("bdi", text, lang=self.cluster.language)
            yield f"\N{NO-BREAK SPACE}{weight(word.weight)}" if weights else ""
        if len(words) > len(shown):
            yield f", and {len(words) - len(shown)} more"

    # The documents

    def _documents(self) -> Html:
        title = f"{self.id}-documents"
        return tag(
            "section",
            self._heading(1, "Documents", id=title),
            tag("p", _HINT, class_="hint", hidden=True),
            (
                self._document(first, document)
                for first, document in zip(self.firsts, self.cluster.documents, strict=True)
            ),
            class_="documents",
            aria_labelledby=title,
        )

    def _document(self, first: int, document: Document) -> Html:
        numbered = enumerate(document.sentences, start=first)
        body = [
            tag("p", (part for i, _ in together for part in (self._sentence(i), " ")))
            for _, together in itertools.groupby(numbered, key=lambda each: each[1].paragraph)
        ]
        return tag(
            "article",
            self._heading(2, tag("bdi", document.id), *_dated(document.date, before=" ")),
            tag("div", body, class_="body"),
            **self.script,
        )

    def _sentence(self, index: int) -> Html:
        """Return a sentence in its document; one that a summary has is a link back to it."""
        common: Mapping[str, str] = {"id": f"{self.id}-s{index}", "data_s": str(index)}
        if index not in self.ever:
            return tag("span", self._marked(index), class_="s", **common)
        if index not in self.numbers:
            return tag("a", self._marked(index), class_="s", **common)
        back = f"#{self.id}-k{self.report.asked}-s{index}"
        return tag(
            "a", self._marked(index), class_="s chosen", href=back, data_n=self.numbers[index], **common
        )

    def _marked(self, index: int) -> Html:
        """Return the text of a sentence, each word that lists may name in an element of its own."""
        text, spans = self.sentences[index].text, self.report.spans[index]
        return join(_marked_parts(text, spans, self.marked))


def _dated(date: str, before: str = "", after: str = "") -> Iterator[str]:
    """Yield the date of a document, where it is known, between two texts."""
    if date:
        yield from (before, tag("time", date, datetime=date), after)


def _marked_parts(text: str, spans: Sequence[Span], word_of: Mapping[str, int]) -> Iterator[str]:
    known = [span for span in spans if span.term in word_of]
    words = [span for span in known if not is_bigram(span.term)]
    # Where words have weight they are marked, and two of them only where neither has.
    marked = {at for span in words for at in range(span.start, span.end)}
    pairs = [s for s in known if is_bigram(s.term) and marked.isdisjoint(range(s.start, s.end))]
    done = 0
    for span in sorted([*words, *pairs], key=lambda span: span.start):
        if span.start >= done:
            yield text[done : span.start]
            yield tag("span", text[span.start : span.end], class_="w", data_w=word_of[span.term])
            done = span.end
    yield text[done:]


def _digits(value: float) -> float:
    """Return a number with the digits that a reader could see, and some to round."""
    return float(f"{value:.6g}")


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%"
