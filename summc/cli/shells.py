"""Let shells complete ``--option=value`` in the same way as ``--option value``.

Importing this module registers its classes with click, in place of click's own. The scripts are those of
click.
"""

from __future__ import annotations

from collections.abc import Iterable

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


class _WithOption(ShellComplete):
    """A shell that treats ``--option=val`` as one word, so its completions must begin with ``--option=``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of the typed word: those of click, with ``--option=`` put before them."""
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not (equals and option.startswith("-")):
            return found
        return [
            CompletionItem(f"{option}={item.value}", item.type, item.help) if item.type == "plain" else item
            for item in found
        ]


@add_completion_class
class Bash(_WithOption, BashComplete):
    """Completion for bash, which by default splits ``--option=val`` into three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words before the cursor, and the incomplete word."""
        args, incomplete = super().get_completion_args()
        *before, typed = unsplit([*args, incomplete])
        return before, typed


@add_completion_class
class Zsh(_WithOption, ZshComplete):
    """Completion for zsh."""


@add_completion_class
class Fish(_WithOption, FishComplete):
    """Completion for fish."""


def unsplit(words: Iterable[str]) -> list[str]:
    """Return the words as typed, after bash has split them at ``=``.

    ``--option = val`` becomes ``--option val``. Other words are joined again: ``a = b`` becomes ``a=b``.
    """
    found: list[str] = []
    left = iter(words)
    for word in left:
        if word != "=" or not found:
            found.append(word)
        elif found[-1].startswith("-"):
            found.append(next(left, ""))
        else:
            found[-1] += f"={next(left, '')}"
    return found
