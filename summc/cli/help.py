"""Help that fits a screen: ``--help`` shows the common options under headings, ``--help-all`` all options."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from summc.system.logs import log

#: The headings of settings that only some weightings, or only some selectors, have.
SOME_WEIGHTINGS, SOME_SELECTORS = "Some weightings only", "Some selectors only"
#: The heading of ``--help`` and ``--help-all``, which only ``--help-all`` shows.
HELP = "Help"
#: The headings, in the order in which they are shown.
HEADINGS = (
    "Length", "Documents", "Graphs", "Comparison", "Steering", "Preprocessing", "Candidates",
    "Weights", SOME_WEIGHTINGS, "Selection", SOME_SELECTORS, "Scores", "Output", "Settings", HELP,
)  # fmt: skip
#: The largest width of the column of flags, in characters. Longer flags get a line of their own.
COLUMN = 24
#: If at most this many options are not common, ``--help`` shows them too.
_FEW = 3


class Option(click.Option):
    """An option with a heading in the help.

    ``heading`` is one of ``HEADINGS``, or one that another package adds. ``--help`` leaves the option out
    unless it is ``common``. ``aliases`` are other names that are accepted, but not shown.
    """

    def __init__(
        self, *args: Any, heading: str, common: bool = True, aliases: Sequence[str] = (), **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.heading, self.common, self.aliases = heading, common, aliases

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return what click adds to the help, such as the default, without the range of a number."""
        return {name: text for name, text in super().get_help_extra(ctx).items() if name != "range"}

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Tell click's parser the names of the option, and its aliases."""
        super().add_to_parser(parser, ctx)
        if self.aliases:
            parser.add_option(self, self.aliases, self.name, action="store", nargs=self.nargs)


def set_level(_ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Set which messages are shown, for ``-q`` and ``-v``; ``-q`` wins, because it is read first."""
    if value and log.isEnabledFor(logging.WARNING):
        log.setLevel(logging.ERROR if param.name == "quiet" else logging.INFO)


#: Decorators that add the options that every command has.
_SHARED = (
    click.option(
        "-q", "--quiet", cls=Option, heading="Output", common=False, is_flag=True, is_eager=True,
        expose_value=False, callback=set_level,
        help="Show only errors on stderr: no warnings, no progress.",
    ),
    click.help_option(
        "--help-all", cls=Option, heading=HELP, common=False, help="Show all options and exit."
    ),
)  # fmt: skip


class Command(click.Command):
    """A command with ``-q`` and ``--help-all``; its help lists options under headings."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for add in _SHARED:
            add(self)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, and how to see those that are not shown."""
        every = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        options = [option for option in every if heading_of(option) != HELP]
        common = [option for option in options if isinstance(option, Option) and option.common]
        listed = common if len(options) - len(common) > _FEW else options
        if ctx.get_parameter_source("help_all") is ParameterSource.COMMANDLINE:
            listed = every
        rows = {option: option.get_help_record(ctx) or ("", "") for option in listed}
        width = max((len(flags) for flags, _ in rows.values() if len(flags) <= COLUMN), default=0)
        for heading in dict.fromkeys((*HEADINGS, *map(heading_of, listed))):  # packages may add headings
            under = [rows[option] for option in listed if heading_of(option) == heading]
            if under:
                with formatter.section(heading):
                    # Pad the flags, so that the texts under all headings start in the same column.
                    formatter.write_dl([(f"{flags:{width}}", text) for flags, text in under], col_max=width)
        if len(listed) < len(options):
            formatter.write_paragraph()
            formatter.write_text(f"{len(options) - len(listed)} more options: {ctx.command_path} --help-all")


class Group(click.Group, Command):
    """A command with subcommands, which are listed after its options."""

    command_class = Command


def heading_of(option: click.Option) -> str:
    """Return the heading of an option, which is ``HELP`` for the option ``--help`` that click adds."""
    return option.heading if isinstance(option, Option) else HELP
