"""Turn outcomes into a table of mean scores, with a row for each selector, and describe how it was made.

The signature of a run is a line of all settings that its scores depend on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from summc.documents.paragraphs import without_controls
from summc.documents.peers import summary_file
from summc.errors import InputError, NotFoundError, as_typed
from summc.lab.evaluation import make_rouge
from summc.lab.evaluation.intervals import Interval, compared, estimate, holm, mean_of, p_text
from summc.records import Cluster, Outcome, Score, Selection
from summc.report.codec import encode_selection
from summc.settings import config as signatures
from summc.settings.config import Config
from summc.system.json_objects import dump, parse_object
from summc.system.outputs import make_folder, remove, remove_if_empty, write_whole
from summc.text.numbers import plain
from summc.text.screens import Screen
from summc.text.tables import BETTER, WORSE, Column, Position, flat, render_data, render_rows

_CORRECTED = "p Holm"
#: The members of the description of a run.
_PARTS = {"dataset", "clusters", "signature", "selectors"}


@dataclass(frozen=True, slots=True)
class Versus:
    """The mean difference in recall from another row, over the clusters of both; one has no interval."""

    selector: str
    difference: float
    ci: Interval | None
    p: float | None
    p_holm: float | None  # corrected for all comparisons of the table: rows times metrics


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean scores by a ROUGE metric; ``ci`` is the 95% interval of the mean recall."""

    recall: float
    precision: float
    f1: float
    ci: Interval | None
    versus: Versus | None = None


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The means of one selector over clusters; None for what it does not report."""

    selector: str
    clusters: int
    figures: Mapping[str, Figure]  # by metric
    covered_weight: float | None
    words: float
    converged: float | None  # the share of runs that converged
    proven: float | None  # the mean share of the best possible coverage that is proven to be reached


def score_rows(outcomes: Iterable[Outcome], versus: str = "first") -> list[ScoreRow]:
    """Return a row of means for each selector, in order of appearance, compared with the first row.

    With ``versus`` "before", each row is compared with the row before it. Failed outcomes are left out.
    """
    groups: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        if not outcome.problem:
            groups.setdefault(outcome.selector, {})[outcome.cluster] = outcome
    names = list(groups)
    others = dict(zip(names[1:], names[:1] * len(names) if versus == "first" else names, strict=False))
    recalls = {
        (name, metric): {cluster: outcome.scores[metric].recall for cluster, outcome in group.items()}
        for name, group in groups.items()
        for metric in next(iter(group.values())).scores
    }
    differences = {
        (name, metric): compared(own, recalls[others[name], metric])
        for (name, metric), own in recalls.items()
        if name in others
    }
    tested = {key: each.p for key, each in differences.items() if each and each.p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    comparisons = {
        key: Versus(others[key[0]], each.mean, each.ci, each.p, corrected.get(key))
        for key, each in differences.items()
        if each
    }
    return [_row(name, list(group.values()), comparisons) for name, group in groups.items()]


def _row(name: str, outcomes: Sequence[Outcome], comparisons: Mapping[tuple[str, str], Versus]) -> ScoreRow:
    figures = {}
    for metric in outcomes[0].scores:
        scores = [outcome.scores[metric] for outcome in outcomes]
        recall, versus = estimate([score.recall for score in scores]), comparisons.get((name, metric))
        precision, f1 = fmean(s.precision for s in scores), fmean(s.f1 for s in scores)
        figures[metric] = Figure(recall.mean, precision, f1, recall.ci, versus)
    selections = [outcome.selection for outcome in outcomes if outcome.selection]
    return ScoreRow(
        name,
        len(outcomes),
        figures,
        mean_of(s.covered_weight for s in selections),
        fmean(outcome.words for outcome in outcomes),
        mean_of(s.diagnostics.get("converged") for s in selections),
        mean_of(s.covered_weight / s.bound for s in selections if s.bound),
    )


def describe(
    dataset: str,
    clusters: Sequence[Cluster],
    config: Config,
    weighing: Mapping[str, Any] | None = None,
    selectors: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Describe a run: the data set, its size, the signature, and the settings of each row (``selectors``).

    ``weighing`` has the settings of the weighting. Rows that are presets have weightings of their own, and
    existing summaries have neither ``weighing`` nor ``selectors``.
    """
    made = ""
    if weighing is not None:
        around = signatures.around_signature(config)
        made = signatures.signature_of(clusters, weighing, around, config) + "|"
    elif selectors:
        loading = signatures.of_all(signatures.load_signature, clusters, config)
        made = (
            signatures.signature_text({"load": loading, "select": {"k": plain(config.select.budget)}}) + "|"
        )
    rouge = make_rouge(config)
    scored = [cluster for cluster in clusters if cluster.references] or clusters
    counts = sorted({len(cluster.references) for cluster in scored})
    references = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    scripts = sorted({rouge.script(cluster.references, cluster.language) for cluster in scored})
    scoring = rouge.signature("+".join(rouge.metrics), references, "+".join(scripts))
    return {
        "dataset": without_controls(dataset),
        "clusters": len(clusters),
        "signature": made + scoring,
        "selectors": selectors or {},
    }


def preset_signature(
    clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config
) -> dict[str, Any]:
    """Return the settings that a preset's summaries were made with, in all stages after loading."""
    explicit = {"concepts": config.preprocess.concepts, "left-out": config.candidates.signature}
    preprocessing = signatures.of_all(signatures.preprocess_signature, clusters, config)
    return {**explicit, **preprocessing, **weighing, **signatures.select_signature(config)}


def render_evaluation(
    about: Mapping[str, Any],
    outcomes: Sequence[Outcome],
    format_: str,
    screen: Screen | None = None,
    *,
    per_cluster: bool = False,
    versus: str = "first",
) -> str:
    """Return the table of an evaluation in a format; Markdown, LaTeX and JSON have its signature too.

    ``about`` is the description of the run. If ``per_cluster``, the table has a row for each cluster and
    selector, not of means; JSON then has both. Text fits the ``screen``.
    """
    if format_ == "json":
        made = {"dataset": about["dataset"], "clusters": about["clusters"], "signature": about["signature"]}
        rows = score_rows(outcomes, versus)
        made["rows"] = [{**_as_object(row), "settings": about["selectors"].get(row.selector)} for row in rows]
        if per_cluster:
            made["per_cluster"] = [_cluster_object(outcome) for outcome in outcomes]
        return dump(made, indent=2) + "\n"
    if per_cluster:
        table = _cluster_table(outcomes, format_, screen)
    elif format_ == "csv":
        table = render_data([_numbers(row) for row in score_rows(outcomes, versus)], {}, format_)
    else:
        table = _table(score_rows(outcomes, versus), format_, screen)
    if format_ == "tex":
        return f"{table}% {about['signature']}\n"
    return f"{table}\n{about['signature']}\n" if format_ == "md" else table


def _as_object(row: ScoreRow) -> dict[str, Any]:
    made = dataclasses.asdict(row)
    return {"selector": made.pop("selector"), "clusters": made.pop("clusters"), **made.pop("figures"), **made}


def _numbers(row: ScoreRow) -> dict[str, Any]:
    """Return a row for CSV: a column for each number, under a name of its own."""
    versus = [figure.versus.selector for figure in row.figures.values() if figure.versus]
    found: dict[str, Any] = {
        "selector": row.selector, "clusters": row.clusters, "words": row.words,
        "weight": row.covered_weight, "converged": row.converged, "proven": row.proven,
        "versus": versus[0] if versus else None,
    }  # fmt: skip
    for metric, figure in row.figures.items():
        other = dataclasses.asdict(figure.versus) if figure.versus else {}
        found[metric] = {
            "mean": figure.recall, "ci": figure.ci, "precision": figure.precision, "f1": figure.f1,
            "difference": other.get("difference"), "difference_ci": other.get("ci"),
            "p": other.get("p"), "p_holm": other.get("p_holm"),
        }  # fmt: skip
    return found


def _table(rows: Sequence[ScoreRow], format_: str, screen: Screen | None) -> str:
    """Return the table of means, with a note: how p-values are corrected, and why intervals are missing.

    The first metric has all its figures, the others only the recall. On a narrow screen, what says more about
    which row is better is left out later.
    """
    first, *others = rows[0].figures
    lines = [flat(_numbers(row)) for row in rows]
    for line in lines:
        line |= {name: p_text(line[name]) for name in (f"{first}_p", f"{first}_p_holm")}
    before = any(line["versus"] not in (None, rows[0].selector) for line in lines)
    tests = [f.versus for row in rows for f in row.figures.values() if f.versus and f.versus.p is not None]
    said = [f"{_CORRECTED}: corrected for {len(tests)} comparisons by Holm's method"] * (len(tests) > 1)
    said += ["one cluster has no interval and no p-value"] * any(row.clusters == 1 for row in rows)
    columns: list[Column] = [
        ("selector", "selector", "", 0),
        (first, first, ".4f", 0),
        (f"{first}_ci", "95% interval", ".4f", 7),
        (f"{first}_precision", "precision", ".4f", 2),
        (f"{first}_f1", "F1", ".4f", 3),
        *((each, each, ".4f", 12 + len(others) - i) for i, each in enumerate(others)),
        ("weight", "weight", ".3f", 5),
        ("words", "words", ".1f", 9),
        ("converged", "converged", ".0%", 4),
        ("proven", "proven", ".2%", 6),
        (f"{first}_difference", "vs row before" if before else f"vs {rows[0].selector}", "+.4f", 12),
        (f"{first}_difference_ci", "95% interval", "+.4f", 11),
        (f"{first}_p", "p", "", 8),
        (f"{first}_p_holm", _CORRECTED, "", 10),
        ("clusters", "clusters", "", int(len({row.clusters for row in rows}) == 1)),
    ]
    absent = [] if len(tests) > 1 else [_CORRECTED]
    absent += ["proven"] * all(row.proven is None for row in rows)
    columns = [each for each in columns if each[1] not in absent]
    styles = difference_styles(rows, [heading for _, heading, *_ in columns].index("p") - 2)
    return render_rows(lines, columns, format_, screen, styles=styles, note="; ".join(said))


def difference_styles(rows: Sequence[ScoreRow], column: int) -> dict[Position, str]:
    """Return (row, column) -> style for each difference whose interval excludes 0."""
    found = {}
    for number, row in enumerate(rows, start=1):
        versus = next(iter(row.figures.values())).versus
        low, high = (versus and versus.ci) or (0.0, 0.0)
        if low > 0 or high < 0:
            found[number, column] = BETTER if low > 0 else WORSE
    return found


def _cluster_table(outcomes: Iterable[Outcome], format_: str, screen: Screen | None) -> str:
    """Return a table with a row for each cluster and selector."""
    made = [outcome for outcome in outcomes if not outcome.problem]
    columns = [("cluster", "cluster", "", 0), ("selector", "selector", "", 0)]
    # A narrow screen leaves out the words first, then the weight, then the metrics from the last on.
    columns += [(f"{each}_recall", each, ".4f", 99 - i if i else 0) for i, each in enumerate(made[0].scores)]
    columns += [("covered_weight", "weight", ".3f", 2), ("words", "words", ".1f", 1)]
    lines = [flat(_cluster_object(outcome)) for outcome in made]
    return render_rows(lines, columns, format_, screen)


def _cluster_object(outcome: Outcome) -> dict[str, Any]:
    scores = {metric: score.figures for metric, score in outcome.scores.items()}
    weight = None if outcome.selection is None else outcome.selection.covered_weight
    return {
        "cluster": outcome.cluster, "selector": outcome.selector, **scores, "covered_weight": weight,
        "words": outcome.words, "problem": outcome.problem or None,
    }  # fmt: skip


# Saved evaluations. A folder has four parts: ``evaluation.json`` describes the run, ``config.toml`` has its
# settings, ``outcomes.jsonl`` has a line for each cluster and selector, and the text of each summary is in
# ``summaries/<selector>/<cluster>.<selector>``, where ``read_peers`` finds it.


def save(folder: Path, about: dict[str, Any], config: str, outcomes: Sequence[Outcome]) -> None:
    """Write an evaluation to a folder, and remove an earlier evaluation from it.

    ``about`` is the description of the run, and ``config`` its settings as TOML. ``evaluation.json`` is
    removed first and written last, so that it never describes the outcomes of another run.
    """
    try:
        earlier = load(folder)[1]
    except (InputError, NotFoundError):
        earlier = []
    remove(folder / "evaluation.json")
    for path in (_summary(folder, each) for each in earlier):
        remove(path)  # ``read_peers`` would read it as part of this evaluation
        remove_if_empty(path.parent)
    texts = {_summary(folder, each): f"{each.text}\n" for each in outcomes if not each.problem}
    texts[folder / "config.toml"] = config
    texts[folder / "outcomes.jsonl"] = "".join(f"{dump(encode(outcome))}\n" for outcome in outcomes)
    texts[folder / "evaluation.json"] = dump(about, indent=2) + "\n"
    for path, text in texts.items():
        make_folder(path.parent)
        write_whole(str(path), [text])


def _summary(folder: Path, outcome: Outcome) -> Path:
    return folder / "summaries" / summary_file(outcome.cluster, outcome.selector)


def load(folder: Path) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the description and the outcomes of a saved evaluation, of which a table can be made."""
    place, what, remedy = str(folder), "a saved evaluation", f"make one with {as_typed('save')}"
    try:
        about = parse_object((folder / "evaluation.json").read_bytes(), place, what)
        lines = (folder / "outcomes.jsonl").read_bytes().splitlines()
    except OSError:
        raise NotFoundError(place, "no saved evaluation", remedy) from None
    outcomes = [decode(parse_object(line, place, what), place, what, remedy) for line in lines]
    alike = len({tuple(outcome.scores) for outcome in outcomes if not outcome.problem}) <= 1
    if not (about.keys() >= _PARTS and isinstance(about["selectors"], dict) and outcomes and alike):
        raise InputError(place, f"not {what}", remedy)
    return about, outcomes


def encode(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON."""
    selection = outcome.selection and encode_selection(outcome.selection)
    return {**dataclasses.asdict(outcome), "selection": selection}


def decode(line: dict[str, Any], place: str, what: str, remedy: str) -> Outcome:
    """Return the outcome in a line of JSON; raise ``InputError`` if the line is not ``what`` it should be."""
    try:
        selection = line["selection"]
        if selection is not None:
            selection = Selection(**{**selection, "chosen": tuple(selection["chosen"])})
        scores = {metric: Score(**score) for metric, score in line["scores"].items()}
        outcome = Outcome(**{**line, "scores": scores, "selection": selection})
        score_rows([outcome])  # raises if what should be a number is not
        texts = (outcome.cluster, outcome.selector, outcome.text, outcome.problem)
        valid = all(isinstance(text, str) for text in texts) and bool(scores) != bool(outcome.problem)
    except (ValueError, KeyError, TypeError, AttributeError):
        valid = False
    if not valid:
        raise InputError(place, f"not {what}", remedy)
    return outcome
