"""The command line: each command checks its options, makes one call and prints the result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from summc.cli.commands import COMMANDS, imported_command
from summc.cli.console import check_memory, run, show_warnings
from summc.cli.help import no_such_command
from summc.cli.screens import help_columns

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: The flags that show help. They are options of every command.
_HELP = {"-h", "--help", "--help-all"}


class LazyGroup(click.Group):
    """A click group that imports the module of a command only when the command runs.

    The names and the short helps of the commands are known without importing them.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context; it knows the width of help, for which click would import ``shutil``."""
        return super().make_context(info_name, args, parent, **{"terminal_width": help_columns(), **extra})

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names of the commands, in the order in which ``--help`` lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name.

        During shell completion it returns the outline of the command, which is fast to load and cannot be
        run. The command itself is imported only if a package may have added options to it.
        """
        if ctx.resilient_parsing:
            from summc.cli.outlines import may_add_options, outlined_command

            outlined = outlined_command(cmd_name)
            return imported_command(cmd_name) if outlined and may_add_options() else outlined
        if cmd_name not in COMMANDS:
            raise no_such_command(cmd_name, COMMANDS, ctx)
        check_memory()
        return imported_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name, the command and its arguments.

        If the arguments ask for help, show it without importing the command, and exit.
        """
        if not ctx.resilient_parsing and _HELP.intersection(args[1:]):
            from summc.cli.outlines import show_help

            show_help(args[0], args[1:], ctx)
        show_warnings(args if not ctx.resilient_parsing else ["--quiet"])
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin with ``incomplete``, without importing any command."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=help_)
            for name, (_, help_) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return (
            commands
            if not incomplete.startswith("-")
            else click.Command.shell_complete(self, ctx, incomplete)
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands for ``--help``."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from summc.system.versions import version

        click.echo(f"summc {version('summc')}")
        ctx.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.option("--debug", is_flag=True, help="Show a traceback when something goes wrong.")
def cli(*, debug: bool) -> None:
    """Summarize documents by the sentences that cover the most important words.

    \b
      summc summarize docs/                 the gist of a folder, in 100 words
      summc summarize -k 50 a.txt b.txt     the gist of two files, in 50
      summc summarize --sample              six invented news stories, to try it

    Every stage is a command of its own that reads and writes JSON lines:

    \b
      summc load docs/ | summc preprocess | summc weigh | summc graph |
        summc select | summc render
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run summc and exit with its exit code."""
    # Use one BLAS thread. Our matrices are small, so more threads cost more time than they save, and they
    # compete with the processes of --jobs for the cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "_SUMMC_COMPLETE" in os.environ:  # a shell asks what to offer
        import summc.cli.shells  # noqa: F401 (registers completion with click)
    raise SystemExit(run(cli, args))
