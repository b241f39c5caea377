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
from typing import Any
from unittest.mock import patch

#: Functions by which commands hand work to other processes or machines.
PLACES = (
    "summc.batch.map_in_order",
    "summc.system.scheduler.map_on_cluster",
    "summc.lab.evaluation.map_in_order",
)


def hold(place: str, file: str) -> None:
    """Patch the function at ``place`` so that its last item of work waits for ``file``."""
    map_: Callable[..., Generator[Any]] = pkgutil.resolve_name(place)

    def mapped(work: Callable[[Any], Any], items: Iterable[Any], *more: Any) -> Generator[Any]:
        return map_(partial(waiting, work, file), with_last(items), *more)

    patch(place, mapped).start()


def waiting(work: Callable[[Any], Any], file: str, given: tuple[Any, bool]) -> Any:
    item, last = given
    while last and not Path(file).exists():
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
    from summc.__main__ import main
    from tests.support import held  # noqa: PLW0406 (workers know its functions by this name)

    _, file, *sys.argv[1:] = sys.argv
    for place in PLACES:
        held.hold(place, file)
    main()
