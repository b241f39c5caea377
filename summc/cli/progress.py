"""Show the progress of long work as a bar on stderr, if stderr is a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import TypeVar

import click

from summc.cli.console import shows_progress

Item = TypeVar("Item")

#: Columns to reserve beside the bar for the label, the position, the rate and the time left.
_BESIDE = 62
#: The least number of items for which a bar is shown. With a single item the bar would say nothing before the
#: end.
_SEVERAL = 2


def with_progress(
    items: Iterable[Item], length: int, label: str, size: Callable[[Item], int] = lambda _: 1
) -> Iterator[Item]:
    """Yield the items as they come, and show how many are done, the rate and the time left.

    ``size`` returns how much work an item counts as, by default 1. ``length`` is the sum of the sizes of all
    items.
    """
    if length < _SEVERAL or not shows_progress():
        yield from items
        return
    start, done = time.monotonic(), 0

    def rate(_: Item | None) -> str:
        if not done:
            return ""
        each = max(time.monotonic() - start, 1e-9) / done
        left = f", {timedelta(seconds=round((length - done) * each))} left" if done < length else ""
        return f"{1 / each:.1f} a second{left}"

    width = min(36, max(1, shutil.get_terminal_size().columns - _BESIDE))
    with click.progressbar(
        length=length,
        label=label,
        show_pos=True,
        show_eta=False,
        item_show_func=rate,
        width=width,
        file=sys.stderr,
    ) as bar:
        for item in items:
            done += size(item)
            bar.update(size(item), item)
            yield item
