"""Make and score the summary that each selector or baseline chooses for each cluster."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from summc.errors import InputError, SettingError, SummcError, as_typed
from summc.lab.evaluation.baselines import BASELINES
from summc.lab.evaluation.cases import Case, make_cases, scored_sentences
from summc.method import select, sentences_of
from summc.records import Cluster, Outcome
from summc.rouge import Rouge
from summc.selectors import SELECTORS
from summc.settings import perhaps
from summc.settings.config import Config
from summc.system.processes import map_in_order
from summc.text.numbers import count_words

__all__ = [
    "check_names",
    "evaluate",
    "evaluate_preset",
    "make_cases",
    "make_rouge",
    "score_texts",
    "warn_of_lengths",
]

log = logging.getLogger("summc")

#: Systems are of equal length if the mean length of the longest is at most this times that of the shortest.
_ALIKE = 1.1


def check_names(
    names: Sequence[str], known: Sequence[str] = (*SELECTORS, *BASELINES), place: str = ""
) -> None:
    """Raise ``SettingError`` if a name is not among ``known``: by default, all selectors and baselines.

    ``place`` is the option to name in the message; by default, the one for the selector.
    """
    for name in names:
        if name not in known:
            nearest = perhaps(name, known)
            remedy = nearest or f"give {', '.join(known)}"
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
    """Return the outcome of each selector or baseline in ``names`` on one cluster.

    If one fails, its outcome has a ``problem`` in place of a summary.
    """
    return [_attempt(case, name, config, make_rouge(config)) for name in names]


def evaluate_preset(
    clusters: Sequence[Cluster], preset: str, config: Config, *, jobs: int = 1
) -> tuple[list[Outcome], dict[str, object]]:
    """Return the outcome of a preset (a whole configuration) on each cluster, and how it weighs words.

    The latter is the name and the settings of its weighting. Each outcome has the name of the preset in
    ``selector``, so that a table can compare presets.
    """
    cases, weighing = make_cases(clusters, config)
    made = evaluate(cases, [config.select.selector], config, jobs=jobs)
    return [dataclasses.replace(outcome, selector=preset) for each in made for outcome in each], weighing


def score_texts(
    texts: Mapping[str, str], system: str, clusters: Sequence[Cluster], config: Config
) -> list[Outcome]:
    """Score the summaries that another system wrote, and return the outcome on each cluster.

    ``texts`` maps the id of a cluster to its summary. If the summary of a cluster is missing, its outcome has
    a ``problem``.
    """
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
    scored: dict[str, list[float]] = {}
    for each in outcomes:
        if not each.problem:
            scored.setdefault(each.selector, []).append(min(each.words, rouge.limit or math.inf))
    words = {system: fmean(lengths) for system, lengths in scored.items()}
    if len(words) < 2 or rouge.byte_limit:  # noqa: PLR2004 (one to compare with another)
        return
    shortest, longest = (find(words, key=words.__getitem__) for find in (min, max))
    if words[longest] > _ALIKE * words[shortest]:
        log.warning(
            "%s has %.1f words a summary, %s %.1f: recall favours the longer; cut all alike with %s %s %s",
            longest, words[longest], shortest, words[shortest],
            as_typed('rouge="official"'), as_typed("budget"), max(1, int(words[shortest])),
        )  # fmt: skip


def _attempt(case: Case, name: str, config: Config, rouge: Rouge) -> Outcome:
    cluster, graph, budget = case.cluster, case.graph, config.select.budget
    try:
        if not cluster.references:
            raise InputError(cluster.id, "no references", "give some or leave the cluster out")
        if name in BASELINES:
            return BASELINES[name](case, budget, rouge)
        selection = select(graph, config, cluster.id, case.text, name)
        return scored_sentences(case, name, sentences_of(cluster, graph, selection), selection, rouge)
    except SummcError as error:
        return Outcome(cluster.id, name, problem=str(error))
