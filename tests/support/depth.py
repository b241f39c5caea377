"""How much a test tries: less in a normal run than in a deep one, ``pytest --hypothesis-profile=deep``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

from tests.conftest import DEEP

Item = TypeVar("Item")


def is_deep() -> bool:
    return settings().max_examples >= DEEP


def few_examples(deep: int = DEEP) -> settings:
    """Set the number of examples of a test whose examples are slow: ``deep`` in a deep run, 20 in others.

    Such a test compares whole answers with plain enumeration, so that most faults show in a few problems.
    """
    return settings(max_examples=deep if is_deep() else min(deep, 20))


def every_second(items: Iterable[Item]) -> list[Item]:
    """Return every second item, or all of them in a deep run."""
    return list(items) if is_deep() else list(items)[::2]
