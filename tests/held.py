"""The command, but the last piece of its work waits for a file to be there.

``python -m tests.held FILE ARGUMENTS...``: a run that is at work until the test lets it end, however quick or
slow the machine. All but the waiting is the command itself.
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

#: Where commands hand their work to processes or machines.
PLACES = (
    "summc.batch.run.map_in_order",
    "summc.batch.scheduler.map_on_cluster",
    "summc.experiments.sweep.map_in_order",
)


def hold(place: str, file: str) -> None:
    """Let the work that is handed over at a place wait for a file with its last item."""
    map_: Callable[..., Generator[Any]] = pkgutil.resolve_name(place)

    def mapped(
        work: Callable[[Any], Any], items: Iterable[Any], *more: Any, **options: Any
    ) -> Generator[Any]:
        return map_(partial(waiting, work, file), with_last(items), *more, **options)

    patch(place, mapped).start()


def waiting(work: Callable[[Item], Result], file: str, given: tuple[Item, bool]) -> Result:
    """Do the work on an item, the last one when the file is there."""
    item, last = given
    while last and not Path(file).exists():
        time.sleep(0.01)
    return work(item)


def with_last(items: Iterable[Item]) -> Iterator[tuple[Item, bool]]:
    """Yield each item, and whether it is the last."""
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
