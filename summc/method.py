"""The method in six stages: load, preprocess, weigh, graph, select, render.

Commands, the batch, the laboratory, the page and the Python API make their summaries here. Callers load the
clusters (stage 1) and hand them to ``summarize``. It runs stage 2 on all of them, fits the weighting on all
of them, and then ``summarize_one`` runs stages 3 to 6 on each.
"""

from __future__ import annotations

import dataclasses
import functools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter

import numpy as np

from summc.config import Config
from summc.documents import sources
from summc.errors import NoSummaryError, SummcError, as_typed
from summc.graph import build_problem, covered_levels, nodes_of, occurrences, total_weight
from summc.preprocess import quoting
from summc.preprocess.concepts import one_voice
from summc.preprocess.order import cut_datelines, in_order_of_dates, with_dates
from summc.preprocess.terms import words
from summc.preprocess.token_counts import with_tokens
from summc.preprocess.topics import count_stories
from summc.records import (
    Cluster,
    CoverageGraph,
    Question,
    Run,
    Selection,
    Summary,
    TokenizedCluster,
    WordWeights,
)
from summc.selectors.prices import ReadingPrices
from summc.selectors.solving import SelectSettings, choose
from summc.settings import AUTO, values_for
from summc.settings.plugins import blame, fault
from summc.system.logs import log
from summc.text.languages import asked_language
from summc.text.numbers import count_words, first_words
from summc.weights import WEIGHTINGS, Weigher
from summc.weights.base import units_of
from summc.weights.expected import CALIBRATION
from summc.weights.questions import ask
from summc.weights.settings import boosted, check_settings, warn_of_unknown_words

#: Where hardly a sentence is whole, as in logs and terse minutes, the reading prices leave much of the budget
#: unused. If the sentences would fill the budget this often, and the chosen ones fill less than this share of
#: it, the text counts as terse.
_PLENTY, _FULL = 2.0, 0.75


def summarize(
    clusters: Iterable[Cluster],
    config: Config,
    *other_configs: Config,
    background: Sequence[TokenizedCluster] | None = None,
    warns_of_words: bool = True,
) -> Iterator[Run | SummcError]:
    """Yield the summary of each cluster in order, or the error if it cannot be summarized.

    ``other_configs`` differ from ``config`` only in the budget: each cluster gets a summary for each budget.
    ``background`` and ``warns_of_words`` are passed to ``fit``.
    """
    tokenized_clusters = preprocess_all(clusters, config)  # 2
    weigher = fit(tokenized_clusters, config, background, warns_of_words=warns_of_words)
    for tokenized in tokenized_clusters:
        question = question_of(tokenized, config)
        for budgeted in (config, *other_configs):
            try:
                yield summarize_one(tokenized, weigher, budgeted, question)
            except SummcError as error:
                yield error


def summarize_one(
    tokenized: TokenizedCluster, weigher: Weigher, config: Config, question: Question | None
) -> Run:
    """Return the summary of a preprocessed cluster within the budget of ``config``."""
    sized = config.for_cluster(tokenized.cluster)
    weights = weigh(tokenized, weigher, sized, question)  # 3
    problem = graph(tokenized, weights, sized)  # 4
    selection = select(problem, sized, tokenized.cluster.id, tokenized)  # 5
    expected_share = forecast(weights, problem, selection, tokenized.cluster, sized)
    summary = render(tokenized.cluster, problem, selection, expected_share, question)  # 6
    return Run(summary, tokenized, weights, problem, config)


def load(
    paths: Sequence[str], config: Config, on_error: Callable[[SummcError], None] | None = None
) -> Iterator[Cluster]:
    """Stage 1: yield the clusters found at the paths.

    If a cluster has no text, ``on_error`` gets the error; if ``on_error`` is None, the error is raised.
    """
    settings, language = config.load, asked_language(config.load.language)
    return sources.load(
        paths, encoding=settings.encoding, language=language, split=settings.split, on_error=on_error
    )


def preprocess_all(clusters: Iterable[Cluster], config: Config) -> list[TokenizedCluster]:
    """Stage 2 on all clusters of a call. Raise an error if a sentence that the user quotes is in none."""
    tokenized_clusters = list(map(partial(preprocess, config=config), clusters))
    must, without = config.select.must, config.select.without
    if must or without:
        quoting.check_all_quoted(map(attrgetter("cluster"), tokenized_clusters), must, without)
    return tokenized_clusters


def preprocess(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Stage 2: return a cluster with its concepts, the sentences that may be chosen, and ``one_voice``.

    Documents get dates and are sorted by them, datelines are cut, and tokens and stories are counted, as the
    settings say. Raise an error if ``must`` and ``without`` name the same sentence.
    """
    cluster = dataclasses.replace(cluster, query=_query(cluster, config))
    cluster = in_order_of_dates(cluster) if config.preprocess.order == "dates" else with_dates(cluster)
    if config.candidates.datelines == "cut":
        cluster = cut_datelines(cluster)
    if config.preprocess.tokenizer:
        cluster = with_tokens(cluster, config.preprocess.tokenizer)
    required, excluded = dict[str, int](), frozenset[int]()
    if config.select.must or config.select.without:
        required, excluded = quoting.required_and_excluded(config.select.must, config.select.without, cluster)
    marked = config.candidates.mark(config.preprocessor.concepts_of(cluster), required.values())
    if config.preprocess.labels == "never":
        marked = dataclasses.replace(marked, cluster=dataclasses.replace(cluster, labels=False))
    elif len(cluster.documents) > 1:
        is_auto = config.preprocess.labels == "auto"
        stories = count_stories(marked, config.preprocessor) if is_auto else len(cluster.documents)
        marked = dataclasses.replace(marked, cluster=dataclasses.replace(cluster, stories=stories))
    return dataclasses.replace(marked, banned=excluded, one_voice=one_voice(marked))


def fit(
    tokenized_clusters: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
    *,
    warns_of_words: bool = True,
) -> Weigher:
    """Return the configured weighting, fitted on the clusters of a call and on the background texts.

    ``background`` has the texts that the user gave to count words in, besides the clusters; None to read
    them now. ``warns_of_words``: warn of boosted or ignored words that occur in no cluster. Do not if there
    are more clusters than these.
    """
    settings, terms_in = config.weigh, config.preprocessor.terms_in
    languages = list(map(attrgetter("cluster.language"), tokenized_clusters))
    check_settings(settings, dict.fromkeys(languages), terms_in)
    if languages and warns_of_words and (settings.boost or settings.ignore):
        finders = map(terms_in, languages)
        warn_of_unknown_words(settings, tokenized_clusters, finders, partial(words, language=languages[0]))
    if background is None and settings.background:
        background = preprocess_background(config, languages[0] if languages else "en")
    weighting = WEIGHTINGS[settings.weighting]
    values = values_for(weighting, settings)
    if settings.boost and "least_documents" in values:
        values["least_documents"] = 1  # the user asked for these words, even if one document has them
    with blame(WEIGHTINGS.package_of(settings.weighting), f"weighting {settings.weighting}"):
        return weighting(**values).fit(tokenized_clusters, background or [])


def preprocess_background(config: Config, language: str) -> list[TokenizedCluster]:
    """Return the background texts, loaded and preprocessed like the clusters, whose language is given."""
    from summc.datasets import read_background  # noqa: PLC0415 (few runs need it)

    clusters = read_background(config.weigh.background, config.load, language)
    return [preprocess(cluster, config) for cluster in clusters]


def question_of(tokenized: TokenizedCluster, config: Config) -> Question | None:
    """Return the question that the summary of a cluster should answer, or None without a question.

    The setting ``query`` replaces the cluster's own question. If the documents have no word of the question
    and no related word, there is a warning.
    """
    cluster, text = tokenized.cluster, _query(tokenized.cluster, config)
    if not text:
        return None
    from summc.weights import embedders  # noqa: PLC0415 (only questions need it)

    # The model of the extra knows English.
    name = config.weigh.embedder or ("" if cluster.language == "en" else "none")
    model = embedders.embedder_by_name(name)
    if model is not None and not config.weigh.embedder:
        tell_of_model(model.signature)
    nearness = None if model is None else embedders.relevance(model, text, cluster)
    question = ask(tokenized, text, config.preprocessor.terms_in(cluster.language), nearness)
    if not question:
        problem = "no answer, because no word of the question stands in the documents"
        log.warning("%s: %s; summarized without the question", cluster.id, problem)
        return None
    if not question.answered:
        nearest = textwrap.shorten(cluster.sentences[question.nearest].text, 120, placeholder=" …")
        log.warning("%s: probably no answer in the documents; the nearest is: %s", cluster.id, nearest)
    return dataclasses.replace(question, model=model.signature if model else "")


@functools.cache  # once is enough
def tell_of_model(model: str) -> None:
    """Say once that questions are answered with a model that the user did not ask for."""
    log.warning(
        "answers are looked for by meaning, with %s; %s none leaves that out", model, as_typed("embedder")
    )


def _query(cluster: Cluster, config: Config) -> str:
    """Return the question that is asked of a cluster: that of the settings, or else its own; or ""."""
    asked = (text for text in (config.weigh.query, cluster.query) if text.strip())
    return next(asked, "") if config.weigh.use_query else ""


def weigh(
    tokenized: TokenizedCluster, weigher: Weigher, config: Config, question: Question | None = None
) -> WordWeights:
    """Stage 3: return the weights of a cluster's words, for a summary within the budget of ``config``."""
    cluster, settings = tokenized.cluster, config.weigh
    terms_of = config.preprocessor.terms_in(cluster.language)
    package, name = WEIGHTINGS.package_of(settings.weighting), f"weighting {settings.weighting}"
    with blame(package, name):
        weights = weigher.weigh(tokenized, config.select.length_in_words(cluster), question)
        if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
            raise fault(package, f"{name} weighs a word with less than 0, or with no number")
    if settings.boost or settings.ignore:
        weights = boosted(weights, settings, terms_of)
    return dataclasses.replace(weights, weigher=weigher, question=question)


@functools.cache  # once is enough
def tell_of_estimate() -> None:
    """Say once that tokens are estimated, because the user named no tokenizer."""
    log.warning(
        "tokens are estimated, one for four bytes; name your model's %s to count them", as_typed("tokenizer")
    )


def graph(tokenized: TokenizedCluster, weights: WordWeights, config: Config) -> CoverageGraph:
    """Stage 4: return the coverage problem of a cluster, with costs in the unit of the budget."""
    if config.select.unit == "tokens" and not any(map(attrgetter("tokens"), tokenized.cluster.sentences)):
        tell_of_estimate()
    return build_problem(tokenized, weights, config.select.budget, config.select.unit)


def select(
    problem: CoverageGraph,
    config: Config,
    place: str,
    tokenized: TokenizedCluster | None = None,
    selector: str = "",
    cluster: Cluster | None = None,
) -> Selection:
    """Stage 5: return the sentences that the selector chooses, within the budget of ``config``.

    ``place`` names the cluster in error messages. ``selector`` replaces the configured one. Without
    ``tokenized``, how the summary reads is not improved. Without ``tokenized`` and ``cluster``, no sentence
    can be required or excluded.
    """
    settings, cluster = config.select, tokenized.cluster if tokenized else cluster
    required: list[int] = []
    if cluster and settings.without:  # the graph may come from a file, with these sentences
        cost = problem.cost.copy()
        cost[
            list(nodes_of(quoting.excluded_sentences(settings.without, cluster), problem, cluster).values())
        ] = np.inf
        problem = dataclasses.replace(problem, cost=cost)
    if cluster and settings.must:
        required = _required_nodes(
            problem, quoting.quoted_sentences(settings.must, cluster).values(), cluster
        )
    prices = reading_prices(problem, tokenized, settings, selector) if tokenized else None
    chooser = config.selectors[selector or settings.selector]
    selection = choose(problem, settings, chooser, place, required, prices)
    if prices is None or tokenized is None or tokenized.are_reports or settings.reading != AUTO:
        return selection
    offered = float(problem.cost[problem.cost <= selection.budget].sum())
    if selection.cost >= _FULL * selection.budget or offered < _PLENTY * selection.budget:
        return selection
    prices = reading_prices(problem, tokenized, settings, selector, is_terse=True)
    return choose(problem, settings, chooser, place, required, prices)


def reading_prices(
    problem: CoverageGraph, tokenized: TokenizedCluster, settings: SelectSettings, selector: str = "", *,
    is_terse: bool = False,
) -> ReadingPrices | None:  # fmt: skip
    """Return the prices of the faults of a selection, or None if reading has no price."""
    factor = settings.reading_with(selector)
    if not factor:
        return None
    ranks = units_of(tokenized).rank.tolist()
    return ReadingPrices(tokenized, problem, settings.budget, ranks, factor, is_terse=is_terse)


def _required_nodes(problem: CoverageGraph, sentences: Iterable[int], cluster: Cluster) -> list[int]:
    """Return the indices, in the graph, of sentences of the cluster that the user requires.

    Of several sentences with the same text, the graph may have only the first, which is then returned. Raise
    an error if a required sentence is not in the graph.
    """
    required = list(sentences)
    node = nodes_of(required, problem, cluster)
    for sentence in required:
        if sentence not in node:
            quoted = f'"{cluster.sentences[sentence].text[:60]}"'
            reason = f"{quoted} is not in the graph: no candidate, or no word of it is worth covering"
            raise NoSummaryError(cluster.id, reason, f"leave it out of {as_typed('must')}")
    return sorted(set(node.values()))


def render(
    cluster: Cluster, problem: CoverageGraph, selection: Selection, expected_share: float | None = None,
    question: Question | None = None,
) -> Summary:  # fmt: skip
    """Stage 6: return the chosen sentences in reading order: by document, then position.

    If the selection has a sentence to cut, its first words come last, as many as the budget has left.
    ``report`` turns the summary into text, JSON or a page.
    """
    indices = sorted(problem.sentence_ids[list(selection.chosen)].tolist())
    sentences = tuple(map(cluster.sentences.__getitem__, indices))
    room = int(selection.budget - sum(map(attrgetter("words"), sentences)))
    if selection.cut is not None and room >= 1:
        last = cluster.sentences[int(problem.sentence_ids[selection.cut])]
        if text := first_words(last.text, room):
            sentences += (dataclasses.replace(last.part(0, len(text), count_words(text)), text=text),)
    answered = question is None or question.answered
    return Summary(cluster, selection, sentences, total_weight(problem), expected_share, answered)


def forecast(
    weights: WordWeights, problem: CoverageGraph, selection: Selection, cluster: Cluster, config: Config
) -> float | None:
    """Return the share of a person's summary of the same length that a selection is expected to contain.

    Return None if the covered weight is not such a share, or if only bigrams have weight.
    """
    settings = config.weigh
    if settings.weighting != "expected" or settings.boost or settings.ignore or selection.unit == "sentences":
        return None
    # A position bonus is the weight of a pseudo-word after all words, and is no word: the last entry.
    is_single = np.array([*(" " not in word for word in weights.words), False])
    is_word = is_single[np.minimum(problem.word_ids, len(weights.words))]
    if not is_word.any():
        return None
    times = np.where(is_word, occurrences(problem, selection.chosen), 0)
    covered = float(covered_levels(problem, times).sum())
    return CALIBRATION.get(cluster.language, 1.0) * (covered / config.select.length_in_words(cluster))
