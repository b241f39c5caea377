"""The command line: each command checks its options, makes one call and prints the result."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from summc.cli.console import run
from summc.errors import InternalError

#: Command -> its module and its short help. A module is imported only when its command runs, so that
#: ``summc --help`` is fast.
COMMANDS = {
    "summarize": ("summarize", "Summarize documents within a number of words."),
    "explain": ("summarize", "Say why these sentences make the summary, and why not others."),
    "keywords": ("summarize", "Print the words and phrases that weigh the most, with their sentences."),
    "curve": ("experiment", "Show how much each length covers, and how much it could, to choose one."),
    "batch": ("batch", "Summarize many clusters, each by itself, and go on where a run was ended."),
    "mcp": ("mcp", "Let language models summarize and search folders, as an MCP server."),
    "load": ("stages", "Stage 1: read documents and split them into sentences."),
    "preprocess": ("stages", "Stage 2: turn sentences into terms: lower case, stems, stop words."),
    "weigh": ("stages", "Stage 3: weigh the words, or whatever is covered."),
    "graph": ("stages", "Stage 4: build the sentence-word graph."),
    "select": ("stages", "Stage 5: choose sentences within the budget; solves any coverage graph."),
    "render": ("stages", "Stage 6: write the chosen sentences as a summary."),
    "score": ("evaluate", "Score summaries against references by ROUGE."),
    "evaluate": ("evaluate", "Compare selectors, or whole configurations, on a data set by ROUGE."),
    "sweep": ("experiment", "Measure a BP selector over mu, or over mu and beta, on a data set."),
    "experiment": ("experiment", "Reproduce the paper's experiments, and go beyond them."),
    "datasets": ("datasets", "List the data sets that summc knows, and whether each is there and whole."),
}
#: Bytes of address space that loading the libraries needs; with less they would crash.
_LEAST_MEMORY = 256 * 1024**2


class LazyCommands(click.Group):
    """A click group that imports the module of a command only when the command runs."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; raise ``InternalError`` if ``ulimit -v`` is too low for that."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        with suppress(ImportError):  # on Windows
            import resource

            allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
            if 0 <= allowed < _LEAST_MEMORY:
                problem = f"out of memory: {allowed // 1024**2} MB are allowed (ulimit -v)"
                raise InternalError("", problem, f"allow {_LEAST_MEMORY // 1024**2} MB or more")
        module = importlib.import_module(f"summc.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands for ``--help``, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from summc.system.versions import version

        click.echo(f"summc {version('summc')}")
        ctx.exit()


#: click suggests these names.
_NAMES: Any = dict.fromkeys(COMMANDS)
_FLAG: Any = {"is_flag": True, "expose_value": False}
_HELP = """Summarize documents by the sentences that cover the most important words.

    \b
      summc summarize docs/                 the gist of a folder, in 100 words
      summc summarize -k 50 a.txt b.txt     the gist of two files, in 50
      summc summarize --sample              six invented news stories, to try it

    Every stage is a command of its own that reads and writes JSON lines:

    \b
      summc load docs/ | summc preprocess | summc weigh | summc graph |
        summc select | summc render
"""
cli = LazyCommands(
    help=_HELP, commands=_NAMES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(["--version"], **_FLAG, is_eager=True, callback=_print_version,
                     help="Show the version and exit."),
        click.Option(["--debug"], **_FLAG, help="Show a traceback when something goes wrong."),
    ],
)  # fmt: skip


def main(args: Sequence[str] | None = None) -> None:
    """Run summc and exit with its exit code."""
    # Use one thread in NumPy and scikit-learn. Our matrices are small, so more threads cost more time than
    # they save, and they compete with the processes of --jobs for the cores.
    for library in ("OPENBLAS", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    words = sys.argv[1:] if args is None else list(args)
    # As git has it: summc help, summc help summarize.
    raise SystemExit(run(cli, [*words[1:], "--help"] if words[:1] == ["help"] else words))
