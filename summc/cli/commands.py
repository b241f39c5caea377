"""The names of the commands, and the module that each command is imported from."""

from __future__ import annotations

import importlib

import click

from summc.cli.console import quiet_option

#: Command -> its module and its short help. A module is imported only when its command runs, so that
#: ``summc --help`` is fast.
COMMANDS = {
    "summarize": ("summarize", "Summarize documents within a number of words."),
    "explain": ("explain", "Say why these sentences make the summary, and why not others."),
    "curve": ("curve", "Show how much each length covers, and how much it could, to choose one."),
    "batch": ("batch", "Summarize many clusters, each by itself, and go on where a run was ended."),
    "load": ("stages", "Stage 1: read documents and split them into sentences."),
    "preprocess": ("stages", "Stage 2: turn sentences into terms: lower case, stems, stop words."),
    "weigh": ("stages", "Stage 3: weigh the words, or whatever is covered."),
    "graph": ("stages", "Stage 4: build the sentence-word graph."),
    "select": ("stages", "Stage 5: choose sentences within the budget; solves any coverage graph."),
    "render": ("stages", "Stage 6: write the chosen sentences as a summary."),
    "score": ("score", "Score summaries against references by ROUGE."),
    "evaluate": ("evaluate", "Compare selectors, or whole configurations, on a data set by ROUGE."),
    "learn": ("learn", "Learn from people's summaries how often they write each word."),
    "sweep": ("sweep", "Measure a BP selector over mu, or over mu and beta, on a data set."),
    "experiment": ("experiment", "Reproduce the paper's experiments, and go beyond them."),
    "datasets": ("datasets", "List the data sets that summc knows, and whether each is there and whole."),
    "completion": ("completion", "Print a script that completes summc's commands, options and values."),
}


def imported_command(name: str) -> click.Command:
    """Import a command and return it; add the option ``-q``, which every command and subcommand has."""
    module = importlib.import_module(f"summc.cli.{COMMANDS[name][0]}")
    command = getattr(module, name)
    assert isinstance(command, click.Command)  # noqa: S101 (a fact of this package, not of its input)
    for each in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
        if not any(parameter.name == "quiet" for parameter in each.params):
            each.params.append(quiet_option())
    return command
