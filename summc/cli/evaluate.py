"""``summc evaluate``: compare selectors and configurations on a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from summc.cli.console import say, show_error, write
from summc.cli.help import Command
from summc.cli.offers import COMPARED, CONFIGURATIONS, FOLDER
from summc.cli.options import (
    check_plot,
    dataset_option,
    format_option,
    jobs_option,
    make_config,
    option,
    output_option,
    plot_option,
    save_picture,
    settings_options,
    signature_option,
    wide_option,
)
from summc.cli.progress import with_progress
from summc.cli.screens import screen_for
from summc.errors import MissingExtraError, NoSummaryError, SettingError, SummcError
from summc.settings.config import Config

if TYPE_CHECKING:
    from summc.records import Cluster, Outcome

#: The selectors and baselines that the configured selector is compared with by default.
_OTHERS = ("bp", "g-greedy", "greedy", "lead", "random")


@click.command(cls=Command)
@dataset_option("Name of a data set (see summc datasets), or a path.")
@option(
    "--selector",
    "names",
    type=COMPARED,
    metavar="NAME,...",
    heading="Comparison",
    help="Selectors, and lead, random, human or oracle."
    f"  [default: the configured one, {', '.join(_OTHERS)}]",
)
@option(
    "--preset",
    "presets",
    type=CONFIGURATIONS,
    metavar="NAME,...",
    heading="Comparison",
    help="Presets or TOML files, each with its own selector.",
)
@option(
    "--versus",
    type=click.Choice(["first", "before"]),
    default="first",
    show_default=True,
    metavar="first|before",
    heading="Comparison",
    help="Row to compare each row with.",
)
@settings_options("load", "preprocess", "weigh", "select", "score", without=["selector"], rare=["Steering"])
@option(
    "--peers", type=FOLDER, metavar="DIR", heading="Comparison",
    help="Also score the summaries of other systems.",
)  # fmt: skip
@jobs_option
@option(
    "--per-cluster", is_flag=True, heading="Output", common=False,
    help="Write a row for each cluster and selector.",
)  # fmt: skip
@option(
    "--save", "save_to", type=FOLDER, metavar="DIR", heading="Output",
    help="Save all summaries, selections and scores.",
)  # fmt: skip
@option(
    "--saved", type=FOLDER, metavar="DIR", heading="Output", common=False,
    help="Make the table from what --save saved.",
)  # fmt: skip
@plot_option
@format_option("text", "json", "csv", "md", "tex")
@wide_option
@output_option
@signature_option
def evaluate(
    dataset: str | None,
    names: str | None,
    presets: str | None,
    versus: str,
    config: str | None,
    show_config: bool,
    peers: str | None,
    jobs: int,
    per_cluster: bool,
    save_to: str | None,
    saved: str | None,
    plot: str | None,
    unsigned: bool,
    format_: str,
    wide: bool,
    output: str | None,
    verbose: bool,
    **flags: Any,
) -> int:
    """Compare selectors, or whole configurations, on a data set by ROUGE.

    \b
      summc evaluate --dataset sample --plot comparison.pdf
      summc evaluate --dataset duc2004 --background duc2003 --config paper-fig4
      summc evaluate --dataset multiling2011 -k 250 --selector g-greedy,oracle
      summc evaluate --dataset sample --preset paper,best --rouge official --stem

    A row has the mean recall with a 95% interval, and the paired difference from the first row with its
    interval and p-value, by Student's t.
    """
    from summc.lab.evaluation import check_names
    from summc.lab.evaluation.report import render_evaluation
    from summc.lab.evaluation.saved import load, save
    from summc.system.outputs import own_folder

    if names:
        selectors = list(dict.fromkeys(names.split(",")))
    elif presets:
        selectors = []
    else:
        selectors = list(dict.fromkeys((make_config(config, {}).select.selector, *_OTHERS)))
    check_names(selectors)
    by_preset = {name: make_config(name, flags) for name in presets.split(",")} if presets else {}
    settings = _shared_config(config, flags, selectors, by_preset)
    if show_config:
        write([settings.to_toml()], output)
        return 0
    check_plot(plot, output, unsigned=unsigned)
    if saved:
        _refuse_beside_saved(
            {**flags, "dataset": dataset, "selector": names, "preset": presets, "config": config}
            | {"peers": peers, "save": save_to}
        )
        about, outcomes = load(Path(saved))
    elif dataset:
        with own_folder(save_to):  # fails before the work if the folder cannot be used
            about, outcomes = _run(dataset, selectors, settings, by_preset, peers, jobs)
            if save_to:
                save(Path(save_to), about, settings.to_toml(), outcomes)
    else:
        raise SettingError("--dataset", "nothing to evaluate", "name a data set, such as sample, or a path")
    code = show_problems(about["dataset"], [outcome.problem for outcome in outcomes])
    if plot:
        from summc.lab.experiments.comparison import draw_comparison

        draw = partial(draw_comparison, outcomes, versus, about)
        save_picture(draw, plot, about["signature"], unsigned=unsigned)
    screen = screen_for(output, wide=wide)
    table = render_evaluation(about, outcomes, format_, per_cluster=per_cluster, versus=versus, screen=screen)
    write([table], output)
    if verbose:
        say(about["signature"])
    return code


def _shared_config(
    config: str | None, flags: Mapping[str, Any], selectors: Sequence[str], presets: Mapping[str, Config]
) -> Config:
    """Return the configuration of the rows that are not presets. It also says how to read and score the data.

    If all rows are presets, flags for their selectors and weightings are accepted, but have no effect here.
    """
    if selectors:
        return make_config(config, flags, selectors)
    used = presets.values()
    return make_config(
        config, flags, [each.select.selector for each in used], [each.weigh.weighting for each in used]
    )


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
    from summc.documents.peers import read_peers
    from summc.lab.evaluation import score_texts, warn_of_lengths

    clusters, outcomes = load_dataset(dataset, settings, [*presets, *names])
    # Read first, so that a wrong path is refused before the work.
    systems = read_peers(Path(peers), [cluster.id for cluster in clusters]) if peers else {}
    about, made = _run_presets(dataset, clusters, presets, settings, jobs) if presets else ({}, [])
    outcomes.extend(made)
    if names:
        own, made = _run_selectors(dataset, clusters, names, settings, jobs)
        about = {**own, **about, "selectors": {**about.get("selectors", {}), **own["selectors"]}}
        outcomes.extend(made)
    for system, texts in systems.items():
        name = f"{system} (peer)" if system in (*names, *presets) else system
        outcomes.extend(score_texts(texts, name, clusters, settings))
    warn_of_lengths(outcomes, settings)
    return about, outcomes


def _run_selectors(
    dataset: str, clusters: Sequence[Cluster], names: Sequence[str], settings: Config, jobs: int
) -> tuple[dict[str, Any], list[Outcome]]:
    from summc.lab.evaluation import evaluate as evaluate_cases
    from summc.lab.evaluation import make_cases
    from summc.lab.evaluation.report import describe_run

    cases, weighing = make_cases(clusters, settings)
    results = evaluate_cases(cases, names, settings, jobs=jobs)
    done = with_progress(results, len(cases), "clusters")
    outcomes = [outcome for each in done for outcome in each]
    return describe_run(dataset, cases, names, weighing, settings), outcomes


def _run_presets(
    dataset: str, clusters: Sequence[Cluster], presets: Mapping[str, Config], settings: Config, jobs: int
) -> tuple[dict[str, Any], list[Outcome]]:
    from summc.lab.evaluation import evaluate_preset
    from summc.lab.evaluation.report import describe_presets, preset_signature

    outcomes: list[Outcome] = []
    rows: dict[str, Any] = {}
    for preset, config in presets.items():
        made, weighing = evaluate_preset(clusters, preset, config, jobs=jobs)
        outcomes.extend(made)
        rows[preset] = preset_signature(clusters, weighing, config)
    return describe_presets(dataset, clusters, rows, settings), outcomes


def load_dataset(dataset: str, settings: Config, names: Sequence[str]) -> tuple[list[Cluster], list[Outcome]]:
    """Return the clusters of a data set, and failed outcomes for the clusters that cannot be read.

    Such a cluster gets a failed outcome for each of ``names``, the selectors to compare.
    """
    from summc.documents.catalogue import data_folders, read
    from summc.lab.evaluation.cases import without_empty_references
    from summc.records import Outcome
    from summc.rouge import warn_of_unsegmented
    from summc.text.languages import asked_language

    failures: list[SummcError] = []

    def fail(error: SummcError) -> None:
        if isinstance(error, MissingExtraError):  # the scores would be of parts of the documents
            raise error
        failures.append(error)

    clusters = list(
        read(
            dataset,
            data_folders(settings.load.data),
            encoding=settings.load.encoding,
            language=asked_language(settings.load.language),
            on_error=fail,
        )
    )
    if not clusters:
        raise NoSummaryError(dataset, "no cluster could be read", str(failures[0]))
    if settings.score.rouge == "paper":
        clusters = [without_empty_references(cluster) for cluster in clusters]
    warn_of_unsegmented([text for cluster in clusters for text in cluster.references], dataset)
    return clusters, [Outcome(error.place, name, problem=str(error)) for error in failures for name in names]
