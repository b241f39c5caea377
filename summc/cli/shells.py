"""Shell completion of ``--option=value``, in the same way as ``--option value``.

Importing this module registers its classes with click, which has the scripts.
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
    """A shell that takes ``--option=val`` for one word, so that completions must begin with ``--option=``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of the typed word; click returns only values, without ``--option=``."""
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
    """Bash, which by default splits ``--option=val`` into three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the incomplete one, and the incomplete one."""
        args, incomplete = super().get_completion_args()
        *before, typed = unsplit([*args, incomplete])
        return before, typed


@add_completion_class
class Zsh(_WithOption, ZshComplete):
    """Zsh."""


@add_completion_class
class Fish(_WithOption, FishComplete):
    """Fish."""


def unsplit(words: Iterable[str]) -> list[str]:
    """Undo bash's splits at ``=``: after an option drop the ``=``, otherwise join the parts again."""
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
