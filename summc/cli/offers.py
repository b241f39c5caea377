"""Types of command-line parameters that a shell can complete: names from a list, or paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from summc.text.languages import AUTO, CODES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Offers(click.types.StringParamType):
    """The type of a text parameter that a shell can complete.

    ``names`` has the values to offer, or is a function that returns them. With ``commas`` the text may be
    several names joined by commas. ``files`` is "file" or "dir" if the text may also be a path of that kind.
    """

    def __init__(
        self,
        names: Sequence[str] | Callable[[], Sequence[str]] = (),
        *,
        commas: bool = False,
        files: str = "",
    ) -> None:
        self._names = names
        self.commas = commas
        self.files = files

    @property
    def names(self) -> list[str]:
        """The names to offer for completion."""
        return list(self._names() if callable(self._names) else self._names)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with ``incomplete``; if none does, let the shell complete a path."""
        from click.shell_completion import CompletionItem

        del ctx, param  # in click's signature, not needed here
        before, comma, begun = incomplete.rpartition(",") if self.commas else ("", "", incomplete)
        fitting = [CompletionItem(before + comma + name) for name in self.names if name.startswith(begun)]
        return fitting or ([CompletionItem(incomplete, type=self.files)] if self.files else [])


def _configurations() -> list[str]:
    from summc.system.resources import configs_folder

    return sorted(path.stem for path in configs_folder().glob("*.toml"))


def _data_sets() -> list[str]:
    from summc.documents.catalogue import DATASETS

    return list(DATASETS)


def _compared() -> list[str]:
    from summc.lab.evaluation import BASELINES
    from summc.selectors import SELECTORS

    return [*SELECTORS, *BASELINES]


def _selectors() -> list[str]:
    from summc.selectors import SELECTORS

    return list(SELECTORS)


def _with_mu() -> list[str]:
    from summc.selectors import SELECTORS
    from summc.settings import rules

    return [name for name, selector in SELECTORS.items() if "mu" in rules(selector)]


FILE = Offers(files="file")
FOLDER = Offers(files="dir")
LANGUAGE = Offers(sorted(CODES))
LANGUAGE_OR_AUTO = Offers([AUTO, *sorted(CODES)])
LANGUAGES = Offers(sorted(CODES), commas=True)
CONFIGURATION = Offers(_configurations, files="file")
CONFIGURATIONS = Offers(_configurations, commas=True, files="file")
DATA_SET = Offers(_data_sets, files="file")
SELECTORS = Offers(_selectors, commas=True)
WITH_MU = Offers(_with_mu)
COMPARED = Offers(_compared, commas=True)
