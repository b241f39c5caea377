"""Outlines of the commands: what shell completion and help need to know about commands and their options.

To make the outlines, all stages and NumPy are imported. That takes too long when a user presses Tab or asks
for help, so the outlines are kept in a file. ``python -m summc.cli.outlines`` writes the file, and a test
checks that it is up to date.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from summc.cli.help import Command, Group, Option
from summc.cli.offers import Offers
from summc.system.resources import command_outlines

Outline = dict[str, Any]
#: Name of a selector, weighting or data set -> the group of entry points by which other packages add more of
#: its kind. A parameter that takes this name also takes the names that are added.
_GROUPS = {
    "g-greedy": "summc.selectors",
    "document-frequency": "summc.weightings",
    "sample": "summc.datasets",
}


def outline(command: click.Command, parameters: list[Outline]) -> Outline:
    """Return the outline of a command: its help, its parameters and the outlines of its subcommands.

    The list ``parameters`` is shared by all outlines. New parameters are appended to it, and the outline has
    only their indices.
    """
    below = command.commands if isinstance(command, click.Group) else {}
    context = click.Context(command)
    own = [_parameter(each, context) for each in command.params]
    parameters += [each for each in own if each not in parameters]
    return {
        "help": command.help,
        "parameters": [parameters.index(each) for each in own],
        "commands": {name: outline(each, parameters) for name, each in below.items()},
        **({"runs_alone": True} if getattr(command, "invoke_without_command", False) else {}),
    }


def command_like(name: str, outlined: Outline, parameters: list[Outline]) -> click.Command:
    """Return a click command made from an outline.

    A shell can complete it, and it shows its help, but it does nothing when run. ``parameters`` is the list
    that all outlines share; an outline has indices into it.
    """
    own = [_parameter_like(**parameters[number]) for number in outlined["parameters"]]
    below = {each: command_like(each, part, parameters) for each, part in outlined["commands"].items()}
    if below:
        runs_alone = outlined.get("runs_alone", False)
        return Group(name, below, params=own, help=outlined["help"], invoke_without_command=runs_alone)
    return Command(name, params=own, help=outlined["help"])


def outlined_command(name: str) -> click.Command | None:
    """Return the command of this name, made from its outline, or None if it is unknown."""
    known = json.loads(command_outlines())
    commands = known["commands"]
    return command_like(name, commands[name], known["parameters"]) if name in commands else None


def may_add_options() -> bool:
    """Tell whether an installed package seems to add selectors or weightings, whose settings are options.

    It looks for their groups in the files of entry points, because importing ``importlib.metadata`` would
    make help a third slower.
    """
    try:
        return any(
            group in text for text in _entry_points() for group in (b"summc.selectors", b"summc.weightings")
        )
    except OSError:  # a file cannot be read; it may name such a package
        return True


def show_help(name: str, arguments: Sequence[str], parent: click.Context) -> None:
    """Show the help of a command from its outline and exit, if the arguments ask for help.

    Return without showing help if there is no such command, or if other packages may add options, which the
    outline does not have.
    """
    command = outlined_command(name)
    if command is None or may_add_options():
        return
    with contextlib.suppress(click.UsageError):  # the command itself reports it
        command.invoke(command.make_context(name, list(arguments), parent))


def _entry_points() -> Iterator[bytes]:
    """Yield the entry points of each installed package, as the file that declares them."""
    for folder in filter(os.path.isdir, sys.path):
        for name in os.listdir(folder):  # noqa: PTH208 (importing pathlib would make help slower)
            file = f"{folder}/{name}/entry_points.txt"
            if name.endswith("-info") and os.path.exists(file):  # noqa: PTH110
                with open(file, "rb") as opened:  # noqa: PTH123
                    yield opened.read()


def _parameter(parameter: click.Parameter, context: click.Context) -> dict[str, Any]:
    option = parameter if isinstance(parameter, Option) else None
    offers = _offers(parameter.type)
    record = option and option.get_help_record(context)
    found = {
        "declared": [parameter.name, *(option.opts if option else ())],
        "off": parameter.secondary_opts,
        "is_flag": option and option.is_flag,
        "repeated": parameter.nargs != 1 or (option and option.multiple),
        "names": offers.names,
        "commas": offers.commas,
        "files": offers.files,
        "metavar": parameter.make_metavar(context) if not (option and option.is_flag) else "",
        "help": record and record[1],
        "heading": option and option.heading,
        "common": option and option.common,
        "aliases": option and option.aliases,
    }
    return {key: value for key, value in found.items() if value}


def _offers(kind: object) -> Offers:
    if isinstance(kind, click.Choice):
        return Offers(kind.choices)
    return kind if isinstance(kind, Offers) else Offers()


def _parameter_like(
    declared: list[str],
    off: list[str] | None = None,
    *,
    is_flag: bool = False,
    repeated: bool = False,
    names: list[str] | None = None,
    commas: bool = False,
    files: str = "",
    metavar: str = "",
    **in_help: Any,
) -> click.Parameter:
    name, *flags = declared
    kind = Offers(partial(_with_added, names or ()), commas=commas, files=files)
    if not flags:
        nargs = -1 if repeated else 1
        return click.Argument([name], type=kind, nargs=nargs, required=False, metavar=metavar)
    in_help = {"common": False, **in_help}
    if is_flag:
        switch = [f"{flags[0]}/{off[0]}"] if off else flags
        return Option([name, *switch], is_flag=True, **in_help)
    return Option(declared, type=kind, multiple=repeated, metavar=metavar, **in_help)


def _with_added(names: Sequence[str]) -> list[str]:
    """Return the ``names`` that a parameter takes, and those that other packages add to them.

    The packages are not imported.
    """
    from summc.system.plugins import additions

    groups = [group for name, group in _GROUPS.items() if name in names]
    return [*names, *(each.name for group in groups for each in additions(group))]


def outlines_now() -> str:
    """Return the outlines of all commands as JSON, to write to the file.

    Each parameter and each command has a line of its own.
    """
    from summc.cli.commands import COMMANDS, imported_command

    parameters: list[Outline] = []
    commands = {name: outline(imported_command(name), parameters) for name in COMMANDS}
    text = json.dumps(
        {"parameters": parameters, "commands": commands}, ensure_ascii=False, separators=(",", ":")
    )
    return text.replace('{"declared"', '\n{"declared"').replace('{"help"', '\n{"help"') + "\n"


if __name__ == "__main__":
    from pathlib import Path

    from summc.system import resources

    Path(resources.__file__).with_name(resources.OUTLINES).write_text(outlines_now(), encoding="utf-8")
