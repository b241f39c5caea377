"""The commands as a shell needs them to finish what is typed: their options and what each may be.

To gather them takes longer than to press a key again: the settings stand in the stages, and those load
numpy. So the outlines are kept in a file, which ``python -m summc.cli.outlines`` writes and a test compares.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from summc.cli.offers import Offers
from summc.resources import command_outlines

#: Name -> the group of entry points of which a parameter that takes this name takes any.
_GROUPS = {
    "g-greedy": "summc.selectors",
    "document-frequency": "summc.weightings",
    "sample": "summc.datasets",
}


def outline(command: click.Command) -> dict[str, Any]:
    """Return what of a command a shell can finish: its parameters, and those of commands below it."""
    below = command.commands if isinstance(command, click.Group) else {}
    return {
        "help": command.get_short_help_str(),
        "parameters": [_parameter(each) for each in command.params],
        "commands": {name: outline(each) for name, each in below.items()},
    }


def command_like(name: str, outlined: dict[str, Any]) -> click.Command:
    """Return a command that a shell finishes as the outlined one, and that cannot be run."""
    parameters = [_parameter_like(**each) for each in outlined["parameters"]]
    below = {each: command_like(each, part) for each, part in outlined["commands"].items()}
    if below:
        return click.Group(name, below, params=parameters, help=outlined["help"])
    return click.Command(name, params=parameters, help=outlined["help"])


def outlined_command(name: str) -> click.Command | None:
    """Return the command of a name as the file has it, if there is one."""
    outlines = json.loads(command_outlines().read_text(encoding="utf-8"))
    return command_like(name, outlines[name]) if name in outlines else None


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    option = parameter if isinstance(parameter, click.Option) else None
    offers = _offers(parameter.type)
    found = {
        "declared": [parameter.name, *(option.opts if option else ())],
        "off": parameter.secondary_opts,
        "is_flag": option and option.is_flag,
        "repeated": parameter.nargs != 1 or (option and option.multiple),
        "names": offers.names,
        "commas": offers.commas,
        "files": offers.files,
        "help": option and option.help,
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
    help: str = "",  # noqa: A002 (click's word)
) -> click.Parameter:
    name, *flags = declared
    kind = Offers([*(names or ()), *_added(names or ())], commas=commas, files=files)
    if not flags:
        return click.Argument([name], type=kind, nargs=-1 if repeated else 1, required=False)
    if is_flag:
        switch = [f"{flags[0]}/{off[0]}"] if off else flags
        return click.Option([name, *switch], is_flag=True, help=help)
    return click.Option(declared, type=kind, multiple=repeated, help=help)


def _added(names: Sequence[str]) -> list[str]:
    """Return the names that other packages add to those that a parameter takes, without importing them."""
    from summc.files.plugins import additions

    groups = [group for name, group in _GROUPS.items() if name in names]
    return [each.name for group in groups for each in additions(group)]


def outlines_now() -> str:
    """Return the file as it must be for the commands of today."""
    from summc.cli.commands import COMMANDS, imported_command

    outlines = {name: outline(imported_command(name)) for name in COMMANDS}
    text = json.dumps(outlines, ensure_ascii=False, separators=(",", ":"))
    return text.replace('{"declared"', '\n{"declared"') + "\n"  # a line a parameter: a change is seen


if __name__ == "__main__":
    command_outlines().write_text(outlines_now(), encoding="utf-8")
