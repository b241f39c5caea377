"""``summc evaluate``: compare selectors and configurations on a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from summc.cli import options
from summc.cli.console import show_error, with_progress
from summc.cli.help import Command
from summc.cli.options import Output, option
from summc.documents.catalogue import data_folders, read
from summc.documents.peers import read_peers
from summc.errors import MissingExtraError, NoSummaryError, SettingError, SummcError
from summc.lab.evaluation import check_names, evaluate_preset, make_cases, score_texts, warn_of_lengths
from summc.lab.evaluation import evaluate as evaluate_cases
from summc.lab.evaluation.cases import without_empty_references
from summc.lab.evaluation.report import describe_presets, describe_run, preset_signature, render_evaluation
from summc.lab.evaluation.saved import load, save
from summc.records import Cluster, Outcome
from summc.rouge.texts import warn_of_unsegmented
from summc.settings.config import Config
from summc.system.outputs import own_folder
from summc.text.languages import asked_language

#: The selectors and baselines that the configured selector is compared with by default.
_OTHERS = ("bp", "g-greedy", "greedy", "lead", "random")


@click.command(cls=Command)
@options.dataset("Name of a data set (see summc datasets), or a path.")
@option(
    "--selector names", "Comparison",
    f"Selectors, and lead, random, human or oracle.  [default: the configured one, {', '.join(_OTHERS)}]",
    "NAME,...",
)  # fmt: skip
@option("--preset presets", "Comparison", "Presets or TOML files, each with its own selector.", "NAME,...")
@option(
    "--versus", "Comparison", "Row to compare each row with.", "first|before",
    type=click.Choice(["first", "before"]), default="first",
)  # fmt: skip
@options.settings(
    "load", "preprocess", "weigh", "select", "score", without=["selector", "--preset"], rare=["Steering"]
)
@option("--peers", "Comparison", "Also score the summaries of other systems.", "DIR")
@options.jobs
@option("--per-cluster", "Output", "Write a row for each cluster and selector.", common=False)
@option("--save save_to", "Output", "Save all summaries, selections and scores.", "DIR")
@option("--saved", "Output", "Make the table from what --save saved.", "DIR", common=False)
@options.output("text", "json", "csv", "md", "tex", wide=True, plot=True, verbose=options.SIGNATURE)
def evaluate(
    dataset: str | None,
    names: str | None,
    presets: str | None,
    versus: str,
    peers: str | None,
    jobs: int,
    per_cluster: bool,
    save_to: str | None,
    saved: str | None,
    output: Output,
    **flags: Any,
) -> int:
    """Compare selectors, or whole configurations, on a data set by ROUGE.

    \b
      summc evaluate --dataset sample --plot comparison.pdf
      summc evaluate --dataset duc2004 --background duc2003 --config paper-fig4
      summc evaluate --dataset multiling2011 -k 250 --selector g-greedy,oracle
      summc evaluate --dataset sample --preset paper,highest --rouge official

    A row has the mean recall with a 95% interval, and the paired difference from the first row with its
    interval and p-value, by Student's t.
    """
    if names:
        selectors = list(dict.fromkeys(names.split(",")))
    elif presets:
        selectors = []
    else:
        configured = options.merged_config({"config": flags["config"]}).select.selector
        selectors = list(dict.fromkeys((configured, *_OTHERS)))
    check_names(selectors)
    by_preset = {
        name: options.merged_config({**flags, "config": name}) for name in (presets or "").split(",") if name
    }
    # The configuration of the rows that are not presets also says how to read and score the data. If all rows
    # are presets, flags for their selectors and weightings are accepted, but have no effect in it.
    used = () if selectors else by_preset.values()
    settings = options.merged_config(
        flags,
        selectors or [each.select.selector for each in used],
        [each.weigh.weighting for each in used],
    )
    options.show_config(settings, flags, output)
    if saved:
        beside = {"dataset": dataset, "selector": names, "preset": presets, "peers": peers, "save": save_to}
        _refuse_beside_saved({**flags, **beside, "show_config": None})
        about, outcomes = load(Path(saved))
    elif dataset:
        with own_folder(save_to):  # fails before the work if the folder cannot be used
            about, outcomes = _run(dataset, selectors, settings, by_preset, peers, jobs)
            if save_to:
                save(Path(save_to), about, settings.to_toml(), outcomes)
    else:
        raise SettingError("--dataset", "nothing to evaluate", "name a data set, such as sample, or a path")
    code = show_problems(about["dataset"], [outcome.problem for outcome in outcomes])
    if output.plot:
        from summc.lab.experiments.figures import draw_comparison

        output.draw(partial(draw_comparison, outcomes, versus, about), about["signature"])
    output.write_table(
        lambda format_, screen: render_evaluation(
            about, outcomes, format_, per_cluster=per_cluster, versus=versus, screen=screen
        ),
        about["signature"],
    )
    return code


def _refuse_beside_saved(flags: Mapping[str, Any]) -> None:
    """Raise ``SettingError`` if a flag is given that has no effect together with ``--saved``."""
    for name, value in flags.items():
        if value is not None and value != ():
            flag = f"--{name.replace('_', '-')}"
            raise SettingError("--saved", f"given with {flag}", "leave it out, or evaluate again")


def show_problems(dataset: str, problems: Sequence[str]) -> int:
    """Show each problem once, and return the exit code.

    ``problems`` has a text for each outcome, which is empty if the outcome did not fail. Raises
    ``NoSummaryError`` if every outcome failed.
    """
    told = dict.fromkeys(problem for problem in problems if problem)
    for problem in told:
        show_error(problem)
    if all(problems):
        raise NoSummaryError(dataset, "no cluster could be scored", "see the errors above")
    return NoSummaryError.exit_code if told else 0


def _run(
    dataset: str,
    names: Sequence[str],
    settings: Config,
    presets: Mapping[str, Config],
    peers: str | None,
    jobs: int,
) -> tuple[dict[str, Any], list[Outcome]]:
    """Return what describes the table, and the outcomes of presets, of selectors and of other systems."""
    clusters, outcomes = load_dataset(dataset, settings, [*presets, *names])
    # Read first, so that a wrong path is refused before the work.
    systems = read_peers(Path(peers), [cluster.id for cluster in clusters]) if peers else {}
    about: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    for preset, config in presets.items():
        made, weighing = evaluate_preset(clusters, preset, config, jobs=jobs)
        outcomes.extend(made)
        rows[preset] = preset_signature(clusters, weighing, config)
    if presets:
        about = describe_presets(dataset, clusters, rows, settings)
    if names:
        cases, weighing = make_cases(clusters, settings)
        results = evaluate_cases(cases, names, settings, jobs=jobs)
        done = with_progress(results, len(cases), "clusters")
        outcomes.extend(outcome for each in done for outcome in each)
        own = describe_run(dataset, cases, names, weighing, settings)
        about = {**own, **about, "selectors": {**about.get("selectors", {}), **own["selectors"]}}
    for system, texts in systems.items():
        name = f"{system} (peer)" if system in (*names, *presets) else system
        outcomes.extend(score_texts(texts, name, clusters, settings))
    warn_of_lengths(outcomes, settings)
    return about, outcomes


def load_dataset(dataset: str, settings: Config, names: Sequence[str]) -> tuple[list[Cluster], list[Outcome]]:
    """Return the clusters of a data set, and failed outcomes for the clusters that cannot be read.

    Such a cluster gets a failed outcome for each of ``names``, the selectors to compare.
    """
    failures: list[SummcError] = []

    def fail(error: SummcError) -> None:
        if isinstance(error, MissingExtraError):  # the scores would be of parts of the documents
            raise error
        failures.append(error)

    folders, language = data_folders(settings.load.data), asked_language(settings.load.language)
    found = read(dataset, folders, encoding=settings.load.encoding, language=language, on_error=fail)
    clusters = list(found)
    if not clusters:
        raise NoSummaryError(dataset, "no cluster could be read", str(failures[0]))
    if settings.score.rouge == "paper":
        clusters = [without_empty_references(cluster) for cluster in clusters]
    warn_of_unsegmented([text for cluster in clusters for text in cluster.references], dataset)
    return clusters, [Outcome(error.place, name, problem=str(error)) for error in failures for name in names]
