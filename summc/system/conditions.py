"""Compare the conditions of two runs, such as their settings.

An interrupted run may be continued only under the conditions that its saved results were made under. Only the
commit of summc may differ, within the same release, because most commits change no results.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from summc.errors import SettingError
from summc.system.versions import release_of
from summc.text.numbers import shown

log = logging.getLogger("summc")


def check_same(
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    place: str,
    remedy: str,
    named: Mapping[str, Callable[[Any, Any], str]],
) -> None:
    """Raise an error if saved results were made under other conditions than those of the present run.

    ``before`` and ``now`` map the name of each condition to its value. The message names the first condition
    that differs. For some conditions, ``named`` has a function that puts the old and the new value into
    words. Any other condition is a setting, and is shown with both values. ``place`` is the folder or file of
    the saved results, and ``remedy`` tells the user what to do.
    """
    for name in [*now, *before]:
        old, new = before.get(name), now.get(name)
        if name == "summc":
            old, new = release_of(old), release_of(new)
        if old != new:
            settings = f"with other settings ({name}: {_shown(old)}, now {_shown(new)})"
            what = named[name](old, new) if name in named else settings
            raise SettingError(place, f"made {what}", remedy)


def warn_of_other_commit(before: Mapping[str, Any], now: Mapping[str, Any], place: str) -> None:
    """Warn if the saved results were made by another commit of summc than the present one.

    ``before`` and ``now`` map the name of each condition to its value, and ``place`` is the folder or file of
    the saved results.
    """
    old, new = before.get("summc"), now.get("summc")
    if old != new:
        log.warning("%s: begun with summc %s, now it is %s; results may differ", place, old, new)


def _shown(value: Any) -> Any:
    return shown(value) if isinstance(value, float) else value
