"""Options that several commands share. Most of them are made from the settings of the stages."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from summc.cli.console import talk
from summc.cli.offers import CONFIGURATION, DATA_SET, FILE, FOLDER, LANGUAGE_OR_AUTO, Offers
from summc.cli.ranges import Amount, Budget, Budgets
from summc.config import TABLES, Config
from summc.errors import SettingError
from summc.resources import sample_folder
from summc.selectors import SELECTORS
from summc.settings import AUTO, Rule, Value, rules
from summc.text.numbers import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Command = TypeVar("Command", bound=Callable[..., Any])

#: Metavar of a setting, as shown in its help -> parameter type that can complete its value in a shell.
_OFFERS = {"NAME|PATH": DATA_SET, "FILE": FILE, "DIR": FOLDER, "LANGUAGE": LANGUAGE_OR_AUTO}


def settings_options(
    *sections: str, without: Sequence[str] = (), several_budgets: str = ""
) -> Callable[[Command], Command]:
    """Return a decorator that adds a flag for each setting of stages, ``--config`` and ``--show-config``.

    ``sections`` names the stages. ``select`` includes the settings of each selector, and ``preprocess`` the
    rules for candidates (sentences that may be chosen). Settings in ``without`` get no flag. If
    ``several_budgets`` is given, ``-k`` takes several budgets, for ``make_configs``, and this text is shown
    as the default.
    """

    def decorate(command: Command) -> Command:
        for section in reversed(sections):
            known = dict(rules(TABLES[section]))
            if section == "preprocess":
                known |= rules(TABLES["candidates"])
            if section == "select":
                for selector in SELECTORS.values():
                    known = {**known, **rules(selector), **known}  # of equal settings the first one counts
            for name, (default, rule) in reversed(known.items()):
                if name == "budget" and several_budgets:
                    command = _budgets_option(several_budgets, rule)(command)
                elif name not in without:
                    command = _option(name, default, rule)(command)
        command = click.option(
            "--show-config", is_flag=True, help="Print the settings a run would use, and stop."
        )(command)
        return click.option(
            "--config",
            type=CONFIGURATION,
            metavar="FILE",
            help="Settings from a TOML file, or by name (paper-fig3); flags win over it.",
        )(command)

    return decorate


def make_config(config: str | None, flags: Mapping[str, Any], selectors: Sequence[str] = ()) -> Config:
    """Return the configuration to use: the defaults, overridden by the file ``config``, then by the flags.

    Flags that were not given are None or (). ``selectors`` names the selectors in use, if other than the
    configured one.
    """
    base = Config() if config is None else Config().with_file(config)
    given = {name: value for name, value in flags.items() if value is not None and value != ()}
    if isinstance(given.get("budget"), Amount):
        given |= given["budget"].settings(given)
    return base.with_settings(given, selectors)


def make_configs(config: str | None, flags: Mapping[str, Any]) -> list[Config]:
    """Return a configuration for each budget of ``-k``; without ``-k``, one with the configured budget."""
    budgets = flags["budget"] or (None,)
    return [make_config(config, {**flags, "budget": budget}) for budget in budgets]


def output_option(command: Command) -> Command:
    """Add the option ``-o`` to a command; it fails before the work if the file cannot be written."""

    def writable(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
        if value == "":
            raise SettingError("-o", "is empty", "name a file; a variable may not be set")
        if value is not None and value != "-":
            from summc.files.outputs import check_writable

            check_writable(value)
        return value

    help_ = "Write to a file, whole or not at all."
    return click.option("-o", "--output", type=FILE, metavar="FILE", callback=writable, help=help_)(command)


def plot_option(command: Command) -> Command:
    """Add the option ``--plot`` to a command; it fails before the work if the picture cannot be written.

    ``--no-signature`` leaves the signature out of the picture.
    """

    def drawable(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            from summc.experiments.pictures import check_drawable

            check_drawable(value)
        return value

    help_ = "Draw it too, into a .png, .svg or .pdf file; needs summc[plots]."
    plot = click.option("--plot", type=FILE, metavar="FILE", callback=drawable, help=help_)
    without = "Draw no signature below the picture; the file keeps it in its metadata."
    return plot(click.option("--no-signature", "unsigned", is_flag=True, help=without)(command))


def check_apart(plot: str | None, output: str | None) -> None:
    """Raise ``SettingError`` if ``--plot`` and ``-o`` are the same file."""
    if plot and output and os.path.realpath(plot) == os.path.realpath(output):
        raise SettingError("--plot", f"{plot} is where -o writes", "name another file")


def save_picture(draw: Callable[[str], Figure], path: str, signature: str, *, unsigned: bool) -> None:
    """Write the picture that ``draw`` makes, which shows the signature below it unless ``unsigned``."""
    from summc.experiments.pictures import save

    save(draw("" if unsigned else signature), path, signature)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option ``--format``; the first format is the default."""
    choice = click.Choice(formats)
    return click.option(
        "--format", "format_", type=choice, default=formats[0], show_default=True, help="How to write it."
    )


def verbose_option(command: Command) -> Command:
    """Add the option ``-v`` to a command."""
    return _verbose_option("Report on stderr what was used and covered.")(command)


def signature_option(command: Command) -> Command:
    """Add the option ``-v`` to a command that has a signature to show."""
    return _verbose_option("Report on stderr the settings that the numbers depend on.")(command)


def _verbose_option(help_: str) -> Callable[[Command], Command]:
    return click.option("-v", "--verbose", is_flag=True, callback=talk, help=help_)


def wide_option(command: Command) -> Command:
    """Add the option ``--wide`` to a command whose table may be wider than the screen."""
    help_ = "Text: show all columns, however wide; else those that fit the terminal, or 80."
    return click.option("--wide", is_flag=True, help=help_)(command)


def source_arguments(command: Command) -> Command:
    """Add the argument for paths of documents to a command, and ``--sample``, to be used instead of paths."""
    sample = click.option("--sample", is_flag=True, help="Take the sample clusters that ship with summc.")
    return click.argument("paths", type=FILE, metavar="PATH...", nargs=-1)(sample(command))


def sources_of(
    paths: Sequence[str], output: str | None, *, sample: bool, plot: str | None = None, stdin: bool = True
) -> list[str]:
    """Return the paths to read: those given, or the folder of the sample.

    Raises ``SettingError`` if there are none, or if ``output`` or ``plot`` would be written to one of the
    paths or into a folder among them. ``stdin`` says whether the command can read standard input.
    """
    if sample and paths:
        raise SettingError("--sample", f"given with {paths[0]}", "give one or the other")
    if not sample and not paths:
        named = "files or folders, - for standard input," if stdin else "files or folders,"
        raise SettingError("PATH", "nothing to read", f"name {named} or --sample")
    for flag, written in (("-o", output), ("--plot", plot)):
        target = os.path.realpath(written) if written and written != "-" else ""
        for path in paths:
            real = os.path.realpath(path)
            if target and (target == real or target.startswith(f"{real}{os.sep}")):
                problem = f"{written} is, or lies in, {path}, which is read"
                raise SettingError(flag, problem, "write elsewhere")
    return [str(sample_folder())] if sample else list(paths)


def by_topic_option(command: Command) -> Command:
    """Add the option ``--by-topic`` to a command."""
    help_ = "Group the documents of each cluster by topic, and summarize each group in K by itself."
    return click.option("--by-topic", is_flag=True, help=help_)(command)


def input_argument(command: Command) -> Command:
    """Add to a command the argument for the file of JSON lines to read; the default is standard input."""
    return click.argument("lines", type=FILE, metavar="[LINES]", default="-")(command)


def budget_option(help_: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option ``-k``, for a command that does not choose sentences."""
    return click.option(
        "-k", "--budget", "budget", type=Budget(), metavar="K", help=f"{help_}  [default: 100]"
    )


def _budgets_option(default: str, rule: Rule) -> Callable[[Command], Command]:
    shown = f"{rule.help} Several, as 50,100 or LOW:HIGH:STEP, one after another.  [default: {default}]"
    return click.option("-k", "--budget", "budget", type=Budgets(), metavar="K,...", help=shown)


def _option(name: str, default: Value, rule: Rule) -> Callable[[Command], Command]:
    flag = f"--{name.replace('_', '-')}"
    flags = ["-k", flag] if name == "budget" else [flag]
    if isinstance(default, bool):
        shown = f"  [default: {flag[2:] if default else rule.off}]"
        return click.option(name, f"{flag}/--{rule.off}", default=None, help=rule.help + shown)
    if isinstance(default, tuple) and rule.commas:
        shown = f"{rule.help} Some of {', '.join(rule.choices)}.  [default: {','.join(default)}]"
        return click.option(
            *flags, name, type=Offers(rule.choices, commas=True), metavar="NAME,...", help=shown
        )
    if isinstance(default, tuple):
        offers = _OFFERS.get(rule.metavar, click.STRING)
        return click.option(*flags, name, type=offers, multiple=True, metavar=rule.metavar, help=rule.help)
    if name == "budget":
        shown = f"{rule.help}  [default: {plain(cast('float', default))}]"
        return click.option(*flags, name, type=Budget(), metavar="K", help=shown)
    kind: Any = {int: click.INT, float: click.FLOAT, str: click.STRING}[type(default)]
    if isinstance(default, str):
        kind = Offers(rule.choices) if rule.choices else _OFFERS.get(rule.metavar, click.STRING)
    metavar = "|".join(rule.choices) or rule.metavar or None
    if rule.auto:
        shown = f"{rule.help}  [default: {default}, {rule.auto}]"
        return click.option(*flags, name, type=_NumberOrAuto(), metavar=f"FLOAT|{AUTO}", help=shown)
    shown = f"  [default: {default if isinstance(default, str) else plain(default)}]" if default != "" else ""
    return click.option(*flags, name, type=kind, metavar=metavar, help=rule.help + shown)


class _NumberOrAuto(click.types.FloatParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as a number, or unchanged if it is the word "auto"."""
        return value if value == AUTO else super().convert(value, param, ctx)
