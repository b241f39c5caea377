"""Options that several commands share, made from the settings they set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from summc.config import TABLES, Config
from summc.errors import SettingError
from summc.resources import sample_folder
from summc.selectors import SELECTORS
from summc.settings import Rule, Value, plain, rules

Command = TypeVar("Command", bound=Callable[..., Any])


def settings_options(*sections: str, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Add a flag for each setting of some stages (``select`` brings the selectors' own), and ``--config``."""

    def decorate(command: Command) -> Command:
        for section in reversed(sections):
            known = dict(rules(TABLES[section]))
            if section == "select":
                for selector in SELECTORS.values():
                    known |= rules(selector)
            for name, (default, rule) in reversed(known.items()):
                if name not in without:
                    command = _option(name, default, rule)(command)
        command = click.option(
            "--show-config", is_flag=True, help="Print the settings a run would use, and stop."
        )(command)
        return click.option(
            "--config",
            metavar="FILE",
            help="Settings from a TOML file, or by name (paper-fig3); flags win over it.",
        )(command)

    return decorate


def make_config(config: str | None, flags: Mapping[str, Any], selectors: Sequence[str] = ()) -> Config:
    """Return the effective configuration: defaults, the file, then the flags that were given.

    ``selectors`` are those in use where it is not just the configured one.
    """
    base = Config().with_file(config) if config else Config()
    given = {name: value for name, value in flags.items() if value is not None and value != ()}
    return base.with_settings(given, "--", selectors)


def output_option(command: Command) -> Command:
    """Add ``-o``."""
    return click.option("-o", "--output", metavar="FILE", help="Write to a file, whole or not at all.")(
        command
    )


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Add ``--format``; the first is the default."""
    return click.option(
        "--format", "format_", type=click.Choice(formats), default=formats[0], show_default=True
    )


def verbose_option(command: Command) -> Command:
    """Add ``-v``."""
    return click.option("-v", "--verbose", is_flag=True, help="Say on stderr what was used and covered.")(
        command
    )


def source_arguments(command: Command) -> Command:
    """Add the paths of documents, and ``--sample`` in their place."""
    sample = click.option("--sample", is_flag=True, help="Take the sample clusters that ship with summc.")
    return click.argument("paths", metavar="PATH...", nargs=-1)(sample(command))


def sources_of(paths: Sequence[str], *, sample: bool) -> list[str]:
    """Return the paths to read, one or more."""
    if sample and paths:
        raise SettingError("--sample", f"given with {paths[0]}", "give one or the other")
    if not sample and not paths:
        raise SettingError(
            "PATH", "nothing to read", "name files or folders, - for standard input, or --sample"
        )
    return [str(sample_folder())] if sample else list(paths)


def input_argument(command: Command) -> Command:
    """Add the file of JSON lines that a stage reads, by default standard input."""
    return click.argument("lines", metavar="[LINES]", default="-")(command)


def _option(name: str, default: Value, rule: Rule) -> Callable[[Command], Command]:
    flag = f"--{name.replace('_', '-')}"
    flags = ["-k", flag] if name == "budget" else [flag]
    if isinstance(default, bool):
        shown = f"  [default: {flag[2:] if default else rule.off}]"
        return click.option(name, f"{flag}/--{rule.off}", default=None, help=rule.help + shown)
    if isinstance(default, tuple) and rule.commas:
        shown = f"{rule.help} Some of {', '.join(rule.choices)}.  [default: {','.join(default)}]"
        return click.option(*flags, name, metavar="NAME,...", help=shown)
    if isinstance(default, tuple):
        return click.option(*flags, name, multiple=True, metavar="PATH", help=rule.help)
    kind: Any = {int: click.INT, float: click.FLOAT, str: click.STRING}[type(default)]
    metavar = "|".join(rule.choices) or {"budget": "K"}.get(name)
    shown = f"  [default: {default if isinstance(default, str) else plain(default)}]" if default != "" else ""
    return click.option(*flags, name, type=kind, metavar=metavar, help=rule.help + shown)
