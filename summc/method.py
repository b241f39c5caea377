"""The method in six stages: read, tokenize, weigh, build, select, write.

Commands, the batch, the laboratory, the page and the Python API make their summaries here. Callers read the
clusters (stage 1) and hand them to ``summarize``. It runs stage 2 on all of them, fits the weighting on all
of them, and then ``summarize_one`` runs stages 3 to 6 on each. ``text`` is a cluster after stage 2.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter

import numpy as np

from summc.config import Config
from summc.documents import sources
from summc.errors import NoSummaryError, SettingError, SummcError, as_typed
from summc.graph import build_problem, covered_levels, nodes_of, occurrences, total_weight
from summc.preprocess.analysis import one_voice
from summc.preprocess.candidates import banned, sentences_with
from summc.preprocess.order import cut_datelines, in_order_of_dates, with_dates
from summc.preprocess.terms import words
from summc.preprocess.tokens import with_tokens
from summc.records import Cluster, CoverageGraph, Run, Selection, Sentence, TokenizedCluster, WordWeights
from summc.selectors.reading import ReadingPrices
from summc.selectors.solving import SelectSettings, choose
from summc.settings import own_of
from summc.settings.plugins import blamed, fault
from summc.signatures import signature_of_run
from summc.text.languages import asked_language
from summc.text.numbers import count_words, first_words
from summc.weights import WEIGHTINGS, Weigher
from summc.weights.base import units_of
from summc.weights.expected import CALIBRATION
from summc.weights.settings import TermsOf, boosted, check_settings, warn_of_unknown_words
from summc.weights.steering import asked_terms, how_asked

log = logging.getLogger("summc")

#: The settings that quote sentences.
_QUOTING = ("must", "without")


def summarize(
    clusters: Iterable[Cluster],
    config: Config,
    *others: Config,
    background: Sequence[TokenizedCluster] | None = None,
    warns_of_words: bool = True,
) -> Iterator[Run | SummcError]:
    """Yield the summary of each cluster in order, or the error if it cannot be summarized.

    ``others`` are configurations that differ only in their budget: each cluster gets a summary for each.
    ``background`` and ``warns_of_words`` are those of ``fit``.
    """
    texts = tokenize_all(clusters, config)  # 2
    weigher = fit(texts, config, background, warns_of_words=warns_of_words)
    for text in texts:
        question = question_of(text, config)
        for each in (config, *others):
            try:
                yield summarize_one(text, weigher, each, question)
            except SummcError as error:
                yield error


def summarize_one(text: TokenizedCluster, weigher: Weigher, config: Config, question: str) -> Run:
    """Return the summary of a tokenized cluster within the budget of ``config``."""
    weights = weigh(text, weigher, config, question)  # 3
    graph = build(text, weights, config)  # 4
    selection = select(graph, config, text.cluster.id, text)  # 5
    return write(text, weights, graph, selection, config)  # 6


def read(
    paths: Sequence[str], config: Config, on_error: Callable[[SummcError], None] | None = None
) -> Iterator[Cluster]:
    """Stage 1: yield the clusters found at the paths.

    If a cluster has no text, ``on_error`` is called with the error, or it is raised if ``on_error`` is None.
    """
    language = asked_language(config.load.language)
    return sources.load(paths, encoding=config.load.encoding, language=language, on_error=on_error)


def tokenize_all(clusters: Iterable[Cluster], config: Config) -> list[TokenizedCluster]:
    """Stage 2 on all clusters of a call. Raise an error if a sentence that the user quotes is in none."""
    texts = list(map(partial(tokenize, config=config), clusters))
    if config.select.must or config.select.without:
        check_quoted({quoted for text in texts for quoted in quoted_in(text.cluster, config)}, config)
    return texts


def quoted_in(cluster: Cluster, config: Config) -> set[tuple[str, str]]:
    """Return the texts of ``must`` and ``without`` that a cluster holds: (name of the setting, text)."""
    given = {name: getattr(config.select, name) for name in _QUOTING}
    return {(name, text) for name in given for text in sentences_with(given[name], cluster, name)}


def check_quoted(found: Collection[tuple[str, str]], config: Config) -> None:
    """Raise ``SettingError`` if a text of ``must`` or ``without`` is not among those that were found."""
    for name in _QUOTING:
        for text in getattr(config.select, name):
            if (name, text) not in found:
                problem = f'no sentence holds "{text}"'
                raise SettingError(as_typed(name), problem, "copy a part of the sentence as it stands")


def tokenize(cluster: Cluster, config: Config) -> TokenizedCluster:
    """Stage 2: return a cluster with its concepts, the sentences that may be chosen, and ``one_voice``.

    Documents get dates and are sorted by them, datelines are cut, and tokens are counted, as the settings
    say. Raise an error if ``must`` and ``without`` name the same sentence.
    """
    cluster = in_order_of_dates(cluster) if config.preprocess.order == "dates" else with_dates(cluster)
    if config.candidates.datelines == "cut":
        cluster = cut_datelines(cluster)
    if config.preprocess.tokenizer:
        cluster = with_tokens(cluster, config.preprocess.tokenizer)
    wanted = sentences_with(config.select.must, cluster)
    out = banned(config.select.without, cluster)
    for text, sentence in wanted.items():
        if sentence in out:
            problem = f'leaves out the sentence with "{text}", which {as_typed("must")} asks for'
            raise SettingError(as_typed("without"), problem, "give one of them")
    marked = config.candidates.mark(config.analysis.concepts_of(cluster), wanted.values())
    return dataclasses.replace(marked, banned=out, one_voice=one_voice(marked))


def fit(
    texts: Sequence[TokenizedCluster],
    config: Config,
    background: Sequence[TokenizedCluster] | None = None,
    *,
    warns_of_words: bool = True,
) -> Weigher:
    """Return the configured weighting, fitted on the clusters of a call and on the background texts.

    ``background`` has the texts that the user gave to count words in, besides the clusters; None to read
    them now. ``warns_of_words``: warn of boosted or ignored words that occur in no cluster. Do not if there
    are more clusters than ``texts``.
    """
    settings, languages = config.weigh, dict.fromkeys(map(attrgetter("cluster.language"), texts))
    check_settings(settings, languages, config.analysis.terms_in)
    if texts and warns_of_words and (settings.boost or settings.ignore):
        _warn_of_unknown_words(texts, [config] * len(texts))
    if background is None and settings.background:
        background = read_background(config, next(iter(languages), "en"))
    weighting = WEIGHTINGS[settings.weighting]
    own = own_of(settings, weighting)
    if settings.boost and "least_documents" in own:
        own["least_documents"] = 1  # the user asked for these words, even if one document has them
    with blamed(WEIGHTINGS.package_of(settings.weighting), f"weighting {settings.weighting}"):
        return weighting(**own).fit(texts, background or [])


def fit_as_preprocessed(texts: Sequence[TokenizedCluster], configs: Sequence[Config]) -> list[Weigher]:
    """Return a fitted weighting for each cluster; the clusters may be preprocessed in different ways.

    ``configs`` has the configuration of each cluster; they differ only in how text is loaded and
    preprocessed. The weighting for a cluster is fitted on all clusters as they are, and on the background
    texts, which are preprocessed as this cluster was.
    """
    kinds = [(config.load, config.preprocess, config.candidates) for config in configs]
    config_of = dict(zip(kinds, configs, strict=True))
    fitted = {kind: fit(texts, config, warns_of_words=False) for kind, config in config_of.items()}
    if texts and (configs[0].weigh.boost or configs[0].weigh.ignore):
        _warn_of_unknown_words(texts, configs)
    return [fitted[kind] for kind in kinds]


def question_of(text: TokenizedCluster, config: Config) -> str:
    """Return the question that the summary of a cluster should answer, or "" without a question.

    The setting ``query`` replaces the cluster's own question. If the documents have no word of the question
    and no related word, there is a warning.
    """
    cluster = text.cluster
    question = (config.weigh.query or cluster.query) if config.weigh.use_query else ""
    if question and not asked_terms(text, question, config.analysis.terms_in(cluster.language)):
        problem = "no word of the question stands in the documents"
        log.warning("%s: %s; summarized without the question", cluster.id, problem)
        return ""
    return question


def weigh(text: TokenizedCluster, weigher: Weigher, config: Config, question: str = "") -> WordWeights:
    """Stage 3: return the weights of a cluster's words, for a summary within the budget of ``config``."""
    cluster, settings, asked = text.cluster, config.weigh, None
    length = config.select.for_cluster(cluster).length_in_words(cluster)
    if question:
        terms_of = config.analysis.terms_in(cluster.language)
        asked = partial(how_asked, asked_terms(text, question, terms_of))
    package, name = WEIGHTINGS.package_of(settings.weighting), f"weighting {settings.weighting}"
    with blamed(package, name):
        weights = weigher.weigh(text, length, asked)
        if package and not (np.isfinite(weights.weight).all() and (weights.weight >= 0).all()):
            raise fault(package, f"{name} weighs a word with less than 0, or with no number")
    if settings.boost or settings.ignore:
        weights = boosted(weights, settings, config.analysis.terms_in(cluster.language))
    return dataclasses.replace(weights, weigher=weigher, question=question)


def build(text: TokenizedCluster, weights: WordWeights, config: Config) -> CoverageGraph:
    """Stage 4: return the coverage problem of a cluster, with costs in the unit of the budget."""
    settings = config.select.for_cluster(text.cluster)
    return build_problem(text, weights, settings.budget, settings.unit)


def select(
    graph: CoverageGraph,
    config: Config,
    place: str,
    text: TokenizedCluster | None = None,
    name: str = "",
    cluster: Cluster | None = None,
) -> Selection:
    """Stage 5: return the sentences that the selector chooses, within the budget of ``config``.

    ``place`` names the cluster in error messages. ``name`` is the selector to use instead of the configured
    one. Without ``text``, how the summary reads is not improved. Without ``text`` and ``cluster``, no
    sentence can be required, and the budget must not be in percent.
    """
    searched = text.cluster if text else cluster
    settings = config.select.for_cluster(searched) if searched else config.select
    if settings.without and searched:  # the graph may come from a file, with these sentences
        cost = graph.cost.copy()
        cost[list(nodes_of(banned(settings.without, searched), graph, searched).values())] = np.inf
        graph = dataclasses.replace(graph, cost=cost)
    fixed = _required_nodes(graph, settings, searched) if settings.must and searched else []
    prices = prices_of(graph, text, settings, name) if text is not None else None
    return choose(graph, settings, config.selectors[name or settings.selector], place, fixed, prices)


def prices_of(
    graph: CoverageGraph, text: TokenizedCluster, settings: SelectSettings, selector: str = ""
) -> ReadingPrices | None:
    """Return the object that tells what the faults of a selection cost, or None if reading has no price."""
    factor = settings.reading_with(selector)
    if not factor:
        return None
    return ReadingPrices(text, graph, settings.budget, units_of(text).rank.tolist(), factor)


def _required_nodes(graph: CoverageGraph, settings: SelectSettings, cluster: Cluster) -> list[int]:
    """Return the indices, in the graph, of the sentences that the user requires.

    Of several sentences with the same text, the graph may have only the first, which is then returned. Raise
    an error if a required sentence is not in the graph.
    """
    wanted = sentences_with(settings.must, cluster).values()
    node = nodes_of(wanted, graph, cluster)
    for sentence in wanted:
        if sentence not in node:
            said = f'"{cluster.sentences[sentence].text[:60]}"'
            problem = f"{said} is not in the graph: no candidate, or no word of it is worth covering"
            raise NoSummaryError(cluster.id, problem, f"leave it out of {as_typed('must')}")
    return sorted(set(node.values()))


def write(
    text: TokenizedCluster, weights: WordWeights, graph: CoverageGraph, selection: Selection, config: Config
) -> Run:
    """Stage 6: return the summary of the selected sentences, with its signature and forecast.

    No file is written: ``report`` renders what is returned.
    """
    forecast, settings = None, config.weigh
    # Only then the covered weight is a share of a person's summary, and the length in words is known.
    forecasts = settings.weighting == "expected" and not (settings.boost or settings.ignore)
    if forecasts and selection.unit != "sentences":
        length = config.select.for_cluster(text.cluster).length_in_words(text.cluster)
        forecast = _forecast(weights, graph, selection, length, text.cluster.language)
    return Run(
        text,
        weights,
        graph,
        selection,
        sentences_of(text.cluster, graph, selection),
        total_weight(graph),
        partial(signature_of_run, text.cluster, weights, config),
        forecast,
    )


def _forecast(
    weights: WordWeights, graph: CoverageGraph, selection: Selection, length: float, language: str
) -> float | None:
    """Return the share of a person's summary of ``length`` words that a selection is expected to contain.

    Return None if only bigrams have weight.
    """
    # A position bonus is the weight of a pseudo-word after all words, and is no word: the last entry.
    is_single = np.array([*(" " not in word for word in weights.words), False])
    is_word = is_single[np.minimum(graph.word_ids, len(weights.words))]
    if not is_word.any():
        return None
    times = np.where(is_word, occurrences(graph, selection.chosen), 0)
    return CALIBRATION.get(language, 1.0) * (float(covered_levels(graph, times).sum()) / length)


def sentences_of(cluster: Cluster, graph: CoverageGraph, selection: Selection) -> tuple[Sentence, ...]:
    """Return the chosen sentences in reading order: by document, then position.

    If the selection has a sentence to cut, its first words come last, as many as the budget has left.
    """
    indices = sorted(graph.sentence_ids[list(selection.chosen)].tolist())
    chosen = tuple(map(cluster.sentences.__getitem__, indices))
    room = int(selection.budget - sum(map(attrgetter("words"), chosen)))
    if selection.cut is None or room < 1:
        return chosen
    last = cluster.sentences[int(graph.sentence_ids[selection.cut])]
    text = first_words(last.text, room)
    return (*chosen, dataclasses.replace(last, text=text, words=count_words(text))) if text else chosen


def read_background(config: Config, language: str) -> list[TokenizedCluster]:
    """Return the background texts of the configuration, loaded and preprocessed like the clusters.

    They are read in the configured language; if that is ``auto``, each in its own. ``language`` is the
    language of the clusters: it says which part of a data set in several languages to read.
    """
    if not config.weigh.background:
        return []
    from summc.datasets.catalogue import data_folders, read_text_of  # noqa: PLC0415 (few runs need it)

    folders, encoding = data_folders(config.load.data), config.load.encoding
    asked = asked_language(config.load.language)
    return [
        tokenize(cluster, config)
        for path in config.weigh.background
        for cluster in read_text_of(path, folders, language, encoding=encoding, language=asked)
    ]


def _warn_of_unknown_words(texts: Sequence[TokenizedCluster], configs: Sequence[Config]) -> None:
    """Warn of boosted or ignored words that occur in no document; all configurations have the same words."""
    finders: dict[object, TermsOf] = {}
    known: dict[TermsOf, set[str]] = {}
    for text, config in zip(texts, configs, strict=True):
        kind = (text.cluster.language, config.preprocess)
        terms_of = finders.setdefault(kind, config.analysis.terms_in(text.cluster.language))
        terms = (term for concept in text.index.words for term in concept.split(" "))
        known.setdefault(terms_of, set()).update(terms)
    warn_of_unknown_words(configs[0].weigh, known, partial(words, language=texts[0].cluster.language))


def why_idle(made: Run, config: Config) -> str:
    """Return on one line that ``boost`` and ``ignore`` do not change a summary, or "" if they do.

    Words that no document holds have a warning of their own, so they give "" too.
    """
    text, given = made.tokenized, [name for name in ("boost", "ignore") if getattr(config.weigh, name)]
    if not given or made.weights.weigher is None:
        return ""
    without = config.with_settings(dict.fromkeys(given, ()))
    if np.array_equal(
        weigh(text, made.weights.weigher, without, made.weights.question).weight, made.weights.weight
    ):
        return ""
    try:
        other = summarize_one(text, fit([text], without), without, made.weights.question)
    except NoSummaryError:
        return ""
    it = "it" if len(given) == 1 else "them"
    names = " and ".join(map(as_typed, given))
    return f"{names}: the summary is the same without {it}" if other.sentences == made.sentences else ""
