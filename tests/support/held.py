"""Run ``summc batch``, but hold back its last item of work until a file exists.

``python -m tests.support.held FILE ARGUMENTS...`` keeps working until the test creates FILE, however fast the
machine is. Apart from the wait it is the real command. Its workers import this module, so it imports little.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any


def holding(map_: Callable[..., Generator[Any]], file: str) -> Callable[..., Generator[Any]]:
    """Return a function that maps as ``map_`` does, but whose last item of work waits for ``file``."""

    def mapped(work: Callable[[Any], Any], items: Iterable[Any], *more: Any) -> Generator[Any]:
        return map_(partial(waiting, work, file), with_last(items), *more)

    return mapped


def waiting(work: Callable[[Any], Any], file: str, given: tuple[Any, bool]) -> Any:
    item, last = given
    while last and not os.path.exists(file):  # noqa: PTH110
        time.sleep(0.01)
    return work(item)


def with_last(items: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
    """Yield each item with a flag that says whether it is the last."""
    source = iter(items)
    item = next(source)
    for following in source:
        yield item, False
        item = following
    yield item, True


if __name__ == "__main__":
    from summc import batch
    from summc.__main__ import main
    from summc.system.processes import map_in_order
    from tests.support import held  # noqa: PLW0406 (workers know its functions by this name)

    _, file, *sys.argv[1:] = sys.argv
    vars(batch)["map_in_order"] = held.holding(map_in_order, file)
    main()
