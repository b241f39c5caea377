"""Render an evaluation as text, Markdown, LaTeX, CSV or JSON, and describe how it was made.

The signature of a run is a line of all settings that its scores depend on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from summc.documents.paragraphs import without_controls
from summc.lab.evaluation.cases import Case
from summc.lab.evaluation.outcomes import make_rouge
from summc.lab.evaluation.table import (
    as_cells,
    cluster_cells,
    difference_styles,
    fold_order,
    remark,
    row_numbers,
    row_object,
    score_rows,
)
from summc.records import Cluster, Outcome
from summc.selectors import SELECTORS
from summc.settings.config import (
    Config,
    Signature,
    around_signature,
    load_signature,
    of_all,
    preprocess_signature,
    select_signature,
    signature_text,
)
from summc.system.json_objects import dump
from summc.text.numbers import plain
from summc.text.screens import Screen
from summc.text.tables import render_cells, render_numbers


def describe_run(
    dataset: str, cases: Sequence[Case], names: Sequence[str], weighing: Mapping[str, Any], config: Config
) -> dict[str, Any]:
    """Describe a run: the data set, its number of clusters, the signature, and the settings of selectors.

    The result becomes part of the JSON output and of a saved evaluation. ``names`` are the selectors and
    baselines that ran; baselines have no settings. ``weighing`` has the name and the settings of the
    weighting.
    """
    clusters = [case.cluster for case in cases]
    stages: Signature = {
        "load": of_all(load_signature, clusters, config),
        "preprocess": of_all(preprocess_signature, clusters, config),
        "weigh": weighing,
        "select": around_signature(config),
    }
    scoring = describe_scoring(dataset, clusters, config)
    return {
        **scoring,
        "signature": f"{signature_text(stages)}|{scoring['signature']}",
        "selectors": {name: select_signature(config, name) for name in names if name in SELECTORS},
    }


def describe_presets(
    dataset: str, clusters: Sequence[Cluster], presets: Mapping[str, Mapping[str, Any]], config: Config
) -> dict[str, Any]:
    """Describe a run that compares presets: the data set, the signature, and the settings of each preset.

    A preset is a whole configuration. ``presets`` maps its name to its settings.
    """
    scoring = describe_scoring(dataset, clusters, config)
    shared = {"k": plain(config.select.budget)}
    signature = signature_text({"load": of_all(load_signature, clusters, config), "select": shared})
    return {**scoring, "signature": f"{signature}|{scoring['signature']}", "selectors": presets}


def preset_signature(
    clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config
) -> dict[str, Any]:
    """Return the settings that a preset's summaries were made with, in all stages after loading.

    A preset is a whole configuration. ``weighing`` has the name and the settings of its weighting.
    """
    explicit = {"concepts": config.preprocess.concepts, "left-out": config.candidates.signature}
    preprocessing = of_all(preprocess_signature, clusters, config)
    return {**explicit, **preprocessing, **weighing, **select_signature(config)}


def describe_scoring(dataset: str, clusters: Sequence[Cluster], config: Config) -> dict[str, Any]:
    """Describe a run that only scores existing summaries: the data set and the settings of ROUGE."""
    rouge = make_rouge(config)
    scored = [cluster for cluster in clusters if cluster.references] or clusters
    counts = sorted({len(cluster.references) for cluster in scored})
    scripts = sorted({rouge.script(cluster.references, cluster.language) for cluster in scored})
    signature = rouge.signature(
        "+".join(rouge.metrics), "-".join(map(str, dict.fromkeys((counts[0], counts[-1])))), "+".join(scripts)
    )
    return {
        "dataset": without_controls(dataset),
        "clusters": len(clusters),
        "signature": signature,
        "selectors": {},
    }


def render_evaluation(
    about: Mapping[str, Any],
    outcomes: Sequence[Outcome],
    format_: str,
    *,
    per_cluster: bool,
    versus: str = "first",
    screen: Screen | None = None,
) -> str:
    """Return the table of an evaluation in a format; Markdown, LaTeX and JSON have its signature too.

    ``about`` is the description of the run that ``describe_run`` and the like return. The table has a row of
    means for each selector. If ``per_cluster``, it has a row for each cluster and selector instead; JSON then
    has both. Each row is compared with the first row, or with the row before it if ``versus`` is "before". A
    text table fits the ``screen``.
    """
    rows = [] if per_cluster and format_ != "json" else score_rows(outcomes, versus)
    if format_ == "json":
        made = {"dataset": about["dataset"], "clusters": about["clusters"], "signature": about["signature"]}
        made["rows"] = [{**row_object(row), "settings": about["selectors"].get(row.selector)} for row in rows]
        if per_cluster:
            made["per_cluster"] = [_cluster_object(outcome) for outcome in outcomes]
        return dump(made, indent=2) + "\n"
    if per_cluster:
        cells = cluster_cells(outcomes, "" if format_ == "csv" else "-")
        # On a narrow screen, leave out the words first, then the weight, then the metrics from the last on.
        table = render_cells(cells, format_, screen, fold=range(len(cells[0]) - 1, 2, -1))
    elif format_ == "csv":
        table = render_numbers([row_numbers(row) for row in rows])
    else:
        cells = as_cells(rows)
        fold, styles = fold_order(cells[0], rows), difference_styles(rows, cells[0])
        table = render_cells(cells, format_, screen, fold=fold, styles=styles, note=remark(rows))
    if format_ == "tex":
        return f"{table}% {about['signature']}\n"
    return f"{table}\n{about['signature']}\n" if format_ == "md" else table


def _cluster_object(outcome: Outcome) -> dict[str, Any]:
    scores = {
        metric: {"recall": score.recall, "precision": score.precision, "f1": score.f1}
        for metric, score in outcome.scores.items()
    }
    weight = None if outcome.selection is None else outcome.selection.covered_weight
    return {
        "cluster": outcome.cluster, "selector": outcome.selector, **scores, "covered_weight": weight,
        "words": outcome.words, "problem": outcome.problem or None,
    }  # fmt: skip
