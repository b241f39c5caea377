"""How shells that ask what may be typed are answered: ``--option=value`` as ``--option value``.

The scripts are click's. Importing this registers it with them.
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
    """A shell to which ``--option=val`` is one word: what is offered for it must begin as it does."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what may stand in the place of the word that is typed; click has the value alone."""
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
    """Bash, to which ``--option=val`` is three words, unless its user has said otherwise."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is typed, and that one."""
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
    """Return words that bash split at ``=`` as if a space stood there after an option, and else none."""
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
