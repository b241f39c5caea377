"""The conditions of a run, so that an interrupted run goes on only from its own results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from summc.errors import SettingError
from summc.text.numbers import shown


def check_same(
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    place: str,
    remedy: str,
    named: Mapping[str, Callable[[Any, Any], str]],
) -> None:
    """Refuse results that were made under other conditions, naming the first condition that differs.

    ``named`` puts a difference in some conditions into words; the others are settings.
    """
    for name in [*now, *before]:
        old, new = before.get(name), now.get(name)
        if old != new:
            settings = f"with other settings ({name}: {_shown(old)}, now {_shown(new)})"
            what = named[name](old, new) if name in named else settings
            raise SettingError(place, f"made {what}", remedy)


def _shown(value: Any) -> Any:
    return shown(value) if isinstance(value, float) else value
