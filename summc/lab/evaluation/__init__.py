"""Make and score the summary that each selector or baseline chooses for each cluster of a data set.

A selector sees only the coverage graph. A baseline may also read the text or the reference summaries.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from summc import method
from summc.config import Config
from summc.errors import InputError, SettingError, SummcError, as_typed
from summc.graph import make_graph
from summc.records import (
    Cluster,
    CoverageGraph,
    Outcome,
    Question,
    Score,
    Selection,
    Sentence,
    TokenizedCluster,
)
from summc.report.codec import level_arrays
from summc.rouge.scorer import Rouge
from summc.selectors import SELECTORS
from summc.selectors.base import fill_in_order, make_selection
from summc.selectors.exact import solve_exactly
from summc.settings import perhaps
from summc.signatures import weigh_signature
from summc.system.logs import log
from summc.system.processes import map_in_order
from summc.text.numbers import count_words
from summc.weights import Weigher

#: The name of a selector or baseline, and its configuration.
System = tuple[str, Config]

#: Systems are of equal length if the mean length of the longest is at most this times that of the shortest.
_ALIKE = 1.1
#: The baseline ``random`` reports the mean scores of this many random summaries.
DRAWS = 10
_SEED = 2004
#: Most branch-and-bound nodes that the oracle's solver may visit. With a time limit instead, the answer would
#: depend on the machine.
NODES = 2000


def check_names(names: Sequence[str], choices: Sequence[str] = (), place: str = "") -> None:
    """Raise ``SettingError`` if a name is not among ``choices``, by default all selectors and baselines.

    ``place`` is the option to name in the error.
    """
    allowed = choices or (*SELECTORS, *BASELINES)
    for name in names:
        if name not in allowed:
            remedy = perhaps(name, allowed) or f"give {', '.join(allowed)}"
            raise SettingError(place or as_typed("selector"), f'unknown selector "{name}"', remedy)


def make_rouge(config: Config) -> Rouge:
    """Return the ROUGE scorer with the settings of ``config``; raise ``SettingError`` if they conflict."""
    settings = config.score
    is_cut_at_words = settings.rouge == "official" and not settings.rouge_bytes
    if settings.rouge_bytes and settings.rouge != "official":
        official = as_typed('rouge="official"')
        raise SettingError(as_typed("rouge_bytes"), "only official scores are cut", f"add {official}")
    if is_cut_at_words and config.select.unit != "words":
        raise SettingError(as_typed("budget"), "is counted in words where official scores cut", "write 100")
    limits = int(config.select.budget) if is_cut_at_words else None, settings.rouge_bytes or None
    without_stop_words = settings.rouge_stopwords == "removed"
    return Rouge(settings.metrics, settings.rouge, settings.stem, without_stop_words, *limits)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A cluster with its coverage graph, prepared once and shared by all selectors.

    ``tokenized`` and ``weigher``, the fitted weighting, make graphs for other budgets. Both are None if only
    the graph is known.
    """

    cluster: Cluster
    graph: CoverageGraph
    tokenized: TokenizedCluster | None = None
    weigher: Weigher | None = None
    question: Question | None = None


def make_cases(clusters: Sequence[Cluster], config: Config) -> tuple[list[Case], dict[str, object]]:
    """Return a case for each cluster, and the name and settings of the weighting."""
    check_unit(config)
    tokenized_clusters = method.preprocess_all(clusters, config)
    weigher = method.fit(tokenized_clusters, config)
    cases = [make_case(tokenized, weigher, config) for tokenized in tokenized_clusters]
    return cases, weigh_signature(weigher, config, [case.question for case in cases])


def make_case(tokenized: TokenizedCluster, weigher: Weigher, config: Config) -> Case:
    """Return one cluster with its graph, weighed by ``weigher`` for the configured budget."""
    question = method.question_of(tokenized, config)
    graph = method.graph(tokenized, method.weigh(tokenized, weigher, config, question), config)
    return Case(tokenized.cluster, graph, tokenized, weigher, question)


def without_empty_references(cluster: Cluster) -> Cluster:
    """Return the cluster without its empty references, and warn of them: their recall is not defined.

    If all references are empty, the cluster is returned unchanged.
    """
    references = tuple(text for text in cluster.references if text.strip())
    if not references or len(references) == len(cluster.references):
        return cluster
    log.warning("%s: an empty reference; left out of the mean", cluster.id)
    return dataclasses.replace(cluster, references=references)


def check_unit(*configs: Config) -> None:
    """Raise ``SettingError`` unless budgets are counted in words, as a comparison of summaries requires."""
    if any(config.select.unit != "words" for config in configs):
        problem = "is counted in words where summaries are compared"
        raise SettingError(as_typed("budget"), problem, "write 100")


def evaluate(
    cases: Sequence[Case], systems: Mapping[str, System], finished: Collection[tuple[str, str]] = (),
    *, jobs: int = 1,
) -> Iterator[Outcome]:  # fmt: skip
    """Yield the outcome of each system on each cluster, cluster by cluster, with its name as ``selector``.

    ``finished`` has pairs of a system and the id of a cluster to leave out.
    """
    pairs = itertools.product(cases, systems.items())
    work = [(case, *system) for case, system in pairs if (system[0], case.cluster.id) not in finished]
    return map_in_order(evaluate_case, work, jobs)


def evaluate_case(work: tuple[Case, str, System]) -> Outcome:
    """Return the outcome of a system on one cluster; if it fails, it has a ``problem``."""
    case, name, (selector, config) = work
    cluster, rouge = case.cluster, make_rouge(config)
    try:
        if not cluster.references:
            raise InputError(cluster.id, "no references", "give some or leave the cluster out")
        if selector in BASELINES:
            outcome = BASELINES[selector](case, config.select.budget, rouge)
        else:
            selection = method.select(case.graph, config, cluster.id, case.tokenized, selector)
            outcome = _scored(case, method.render(cluster, case.graph, selection).sentences, selection, rouge)
        return dataclasses.replace(outcome, selector=name)
    except SummcError as error:
        return Outcome(cluster.id, name, problem=str(error))


def _scored(case: Case, sentences: Sequence[Sentence], selection: Selection, rouge: Rouge) -> Outcome:
    """Return the outcome of a selection: the summary of these sentences, in this order, scored."""
    text = "\n".join(sentence.text for sentence in sentences)
    scores = rouge.score(text, case.cluster.references, language=case.cluster.language, place=case.cluster.id)
    words = sum(sentence.words for sentence in sentences)
    return Outcome(case.cluster.id, selection.selector, text, words, scores, selection)


def score_peers(
    peers: Mapping[str, Mapping[str, str]], clusters: Sequence[Cluster], config: Config
) -> list[Outcome]:
    """Score the summaries of other systems (system -> id of a cluster -> text).

    A system whose summaries all are references is a person who wrote them. Each is scored against the other
    references, and a person need not have summarized every cluster. For other systems a missing summary is a
    ``problem``.
    """
    rouge, outcomes, people = make_rouge(config), list[Outcome](), list[str]()
    for system, texts in peers.items():
        others = {c.id: _other_references(c, texts[c.id]) for c in clusters if c.id in texts}
        copies = [len(others[c.id]) < len(c.references) for c in clusters if c.id in texts]
        is_person = bool(copies) and all(copies)
        people += [system] * is_person
        alone = [name for name in others if is_person and not others[name]]
        missing = [c.id for c in clusters if c.id not in texts and not is_person]
        problems = _shared_problem(alone, f"the only reference is by {system}", "give two or more")
        problems |= _shared_problem(
            missing, f"no summary by {system}", f"add {missing[0]}.{system}" if missing else ""
        )
        for cluster in clusters:
            name = cluster.id
            try:
                if name in others and name not in problems:
                    references = others[name] if is_person else cluster.references
                    scores = rouge.score(texts[name], references, language=cluster.language, place=name)
                    outcomes.append(Outcome(name, system, texts[name], count_words(texts[name]), scores))
            except SummcError as error:
                problems[name] = str(error)
            if name in problems:
                outcomes.append(Outcome(name, system, problem=problems[name]))
    if people:
        log.warning("%s: also references; each is scored against the other references", ", ".join(people))
    return outcomes


def _other_references(cluster: Cluster, text: str) -> list[str]:
    """Return the references of a cluster without the first that is this text."""
    same = [i for i, reference in enumerate(cluster.references) if reference.split() == text.split()]
    return [reference for i, reference in enumerate(cluster.references) if i not in same[:1]]


def _shared_problem(clusters: Sequence[str], problem: str, remedy: str) -> dict[str, str]:
    """Return the same problem for each of these clusters, so that one line reports all of them."""
    if not clusters:
        return {}
    more = f" and {len(clusters) - 1} more" if len(clusters) > 1 else ""
    error = InputError(f"{clusters[0]}{more}", problem, remedy)
    return dict.fromkeys(clusters, str(error))


def warn_of_lengths(outcomes: Iterable[Outcome], config: Config) -> None:
    """Warn if the summaries of the longest system have over 10% more words than those of the shortest.

    Only the words that ROUGE scores count, so summaries that are cut at one length are alike.
    """
    rouge = make_rouge(config)
    lengths: dict[str, list[float]] = {}
    for outcome in outcomes:
        if not outcome.problem:
            lengths.setdefault(outcome.selector, []).append(min(outcome.words, rouge.limit or math.inf))
    if not lengths or rouge.byte_limit:
        return
    words = {system: fmean(counts) for system, counts in lengths.items()}
    shortest, longest = (find(words, key=words.__getitem__) for find in (min, max))
    if words[longest] > _ALIKE * words[shortest]:
        log.warning(
            "%s has %.1f words a summary, %s %.1f: recall favours the longer; cut all alike with %s %s %s",
            longest, words[longest], shortest, words[shortest],
            as_typed('rouge="official"'), as_typed("budget"), max(1, int(words[shortest])),
        )  # fmt: skip


# Baselines


def lead(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the first sentences of all documents, then the second ones, and so on, each if it fits."""
    sentences, costs = case.cluster.sentences, case.cluster.lengths
    order = sorted(range(len(sentences)), key=lambda i: (sentences[i].position, sentences[i].document))
    return _outcome(case, fill_in_order(costs, order, budget), budget, rouge, "lead")


def random(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the mean scores of ten summaries of sentences in random order, with the text of the first."""
    # Seed by the cluster's name, so that the draws do not depend on other clusters or on the worker process.
    rng = np.random.default_rng([_SEED, zlib.crc32(case.cluster.id.encode())])
    costs = case.cluster.lengths
    orders = [rng.permutation(len(costs)).tolist() for _ in range(DRAWS)]
    draws = [_outcome(case, fill_in_order(costs, order, budget), budget, rouge, "random") for order in orders]
    selections = [draw.selection for draw in draws if draw.selection]
    covered = fmean(selection.covered_weight for selection in selections)
    selection = dataclasses.replace(selections[0], covered_weight=covered)
    words, scores = fmean(draw.words for draw in draws), mean_scores([draw.scores for draw in draws])
    return dataclasses.replace(draws[0], words=words, scores=scores, selection=selection)


def human(case: Case, _budget: float, rouge: Rouge) -> Outcome:
    """Return the mean score of the references, each scored as a summary against the other references."""
    name, language, references = case.cluster.id, case.cluster.language, case.cluster.references
    if len(references) < 2:  # noqa: PLR2004 (one to score, one to score against)
        raise InputError(name, "only one reference", "human needs two or more")
    scores = [
        rouge.score(text, [*references[:i], *references[i + 1 :]], language=language, place=name)
        for i, text in enumerate(references)
    ]
    return Outcome(name, "human", references[0], fmean(map(count_words, references)), mean_scores(scores))


def oracle(case: Case, budget: float, rouge: Rouge) -> Outcome:
    """Return the extract of at most ``budget`` words that has the highest ROUGE-1 recall.

    The search ignores the setting ``rouge_bytes``, so with it another extract may score higher.
    """
    cluster = case.cluster
    script = rouge.script(cluster.references, cluster.language)
    sentences = [rouge.read(sentence.text, script).tokens for sentence in cluster.sentences]
    references = [text.tokens for text in rouge.read_references(cluster.references, script, cluster.id)]
    pooled = rouge.protocol == "official"
    chosen, proven = best_extract(sentences, cluster.lengths, references, budget, pooled=pooled)
    return _outcome(case, chosen, budget, rouge, "oracle", proven=proven)


#: Name of a baseline, as a user types it -> function that makes and scores the summary of a case.
BASELINES: Mapping[str, Callable[[Case, float, Rouge], Outcome]] = {
    function.__name__: function for function in (lead, random, human, oracle)
}


def _outcome(
    case: Case, chosen: Sequence[int], budget: float, rouge: Rouge, name: str, **diagnostics: bool
) -> Outcome:
    """Score the chosen sentences of the cluster in reading order; those not in the graph cover nothing."""
    nodes = np.flatnonzero(np.isin(case.graph.sentence_ids, chosen)).tolist()
    selection = make_selection(case.graph, budget, name, nodes, diagnostics)
    return _scored(case, [case.cluster.sentences[i] for i in sorted(chosen)], selection, rouge)


def mean_scores(scores: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """Return the mean recall, precision and F1 of each metric; each mapping has the scores of one summary."""
    by_metric = {}
    for metric, first in scores[0].items():
        means = {part: fmean(summary[metric].figures[part] for summary in scores) for part in first.figures}
        by_metric[metric] = Score(**means, signature=first.signature)
    return by_metric


def best_extract(
    sentences: Sequence[Sequence[str]], cost: ArrayLike, references: Sequence[Sequence[str]], budget: float,
    *, pooled: bool,
) -> tuple[Sequence[int], bool]:  # fmt: skip
    """Return the sentences within the budget with the highest ROUGE-1 recall, and whether that is proven.

    Each sentence and each reference is a list of words. If ``pooled``, the references are scored together as
    one text. Otherwise the recall is the mean over the references. This is a coverage problem: each
    occurrence of a word has as weight the recall that it adds.
    """
    gain, costs = _gains(references, pooled=pooled), np.asarray(cost)
    fits = np.flatnonzero(costs <= budget).tolist()
    if not fits or not gain:
        return (), True
    number = {word: a for a, word in enumerate(gain)}
    counts = [Counter(number[word] for word in sentences[i] if word in gain) for i in fits]
    edges = [(i, word, count) for i, counter in enumerate(counts) for word, count in counter.items()]
    edge_sentence, edge_word, count = zip(*edges, strict=True) if edges else ((), (), ())
    weight, *repeats = level_arrays(list(gain.values()))
    graph = make_graph(costs[fits], weight, edge_sentence, edge_word, None, None, count, *repeats)
    selection = solve_exactly(graph, budget, {"node_limit": NODES})
    return [fits[i] for i in selection.chosen], bool(selection.diagnostics["optimal"])


def _gains(references: Sequence[Sequence[str]], *, pooled: bool) -> dict[str, list[float]]:
    """Return how much the first, second, ... occurrence of each word adds to the recall."""
    total = sum(len(reference) for reference in references)
    gain: dict[str, list[float]] = {}
    for reference in references:
        share = 1 / total if pooled else 1 / (len(reference) * len(references))
        for word, count in Counter(reference).items():
            pairs = itertools.zip_longest(gain.get(word, ()), [share] * count, fillvalue=0.0)
            gain[word] = [before + added for before, added in pairs]
    return gain
