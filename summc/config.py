"""The settings of every stage, merged from defaults, configuration files and flags, and checked.

A flag replaces the value in a configuration file, and the file replaces the default.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from summc.documents import LoadSettings
from summc.errors import InputError, NotFoundError, SettingError, as_typed
from summc.preprocess.candidates import Candidates
from summc.preprocess.concepts import Preprocessor, PreprocessSettings
from summc.records import Cluster
from summc.rouge import METRICS
from summc.selectors import SELECTORS, Selector
from summc.selectors.solving import SelectSettings
from summc.settings import checked, perhaps, rules, setting, settings_of
from summc.system.resources import configs_folder
from summc.text.numbers import parse_amount, shown
from summc.weights import WEIGHTINGS
from summc.weights.settings import AllWeighSettings, WeighSettings


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """The settings of scoring: which ROUGE metrics, under which protocol, on which tokens."""

    rouge: str = setting(
        "paper", "paper: mean over the references. official: as ROUGE-1.5.5, cut at K words.",
        choices=("paper", "official"), common=True,
    )  # fmt: skip
    rouge_bytes: int = setting(
        0, "official: cut at N bytes instead of K words, unless N is 0.", at_least=0, metavar="N"
    )
    metrics: tuple[str, ...] = setting(("rouge1",), "Metrics.", choices=METRICS, commas=True, common=True)
    stem: bool = setting(False, "Use stems, as ROUGE-1.5.5 -m.", off="no-stem", common=True)  # noqa: FBT003
    rouge_stopwords: str = setting("kept", "Stop words in scored texts.", choices=("kept", "removed"))


#: Name of a selector -> the selector with its default settings.
_SELECTORS: dict[str, Selector] = {name: make() for name, make in SELECTORS.items()}


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run, in tables as in a configuration file, such as "select" for stage 5.

    ``print(Config().to_toml())`` lists all settings with their defaults.

    >>> config = Config().with_file("paper").with_settings({"selector": "bp", "beta": 45})
    >>> config.select.selector, config.weigh.weighting
    ('bp', 'tfidf')
    """

    load: LoadSettings = field(default_factory=LoadSettings)
    preprocess: PreprocessSettings = field(default_factory=PreprocessSettings)
    candidates: Candidates = field(default_factory=Candidates)
    weigh: WeighSettings = field(default_factory=AllWeighSettings)
    select: SelectSettings = field(default_factory=SelectSettings)
    score: ScoreSettings = field(default_factory=ScoreSettings)
    #: Name of a selector -> the selector with its own settings.
    selectors: Mapping[str, Selector] = field(default_factory=_SELECTORS.copy)

    @property
    def tables(self) -> dict[str, Any]:
        """The settings of each table: name of the table -> instance of its settings class."""
        stages = {name: getattr(self, name) for name in _STAGES}
        return stages | {f"selectors.{name}": selector for name, selector in self.selectors.items()}

    @property
    def preprocessor(self) -> Preprocessor:
        """The object that finds terms and concepts; it keeps stop words if the weighting needs them."""
        return Preprocessor(self.preprocess, keeps_stopwords=WEIGHTINGS[self.weigh.weighting].needs_stopwords)

    @property
    def selector(self) -> Selector:
        """The configured selector, with its own settings."""
        return self.selectors[self.select.selector]

    def for_cluster(self, cluster: Cluster) -> Config:
        """Return the configuration for one cluster: a budget in percent becomes one in words."""
        if self.select.unit != "percent":
            return self
        return dataclasses.replace(self, select=self.select.in_words(cluster))

    def with_selector(self, selector: Selector) -> Config:
        """Return the configuration with another selector, which may be of a class of the user."""
        select = dataclasses.replace(self.select, selector=selector.name)
        return dataclasses.replace(self, select=select, selectors={**self.selectors, selector.name: selector})

    def with_table(self, table: str, values: Mapping[str, Any], places: Mapping[str, str]) -> Config:
        """Return the configuration with some settings of one table changed, after checking the values.

        ``places`` says for each setting where it was given, for error messages.
        """
        values, selector = checked(TABLES[table], values, places), table.removeprefix("selectors.")
        if selector == table:
            return dataclasses.replace(self, **{table: dataclasses.replace(getattr(self, table), **values)})
        changed = dataclasses.replace(self.selectors[selector], **values)  # type: ignore[type-var]
        return dataclasses.replace(self, selectors={**self.selectors, selector: changed})

    def with_settings(
        self,
        settings: Mapping[str, Any],
        selectors: Sequence[str] = (),
        weightings: Sequence[str] = (),
        *,
        places: Mapping[str, str] | None = None,
    ) -> Config:
        """Return the configuration with some settings changed, each given by its name without its table.

        The budget may be a text with a unit, such as "5s". A setting of a selector, such as ``beta``, changes
        every selector that has it. An error is raised if none of the ``selectors`` in use has it; by default
        only the configured selector is in use. The same holds for settings of ``weightings``. ``places`` says
        for each setting where it was given, for error messages; by default messages name the setting.
        """
        if settings.get("query") and settings.get("use_query") is False:
            problem = f"given with {as_typed('query')}"
            raise SettingError(as_typed("use_query=False"), problem, "leave one of them out")
        if isinstance(settings.get("budget"), str):
            settings = {**settings, **_parse_budget(settings["budget"], settings)}
        places = places or dict(zip(settings, map(as_typed, settings), strict=True))
        config, values = self, dict[str, dict[str, Any]]()
        for name, value in settings.items():
            if name not in _TABLES_OF:
                raise SettingError(places[name], "unknown setting", perhaps(name, _TABLES_OF))
            for table in _TABLES_OF[name]:
                values.setdefault(table, {})[name] = value
        for table, table_values in values.items():
            config = config.with_table(table, table_values, places)
        used = [*(selectors or [config.select.selector]), *(weightings or [config.weigh.weighting])]
        for name in settings:
            stages = {*_TABLES_OF[name]} & {*_STAGES}
            owners = [owner for owner, kind in _OWNERS.items() if name in rules(kind)]
            if stages <= {"weigh"} and owners and not {*owners} & {*used}:
                problem = f"not a setting of {' or '.join(used)}"
                raise SettingError(places[name], problem, f"choose {' or '.join(owners)}")
        return config

    def with_file(self, file: str | os.PathLike[str]) -> Config:
        """Return the configuration changed by a TOML file.

        ``file`` is the path of a file, or the name of a configuration that comes with summc.
        """
        config, path = self, os.fspath(file)
        tables = _read_config(path)
        if isinstance(nested := tables.get("selectors"), dict):
            del tables["selectors"]
            tables |= {f"selectors.{name}": value for name, value in nested.items()}
        for table, values in tables.items():
            if table not in TABLES:
                remedy = perhaps(table, TABLES) or "remove it"
                raise SettingError(f"{path}: [{table}]", "unknown table", remedy)
            if not isinstance(values, dict):
                raise SettingError(f"{path}: {table}", "must be a table", f"write [{table}] above its keys")
            config = config.with_table(table, values, {key: f"{path}: {table}.{key}" for key in values})
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
            # For texts, truth values, numbers and lists of texts, JSON and TOML are the same.
            f"[{table}]\n"
            + "".join(f"{key} = {json.dumps(shown(value))}\n" for key, value in settings_of(settings).items())
            for table, settings in self.tables.items()
            if settings_of(settings)
        )


_STAGES: Mapping[str, Any] = {stage.name: stage.default_factory for stage in fields(Config)[:-1]}
#: Name of a table in a configuration file -> the class of its settings.
TABLES: Mapping[str, type] = {**_STAGES, **{f"selectors.{name}": kind for name, kind in SELECTORS.items()}}
#: Setting -> the tables that have it.
_TABLES_OF = {
    name: [table for table, settings in TABLES.items() if name in rules(settings)]
    for kind in TABLES.values()
    for name in rules(kind)
}
#: Name of a selector or a weighting -> its class.
_OWNERS: Mapping[str, type] = {**SELECTORS, **WEIGHTINGS}


def _parse_budget(text: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings "budget" and "unit", if the text has a unit; raise if ``settings`` has another."""
    number, unit = parse_amount(text, as_typed("budget"))
    if unit and settings.get("unit", unit) != unit:
        problem = f"{settings['unit']}, where {as_typed('budget')} counts {unit}"
        raise SettingError(as_typed("unit"), problem, "give one of them")
    return {"budget": number, **({"unit": unit} if unit else {})}


def _read_config(path: str) -> dict[str, Any]:
    if not path:
        remedy = "name a file or a shipped one; a variable may not be set"
        raise SettingError(as_typed("config"), "is empty", remedy)
    shipped = configs_folder() / f"{path}.toml"
    if not os.path.exists(path) and os.path.isfile(shipped):  # noqa: PTH110, PTH113 (no error for a long name)
        return tomllib.loads(shipped.read_text(encoding="utf-8"))
    names = ", ".join(sorted(config.stem for config in configs_folder().glob("*.toml")))
    shape = f"compare with {as_typed('Config().to_toml()')}"
    return read_toml(path, f"give a TOML file or one of {names}", shape)


def read_toml(path: str, otherwise: str, shape: str) -> dict[str, Any]:
    """Return the content of a TOML file.

    ``otherwise`` says what to do if the file does not exist, ``shape`` what to do if it is not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(path, "no such file", otherwise) from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "check the path") from None
    except (ValueError, RecursionError) as error:  # the file is not TOML or not UTF-8, or nested too deeply
        raise InputError(path, f"not TOML ({error})", shape) from None
