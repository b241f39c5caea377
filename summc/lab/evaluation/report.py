"""Turn outcomes into a table of mean scores, with a row for each selector, and describe how it was made.

The signature of a run is a line of all settings that its scores depend on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from summc import signatures
from summc.config import Config
from summc.datasets.peers import summary_file
from summc.documents.paragraphs import without_controls
from summc.errors import InputError, NotFoundError, as_typed
from summc.lab.evaluation import make_rouge, mean_scores
from summc.lab.evaluation.intervals import SIGNIFICANT, Interval, compared, estimate, holm, mean_of, p_text
from summc.records import Cluster, Outcome, Score
from summc.report.codec import encode_selection
from summc.report.screens import Screen
from summc.report.tables import BETTER, WORSE, Column, cell, flat, render_cells, render_data, render_rows
from summc.system.json_objects import dump, parse_object
from summc.system.outputs import make_folder, remove, remove_if_empty, reporting_errors, write_whole
from summc.text.numbers import plain

#: The name of the covered weight among the measures. The other measures are named like their ROUGE metrics.
WEIGHT = "weight"
_CORRECTED, _RANDOMIZED = "p Holm", "p random"
#: The members of the description of a run.
_PARTS = {"dataset", "clusters", "signature", "selectors"}


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure over clusters, with its 95% interval; one cluster has no interval.

    ``difference`` is the mean paired difference from another row, over the clusters of both; None if there is
    no such cluster. ``p`` is by Student's t, and ``p_random`` by the randomization test. ``p_holm`` is ``p``
    corrected for all comparisons of scores: rows times metrics.
    """

    mean: float
    ci: Interval | None
    difference: float | None = None
    difference_ci: Interval | None = None
    p: float | None = None
    p_random: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The means of one selector over clusters; None for what it does not report."""

    selector: str
    clusters: int
    versus: str  # the row that it is compared with, or ""
    means: Mapping[str, Mean]  # of the covered weight, if it is known, and of the recall by each metric
    scores: Mapping[str, Score]  # by metric
    words: float
    converged: float | None  # the share of runs that converged
    proven: float | None  # the mean share of the best possible coverage that is proven to be reached

    @property
    def covered_weight(self) -> float | None:
        """The mean covered weight."""
        return self.means[WEIGHT].mean if WEIGHT in self.means else None


def score_rows(outcomes: Iterable[Outcome], versus: str = "first") -> list[ScoreRow]:
    """Return a row of means for each selector, in order of appearance, compared with the first row.

    With ``versus`` "before", each row is compared with the row before it. Failed outcomes are left out.
    """
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if not outcome.problem:
            groups.setdefault(outcome.selector, []).append(outcome)
    names, table = list(groups), dict[str, dict[str, Mean]]()
    rivals = dict(zip(names, ["", *(names[:1] * len(names) if versus == "first" else names)], strict=False))
    values = {name: _values(group) for name, group in groups.items()}
    for name, rival in rivals.items():
        base = values[rival] if rival else {}
        table[name] = {measure: _mean(data, base.get(measure, {})) for measure, data in values[name].items()}
    pairs = [(means, measure) for means in table.values() for measure in means if measure != WEIGHT]
    tested = [(means, measure) for means, measure in pairs if means[measure].p is not None]
    corrected = holm([means[measure].p or 0 for means, measure in tested])
    for (means, measure), p in zip(tested, corrected, strict=True):
        means[measure] = dataclasses.replace(means[measure], p_holm=p)
    return [_row(groups[name], rivals[name], means) for name, means in table.items()]


def _values(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return for each measure the value of each cluster; an outcome without a selection has no weight."""
    weights = {outcome.cluster: outcome.selection.covered_weight for outcome in outcomes if outcome.selection}
    values = {WEIGHT: weights} if weights else {}
    for metric in outcomes[0].scores:
        values[metric] = {outcome.cluster: outcome.scores[metric].recall for outcome in outcomes}
    return values


def _mean(values: Mapping[str, float], base: Mapping[str, float]) -> Mean:
    mean, versus = estimate(list(values.values())), compared(values, base)
    tested = (versus.mean, versus.ci, versus.p, versus.p_random) if versus else ()
    return Mean(mean.mean, mean.ci, *tested)


def _row(outcomes: Sequence[Outcome], versus: str, means: Mapping[str, Mean]) -> ScoreRow:
    selections = [outcome.selection for outcome in outcomes if outcome.selection]
    return ScoreRow(
        outcomes[0].selector, len(outcomes), versus, means,
        mean_scores([outcome.scores for outcome in outcomes]), fmean(outcome.words for outcome in outcomes),
        mean_of(selection.diagnostics.get("converged") for selection in selections),
        mean_of(selection.covered_weight / selection.bound for selection in selections if selection.bound),
    )  # fmt: skip


def describe(
    dataset: str, clusters: Sequence[Cluster], config: Config, weighing: Mapping[str, Any] | None = None,
    selectors: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Describe a run: the data set, its size, the signature, and the settings of each row (``selectors``).

    ``weighing`` has the settings of the weighting. Rows that are presets have weightings of their own, and
    existing summaries have neither ``weighing`` nor ``selectors``.
    """
    stages = ""
    if weighing is not None:
        around = signatures.common_signature(config)
        stages = signatures.signature_of(clusters, weighing, around, config) + "|"
    elif selectors:
        loading = signatures.joined_signature(signatures.load_signature, clusters, config)
        selecting = {"k": plain(config.select.budget)}
        stages = signatures.signature_text({"load": loading, "select": selecting}) + "|"
    rouge = make_rouge(config)
    scored = [cluster for cluster in clusters if cluster.references] or clusters
    counts = sorted({len(cluster.references) for cluster in scored})
    references = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    scripts = sorted({rouge.script(cluster.references, cluster.language) for cluster in scored})
    scoring = rouge.signature("+".join(rouge.metrics), references, "+".join(scripts))
    about = {"dataset": without_controls(dataset), "clusters": len(clusters)}
    return {**about, "signature": stages + scoring, "selectors": selectors or {}}


def preset_signature(
    clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config
) -> dict[str, Any]:
    """Return the settings that a preset's summaries were made with, in all stages after loading."""
    explicit = {"concepts": config.preprocess.concepts, "left-out": config.candidates.signature}
    preprocessing = signatures.joined_signature(signatures.preprocess_signature, clusters, config)
    return {**explicit, **preprocessing, **weighing, **signatures.select_signature(config)}


def render_evaluation(
    about: Mapping[str, Any], outcomes: Sequence[Outcome], format_: str, screen: Screen | None = None,
    *, per_cluster: bool = False, versus: str = "first",
) -> str:  # fmt: skip
    """Return the table of an evaluation in a format; Markdown, LaTeX and JSON have its signature too.

    ``about`` is the description of the run. If ``per_cluster``, the table has a row for each cluster and
    selector, not of means; JSON then has both. Text fits the ``screen``.
    """
    if format_ == "json":
        data = {"dataset": about["dataset"], "clusters": about["clusters"], "signature": about["signature"]}
        rows = score_rows(outcomes, versus)
        data["rows"] = [{**_as_object(row), "settings": about["selectors"].get(row.selector)} for row in rows]
        if per_cluster:
            data["per_cluster"] = [cluster_object(outcome) for outcome in outcomes]
        return dump(data, indent=2) + "\n"
    if per_cluster:
        table = _cluster_table(outcomes, format_, screen)
    elif format_ == "csv":
        table = render_data([numbers(row) for row in score_rows(outcomes, versus)], {}, format_)
    elif format_ == "tex":
        table = _paper_table(score_rows(outcomes, versus))
    else:
        table = _table(score_rows(outcomes, versus), format_, screen)
    below = {"tex": f"% {about['signature']}\n", "md": f"\n{about['signature']}\n"}
    return table + below.get(format_, "")


def _as_object(row: ScoreRow) -> dict[str, Any]:
    members: dict[str, Any] = {"selector": row.selector, "clusters": row.clusters}
    for metric, score in row.scores.items():
        mean = row.means[metric]
        versus = {"selector": row.versus, "difference": mean.difference, "ci": mean.difference_ci}
        versus |= {"p": mean.p, "p_random": mean.p_random, "p_holm": mean.p_holm}
        is_compared = mean.difference is not None
        members[metric] = {**score.figures, "ci": mean.ci, "versus": versus if is_compared else None}
    rest = {name: getattr(row, name) for name in ("covered_weight", "words", "converged", "proven")}
    return {**members, **rest}


def numbers(row: ScoreRow) -> dict[str, Any]:
    """Return a row for CSV: name of a column -> number."""
    compared_with = row.versus if any(mean.difference is not None for mean in row.means.values()) else None
    columns: dict[str, Any] = {
        "selector": row.selector, "clusters": row.clusters, "words": row.words,
        "weight": row.covered_weight, "converged": row.converged, "proven": row.proven,
        "versus": compared_with,
    }  # fmt: skip
    for metric, score in row.scores.items():
        mean = dataclasses.asdict(row.means[metric])
        parts = {"mean": mean.pop("mean"), "ci": mean.pop("ci"), "precision": score.precision, "f1": score.f1}
        columns[metric] = {**parts, **mean}
    return columns


def _table(rows: Sequence[ScoreRow], format_: str, screen: Screen | None) -> str:
    """Return the table of means, with a note: how p-values are corrected, and why intervals are missing.

    The first metric has all its figures, the others the recall and its difference. On a narrow screen, what
    says more about which row is better is left out later.
    """
    first, *rest = rows[0].scores
    lines = [flat(numbers(row)) for row in rows]
    for line in lines:
        line |= {name: p_text(p) for name, p in line.items() if name.endswith(("_p", "_p_random", "_p_holm"))}
    before = any(line["versus"] not in (None, rows[0].selector) for line in lines)
    other = "vs row before" if before else f"vs {rows[0].selector}"
    tests = sum(mean.p_holm is not None for row in rows for mean in row.means.values())
    remarks = [f"{_CORRECTED}: corrected for {tests} comparisons by Holm's method"] * (tests > 1)
    remarks += ["one cluster has no interval and no p-value"] * any(row.clusters == 1 for row in rows)
    columns: list[Column] = [
        ("selector", "selector", "", 0), (first, first, ".4f", 0),
        (f"{first}_ci", "95% interval", ".4f", 7), (f"{first}_precision", "precision", ".4f", 2),
        (f"{first}_f1", "F1", ".4f", 3),
        ("weight", "weight", ".3f", 5), ("words", "words", ".1f", 9),
        ("converged", "converged", ".0%", 4), ("proven", "proven", ".2%", 6),
        (f"{first}_difference", other, "+.4f", 15), (f"{first}_difference_ci", "95% interval", "+.4f", 11),
        (f"{first}_p", "p", "", 8), (f"{first}_p_random", _RANDOMIZED, "", 1),
        (f"{first}_p_holm", _CORRECTED, "", 13 if rest else 10),
        *(column for i, metric in enumerate(rest) for column in (
            (metric, metric, ".4f", 15 + len(rest) - i), (f"{metric}_difference", other, "+.4f", 14),
            (f"{metric}_difference_ci", "95% interval", "+.4f", 7), (f"{metric}_p_holm", _CORRECTED, "", 12),
        )),
        ("clusters", "clusters", "", int(len({row.clusters for row in rows}) == 1)),
    ]  # fmt: skip
    absent = [] if tests > 1 else [_CORRECTED]
    absent += [_RANDOMIZED] * (tests == 0)
    absent += ["proven"] * all(row.proven is None for row in rows)
    columns = [column for column in columns if column[1] not in absent]
    styles = {}
    for number, line in enumerate(lines, start=1):
        for column, (name, *_) in enumerate(columns):
            low, high = line.get(f"{name}_ci") or (0, 0) if name.endswith("_difference") else (0, 0)
            if low > 0 or high < 0:
                styles[number, column] = BETTER if low > 0 else WORSE
    return render_rows(lines, columns, format_, screen, styles=styles, note="; ".join(remarks))


def _paper_table(rows: Sequence[ScoreRow]) -> str:
    """Return a table for a paper, in LaTeX: recall and interval by each metric, a star if they differ."""
    metrics, counts = list(rows[0].scores), {row.clusters for row in rows}
    names = [metric.replace("rouge", "ROUGE-") for metric in metrics]
    cells = [["system", *(heading for name in names for heading in (name, "95% interval")), "words"]]
    cells[0] += ["clusters"] * (len(counts) > 1)
    for row in rows:
        line = [row.selector]
        for mean in (row.means[metric] for metric in metrics):
            mark = "*" if mean.p_holm is not None and mean.p_holm < SIGNIFICANT else ""
            line += [f"{mean.mean:.4f}{mark}", cell(mean.ci, ".4f")]
        cells.append([*line, f"{row.words:.1f}", *[str(row.clusters)] * (len(counts) > 1)])
    tests = sum(mean.p_holm is not None for row in rows for mean in row.means.values())
    other = "the row before" if len({row.versus for row in rows}) > 2 else rows[0].selector  # noqa: PLR2004
    note = f"* differs from {other}: p < {SIGNIFICANT} by Student's paired t"
    if tests > 1:
        note += f", corrected for {tests} comparisons by Holm's method"
    return render_cells(cells, "tex", note=note if tests else "")


def _cluster_table(outcomes: Iterable[Outcome], format_: str, screen: Screen | None) -> str:
    """Return a table with a row for each cluster and selector; CSV has all columns, as from Python."""
    if format_ == "csv":
        return render_data(cluster_rows(outcomes), {}, format_)
    valid = [outcome for outcome in outcomes if not outcome.problem]
    columns = [("cluster", "cluster", "", 0), ("selector", "selector", "", 0)]
    # A narrow screen leaves out the words first, then the weight, then the metrics from the last on.
    columns += [(f"{name}_recall", name, ".4f", 99 - i if i else 0) for i, name in enumerate(valid[0].scores)]
    columns += [("covered_weight", "weight", ".3f", 2), ("words", "words", ".1f", 1)]
    return render_rows([flat(cluster_object(outcome)) for outcome in valid], columns, format_, screen)


def cluster_rows(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes as rows of the same columns; the scores of a failed outcome are None."""
    rows = [flat(cluster_object(outcome)) for outcome in outcomes]
    columns = max(rows, key=len, default={})  # those of an outcome that did not fail
    return [{name: row.get(name) for name in columns} for row in rows]


def cluster_object(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome for JSON and CSV: its scores, covered weight, words and problem."""
    scores = {metric: score.figures for metric, score in outcome.scores.items()}
    weight = None if outcome.selection is None else outcome.selection.covered_weight
    return {
        "cluster": outcome.cluster, "selector": outcome.selector, **scores, "covered_weight": weight,
        "words": None if outcome.problem else outcome.words, "problem": outcome.problem or None,
    }  # fmt: skip


# Saved evaluations. A folder has four parts: ``evaluation.json`` describes the run, ``config.toml`` has its
# settings, ``outcomes.jsonl`` has a line for each cluster and selector, and the text of each summary is in
# ``summaries/<selector>/<cluster>.<selector>``, where ``read_peers`` finds it.


def save(folder: Path, about: dict[str, Any], config: str, outcomes: Sequence[Outcome]) -> None:
    """Write an evaluation to a folder, and remove an earlier evaluation from it.

    ``about`` is the description of the run, and ``config`` its settings as TOML. ``evaluation.json`` is
    removed first and written last, so that it never describes the outcomes of another run.
    """
    earlier: list[Outcome] = []
    with suppress(InputError, NotFoundError):
        earlier = load(folder)[1]
    remove(folder / "evaluation.json")
    for path in (_summary(folder, outcome) for outcome in earlier):
        remove(path)  # ``read_peers`` would read it as part of this evaluation
        remove_if_empty(path.parent)
    texts = {_summary(folder, outcome): f"{outcome.text}\n" for outcome in outcomes if not outcome.problem}
    texts[folder / "config.toml"] = config
    texts[folder / "outcomes.jsonl"] = "".join(f"{dump(encode(outcome))}\n" for outcome in outcomes)
    texts[folder / "evaluation.json"] = dump(about, indent=2) + "\n"
    for path, text in texts.items():
        make_folder(path.parent)
        write_whole(str(path), [text.encode("utf-8")])


def _summary(folder: Path, outcome: Outcome) -> Path:
    return folder / "summaries" / summary_file(outcome.cluster, outcome.selector)


def load(folder: Path) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the description and the outcomes of a saved evaluation."""
    place, what, remedy = str(folder), "a saved evaluation", f"make one with {as_typed('save')}"
    if not all((folder / name).exists() for name in ("evaluation.json", "outcomes.jsonl")):
        raise NotFoundError(place, "no saved evaluation", remedy)
    with reporting_errors(folder, "read"):
        about = parse_object((folder / "evaluation.json").read_bytes(), place, what)
        lines = (folder / "outcomes.jsonl").read_bytes().splitlines()
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
    with suppress(msgspec.ValidationError, TypeError, ValueError, AttributeError):
        outcome = msgspec.convert(line, Outcome)
        score_rows([outcome])  # raises if a diagnostic that should be a number is not
        if bool(outcome.scores) != bool(outcome.problem):
            return outcome
    raise InputError(place, f"not {what}", remedy)
