"""Evaluation from Python: ``summc.evaluate``, ``compare``, ``sweep`` and ``curve``.

They return a list of records: mappings of names to numbers and texts, as the CSV of the commands has them, so
that ``pandas.DataFrame`` takes them as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from summc.api import AnySelector, ConfigLike, Sources, config_of, load, python_number, selector_of
from summc.config import Config
from summc.datasets import data_folders, read
from summc.datasets.peers import read_peers
from summc.documents.sentences import unique_name
from summc.errors import InputError, MissingExtraError, NoSummaryError, SettingError, SummcError, as_typed
from summc.graph import LARGEST
from summc.lab import evaluation as lab
from summc.lab.evaluation import report
from summc.lab.experiments import sweep as sweeps
from summc.lab.experiments.budgets import Length, measure_all
from summc.records import Cluster, Outcome, Score
from summc.report.tables import flat, with_ends
from summc.rouge.texts import warn_of_unsegmented
from summc.selectors import Selector
from summc.signatures import select_signature, signature_of
from summc.system.logs import log
from summc.text.languages import asked_language
from summc.text.numbers import shown

#: A row of a table, by the names of its columns.
Record = dict[str, Any]
#: A function that is called after each summary, with the number of finished summaries and of all.
Progress = Callable[[int, int], object]
#: The name of a data set, a path, or clusters with references.
Dataset = str | PathLike[str] | Iterable[Cluster]

#: The selectors and baselines that the configured selector is compared with by default.
OTHERS = ("bp", "g-greedy", "greedy", "lead", "random")


def evaluate(
    dataset: Dataset,
    selectors: AnySelector | Iterable[AnySelector] | None = None,
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
        selectors: selectors by name or as objects, such as ``SELECTORS["bp"](beta=3)``, and "lead", "random",
            "human" or "oracle"; without them and without presets, the configured selector and the ones that
            the paper compares with.
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
    by_preset = {fspath(preset): config_of(preset, **settings) for preset in _listed(presets)}
    _check(versus, jobs)
    _, outcomes = measure_systems(
        dataset, chosen, selectors, by_preset, fspath(peers), jobs=jobs, watch=_watching(progress)
    )
    if per_cluster:
        return report.cluster_rows(outcomes)
    _note_problems([outcome.problem for outcome in outcomes])
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

    >>> f1 = {"a": [0.5, 0.6, 0.7], "b": [0.3, 0.5, 0.5]}
    >>> rows = [{"selector": s, "cluster": c, "f": f} for s in f1 for c, f in enumerate(f1[s])]
    >>> [(row["selector"], round(row["mean"], 3), row["p"]) for row in compare(rows)]
    [('a', 0.6, None), ('b', 0.433, 0.0377496)]
    """
    _check(versus)
    rows: Any = records  # or a table of pandas
    try:
        items: list[Record] = list(map(dict, rows.to_dict("records") if hasattr(rows, "to_dict") else rows))
    except (TypeError, ValueError):
        items = []
    # Where there is no problem, pandas may have NaN.
    valid = [row for row in items if not (isinstance(row.get("problem"), str) and row["problem"])]
    if not valid or not all({"cluster", "selector"} <= row.keys() for row in valid):
        raise InputError("records", "must be mappings with cluster, selector and scores")
    if len({(str(row["cluster"]), str(row["selector"])) for row in valid}) < len(valid):
        raise InputError("records", "two have the same cluster and selector")
    names = _listed(scores) or [name for name in valid[0] if _all_have(valid, name, (float, np.floating))]
    lacking = ", ".join(name for name in names if not _all_have(valid, name, Real))
    if not names or lacking:
        raise InputError("records", f"not all have the score {lacking}" if lacking else "have no scores")
    outcomes = [
        Outcome(str(row["cluster"]), str(row["selector"]),
                scores={name: Score(float(row[name]), 0.0, 0.0, "") for name in names})
        for row in valid
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
    selector: AnySelector = "bp",
    versus: AnySelector | Iterable[AnySelector] = ("g-greedy",),
    jobs: int = 1,
    config: ConfigLike | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> list[Record]:
    """Measure a BP selector at every mu, or at every pair of mu and beta, beside other selectors.

    Returns a record for each of ``versus``, selectors by name or as objects, then one for each point. The
    other arguments are those of ``evaluate``.

    >>> rows = sweep("sample", mu=[0.02, 0.05], config="paper-fig3")
    >>> [(row["selector"], row["mu"], round(row["weight"], 3)) for row in rows]
    [('g-greedy', None, 6.245), ('bp', 0.02, 5.077), ('bp', 0.05, 6.247)]
    """
    chosen = config_of(config, **settings)
    _check("first", jobs)
    if not isinstance(selector, str):
        chosen = chosen.with_selector(selector_of(selector))
        selector = chosen.select.selector
    points = sweep_points(chosen, selector, _listed(mu), _listed(beta), versus)
    problems: list[SummcError] = []
    _, outcomes = measure_points(
        dataset, chosen, points, jobs=jobs, watch=_watching(progress), on_unread=problems.append
    )
    _note_problems([*map(str, problems), *(outcome.problem for outcome in outcomes)])
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
    configs = [config_of(chosen, budget=budget) for budget in _listed(budgets)]
    if not configs:
        raise SettingError("budgets", "no value", "give at least one")
    _check("first", jobs)
    lab.check_unit(*configs)
    problems: list[SummcError] = []
    curves, _ = measure_curves(load(sources, chosen), configs, problems.append, _watching(progress), jobs)
    _note_problems([*map(str, problems), *([""] if curves else [])])
    return [row for rows in curves for row in rows]


# What the commands and these functions share


def measure_systems(
    dataset: Dataset, config: Config, selectors: AnySelector | Iterable[AnySelector] | None,
    presets: Mapping[str, Config], peers: str, *, jobs: int, watch: sweeps.Watch,
    on_unread: Callable[[SummcError], object] | None = None,
) -> tuple[Record, list[Outcome]]:  # fmt: skip
    """Return the description of the table, and the outcomes of presets, selectors and other systems.

    ``selectors`` None means the default ones. ``on_unread`` gets the error of each cluster that cannot be
    read; each of them is a failed outcome too.
    """
    default = () if presets else (config.select.selector, *OTHERS)
    systems = _systems(default if selectors is None else selectors, config)
    if not (systems or presets or peers):
        raise SettingError("selectors", "nothing to compare", "name one, or leave it out")
    lab.check_unit(*presets.values(), *([config] if systems else []))  # before the data are read
    clusters, unread = load_dataset(dataset, config, on_unread)
    every = (*presets, *systems)
    outcomes = [Outcome(error.place, name, problem=str(error)) for error in unread for name in every]
    # Read first, so that a wrong path is refused before the work.
    by_peer = read_peers(Path(peers), [cluster.id for cluster in clusters]) if peers else {}
    weighing, rows = None, dict[str, Record]()

    def summaries() -> Iterator[Outcome]:
        nonlocal weighing
        for preset, preset_config in presets.items():
            cases, preset_weighing = lab.make_cases(clusters, preset_config)
            system = (preset_config.select.selector, preset_config)
            yield from lab.evaluate(cases, {preset: system}, jobs=jobs)
            rows[preset] = report.preset_signature(clusters, preset_weighing, preset_config)
        if systems:
            cases, weighing = lab.make_cases(clusters, config)
            yield from lab.evaluate(cases, systems, jobs=jobs)

    outcomes.extend(watch(summaries(), len(clusters) * len(every)))
    rows |= {
        row: select_signature(used, name) for row, (name, used) in systems.items() if name in used.selectors
    }
    about = report.describe(_name_of(dataset), clusters, config, None if presets else weighing, rows)
    named = {f"{name} (peer)" if name in every else name: texts for name, texts in by_peer.items()}
    outcomes.extend(lab.score_peers(named, clusters, config))
    lab.warn_of_lengths(outcomes, config)
    return about, outcomes


def _systems(
    selectors: AnySelector | Iterable[AnySelector], config: Config, place: str = ""
) -> dict[str, lab.System]:
    """Return the systems of a table by the names of its rows, such as "bp" or "bp(beta=3)", each once.

    ``place`` is the option to name in errors.
    """
    systems, taken, seen = dict[str, lab.System](), dict[str, int](), list[tuple[str, Selector | None]]()
    for selector in _listed([selectors] if hasattr(selectors, "select") else selectors):
        if isinstance(selector, str):
            lab.check_names([selector], place=place)
            row, name, used = selector, selector, config
        else:
            used = config.with_selector(selector_of(selector))
            row, name = _row_name(used.selector), used.select.selector
        pair = (row, used.selectors.get(name))  # a baseline has no selector
        if pair not in seen:
            seen.append(pair)
            systems[unique_name(row, taken)] = (name, used)
    return systems


def _row_name(selector: Any) -> str:
    """Return the name of a selector with the settings that are not the defaults: "bp(beta=3)"."""
    fields = dataclasses.fields(selector) if dataclasses.is_dataclass(selector) else ()
    values = {field.name: getattr(selector, field.name) for field in fields}
    changed = [f"{f.name}={shown(values[f.name])}" for f in fields if values[f.name] != f.default]
    return f"{selector.name}({', '.join(changed)})" if changed else selector.name


def sweep_points(
    config: Config, selector: str, mus: Sequence[float], betas: Sequence[float],
    versus: AnySelector | Iterable[AnySelector],
) -> list[sweeps.Point]:  # fmt: skip
    """Return the points of a sweep: the selectors to compare with, then each pair of mu and beta."""
    if selector not in config.selectors:
        lab.check_names([selector])
    return sweeps.make_points(config, selector, mus, betas, _systems(versus, config, as_typed("versus")))


def measure_points(
    dataset: Dataset, config: Config, points: Sequence[sweeps.Point], *, jobs: int, watch: sweeps.Watch,
    on_unread: Callable[[SummcError], object], save_to: str | None = None,
) -> tuple[Record, list[Outcome]]:  # fmt: skip
    """Return the description of a sweep, and the outcomes of each point on each cluster."""
    clusters, _ = load_dataset(dataset, config, on_unread)
    cases, weighing = lab.make_cases(clusters, config)
    outcomes = sweeps.measure(cases, points, jobs, watch, save_to)
    return sweeps.describe_sweep(_name_of(dataset), cases, weighing, points), outcomes


def measure_curves(
    clusters: Sequence[Cluster], configs: Sequence[Config], on_error: Callable[[SummcError], object],
    watch: Callable[[Iterator[list[Length]], int], Iterable[list[Length]]], jobs: int,
) -> tuple[list[list[Length]], str]:  # fmt: skip
    """Return the rows of each cluster, one for each budget, and the signature of all.

    The configurations differ in their budgets. ``on_error`` gets each cluster that has nothing to cover.
    """
    curves, weighing = measure_all(clusters, configs, on_error, watch, jobs)
    selecting = select_signature(configs[0])
    del selecting["k"]  # it varies
    return curves, signature_of(clusters, weighing, selecting, configs[0]) if curves else ""


def _name_of(dataset: Dataset) -> str:
    return fspath(dataset) if isinstance(dataset, str | PathLike) else ""


def load_dataset(
    dataset: Dataset, config: Config, on_unread: Callable[[SummcError], object] | None = None
) -> tuple[list[Cluster], list[SummcError]]:
    """Return the clusters of a data set with references, and an error for each that cannot be read."""
    if not isinstance(dataset, str | PathLike):
        clusters = list(dataset)
        if not clusters or not all(isinstance(cluster, Cluster) for cluster in clusters):
            raise SettingError("dataset", "must be the name of a data set, a path or clusters")
        taken: dict[str, int] = {}
        named = [dataclasses.replace(cluster, id=unique_name(cluster.id, taken)) for cluster in clusters]
        return _with_references(named, "dataset", config), []
    name, unread = fspath(dataset), list[SummcError]()
    if not name:
        raise SettingError(as_typed("dataset"), "not given", "name a data set, such as sample, or a path")
    folders, settings = data_folders(config.load.data), config.load
    how = {"encoding": settings.encoding, "language": asked_language(settings.language)}
    clusters = list(read(name, folders, **how, split=settings.split, on_error=unread.append))
    for error in unread:
        if isinstance(error, MissingExtraError):  # the scores would be of parts of the documents
            raise error
    if not clusters:
        raise NoSummaryError(name, "no cluster could be read", str(unread[0]))
    if on_unread:
        for error in unread:
            on_unread(error)
    return _with_references(clusters, name, config), unread


def _with_references(clusters: list[Cluster], place: str, config: Config) -> list[Cluster]:
    """Return the clusters without references that cannot be scored, and warn of unsegmented ones."""
    if config.score.rouge == "paper":
        clusters = [lab.without_empty_references(cluster) for cluster in clusters]
    warn_of_unsegmented([text for cluster in clusters for text in cluster.references], place)
    return clusters


def _listed(values: Any) -> list[Any]:
    """Return several values as a list, or one as a list of one; numbers of NumPy as numbers of Python."""
    is_one = isinstance(values, str | PathLike | Real)
    return [python_number(value) for value in ([values] if is_one else values)]


def _check(versus: str, jobs: int = 1) -> None:
    if versus not in ("first", "before"):
        raise SettingError(as_typed("versus"), f'must be "first" or "before", got {versus!r:.40}')
    if not isinstance(jobs, int | np.integer) or jobs < 1:
        raise SettingError(as_typed("jobs"), f"must be a whole number at least 1, got {jobs!r:.40}")


def _all_have(records: Sequence[Record], name: str, kind: Any) -> bool:
    return all(isinstance(record.get(name), kind) and abs(record[name]) <= LARGEST for record in records)


def _note_problems(problems: Sequence[str]) -> None:
    """Warn of the problems that are not empty; raise if no problem is empty."""
    if all(problems):
        raise NoSummaryError("", problems[0])
    for problem in dict.fromkeys(filter(None, problems)):
        log.warning("%s", problem)


def _watching(progress: Progress | None) -> Callable[[Iterable[Any], int], Iterator[Any]]:
    """Return a function that passes on items as they come, and tells ``progress`` of each."""

    def watch(items: Iterable[Any], total: int) -> Iterator[Any]:
        for done, item in enumerate(items, start=1):
            yield item
            if progress:
                progress(done, total)

    return watch
