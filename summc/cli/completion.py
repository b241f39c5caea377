"""``summc completion``: print the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from summc.cli.console import write
from summc.cli.help import Command

#: Shell -> the file in which its completion script belongs.
SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/summc.fish"}


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print a script that completes summc's commands, options and values.

    \b
      summc completion bash >> ~/.bashrc
      summc completion zsh >> ~/.zshrc
      summc completion fish > ~/.config/fish/completions/summc.fish
    """
    from summc.cli import cli

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 (the choices are those that click has)
    script = found(cli, {}, "summc", "_SUMMC_COMPLETE")
    write([script.source_template % script.source_vars(), "\n"])
