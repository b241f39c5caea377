"""The settings of every stage, merged from defaults, configuration files and flags, and checked.

A flag replaces the value in a configuration file, and the file replaces the default.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from summc.documents.settings import LoadSettings
from summc.errors import InputError, NotFoundError, SettingError, as_typed
from summc.preprocess.analysis import Analysis, PreprocessSettings
from summc.preprocess.candidates import Candidates
from summc.rouge.settings import ScoreSettings
from summc.selectors import SELECTORS, Selector
from summc.selectors.solving import SelectSettings
from summc.settings import Value, checked, perhaps, rules, settings_of
from summc.system.resources import configs_folder
from summc.text.numbers import plain, shown
from summc.weights import WEIGHTINGS
from summc.weights.settings import AllWeighSettings, WeighSettings

#: Name of a table in a configuration file -> the class of its settings.
TABLES: Mapping[str, type] = {
    "load": LoadSettings,
    "preprocess": PreprocessSettings,
    "candidates": Candidates,
    "weigh": AllWeighSettings,
    "select": SelectSettings,
    "score": ScoreSettings,
    **{f"selectors.{name}": selector for name, selector in SELECTORS.items()},
}


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run, in tables as in a configuration file: the table "select" has those of stage 5.

    ``tables`` maps the name of each table to an instance of its settings class.

    ``print(Config().to_toml())`` lists all settings with their defaults.

    >>> config = Config().with_file("paper").with_settings({"selector": "bp", "beta": 45})
    >>> config.select.selector, config.weigh.weighting
    ('bp', 'tfidf')
    """

    tables: Mapping[str, Any] = field(default_factory=lambda: {name: make() for name, make in TABLES.items()})

    @property
    def load(self) -> LoadSettings:
        """The settings of stage 1, which loads documents."""
        return cast("LoadSettings", self.tables["load"])

    @property
    def preprocess(self) -> PreprocessSettings:
        """The settings of stage 2: how terms and concepts are found."""
        return cast("PreprocessSettings", self.tables["preprocess"])

    @property
    def candidates(self) -> Candidates:
        """The settings of stage 2 that say which sentences may be chosen."""
        return cast("Candidates", self.tables["candidates"])

    @property
    def weigh(self) -> WeighSettings:
        """The settings of stage 3, which weighs words."""
        return cast("WeighSettings", self.tables["weigh"])

    @property
    def select(self) -> SelectSettings:
        """The settings of stage 5, which chooses sentences."""
        return cast("SelectSettings", self.tables["select"])

    @property
    def score(self) -> ScoreSettings:
        """The settings of scoring by ROUGE."""
        return cast("ScoreSettings", self.tables["score"])

    @property
    def analysis(self) -> Analysis:
        """The object that finds terms and concepts; it keeps stop words if the weighting needs them."""
        return Analysis(self.preprocess, keeps_stopwords=WEIGHTINGS[self.weigh.weighting].needs_stopwords)

    @property
    def selector(self) -> Selector:
        """The configured selector, with its own settings."""
        return self.selector_named(self.select.selector)

    def selector_named(self, name: str) -> Selector:
        """Return the selector of that name, with its own settings."""
        return cast("Selector", self.tables[f"selectors.{name}"])

    def with_table(self, table: str, values: Mapping[str, Any], places: Mapping[str, str]) -> Config:
        """Return the configuration with some settings of one table changed, after checking the values.

        ``places`` says for each setting where it was given, for error messages.
        """
        new = dataclasses.replace(self.tables[table], **checked(TABLES[table], values, places))
        return Config({**self.tables, table: new})

    def with_settings(
        self,
        given: Mapping[str, Any],
        selectors: Sequence[str] = (),
        places: Mapping[str, str] | None = None,
        weightings: Sequence[str] = (),
    ) -> Config:
        """Return the configuration with some settings changed, each given by its name without its table.

        A setting of a selector, such as ``beta``, changes every selector that has it. An error is raised if
        none of the ``selectors`` in use has it; by default only the configured selector is in use. The same
        holds for settings of ``weightings``. ``places`` says for each setting where it was given, for error
        messages; by default messages name the setting.
        """
        if given.get("query") and given.get("use_query") is False:
            problem = f"given with {as_typed('query')}"
            raise SettingError(as_typed("use_query=False"), problem, "leave one of them out")
        places = places or {name: as_typed(name) for name in given}
        config = self
        for table, settings in TABLES.items():
            own = {name: given[name] for name in rules(settings) if name in given}
            config = config.with_table(table, own, places)
        used = selectors or [config.select.selector]
        usable = {name for table in TABLES if _is_used(table, used) for name in rules(TABLES[table])}
        known = {name for settings in TABLES.values() for name in rules(settings)}
        for name in given:
            if name not in known:
                raise SettingError(places[name], "unknown setting", perhaps(name, known))
            if name not in usable:
                owners = [
                    table.removeprefix("selectors.") for table in TABLES if name in rules(TABLES[table])
                ]
                raise SettingError(
                    places[name], f"not a setting of {', '.join(used)}", f"choose {' or '.join(owners)}"
                )
        _check_weightings(given, weightings or [config.weigh.weighting], places)
        return config

    def with_file(self, file: str | os.PathLike[str]) -> Config:
        """Return the configuration changed by a TOML file.

        ``file`` is the path of a file, or the name of a configuration that comes with summc.
        """
        config, path = self, os.fspath(file)
        for table, values in _tables_in(_read_toml(path), path):
            places = {key: f"{path}: {table}.{key}" for key in values}
            for key, place in places.items():
                if key not in rules(TABLES[table]):
                    raise SettingError(
                        place, "unknown key", perhaps(key, rules(TABLES[table])) or "remove it"
                    )
            config = config.with_table(table, values, places)
        return config

    def conditions(self, without: Collection[str] = ()) -> dict[str, Any]:
        """Return the settings that results depend on, for JSON: "table.name" -> value.

        The tables in ``without`` are left out. So is the folder of the data, because results depend on the
        data, not on where it is.
        """
        return {
            f"{table}.{name}": list(value) if isinstance(value, tuple) else shown(value)
            for table, settings in self.tables.items()
            if table not in without
            for name, value in settings_of(settings).items()
            if (table, name) != ("load", "data")
        }

    def to_toml(self) -> str:
        """Return the configuration as the text of a TOML file, which ``with_file`` can read."""
        return "\n".join(
            f"[{table}]\n"
            + "".join(f"{key} = {_toml(value)}\n" for key, value in settings_of(settings).items())
            for table, settings in self.tables.items()
            if settings_of(settings)
        )


def _check_weightings(given: Iterable[str], used: Sequence[str], places: Mapping[str, str]) -> None:
    """Raise ``SettingError`` if a given setting belongs to weightings of which none is in use.

    ``used`` are the names of the weightings in use. ``places`` says where each setting was given.
    """
    for name in given:
        owners = [weighting for weighting in WEIGHTINGS if name in settings_used_by(weighting)]
        if owners and not set(owners) & set(used):
            problem = f"not a setting of weighting {', '.join(used)}"
            raise SettingError(places[name], problem, f"choose {' or '.join(owners)}")


def settings_used_by(weighting: str) -> set[str]:
    """Return the names of the settings that a weighting has."""
    return set(rules(WEIGHTINGS[weighting]))


def _is_used(table: str, selectors: Sequence[str]) -> bool:
    return not table.startswith("selectors.") or table.removeprefix("selectors.") in selectors


def _tables_in(content: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the full name of each table in a file (such as "selectors.NAME") and its content.

    Raise ``SettingError`` for an unknown table, or a key outside any table.
    """
    nested = content.get("selectors", {})
    tables = {name: value for name, value in content.items() if name != "selectors"}
    if isinstance(nested, dict):
        tables |= {f"selectors.{name}": value for name, value in nested.items()}
    else:
        tables["selectors"] = nested
    for table, values in tables.items():
        if table not in TABLES:
            raise SettingError(f"{path}: [{table}]", "unknown table", perhaps(table, TABLES) or "remove it")
        if not isinstance(values, dict):
            raise SettingError(f"{path}: {table}", "must be a table", f"write [{table}] above its keys")
        yield table, values


def _read_toml(path: str) -> dict[str, Any]:
    if not path:
        remedy = "name a file or a shipped one; a variable may not be set"
        raise SettingError(as_typed("config"), "is empty", remedy)
    shipped = configs_folder() / f"{path}.toml"
    file = shipped if not Path(path).exists() and shipped.is_file() else Path(path)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        names = ", ".join(sorted(config.stem for config in configs_folder().glob("*.toml")))
        raise NotFoundError(path, "no such configuration", f"give a TOML file or one of {names}") from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "check the path") from None
    except RecursionError:
        raise InputError(path, "not TOML (nested too deeply)", f"compare with {_shape()}") from None
    except ValueError as error:  # the file is not TOML, or not UTF-8
        raise InputError(path, f"not TOML ({error})", f"compare with {_shape()}") from None


def _shape() -> str:
    return as_typed("Config().to_toml()")


def _toml(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value)  # for these values JSON and TOML are the same
    return str(plain(value))
