"""Summaries for Python: make one in a call, read it, and ask why its sentences were chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from summc import method
from summc.api.settings import ConfigLike, Fill, Order, config_of
from summc.api.sources import Sources, one_cluster
from summc.errors import SummcError
from summc.records import Cluster, Run, Selection
from summc.report import explain as explaining
from summc.report.summaries import describe, render_notebook, summary_object
from summc.selectors import Selector
from summc.settings.config import Config

#: The width of an explanation in columns.
_COLUMNS = 100


def summarize(
    sources: Sources,
    budget: float | str | None = None,
    *,
    language: str | None = None,
    query: str | None = None,
    selector: str | Selector | None = None,
    weighting: str | None = None,
    must: str | Sequence[str] | None = None,
    boost: Mapping[str, float] | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    order: Order | None = None,
    reading: float | None = None,
    fill: Fill | None = None,
    config: ConfigLike | None = None,
) -> Summary:
    """Return one summary of all the sources together.

    >>> summary = summarize("The dam broke. Nobody was hurt.", 3)
    >>> print(summary)
    The dam broke.

    Args:
        sources: the documents. A ``str`` is always a text, and a ``pathlib.Path`` always a path of a file or
            folder. Give one or several of a kind, a mapping of names to texts, or a cluster of ``load``.
        budget: the length of the summary: ``100`` or ``"100w"`` words, ``"5s"`` sentences, ``"600c"``
            characters, ``"10%"`` of the words. The default is 100 words.
        language: the language of the documents, such as "french" or "fr"; "auto" detects it.
        query: a question that the summary should answer.
        selector: the algorithm that chooses sentences: a name of ``SELECTORS``, or an object such as
            ``SELECTORS["bp"](beta=45)``.
        weighting: how words are weighed: a name of ``WEIGHTINGS``.
        must: words of sentences that have to be in the summary.
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
        must=must, boost=boost, ignore=ignore, order=order, reading=reading, fill=fill,
    )  # fmt: skip
    (made,) = method.summarize([one_cluster(sources, chosen)], chosen)
    if isinstance(made, SummcError):
        raise made
    return Summary(made, chosen)


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary, and where it comes from.

    ``document`` is the name of its document, and ``date`` the date of the document, as 2005-01-08, or "".
    ``position`` is the index of the sentence in the document, from 0. ``words`` is its length. ``paragraph``
    (from 0) and ``page`` (from 1) say where it begins, or are None if unknown.
    """

    document: str
    date: str
    position: int
    text: str
    words: int
    paragraph: int | None = None
    page: int | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Explanation(explaining.Explanation):
    """Why the sentences of a summary were chosen. Print it, take ``to_dict()``, or read its attributes.

    ``sentences`` says what each chosen sentence contributes, ``missed`` has the heaviest words that the
    summary lacks, and ``answers`` says why other sentences were left out.
    """

    def __str__(self) -> str:
        from summc.report.text import render_explanations  # noqa: PLC0415 (few need it)

        return render_explanations([self], _COLUMNS)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON data, as the command ``summc explain`` writes it."""
        from summc.report.text import explanation_object  # noqa: PLC0415 (few need it)

        return explanation_object(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A summary: its text, its sentences, and why they were chosen.

    >>> summary = summarize({"news": "The dam broke. Nobody was hurt."}, "1s")
    >>> summary.text
    'The dam broke.'
    >>> [(sentence.document, sentence.position) for sentence in summary.sentences]
    [('news', 0)]
    >>> summary.to_dict()["budget"], summary.to_dict()["unit"]
    (1, 'sentences')

    ``run`` has the records of the stages, such as ``run.graph``; ``config`` has all settings.
    """

    run: Run
    config: Config

    @property
    def text(self) -> str:
        """The text of the summary, with each sentence on a line of its own."""
        return self.run.text

    @property
    def words(self) -> int:
        """How many words a reader counts in the summary."""
        return self.run.words

    @property
    def sentences(self) -> tuple[SummarySentence, ...]:
        """The sentences in reading order, each with its document, date and position."""
        documents = self.cluster.documents
        return tuple(
            SummarySentence(
                documents[each.document].id, documents[each.document].date, each.position, each.text,
                each.words, each.paragraph, each.page,
            )
            for each in self.run.sentences
        )  # fmt: skip

    @property
    def cluster(self) -> Cluster:
        """The documents that were summarized, in the order in which the summary has them."""
        return self.run.cluster

    @property
    def selection(self) -> Selection:
        """The answer of the selector: the covered weight, the bound if there is one, the diagnostics."""
        return self.run.selection

    @property
    def forecast(self) -> float | None:
        """The share of a person's summary that this one is expected to contain, or None if unknown."""
        return self.run.forecast

    @property
    def signature(self) -> str:
        """The settings and versions that the summary was made with, on one line."""
        return self.run.signature

    def explain(self, *why_not: str) -> Explanation:
        """Return why these sentences were chosen, and why not the sentences with the texts ``why_not``.

        >>> summary = summarize("The dam broke. Nobody was hurt.", 3)
        >>> summary.explain("hurt").answers[0].location.sentence.text
        'Nobody was hurt.'
        """
        (found,) = explaining.explain_all([self.run], self.config, why_not)
        fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
        return Explanation(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON data, with the members that the command line writes."""
        return summary_object(self.run)

    def to_html(self) -> str:
        """Return a web page with the summary beside its documents, as the command line writes it."""
        from summc.report.budgets import report_of  # noqa: PLC0415 (loads jinja2)
        from summc.report.html import render_page  # noqa: PLC0415

        return render_page([report_of(self.run, self.config)])

    def _repr_html_(self) -> str:
        return render_notebook(self.run)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self.run == other.run

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Summary of {describe(self.run)}>"
