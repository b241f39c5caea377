"""Turn the arguments of a Python caller into a configuration, checked by the rules of the settings."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np

from summc.errors import SettingError, as_typed
from summc.selectors import SELECTORS, Selector
from summc.selectors.solving import SelectSettings
from summc.settings import check, checked, rules, settings_of
from summc.settings.config import Config
from summc.text.numbers import Amount, has_unit, parse_amount, plain

#: Settings in any form that a caller may have them in. A text or path names a TOML file, or a configuration
#: that comes with summc, such as "paper". A mapping has some settings by name, such as {"beta": 45}.
ConfigLike = Config | Mapping[str, object] | str | os.PathLike[str]

Order = Literal["dates", "given"]
Fill = Literal["whole", "truncate"]


def config_of(config: ConfigLike | None = None, **given: Any) -> Config:
    """Return ``config`` with the given settings changed; a setting that is None stays as it is.

    Raise ``SettingError``, which names the setting, if a value is not allowed or a name is unknown.
    """
    base, settings = Config(), {name: value for name, value in given.items() if value is not None}
    source: Any = config  # whatever the caller's types say
    if isinstance(source, Config):
        base = source
    elif isinstance(source, Mapping):
        settings = {**source, **settings}
    elif isinstance(source, str | os.PathLike):
        base = base.with_file(source)
    elif source is not None:
        kinds = "a Config, a mapping of settings, a TOML file or the name of a configuration"
        raise SettingError(as_typed("config"), f"must be {kinds}, got {type(config).__name__}")
    if "budget" in settings:
        settings |= _amount(settings["budget"]).settings(settings)
    if isinstance(settings.get("boost"), Mapping):
        settings["boost"] = [f"{word}={_plain(factor)}" for word, factor in settings["boost"].items()]
    if "selector" in settings:
        selector = selector_of(settings["selector"])
        if not isinstance(settings["selector"], str):
            own = settings_of(selector)
            base = base.with_table(f"selectors.{selector.name}", own, {name: as_typed(name) for name in own})
        settings["selector"] = selector.name
    return base.with_settings(settings)


def selector_of(selector: str | Selector) -> Selector:
    """Return a selector, given by its name or as an object with settings; check the name and the settings."""
    if isinstance(selector, str):
        default, rule = rules(SelectSettings)["selector"]
        return SELECTORS[str(check(selector, default, rule, as_typed("selector")))]()
    if type(selector) not in SELECTORS.values():
        problem = (
            f"must be the name of a selector, or an object of a class in SELECTORS, got {selector!r:.40}"
        )
        raise SettingError(as_typed("selector"), problem)
    own = settings_of(selector)
    checked(type(selector), own, {name: as_typed(name) for name in own})
    return selector


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number, of Python or of NumPy; True and False are not numbers."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _amount(budget: Any) -> Amount:
    if isinstance(budget, str):
        number, unit = parse_amount(budget, as_typed("budget"))
        return Amount(number, unit if has_unit(budget) else "")
    # The rules of settings reject NumPy's numbers, so convert them. They also reject what is not a number.
    return Amount(_float(budget) if is_number(budget) else budget, "")


def _plain(factor: Any) -> object:
    return plain(_float(factor)) if is_number(factor) else factor


def _float(number: Any) -> float:
    """Return a number as a float; one that is too large for a float is infinite, which the rules refuse."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
