"""Settings that say of themselves what they mean and which values they take.

A settings class is a frozen dataclass whose fields are made by ``setting``; flags, configuration files and
the Python interface all check values here, so that the same mistake gets the same words everywhere.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from summc.errors import SettingError
from summc.text.numbers import plain

Value = str | bool | int | float | tuple[str, ...]

#: The value of a number that is left to summc to find.
AUTO = "auto"


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """What a setting means (``help``) and what it may be.

    ``at_least`` and ``above`` are lower ends, ``below`` and ``at_most`` upper ones; ``off`` names the flag
    that turns a switch off; a list with ``commas`` is given as one word, ``a,b``. ``auto`` says how
    a number is found where it is left open, and that it may be. ``metavar`` says in a word what it is.
    """

    help: str
    choices: Sequence[str] = ()
    at_least: float | None = None
    above: float | None = None
    below: float | None = None
    at_most: float | None = None
    off: str = ""
    commas: bool = False
    auto: str = ""
    metavar: str = ""


def setting(default: Value, help_: str, **limits: Any) -> Any:
    """Return a dataclass field with a default and its rule."""
    return dataclasses.field(default=default, metadata={"rule": Rule(help_, **limits)})


def same_setting(settings: type, name: str) -> Any:
    """Return a dataclass field with the default and the rule of a field that another class has."""
    default, rule = rules(settings)[name]
    return dataclasses.field(default=default, metadata={"rule": rule})


def rules(settings: type) -> dict[str, tuple[Value, Rule]]:
    """Return the default and the rule of each setting of a class, by name."""
    return {f.name: (cast("Value", f.default), f.metadata["rule"]) for f in dataclasses.fields(settings)}


def settings_of(settings: object) -> dict[str, Value]:
    """Return the settings that a selector, or the settings of a stage, was made with."""
    return {name: getattr(settings, name) for name in rules(type(settings))}


def own_of(settings: object, kind: Any) -> dict[str, Any]:
    """Return those of the settings of a stage that a class has a field for."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(kind)}


def checked(settings: type, values: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Value]:
    """Return the values, each found fit; ``places`` says where each was given."""
    known = rules(settings)
    return {name: check(value, *known[name], places[name]) for name, value in values.items()}


def check(value: Any, default: Value, rule: Rule, place: str) -> Value:
    """Return a value as the type of its default, or refuse it with what it must be."""
    result: Any = value
    if isinstance(default, tuple):
        result = tuple(value) if isinstance(value, list | tuple) else (value,)
        if rule.commas and isinstance(value, str):
            result = tuple(value.split(","))
        fits = all(isinstance(item, str) and (not rule.choices or item in rule.choices) for item in result)
    elif rule.auto and value == AUTO:
        fits = True
    elif isinstance(default, bool | str) and not rule.auto:
        fits = type(value) is type(default) and (not rule.choices or value in rule.choices)
    elif isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 (NaN)
        fits = False
    else:
        fits = (not isinstance(default, int) or isinstance(value, int)) and _within(value, rule)
    if fits:
        return result  # type: ignore[no-any-return]
    shown = json.dumps(value) if isinstance(value, str | bool) else str(value)[:40]
    if isinstance(value, float) and math.isfinite(value):
        shown = str(plain(value))
    wanted = _requirement(default, rule, value)
    raise SettingError(place, f"must be {wanted}, got {shown}", perhaps(value, rule.choices))


def perhaps(word: object, known: Iterable[str]) -> str:
    """Return "perhaps X?" for the known word nearest to one that is not known, or nothing."""
    nearest = difflib.get_close_matches(str(word), list(known), n=1)
    return f'perhaps "{nearest[0]}"?' if nearest else ""


def _within(value: float, rule: Rule) -> bool:
    return (
        (rule.at_least is None or value >= rule.at_least)
        and (rule.above is None or value > rule.above)
        and (rule.below is None or value < rule.below)
        and (rule.at_most is None or value <= rule.at_most)
    )


def _requirement(default: Value, rule: Rule, value: object) -> str:
    if rule.choices:
        return f"{'some' if isinstance(default, tuple) else 'one'} of {', '.join(rule.choices)}"
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, str) and not rule.auto:
        return "a text"
    if isinstance(default, tuple):
        return "a text or a list of texts"
    limits = [("at least", rule.at_least), ("above", rule.above), ("below", rule.below)]
    if rule.at_most is not None and isinstance(value, int | float) and value > rule.at_most:
        limits = [("at most", rule.at_most)]  # so far up that it is not worth a word elsewhere
    described = " and ".join(f"{words} {plain(limit)}" for words, limit in limits if limit is not None)
    kind = "a whole number" if isinstance(default, int) else "a number"
    return f"{kind} {described}".strip() + (f", or {AUTO}" if rule.auto else "")
