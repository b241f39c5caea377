"""Run the command, but hold back its last item of work until a file exists.

``python -m tests.support.held FILE ARGUMENTS...`` keeps working until the test creates FILE, however fast the
machine is. Apart from the wait it is the real command.
"""

from __future__ import annotations

import pkgutil
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Functions by which commands hand work to other processes or machines.
PLACES = (
    "summc.batch.run.map_in_order",
    "summc.batch.scheduler.map_on_cluster",
    "summc.lab.experiments.sweep.map_in_order",
)


def hold(place: str, file: str) -> None:
    """Patch the function at ``place`` so that its last item of work waits for ``file``."""
    map_: Callable[..., Generator[Any]] = pkgutil.resolve_name(place)

    def mapped(
        work: Callable[[Any], Any], items: Iterable[Any], *more: Any, **options: Any
    ) -> Generator[Any]:
        return map_(partial(waiting, work, file), with_last(items), *more, **options)

    patch(place, mapped).start()


def waiting(work: Callable[[Item], Result], file: str, given: tuple[Item, bool]) -> Result:
    """Do the work on an item. Wait for the file first if it is the last item."""
    item, last = given
    while last and not Path(file).exists():
        time.sleep(0.01)
    return work(item)


def with_last(items: Iterable[Item]) -> Iterator[tuple[Item, bool]]:
    """Yield each item with a flag that says whether it is the last."""
    held: list[Item] = []
    for item in items:
        yield from ((each, False) for each in held)
        held = [item]
    yield from ((each, True) for each in held)


if __name__ == "__main__":  # worker processes import this too
    _, file, *sys.argv[1:] = sys.argv
    for place in PLACES:
        hold(place, file)
    from summc.__main__ import main

    main()
