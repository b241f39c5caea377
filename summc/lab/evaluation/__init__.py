"""Make and score the summary that each selector or baseline chooses for each cluster of a data set."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from summc.errors import InputError, SettingError, SummcError, as_typed
from summc.lab.evaluation.cases import BASELINES as BASELINES
from summc.lab.evaluation.cases import Case, scored
from summc.lab.evaluation.cases import make_cases as make_cases
from summc.method import select, sentences_of
from summc.records import Cluster, Outcome
from summc.rouge.scorer import Rouge
from summc.selectors import SELECTORS
from summc.settings import perhaps
from summc.settings.config import Config
from summc.system.processes import map_in_order
from summc.text.numbers import count_words

log = logging.getLogger("summc")

#: Systems are of equal length if the mean length of the longest is at most this times that of the shortest.
_ALIKE = 1.1


def check_names(
    names: Sequence[str], known: Sequence[str] = (*SELECTORS, *BASELINES), place: str = ""
) -> None:
    """Raise ``SettingError`` if a name is not among ``known``; ``place`` is the option to name in it."""
    for name in names:
        if name not in known:
            remedy = perhaps(name, known) or f"give {', '.join(known)}"
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
    return Rouge(
        metrics=settings.metrics,
        protocol=settings.rouge,
        stem=settings.stem,
        remove_stopwords=settings.rouge_stopwords == "removed",
        limit=int(config.select.budget) if is_cut_at_words else None,
        byte_limit=settings.rouge_bytes or None,
    )


def evaluate(
    cases: Sequence[Case], names: Sequence[str], config: Config, *, jobs: int = 1
) -> Iterator[list[Outcome]]:
    """Yield for each cluster, in order, a list with the outcome of each selector or baseline in ``names``."""
    return map_in_order(partial(evaluate_case, names=names, config=config), cases, jobs)


def evaluate_case(case: Case, names: Sequence[str], config: Config) -> list[Outcome]:
    """Return the outcome of each selector or baseline on one cluster; if it fails, it has a ``problem``."""
    return [_attempt(case, name, config, make_rouge(config)) for name in names]


def _attempt(case: Case, name: str, config: Config, rouge: Rouge) -> Outcome:
    cluster, graph = case.cluster, case.graph
    try:
        if not cluster.references:
            raise InputError(cluster.id, "no references", "give some or leave the cluster out")
        if name in BASELINES:
            return BASELINES[name](case, config.select.budget, rouge)
        selection = select(graph, config, cluster.id, case.text, name)
        return scored(case, name, sentences_of(cluster, graph, selection), selection, rouge)
    except SummcError as error:
        return Outcome(cluster.id, name, problem=str(error))


def evaluate_preset(
    clusters: Sequence[Cluster], preset: str, config: Config, *, jobs: int = 1
) -> tuple[list[Outcome], dict[str, object]]:
    """Return the outcome of a preset (a whole configuration) on each cluster, and how it weighs words.

    Each outcome has the name of the preset in ``selector``, so that a table can compare presets.
    """
    cases, weighing = make_cases(clusters, config)
    made = evaluate(cases, [config.select.selector], config, jobs=jobs)
    return [dataclasses.replace(outcome, selector=preset) for each in made for outcome in each], weighing


def score_texts(
    texts: Mapping[str, str], system: str, clusters: Sequence[Cluster], config: Config
) -> list[Outcome]:
    """Score the summaries of another system (id of a cluster -> text); a missing one is a ``problem``."""
    rouge = make_rouge(config)
    outcomes = []
    for cluster in clusters:
        text = texts.get(cluster.id)
        try:
            if text is None:
                raise InputError(cluster.id, f"no summary by {system}", f"add {cluster.id}.{system}")
            scores = rouge.score(text, cluster.references, language=cluster.language, place=cluster.id)
            outcomes.append(Outcome(cluster.id, system, text, count_words(text), scores))
        except SummcError as error:
            outcomes.append(Outcome(cluster.id, system, problem=str(error)))
    return outcomes


def warn_of_lengths(outcomes: Iterable[Outcome], config: Config) -> None:
    """Warn if the summaries of the longest system have over 10% more words than those of the shortest.

    Only the words that ROUGE scores count, so summaries that are cut at one length are alike.
    """
    rouge = make_rouge(config)
    lengths: dict[str, list[float]] = {}
    for each in outcomes:
        if not each.problem:
            lengths.setdefault(each.selector, []).append(min(each.words, rouge.limit or math.inf))
    if not lengths or rouge.byte_limit:
        return
    words = {system: fmean(each) for system, each in lengths.items()}
    shortest, longest = (find(words, key=words.__getitem__) for find in (min, max))
    if words[longest] > _ALIKE * words[shortest]:
        log.warning(
            "%s has %.1f words a summary, %s %.1f: recall favours the longer; cut all alike with %s %s %s",
            longest, words[longest], shortest, words[shortest],
            as_typed('rouge="official"'), as_typed("budget"), max(1, int(words[shortest])),
        )  # fmt: skip
