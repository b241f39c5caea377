"""The stages as functions. Called in this order, they do what ``summarize`` does.

>>> from summc import build_graph, load, render, select, tokenize, weigh
>>> config = {"budget": 3, "selector": "g-greedy"}
>>> [cluster] = load("The dam broke. Nobody was hurt.", config)
>>> tokenized = tokenize(cluster, config)
>>> weights = weigh(tokenized, config)
>>> graph = build_graph(tokenized, weights, config)
>>> selection = select(tokenized, graph, config)
>>> render(tokenized, weights, graph, selection, config).text
'The dam broke.'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from summc import method
from summc.api.settings import ConfigLike, config_of
from summc.api.summaries import Summary
from summc.documents.language import language_of_text
from summc.errors import InputError, SettingError, as_typed
from summc.records import Cluster, CoverageGraph, Score, Selection, TokenizedCluster, WordWeights
from summc.rouge.scorer import Rouge
from summc.rouge.settings import ScoreSettings
from summc.rouge.texts import warn_of_unsegmented
from summc.settings import checked
from summc.text.languages import AUTO, asked_language


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
        metrics: what to score by: rouge1, rouge2, rouge3, rouge4, rougeL, rougeW, rougeSU4.
        rouge: "paper" averages over the references; "official" scores as ROUGE-1.5.5 does.
        stem: compare the stems of words, as ROUGE-1.5.5 does with -m.
        language: the language of the texts; "auto" detects it.
        limit: cut all texts after this many words.
    """
    text = summary.text if isinstance(summary, Summary) else summary
    wanted = [references] if isinstance(references, str) else list(references)
    for place, each in (("summary", text), *(("references", each) for each in wanted)):
        if not isinstance(each, str):
            raise InputError(place, f"must be a text, got {type(each).__name__}")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise SettingError("limit", f"must be a whole number at least 1, got {limit!r:.40}")
    given = {"metrics": metrics if isinstance(metrics, str) else list(metrics), "rouge": rouge, "stem": stem}
    settings = ScoreSettings(**checked(ScoreSettings, given, {name: as_typed(name) for name in given}))  # type: ignore[arg-type]
    code = asked_language(language)
    warn_of_unsegmented(wanted, "references")
    scorer = Rouge(settings.metrics, settings.rouge, settings.stem, limit=limit)
    return scorer.score(text, wanted, language=language_of_text(text) if code == AUTO else code)


def tokenize(cluster: Cluster, config: ConfigLike | None = None) -> TokenizedCluster:
    """Stage 2: return a cluster with the terms of each sentence, and the sentences that may be chosen.

    Documents are sorted by date, unless the setting ``order`` is "given".
    """
    (tokenized,) = method.tokenize_all([cluster], config_of(config))
    return tokenized


def weigh(
    tokenized: TokenizedCluster,
    config: ConfigLike | None = None,
    *,
    others: Sequence[TokenizedCluster] = (),
) -> WordWeights:
    """Stage 3: return the words of a cluster, each with its weight: how much a summary gains by covering it.

    ``others`` are clusters in which document frequencies are counted too, for the weighting tfidf.
    """
    chosen = config_of(config)
    weigher = method.fit([tokenized, *others], chosen)
    return method.weigh(tokenized, weigher, chosen, method.question_of(tokenized, chosen))


def build_graph(
    tokenized: TokenizedCluster, weights: WordWeights, config: ConfigLike | None = None
) -> CoverageGraph:
    """Stage 4: return the coverage problem: the costs of sentences, the weights of words, and the edges.

    An edge says that a sentence holds a word. Costs are in the unit of the budget.
    """
    return method.build(tokenized, weights, config_of(config))


def select(tokenized: TokenizedCluster, graph: CoverageGraph, config: ConfigLike | None = None) -> Selection:
    """Stage 5: return the sentences that the selector chooses within the budget."""
    return method.select(graph, config_of(config), tokenized.cluster.id, tokenized)


def render(
    tokenized: TokenizedCluster,
    weights: WordWeights,
    graph: CoverageGraph,
    selection: Selection,
    config: ConfigLike | None = None,
) -> Summary:
    """Stage 6: return the chosen sentences as a summary, in reading order."""
    chosen = config_of(config)
    return Summary(method.write(tokenized, weights, graph, selection, chosen), chosen)
