"""Help that fits a screen: ``--help`` shows the common options under headings, ``--help-all`` all options.

Each option is declared with its heading, and whether it is common. Options that are made from settings get
both from the setting: see ``summc.cli.options``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

#: The headings of settings that only some weightings, or only some selectors, have.
SOME_WEIGHTINGS, SOME_SELECTORS = "Some weightings only", "Some selectors only"
#: The heading of ``--help`` and ``--help-all``, which only ``--help-all`` shows.
HELP = "Help"
#: The headings, in the order in which they are shown.
HEADINGS = (
    "Length",
    "Documents",
    "Graphs",
    "Comparison",
    "Learning",
    "Steering",
    "Preprocessing",
    "Candidates",
    "Weights",
    SOME_WEIGHTINGS,
    "Selection",
    SOME_SELECTORS,
    "Scores",
    "Output",
    "Settings",
    HELP,
)
#: The largest width of the column of flags, in characters. Longer flags get a line of their own.
COLUMN = 24
#: If at most this many options are not common, ``--help`` shows them too.
_FEW = 3
#: Key of the click context under which ``--help-all`` asks for all options.
_ALL = "summc.help-all"


class Option(click.Option):
    """An option with a heading in the help.

    ``heading`` is one of ``HEADINGS``, or one that another package adds. ``--help`` leaves the option out
    unless it is ``common``. ``aliases`` are other names for the option that are accepted, but not shown. An
    alias has no effect in a command that has an option of that name.
    """

    def __init__(
        self,
        declared: Sequence[str],
        *,
        heading: str,
        common: bool = True,
        aliases: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(declared, **attributes)
        self.heading, self.common, self.aliases = heading, common, tuple(aliases)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return what click adds to the help, such as the default, without the range of a number."""
        return {name: text for name, text in super().get_help_extra(ctx).items() if name != "range"}

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as its type has it; raise ``SettingError`` if it is no such value."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter:
            wanted = requirement(self.type)
            if not wanted:
                raise
            from summc.errors import SettingError
            from summc.settings import perhaps

            known = self.type.choices if isinstance(self.type, click.Choice) else ()
            shown = value if value.removeprefix("-").isdecimal() else f'"{value}"'
            problem = f"must be {wanted}, got {shown}"
            raise SettingError(max(self.opts, key=len), problem, perhaps(value, known)) from None

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Tell click's parser the names of the option, and its aliases."""
        super().add_to_parser(parser, ctx)
        taken = {name for each in ctx.command.params for name in each.opts}
        free = [alias for alias in self.aliases if alias not in taken]
        if free:
            parser.add_option(self, free, self.name, action="store", nargs=self.nargs)


def _show_all(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = Option(
    ["--help-all"], heading=HELP, common=False, is_flag=True, is_eager=True, expose_value=False,
    callback=_show_all, help="Show all options and exit.",
)  # fmt: skip


class Command(click.Command):
    """A command with ``--help-all``, whose options are listed under headings."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of the command, ``--help`` and ``--help-all``."""
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        options = _shown(self, ctx)
        rows = {each: each.get_help_record(ctx) or ("", "") for each in options}
        width = max((len(flags) for flags, _ in rows.values() if len(flags) <= COLUMN), default=0)
        for heading in dict.fromkeys((*HEADINGS, *map(heading_of, options))):  # packages may add headings
            own = [rows[each] for each in options if heading_of(each) == heading]
            if own:
                with formatter.section(heading):
                    # Pad the flags, so that the texts under all headings start in the same column.
                    formatter.write_dl([(f"{flags:{width}}", text) for flags, text in own], col_max=width)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how many options are not shown, and how to see them."""
        left = len(_options(self, ctx)) - len(_shown(self, ctx))
        if left > 0:
            formatter.write_paragraph()
            formatter.write_text(f"{left} more options: {ctx.command_path} --help-all")


class Group(Command, click.Group):
    """A command with subcommands, whose options are listed under headings."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, then the subcommands."""
        Command.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the subcommand in ``args``, the subcommand, and the arguments after it.

        Raise ``SettingError`` if no subcommand has the name.
        """
        if not ctx.resilient_parsing and args[0] not in self.commands:
            raise no_such_command(args[0], self.commands, ctx)
        return super().resolve_command(ctx, args)


def no_such_command(name: str, known: Iterable[str], ctx: click.Context) -> Exception:
    """Return the error to raise for the name of a command that is unknown."""
    from summc.errors import SettingError
    from summc.settings import perhaps

    return SettingError(name, "no such command", perhaps(name, known) or f"see {ctx.command_path} --help")


def requirement(kind: object) -> str:
    """Return what a value of a type must be, for error messages, or "" if the type is not known here."""
    if isinstance(kind, click.Choice):
        return f"one of {', '.join(kind.choices)}"
    names = {click.types.IntParamType: "a whole number", click.types.FloatParamType: "a number"}
    name = next((name for known, name in names.items() if isinstance(kind, known)), "")
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    least = "above" if getattr(kind, "min_open", False) else "at least"
    limits = [f"{words} {limit:g}" for words, limit in ((least, low), ("at most", high)) if limit is not None]
    return " ".join([name, " and ".join(limits)]).strip() if name else ""


def names_of(ctx: click.Context) -> list[str]:
    """Return all names of the options of a command, also those that the help does not show."""
    names: list[str] = []
    for each in ctx.command.get_params(ctx):
        names += [*each.opts, *each.secondary_opts, *(each.aliases if isinstance(each, Option) else ())]
    return [name for name in names if name.startswith("-")]


def heading_of(option: click.Option) -> str:
    """Return the heading of an option, which is ``HELP`` for the option ``--help`` that click adds."""
    return option.heading if isinstance(option, Option) else HELP


def _options(command: click.Command, ctx: click.Context) -> list[click.Option]:
    """Return all options of a command but ``--help`` and ``--help-all``."""
    found = (each for each in command.get_params(ctx) if isinstance(each, click.Option))
    return [each for each in found if not each.hidden and heading_of(each) != HELP]


def _shown(command: click.Command, ctx: click.Context) -> list[click.Option]:
    """Return the options that the help shows: the common ones, or all.

    All are shown with ``--help-all``, and also with ``--help`` if at most ``_FEW`` of them are not common.
    """
    if ctx.meta.get(_ALL):
        return [each for each in command.get_params(ctx) if isinstance(each, click.Option)]
    every = _options(command, ctx)
    common: list[click.Option] = [each for each in every if isinstance(each, Option) and each.common]
    return every if len(every) - len(common) <= _FEW else common
