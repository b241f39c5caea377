"""Evaluation from Python: ``summc.evaluate``, ``compare``, ``sweep`` and ``curve``.

They return a list of records: mappings of names to numbers and texts, as the CSV of the commands has them, so
that ``pandas.DataFrame`` takes them as they are.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from summc.api import ConfigLike, Sources, config_of, load, python_number
from summc.config import Config
from summc.datasets.catalogue import data_folders, read
from summc.datasets.peers import read_peers
from summc.documents.sentences import own_name
from summc.errors import InputError, MissingExtraError, NoSummaryError, SettingError, SummcError, as_typed
from summc.lab import evaluation as lab
from summc.lab.evaluation import report
from summc.lab.experiments import sweep as sweeps
from summc.lab.experiments.budgets import measure_all
from summc.records import Cluster, Outcome, Score
from summc.report.tables import flat, with_ends
from summc.rouge.texts import warn_of_unsegmented
from summc.selectors import SELECTORS
from summc.signatures import select_signature
from summc.text.languages import asked_language

log = logging.getLogger("summc")

#: A row of a table, by the names of its columns.
Record = dict[str, Any]
#: What is called after each summary: with the number of summaries that are done, and of all.
Progress = Callable[[int, int], object]
#: The name of a data set, a path, or clusters with references.
Dataset = str | PathLike[str] | Iterable[Cluster]

#: The selectors and baselines that the configured selector is compared with by default.
OTHERS = ("bp", "g-greedy", "greedy", "lead", "random")


def evaluate(
    dataset: Dataset,
    selectors: str | Iterable[str] | None = None,
    *,
    presets: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    peers: str | PathLike[str] = "",
    per_cluster: bool = False,
    versus: str = "first",
    jobs: int = 1,
    config: ConfigLike | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> list[Record]:
    """Compare selectors, whole configurations and other systems on a data set by ROUGE.

    Returns a record for each of them, with means, intervals and paired differences from the first one; or,
    with ``per_cluster``, a record for each of its summaries.

    Args:
        dataset: the name of a data set, such as "sample", a path, or clusters with references.
        selectors: names of selectors, and "lead", "random", "human" or "oracle"; without them and without
            presets, the configured selector and the ones that the paper compares with.
        presets: configurations, each with its own selector, by name or as TOML files.
        peers: a folder, or a file of JSON lines, with summaries by other systems.
        per_cluster: whether to return a record for each summary.
        versus: "first", or "before" to compare each row with the row before it.
        jobs: the number of processes.
        config: how to read, weigh, choose and score, as in ``summc.summarize``.
        **settings: single settings, such as ``budget=100, rouge="official", stem=True``.
        progress: is called after each summary with the number of those done and of all.

    >>> [(row["selector"], round(row["rouge1"], 4)) for row in evaluate("sample", ["auto", "lead"])]
    [('auto', 0.3586), ('lead', 0.3121)]
    """
    chosen = config_of(config, **settings)
    by_preset = {fspath(each): config_of(each, **settings) for each in _listed(presets)}
    default = () if by_preset else (chosen.select.selector, *OTHERS)
    names = list(dict.fromkeys(default if selectors is None else _listed(selectors)))
    if not (names or by_preset or peers):
        raise SettingError("selectors", "nothing to compare", "name one, or leave it out")
    lab.check_names(names)
    _check(versus, jobs)
    data, watch = _clusters(dataset, chosen), _watching(progress)
    _, outcomes = run("", data, names, chosen, by_preset, fspath(peers), jobs, watch)
    if per_cluster:
        return [flat(report.cluster_object(each)) for each in outcomes]
    _note_problems([each.problem for each in outcomes])
    return [with_ends(flat(report.numbers(row))) for row in report.score_rows(outcomes, versus)]


def compare(
    records: Iterable[Mapping[str, Any]], scores: str | Iterable[str] = (), versus: str = "first"
) -> list[Record]:
    """Compare systems by their scores on the same clusters: intervals and p-values by Student's paired t.

    A record has a ``cluster``, a ``selector`` (the system) and numbers by name: what ``evaluate`` with
    ``per_cluster`` returns, or scores of your own. ``scores`` are the names to compare, by default all that
    are floats in every record. Returns a record for each system and score, compared with the first system,
    or with ``versus="before"`` with the one before. ``p_holm`` is corrected for all comparisons by Holm's
    method.

    >>> found = {"a": [0.5, 0.6, 0.7], "b": [0.3, 0.5, 0.5]}
    >>> rows = [{"selector": s, "cluster": c, "f": f} for s in found for c, f in enumerate(found[s])]
    >>> [(row["selector"], round(row["mean"], 3), row["p"]) for row in compare(rows)]
    [('a', 0.6, None), ('b', 0.433, 0.0377496)]
    """
    _check(versus)
    rows: Any = records  # or a table of pandas
    try:
        given: list[Record] = list(map(dict, rows.to_dict("records") if hasattr(rows, "to_dict") else rows))
    except (TypeError, ValueError):
        given = []
    # Where there is no problem, pandas may have NaN.
    made = [each for each in given if not (isinstance(each.get("problem"), str) and each["problem"])]
    if not made or not all({"cluster", "selector"} <= each.keys() for each in made):
        raise InputError("records", "must be mappings with cluster, selector and scores")
    if len({(str(each["cluster"]), str(each["selector"])) for each in made}) < len(made):
        raise InputError("records", "two have the same cluster and selector")
    names = _listed(scores) or [name for name in made[0] if _all_have(made, name, (float, np.floating))]
    lacking = ", ".join(name for name in names if not _all_have(made, name, Real))
    if not names or lacking:
        raise InputError("records", f"not all have the score {lacking}" if lacking else "have no scores")
    outcomes = [
        Outcome(str(each["cluster"]), str(each["selector"]),
                scores={name: Score(float(each[name]), 0.0, 0.0, "") for name in names})
        for each in made
    ]  # fmt: skip
    return [
        {"selector": row.selector, "score": name, "clusters": row.clusters, "versus": row.versus or None,
         **with_ends(dataclasses.asdict(mean))}
        for row in report.score_rows(outcomes, versus)
        for name, mean in row.means.items()
    ]  # fmt: skip


def sweep(
    dataset: Dataset,
    mu: float | Iterable[float],
    beta: float | Iterable[float] = (),
    *,
    selector: str = "bp",
    versus: str | Iterable[str] = ("g-greedy",),
    jobs: int = 1,
    config: ConfigLike | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> list[Record]:
    """Measure a BP selector at every mu, or at every pair of mu and beta, beside other selectors.

    Returns a record for each of ``versus``, then one for each point. The other arguments are those of
    ``evaluate``.

    >>> rows = sweep("sample", mu=[0.02, 0.05], config="paper-fig3")
    >>> [(row["selector"], row["mu"], round(row["weight"], 3)) for row in rows]
    [('g-greedy', None, 6.245), ('bp', 0.02, 5.077), ('bp', 0.05, 6.247)]
    """
    chosen = config_of(config, **settings)
    others = list(dict.fromkeys(_listed(versus)))
    lab.check_names([*others, selector])
    _check("first", jobs)
    points = sweeps.make_points(chosen, selector, _listed(mu), _listed(beta), others)
    clusters, unread = _clusters(dataset, chosen)
    cases, _ = lab.make_cases(clusters, chosen)
    outcomes = sweeps.measure(cases, points, jobs, _watching(progress))
    _note_problems([*map(str, unread), *(each.problem for each in outcomes)])
    return [with_ends(flat(sweeps.as_object(row))) for row in sweeps.sweep_rows(points, outcomes)]


def curve(
    sources: Sources,
    budgets: float | Iterable[float],
    *,
    jobs: int = 1,
    config: ConfigLike | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> list[Record]:
    """Return how much summaries of each length cover, and how much they could: a record for each budget.

    ``sources`` are those of ``summc.summarize``. The other arguments are those of ``evaluate``, but
    ``progress`` is called after each cluster.

    >>> rows = curve(Path("data/sample/docs/d90004t"), [50, 100])
    >>> [(row["k"], row["words"], row["sentences"], round(row["share"], 3)) for row in rows]
    [(50, 50, 2, 0.207), (100, 97, 3, 0.304)]
    """
    chosen = config_of(config, **settings)
    asked = [config_of(chosen, budget=each) for each in _listed(budgets)]
    if not asked:
        raise SettingError("budgets", "no value", "give at least one")
    _check("first", jobs)
    lab.check_unit(*asked)
    problems: list[SummcError] = []
    curves, _ = measure_all(load(sources, chosen), asked, problems.append, _watching(progress), jobs)
    _note_problems([*map(str, problems), *([""] if curves else [])])
    return [row for rows in curves for row in rows]


# What the commands and these functions share


def load_dataset(dataset: str, settings: Config) -> tuple[list[Cluster], list[SummcError]]:
    """Return the clusters of a data set, and an error for each that cannot be read."""
    unread: list[SummcError] = []
    folders, language = data_folders(settings.load.data), asked_language(settings.load.language)
    encoding = settings.load.encoding
    clusters = list(read(dataset, folders, encoding=encoding, language=language, on_error=unread.append))
    for error in unread:
        if isinstance(error, MissingExtraError):  # the scores would be of parts of the documents
            raise error
    if not clusters:
        raise NoSummaryError(dataset, "no cluster could be read", str(unread[0]))
    return _with_references(clusters, dataset, settings), unread


def run(
    dataset: str,
    data: tuple[Sequence[Cluster], Sequence[SummcError]],
    names: Sequence[str],
    settings: Config,
    presets: Mapping[str, Config],
    peers: str,
    jobs: int,
    watch: sweeps.Watch,
) -> tuple[Record, list[Outcome]]:
    """Return what describes the table, and the outcomes of presets, of selectors and of other systems.

    ``data`` are the clusters that were read, and the errors of the others.
    """
    (clusters, unread), every = data, (*presets, *names)
    outcomes = [Outcome(error.place, name, problem=str(error)) for error in unread for name in every]
    # Read first, so that a wrong path is refused before the work.
    others = read_peers(Path(peers), [cluster.id for cluster in clusters]) if peers else {}
    weighing, rows = None, dict[str, Record]()

    def summaries() -> Iterator[Outcome]:
        nonlocal weighing
        for preset, config in presets.items():
            cases, own = lab.make_cases(clusters, config)
            yield from lab.evaluate(cases, {preset: (config.select.selector, config)}, jobs=jobs)
            rows[preset] = report.preset_signature(clusters, own, config)
        if names:
            cases, weighing = lab.make_cases(clusters, settings)
            yield from lab.evaluate(cases, {name: (name, settings) for name in names}, jobs=jobs)

    outcomes.extend(watch(summaries(), len(clusters) * len(every)))
    rows |= {name: select_signature(settings, name) for name in names if name in SELECTORS}
    about = report.describe(dataset, clusters, settings, None if presets else weighing, rows)
    for system, texts in others.items():
        name = f"{system} (peer)" if system in every else system
        outcomes.extend(lab.score_texts(texts, name, clusters, settings))
    lab.warn_of_lengths(outcomes, settings)
    return about, outcomes


def _clusters(dataset: Dataset, config: Config) -> tuple[list[Cluster], list[SummcError]]:
    if isinstance(dataset, str | PathLike):
        return load_dataset(fspath(dataset), config)
    clusters = list(dataset)
    if not clusters or not all(isinstance(each, Cluster) for each in clusters):
        raise SettingError("dataset", "must be the name of a data set, a path or clusters")
    taken: dict[str, int] = {}
    named = [dataclasses.replace(each, id=own_name(each.id, taken)) for each in clusters]
    return _with_references(named, "dataset", config), []


def _with_references(clusters: list[Cluster], place: str, config: Config) -> list[Cluster]:
    """Return the clusters without references that cannot be scored, and warn of what makes scores odd."""
    if config.score.rouge == "paper":
        clusters = [lab.without_empty_references(cluster) for cluster in clusters]
    warn_of_unsegmented([text for cluster in clusters for text in cluster.references], place)
    return clusters


def _listed(values: Any) -> list[Any]:
    """Return several values as a list, or one as a list of one; numbers of NumPy as numbers of Python."""
    is_one = isinstance(values, str | PathLike | Real)
    return [python_number(each) for each in ([values] if is_one else values)]


def _check(versus: str, jobs: int = 1) -> None:
    if versus not in ("first", "before"):
        raise SettingError(as_typed("versus"), f'must be "first" or "before", got {versus!r:.40}')
    if not isinstance(jobs, int | np.integer) or jobs < 1:
        raise SettingError(as_typed("jobs"), f"must be a whole number at least 1, got {jobs!r:.40}")


def _all_have(records: Sequence[Record], name: str, kind: Any) -> bool:
    return all(isinstance(each.get(name), kind) and math.isfinite(each[name]) for each in records)


def _note_problems(problems: Sequence[str]) -> None:
    """Warn of the problems that are not empty; raise if no problem is empty."""
    if all(problems):
        raise NoSummaryError("", problems[0])
    for problem in filter(None, problems):
        log.warning("%s", problem)


def _watching(progress: Progress | None) -> Callable[[Iterable[Any], int], Iterator[Any]]:
    """Return a function that passes on items as they come, and tells ``progress`` of each."""

    def watch(items: Iterable[Any], total: int) -> Iterator[Any]:
        for done, item in enumerate(items, start=1):
            yield item
            if progress:
                progress(done, total)

    return watch
