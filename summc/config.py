"""The settings of every stage: defaults, configuration files and flags, merged and checked.

Flags win over the file, the file over the defaults.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from summc.amounts import UNITS
from summc.candidates import Candidates
from summc.concepts import CONCEPTS
from summc.errors import InputError, NotFoundError, SettingError
from summc.preprocess import STEMMERS
from summc.resources import configs_folder
from summc.rouge import METRICS, PROTOCOLS
from summc.selectors import SELECTORS, Selector
from summc.settings import Value, checked, perhaps, plain, rules, setting
from summc.weights import IDF_UNITS, TFIDFS, WEIGHTINGS, Shape

FILLS = ("whole", "truncate")
ORDERS = ("dates", "given")


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """Stage 1."""

    encoding: str = setting(
        "auto",
        "Encoding of the files; auto: UTF-8, UTF-16 with BOM, else Windows-1252 or what the language had.",
    )
    language: str = setting(
        "auto",
        "Language of the documents, as a name or a code; auto: as stated or detected, for each cluster.",
        metavar="LANGUAGE",
    )
    data: str = setting("", "Folder to look for data sets in first.", metavar="DIR")


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """Stage 2."""

    stemmer: str = setting(
        "porter", "Stemmer; porter is for English, elsewhere it means snowball.", choices=STEMMERS
    )
    remove_stopwords: bool = setting(True, "Leave stop words out of what is covered.", off="keep-stopwords")  # noqa: FBT003
    concepts: str = setting("words+bigrams", "What is covered.", choices=tuple(CONCEPTS))
    order: str = setting("dates", "Order of documents: by their dates, or as given.", choices=ORDERS)


@dataclass(frozen=True, slots=True)
class WeighSettings:
    """Stage 3; each weighting takes those of the settings that are its own."""

    weighting: str = setting("mixed", "How it is weighed.", choices=tuple(WEIGHTINGS))
    least_documents: int = setting(
        2, "What fewer documents hold is not covered, unless they are two or share nothing.", at_least=1
    )
    bigram_factor: float = setting(2.0, "What a bigram is worth against a word.", above=0, at_most=1e9)
    place_bonus: float = setting(
        1.0, "Worth of a first sentence for its place, in mean weight a word.", at_least=0, at_most=1e9
    )
    place_fades: int = setting(5, "After so many sentences a place is worth nothing.", at_least=1)
    power: float = setting(1.5, "Power of the share of documents.", at_least=0, at_most=100)
    lead_factor: float = setting(4.0, "position: more for words of leads.", at_least=0, at_most=1e9)
    opening_factor: float = setting(1.0, "position: more for bigrams of openings.", at_least=0, at_most=1e9)
    early_power: float = setting(
        0.85, "expected: power by which words of later sentences count less.", at_least=0, at_most=100
    )
    share_power: float = setting(
        0.6, "expected: power of the share of documents that hold a word.", at_least=0, at_most=100
    )
    bigram_share: float = setting(
        1.25, "expected: what a bigram is worth against a word.", above=0, at_most=1e9
    )
    dispersion: float = setting(
        3.0, "expected: how evenly people repeat a word; small: some often, others never.",
        at_least=0.01, at_most=1e9,
    )  # fmt: skip
    model: str = setting(
        "", "expected: how often people write each word, by a file from summc learn.", metavar="FILE"
    )
    first_sentence_boost: float = setting(
        1.5, "tfidf: factor for words in the first sentence of a document.", at_least=0, at_most=1e9
    )
    idf_unit: str = setting(
        "cluster",
        "tfidf: what document frequency counts; a lone cluster counts sentences.",
        choices=IDF_UNITS,
    )
    tfidf: str = setting("numpy", "What computes TF-IDF; the weights are the same.", choices=tuple(TFIDFS))
    background: tuple[str, ...] = setting(
        (),
        "More text to fit tfidf and the like on: a path or a data set; may be repeated.",
        metavar="NAME|PATH",
    )
    boost: tuple[str, ...] = setting(
        (), "Make a word heavier (dam=2) or lighter (dam=0.5); may be repeated.", metavar="WORD=FACTOR"
    )
    ignore: tuple[str, ...] = setting((), "A word not worth covering; may be repeated.", metavar="WORD")
    query: str = setting(
        "", "A question for all clusters, instead of their own: words that stand near its words weigh more."
    )
    use_query: bool = setting(True, "Turn the summary toward the question, if there is one.", off="no-query")  # noqa: FBT003

    def question_for(self, own: str) -> str:
        """Return the question to ask of a cluster whose own question, if any, is given; or ""."""
        return (self.query or own) if self.use_query else ""

    def shape_for(self, question: str) -> Shape:
        """Return what holds for every weighting when a cluster is asked a question, or none ("").

        What the user asks for counts even if only one document holds it.
        """
        shape = Shape(**own_of(self, Shape))
        return dataclasses.replace(shape, least_documents=1) if self.boost or question else shape


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """Stage 5."""

    budget: float = setting(
        100.0, "The budget K: 100 words, 5s sentences, 600c characters, 10% of the words.",
        at_least=1, at_most=1e15,
    )  # fmt: skip
    unit: str = setting("words", "What the budget counts where it does not say.", choices=UNITS)
    selector: str = setting("auto", "How sentences are chosen.", choices=tuple(SELECTORS))
    fill: str = setting(
        "whole", "End with a whole sentence, or with one cut at K words, as scorers cut.", choices=FILLS
    )
    polish: bool = setting(False, "Improve any selector's choice by local search.", off="no-polish")  # noqa: FBT003
    certify: bool = setting(False, "Prove how much any choice could cover.", off="no-certify")  # noqa: FBT003
    reading: float = setting(
        1.0,
        "How much coverage is given up for a summary that reads better; 0: none.",
        at_least=0,
        at_most=100,
    )
    must: tuple[str, ...] = setting(
        (), "A sentence that must be in, by words of it; may be repeated.", metavar="TEXT"
    )


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """Stage 6."""

    rouge: str = setting(
        "paper",
        "Mean over references (paper), or as ROUGE-1.5.5: pooled and cut at K words (official).",
        choices=PROTOCOLS,
    )
    rouge_bytes: int = setting(
        0, "official: cut texts at N bytes, not at K words; 0 means at K words.", at_least=0, metavar="N"
    )
    metrics: tuple[str, ...] = setting(("rouge1",), "What to score by.", choices=METRICS, commas=True)
    stem: bool = setting(False, "Score by the stems of ROUGE-1.5.5 -m, on both sides.", off="no-stem")  # noqa: FBT003
    rouge_stopwords: str = setting("kept", "Stop words in scores.", choices=("kept", "removed"))


#: Table of a configuration file -> the settings that stand in it.
TABLES: Mapping[str, type] = {
    "load": LoadSettings,
    "preprocess": PreprocessSettings,
    "candidates": Candidates,
    "weigh": WeighSettings,
    "select": SelectSettings,
    "score": ScoreSettings,
    **{f"selectors.{name}": selector for name, selector in SELECTORS.items()},
}


@dataclass(frozen=True, slots=True)
class Config:
    """The effective settings of a run, an instance of its class for each table."""

    tables: Mapping[str, Any] = field(default_factory=lambda: {name: make() for name, make in TABLES.items()})

    @property
    def load(self) -> LoadSettings:
        """Settings of stage 1."""
        return cast("LoadSettings", self.tables["load"])

    @property
    def preprocess(self) -> PreprocessSettings:
        """Settings of stage 2."""
        return cast("PreprocessSettings", self.tables["preprocess"])

    @property
    def candidates(self) -> Candidates:
        """Settings of stage 2: which sentences may be chosen."""
        return cast("Candidates", self.tables["candidates"])

    @property
    def weigh(self) -> WeighSettings:
        """Settings of stage 3."""
        return cast("WeighSettings", self.tables["weigh"])

    @property
    def select(self) -> SelectSettings:
        """Settings of stage 5."""
        return cast("SelectSettings", self.tables["select"])

    @property
    def score(self) -> ScoreSettings:
        """Settings of stage 6."""
        return cast("ScoreSettings", self.tables["score"])

    @property
    def removes_stopwords(self) -> bool:
        """Whether stage 2 leaves stop words out of what is covered: never where the weighting needs them."""
        return self.preprocess.remove_stopwords and not WEIGHTINGS[self.weigh.weighting].needs_stopwords

    @property
    def selector(self) -> Selector:
        """The chosen selector, made with its own settings."""
        return self.selector_named(self.select.selector)

    def selector_named(self, name: str) -> Selector:
        """Return a selector made with its own settings."""
        return cast("Selector", self.tables[f"selectors.{name}"])

    def with_table(self, table: str, values: Mapping[str, Any], places: Mapping[str, str]) -> Config:
        """Return this configuration with settings of one table changed; each was given at its place."""
        new = dataclasses.replace(self.tables[table], **checked(TABLES[table], values, places))
        return Config({**self.tables, table: new})

    def with_settings(
        self, given: Mapping[str, Any], prefix: str = "", selectors: Sequence[str] = ()
    ) -> Config:
        """Return this configuration with settings, given by their plain names, changed.

        A selector's setting (``beta``) changes every selector that has it, and is refused when none of the
        ``selectors`` in use, by default the chosen one, does. ``prefix`` (``--``) makes the names in messages
        those of flags.
        """
        places = {name: prefix + (name.replace("_", "-") if prefix else name) for name in given}
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
        return config

    def with_file(self, path: str) -> Config:
        """Return this configuration changed by a TOML file, given by path or by the name of a shipped one."""
        config = self
        for table, values in _tables_in(_read_toml(path), path):
            places = {key: f"{path}: {table}.{key}" for key in values}
            for key, place in places.items():
                if key not in rules(TABLES[table]):
                    raise SettingError(
                        place, "unknown key", perhaps(key, rules(TABLES[table])) or "remove it"
                    )
            config = config.with_table(table, values, places)
        return config

    def to_toml(self) -> str:
        """Return the configuration as a file that gives it again."""
        return "\n".join(
            f"[{table}]\n"
            + "".join(f"{key} = {_toml(value)}\n" for key, value in settings_of(settings).items())
            for table, settings in self.tables.items()
            if settings_of(settings)
        )


def settings_of(settings: object) -> dict[str, Value]:
    """Return the settings that a selector, or the settings of a stage, was made with."""
    return {name: getattr(settings, name) for name in rules(type(settings))}


def own_of(settings: object, kind: Any) -> dict[str, Any]:
    """Return those of the settings of a stage that a class has a field for."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(kind)}


def _is_used(table: str, selectors: Sequence[str]) -> bool:
    return not table.startswith("selectors.") or table.removeprefix("selectors.") in selectors


def _tables_in(content: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tables of a file by their full names, each known and each a table."""
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
        raise SettingError("--config", "is empty", "name a file or a shipped one; a variable may not be set")
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
        raise InputError(
            path, "not TOML (nested too deeply)", "compare with summc summarize --show-config"
        ) from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(path, f"not TOML ({error})", "compare with summc summarize --show-config") from None


def _toml(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value)  # what JSON writes of these is TOML too
    return str(plain(value))
