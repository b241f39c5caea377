"""The settings of every stage: defaults, configuration files and flags, merged and checked.

Flags win over the file, the file over the defaults.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from summc.errors import InputError, NotFoundError, SettingError
from summc.preprocess import STEMMERS
from summc.resources import configs_folder
from summc.selectors import SELECTORS, Selector
from summc.settings import Value, checked, perhaps, plain, rules, setting
from summc.weights import IDF_UNITS


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """Stage 1."""

    encoding: str = setting("auto", "Encoding of the files; auto: UTF-8, UTF-16 with BOM, else Windows-1252.")
    language: str = setting("english", "Language of the documents, as a name or a code.")


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """Stage 2."""

    stemmer: str = setting("porter", "Stemmer; porter is for English, elsewhere it means snowball.", choices=STEMMERS)
    remove_stopwords: bool = setting(False, "Remove stop words before weighing.", off="keep-stopwords")  # noqa: FBT003


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """Stage 3."""

    first_sentence_boost: float = setting(
        1.5, "Factor for words in the first sentence of a document.", at_least=0
    )
    idf_unit: str = setting(
        "cluster", "What document frequency counts; a lone cluster counts sentences.", choices=IDF_UNITS
    )
    background: tuple[str, ...] = setting((), "More text to fit idf on: a file, folder or .jsonl; may be repeated.")


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """Stage 5."""

    budget: float = setting(100.0, "The budget K: at most so many words.", at_least=1)
    selector: str = setting("bp", "How sentences are chosen.", choices=tuple(SELECTORS))


#: Table of the configuration file -> its settings.
SECTIONS: Mapping[str, type] = {
    "load": LoadSettings,
    "preprocess": PreprocessSettings,
    "weigh": WeighSettings,
    "select": SelectSettings,
}


@dataclass(frozen=True, slots=True)
class Config:
    """The effective settings of a run; ``selectors`` holds one made selector for each name."""

    load: LoadSettings = LoadSettings()
    preprocess: PreprocessSettings = PreprocessSettings()
    weigh: WeighSettings = WeighSettings()
    select: SelectSettings = SelectSettings()
    selectors: Mapping[str, Selector] = field(default_factory=lambda: {n: make() for n, make in SELECTORS.items()})

    @property
    def selector(self) -> Selector:
        """The selector to run."""
        return self.selectors[self.select.selector]

    def with_settings(self, given: Mapping[str, Any], *, flags: bool = False) -> Config:
        """Return this configuration with settings, by their names, changed.

        A selector's setting (``beta``) changes every selector that has it, and is refused when the chosen
        one does not. ``flags``: name them as flags in messages.
        """
        config, left = self, dict(given)
        for section, settings in SECTIONS.items():
            own = {name: left.pop(name) for name in rules(settings) if name in left}
            config = config._with_section(section, own, {n: f"--{_dashed(n)}" if flags else n for n in own})
        for name in left:
            if name not in rules(type(config.selector)):
                known = {n for settings in (*SECTIONS.values(), *SELECTORS.values()) for n in rules(settings)}
                place = f"--{_dashed(name)}" if flags else name
                problem = f"{config.select.selector} has no such setting" if name in known else "unknown setting"
                raise SettingError(place, problem, perhaps(name, known - {name}) if name not in known else "leave it out")
        for selector, settings in SELECTORS.items():
            own = {name: left[name] for name in rules(settings) if name in left}
            config = config._with_selector(selector, own, {n: f"--{_dashed(n)}" if flags else n for n in own})
        return config

    def with_file(self, path: str) -> Config:
        """Return this configuration changed by a TOML file, given by path or by the name of a shipped one."""
        config = self
        tables = _read_toml(path)
        for table, values in tables.items():
            if table not in (*SECTIONS, "selectors"):
                raise SettingError(f"{path}: [{table}]", "unknown table", perhaps(table, (*SECTIONS, "selectors")))
            if not isinstance(values, dict):
                raise SettingError(f"{path}: {table}", "must be a table", f"write [{table}] above its keys")
            if table in SECTIONS:
                places = _known_keys(values, SECTIONS[table], f"{path}: {table}")
                config = config._with_section(table, values, places)
                continue
            for selector, own in values.items():
                if selector not in SELECTORS:
                    raise SettingError(f"{path}: [selectors.{selector}]", "unknown selector", perhaps(selector, SELECTORS))
                if not isinstance(own, dict):
                    raise SettingError(f"{path}: selectors.{selector}", "must be a table", "write it in [brackets]")
                places = _known_keys(own, SELECTORS[selector], f"{path}: selectors.{selector}")
                config = config._with_selector(selector, own, places)
        return config

    def to_toml(self) -> str:
        """Return the configuration as a file that gives it again."""
        tables = {name: dataclasses.asdict(getattr(self, name)) for name in SECTIONS}
        tables |= {f"selectors.{name}": settings_of(selector) for name, selector in self.selectors.items()}
        return "\n".join(
            f"[{table}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
            for table, values in tables.items()
            if values
        )

    def _with_section(self, section: str, values: Mapping[str, Any], places: Mapping[str, str]) -> Config:
        new = checked(SECTIONS[section], values, places)
        return dataclasses.replace(self, **{section: dataclasses.replace(getattr(self, section), **new)})

    def _with_selector(self, name: str, values: Mapping[str, Any], places: Mapping[str, str]) -> Config:
        new = checked(SELECTORS[name], values, places)
        made = dataclasses.replace(self.selectors[name], **new)  # type: ignore[type-var]
        return dataclasses.replace(self, selectors={**self.selectors, name: made})


def settings_of(selector: Selector) -> dict[str, Value]:
    """Return the settings a selector was made with."""
    return {name: getattr(selector, name) for name in rules(type(selector))}


def _read_toml(path: str) -> dict[str, Any]:
    shipped = configs_folder() / f"{path}.toml"
    file = shipped if not Path(path).exists() and shipped.is_file() else Path(path)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        names = sorted(shipped.stem for shipped in configs_folder().glob("*.toml"))
        raise NotFoundError(path, "no such configuration", f"give a TOML file or one of {', '.join(names)}") from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "check the path") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(path, f"not TOML ({error})", "compare with summc summarize --show-config") from None


def _known_keys(values: Mapping[str, Any], settings: type, table: str) -> dict[str, str]:
    """Return the place of each key, or refuse the first that is not known."""
    for key in values:
        if key not in rules(settings):
            raise SettingError(f"{table}.{key}", "unknown key", perhaps(key, rules(settings)) or "remove it")
    return {key: f"{table}.{key}" for key in values}


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _toml(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(plain(value))
