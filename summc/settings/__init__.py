"""Settings that carry their own help text and the values they allow.

A settings class is a frozen dataclass whose fields are made by ``setting``. The rule of a setting says which
values it allows. Values from flags, configuration files and Python are all checked by this module, so that
the same mistake gets the same message everywhere.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from summc.errors import SettingError
from summc.system.inputs import whole_characters
from summc.text.numbers import plain

Value = str | bool | int | float | tuple[str, ...]

#: The value that a user gives instead of a number, so that summc finds the number itself.
AUTO = "auto"
#: The metavars of settings that are paths. The name of a file may have any bytes.
_PATHS = ("DIR", "NAME|PATH")
#: The limits of a rule -> whether a number keeps them.
_LIMITS = {"at_least": operator.ge, "above": operator.gt, "below": operator.lt, "at_most": operator.le}


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """The meaning of a setting (``help``) and the values that it allows.

    ``choices`` are the allowed texts. ``at_least`` and ``above`` are lower limits of a number, ``below`` and
    ``at_most`` upper limits. ``off`` names the flag that turns off a setting that is true or false. With
    ``commas``, a list is given as one word, ``a,b``. If ``auto`` is not empty, the value "auto" is allowed,
    and ``auto`` says how summc then finds the number. ``metavar`` names the value in the help.

    A ``common`` setting is in the short help of every command that has it. Any other setting is only in the
    short help of the command that runs its stage. ``heading`` is the heading above the setting in the help,
    if it is not that of the stage.
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
    common: bool = False
    heading: str = ""


def setting(default: Value, help_: str, **limits: Any) -> Any:
    """Return a dataclass field with a default and a rule.

    ``help_`` and ``limits`` are the fields of the rule (see ``Rule``).
    """
    return dataclasses.field(default=default, metadata={"rule": Rule(help_, **limits)})


def same_setting(settings: type, name: str) -> Any:
    """Return a dataclass field with the default and the rule of the field ``name`` in another class."""
    default, rule = rules(settings)[name]
    return dataclasses.field(default=default, metadata={"rule": rule})


@functools.cache
def rules(settings: type) -> dict[str, tuple[Value, Rule]]:
    """Return, for each setting of a settings class, its default and its rule: name -> (default, rule)."""
    return {f.name: (cast("Value", f.default), f.metadata["rule"]) for f in dataclasses.fields(settings)}


def settings_of(settings: object) -> dict[str, Value]:
    """Return the values of a settings object: name -> value.

    A selector of the user need not have rules. Its values are the fields of its dataclass, if it is one.
    """
    names = dataclasses.fields(settings) if dataclasses.is_dataclass(settings) else ()
    values = {field.name: getattr(settings, field.name) for field in names}
    has_rules = all("rule" in field.metadata for field in names)
    return values if has_rules else {name: _as_setting(value) for name, value in values.items()}


def _as_setting(value: Any) -> Value:
    return value if isinstance(value, str | bool | int | float) else repr(value)


def values_for(kind: Any, settings: object) -> dict[str, Any]:
    """Return the values in ``settings`` of the settings that the class ``kind`` has: name -> value.

    Use it to make an instance of ``kind``, such as a weighting, from the settings of a whole stage.
    """
    names = rules(kind)
    return dict(zip(names, map(functools.partial(getattr, settings), names), strict=True))


def checked(settings: type, values: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Value]:
    """Return the values of settings (name -> value) after checking each by the rules of the class.

    ``places`` says where each setting was given, for error messages.
    """
    by_name = rules(settings)
    for name in values:
        if name not in by_name:
            raise SettingError(places[name], "unknown setting", perhaps(name, by_name) or "remove it")
    return {name: check(value, *by_name[name], places[name]) for name, value in values.items()}


def check(value: Any, default: Value, rule: Rule, place: str) -> Value:
    """Return a value if its rule allows it; a list becomes a tuple.

    Otherwise raise ``SettingError``, which says what the value must be. ``default`` is the default of the
    setting; its type decides which type the value must have. ``place`` says where the value was given.
    """
    result: Any = value
    if isinstance(default, tuple):
        result = tuple(value) if isinstance(value, list | tuple) else (value,)
        if rule.commas and isinstance(value, str):
            result = tuple(value.split(","))
        fits = all(isinstance(item, str) and (not rule.choices or item in rule.choices) for item in result)
        allowed = f"some of {', '.join(rule.choices)}" if rule.choices else "a text or a list of texts"
    elif isinstance(default, bool | str) and not rule.auto:
        fits = type(value) is type(default) and (not rule.choices or value in rule.choices)
        allowed = "true or false" if isinstance(default, bool) else "a text"
        allowed = f"one of {', '.join(rule.choices)}" if rule.choices else allowed
    else:
        kind = int if isinstance(default, int) else int | float
        is_number = isinstance(value, kind) and not isinstance(value, bool) and value == value  # noqa: PLR0124 (NaN)
        broken = _broken_limits(value if is_number else None, rule)
        fits = (is_number and not broken) or (rule.auto != "" and value == AUTO)
        allowed = f"a {'whole ' if kind is int else ''}number{broken}{f', or {AUTO}' if rule.auto else ''}"
    if fits and rule.metavar not in _PATHS and isinstance(result, str | tuple):
        result = whole_characters(result) if isinstance(result, str) else tuple(map(whole_characters, result))
    if fits:
        return result  # type: ignore[no-any-return]
    written = json.dumps(value) if isinstance(value, str | bool) else str(value)[:40]
    if isinstance(value, float) and math.isfinite(value):
        written = str(plain(value))
    raise SettingError(place, f"must be {allowed}, got {written}", perhaps(value, rule.choices))


def _broken_limits(value: float | None, rule: Rule) -> str:
    """Return the limits of a rule that a number does not keep, as in " at least 1", or "".

    If no number is given, return all limits but ``at_most``, because most of these are too high to matter.
    """
    limits = {name: limit for name in _LIMITS if (limit := getattr(rule, name)) is not None}
    return " and".join(
        f" {name.replace('_', ' ')} {plain(limit)}"
        for name, limit in limits.items()
        if (name != "at_most" if value is None else not _LIMITS[name](value, limit))
    )


def signature_line(parts: Mapping[str, object]) -> str:
    """Return settings on one line, as in "k:100|seed:2004"."""
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def perhaps(word: object, choices: Iterable[str]) -> str:
    """Return 'perhaps "X"?', where X is the choice most similar to ``word``, or "" if none is similar."""
    nearest = difflib.get_close_matches(str(word), list(choices), n=1)
    return f'perhaps "{nearest[0]}"?' if nearest else ""
