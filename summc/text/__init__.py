"""Helpers for texts and numbers: languages, stems, lengths, dates, tables, the structure of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import regex


class LazyPattern:
    """Stands for a compiled pattern; compiles it when a method such as ``search`` is first used."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        import regex  # noqa: PLC0415 (not needed to print help)

        found = getattr(regex.compile(self._pattern), name)
        setattr(self, name, found)
        return found


def lazy(pattern: str) -> regex.Pattern[str]:
    """Return a pattern that is compiled when it is first used; flags are given as ``(?x)`` in the pattern."""
    return cast("regex.Pattern[str]", LazyPattern(pattern))
