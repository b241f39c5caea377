"""Summaries for Python: make one, explain it, and score it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from summc import method
from summc.api import AnySelector, ConfigLike, Fill, Order, Sources, config_of, one_cluster, python_number
from summc.config import ScoreSettings
from summc.documents.language import language_of_text
from summc.errors import InputError, SettingError, SummcError, as_typed
from summc.records import Cluster, Run, Score, Selection
from summc.report import explain
from summc.report.keywords import USUAL, Keyword, keywords_of
from summc.report.summaries import describe, render_notebook, sentence_objects, summary_object, text_of
from summc.report.text import explanation_object, render_explanations
from summc.rouge.scorer import Rouge
from summc.rouge.texts import warn_of_unsegmented
from summc.settings import Rule, check, checked
from summc.signatures import signature_of_run
from summc.text.languages import AUTO, asked_language

#: The width of an explanation in columns.
_COLUMNS = 100


def summarize(
    sources: Sources,
    budget: float | str | None = None,
    *,
    language: str | None = None,
    query: str | None = None,
    selector: AnySelector | None = None,
    weighting: str | None = None,
    must: str | Sequence[str] | None = None,
    without: str | Sequence[str] | None = None,
    boost: Mapping[str, float] | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    order: Order | None = None,
    reading: float | None = None,
    fill: Fill | None = None,
    config: ConfigLike | None = None,
) -> Summary:
    """Return one summary of all the sources together.

    >>> print(summarize("The dam broke. Nobody was hurt.", 3))
    The dam broke.

    Args:
        sources: texts (``str``) or paths (``pathlib.Path``), one or several, a mapping of names to texts, or
            a cluster of ``load``.
        budget: the length of the summary: ``100`` or ``"100w"`` words (the default), ``"5s"`` sentences,
            ``"600c"`` characters, ``"10%"`` of the words, ``"2000t"`` tokens of the setting ``tokenizer``.
        language: the language of the documents, such as "french" or "fr"; "auto" detects it.
        query: a question that the summary should answer.
        selector: the algorithm that chooses sentences: a name of ``SELECTORS``, or an object such as
            ``SELECTORS["bp"](beta=45)``, or any object with a name and ``select(graph, budget)``.
        weighting: how words are weighed: a name of ``WEIGHTINGS``.
        must: words of sentences that have to be in the summary.
        without: words of sentences that must not be in the summary.
        boost: factors for the weights of words: ``{"dam": 2, "mayor": 0.5}``.
        ignore: words that are not worth covering.
        order: the order of the documents: by their "dates", or as "given".
        reading: how much coverage to give up for a summary that reads better; 0 gives up nothing.
        fill: end with a "whole" sentence, or "truncate" the last one to fill the budget.
        config: all other settings: a ``Config``, a mapping such as ``{"beta": 45, "stemmer": "none"}``, a
            TOML file, or the name of a configuration that comes with summc, such as "paper".

    A setting that is None stays as ``config`` says. Errors are subclasses of ``SummcError``.
    """
    chosen = config_of(
        config, budget=budget, language=language, query=query, selector=selector, weighting=weighting,
        must=must, without=without, boost=boost, ignore=ignore, order=order, reading=reading, fill=fill,
    )  # fmt: skip
    (result,) = method.summarize([one_cluster(sources, chosen)], chosen)
    if isinstance(result, SummcError):
        raise result
    return Summary(result)


def keywords(sources: Sources, most: int = USUAL, *, config: ConfigLike | None = None) -> list[Keyword]:
    """Return the words and phrases of one cluster that weigh the most, heaviest first, at most ``most``.

    >>> [(item.word, len(item.sentences)) for item in keywords("The dam broke. Nobody saw the dam.", 1)]
    [('dam', 2)]

    ``config`` has the settings, as for ``summarize``.
    """
    check(python_number(most), USUAL, Rule("", at_least=1), "most")
    chosen = config_of(config)
    (items,) = keywords_of([one_cluster(sources, chosen)], chosen, most)
    return items


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary, and where it comes from.

    ``title`` and ``date`` are those of the document; the date is as 2005-01-08. ``heading`` is that of the
    section, and ``speaker`` who says or writes the sentence. Each of these is "" if unknown.
    ``position`` in the document and ``paragraph`` count from 0, ``page`` from 1. ``paragraph`` and ``page``
    are None if unknown. ``cut`` is the rest of the sentence if only its first words fitted.

    ``start`` and ``end`` are the offsets of the sentence in the text of its file, or in the text that was
    given; without the name of the speaker, which ``text`` may begin with. ``boxes`` has its rectangles on the
    pages of a PDF: page, left, bottom, right, top. The offsets are None, and ``boxes`` is empty, if unknown.
    """

    document: str
    date: str
    position: int
    text: str
    words: int
    paragraph: int | None = None
    page: int | None = None
    title: str = ""
    speaker: str = ""
    heading: str = ""
    cut: str = ""
    start: int | None = None
    end: int | None = None
    boxes: list[list[float]] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(explain.Explanation):
    """Why the sentences of a summary were chosen. Print it, take ``to_dict()``, or read its attributes."""

    def __str__(self) -> str:
        return render_explanations([self], _COLUMNS)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON data, as the command ``summc explain`` writes it."""
        return explanation_object(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A summary: its text, its sentences, and why they were chosen.

    >>> summary = summarize({"news": "The dam broke. Nobody was hurt."}, "1s")
    >>> summary.text
    'The dam broke.'
    >>> [(sentence.document, sentence.position) for sentence in summary.sentences]
    [('news', 0)]

    ``run`` has the records of the stages, such as ``run.graph``, and all settings: ``run.config``.
    """

    run: Run

    @property
    def text(self) -> str:
        """The text of the summary, with each sentence on a line of its own.

        A label such as "[Hummus]" names the document or section where sentences are from different ones.
        """
        return text_of(self.run.summary)

    @property
    def words(self) -> int:
        """How many words a reader counts in the summary."""
        return self.run.summary.words

    @property
    def sentences(self) -> tuple[SummarySentence, ...]:
        """The sentences in reading order, each with its document, date and position."""
        return tuple(SummarySentence(**{"date": "", **item}) for item in sentence_objects(self.run.summary))

    @property
    def cluster(self) -> Cluster:
        """The documents that were summarized, in the order in which the summary has them."""
        return self.run.summary.cluster

    @property
    def selection(self) -> Selection:
        """The answer of the selector: the covered weight, the bound if there is one, the diagnostics."""
        return self.run.summary.selection

    @property
    def forecast(self) -> float | None:
        """The share of a person's summary that this one is expected to contain, or None if unknown."""
        return self.run.summary.forecast

    @property
    def signature(self) -> str:
        """The settings and versions that the summary was made with, on one line."""
        return signature_of_run(self.run)

    def explain(self, *why_not: str) -> Explanation:
        """Return why these sentences were chosen, and why not the sentences with the texts ``why_not``."""
        (explanation,) = explain.explain_all([self.run], why_not)
        return Explanation(**{field.name: getattr(explanation, field.name) for field in fields(explanation)})

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON data, with the members that the command line writes."""
        return summary_object(self.run.summary, self.signature)

    def to_html(self) -> str:
        """Return a web page with the summary beside its documents, as the command line writes it."""
        from summc.report.budgets import report_of  # noqa: PLC0415 (loads jinja2)
        from summc.report.html import render_page  # noqa: PLC0415

        return render_page([report_of(self.run)])

    def _repr_html_(self) -> str:
        return render_notebook(self.run.summary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self.run.summary == other.run.summary

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Summary of {describe(self.run.summary)}>"


def score(
    summary: str | Summary,
    references: str | Sequence[str],
    *,
    metrics: str | Sequence[str] = ("rouge1", "rouge2", "rougeL"),
    rouge: Literal["paper", "official"] = "paper",
    stem: bool = False,
    language: str = AUTO,
    limit: int | None = None,
) -> dict[str, Score]:
    """Return the ROUGE scores of a summary against summaries that people wrote: metric -> score.

    >>> score("The dam broke.", ["The dam broke at dawn."], metrics="rouge1")["rouge1"].recall
    0.6

    Args:
        summary: the text to score, or what ``summarize`` returned.
        references: one or several texts that people wrote.
        metrics: some of rouge1, rouge2, rouge3, rouge4, rougeL, rougeW, rougeSU4.
        rouge: "paper" averages over the references; "official" scores as ROUGE-1.5.5 does.
        stem: compare the stems of words, as ROUGE-1.5.5 does with -m.
        language: the language of the texts; "auto" detects it.
        limit: cut all texts after this many words.
    """
    text = summary.run.summary.text if isinstance(summary, Summary) else summary
    is_one = isinstance(references, str) or not isinstance(references, Iterable)
    reference_texts: list[Any] = [references] if is_one else list(references)
    for place, item in (("summary", text), *(("references", item) for item in reference_texts)):
        if not isinstance(item, str):
            raise InputError(place, f"must be a text, got {type(item).__name__}")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise SettingError("limit", f"must be a whole number at least 1, got {limit!r:.40}")
    values = {"metrics": metrics if isinstance(metrics, str) else list(metrics), "rouge": rouge, "stem": stem}
    settings = ScoreSettings(**checked(ScoreSettings, values, {name: as_typed(name) for name in values}))  # type: ignore[arg-type]
    code = asked_language(language)
    warn_of_unsegmented(reference_texts, "references")
    scorer = Rouge(settings.metrics, settings.rouge, settings.stem, limit=limit)
    return scorer.score(text, reference_texts, language=language_of_text(text) if code == AUTO else code)
