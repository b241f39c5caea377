"""The settings of every stage, merged from defaults, configuration files and flags, and checked.

A flag replaces the value in a configuration file, and the file replaces the default. A signature has the
settings of each stage of a run on one line, so that the result can be reproduced.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from summc.documents.settings import LoadSettings
from summc.errors import InputError, NotFoundError, SettingError, as_typed
from summc.preprocess.analysis import Analysis, PreprocessSettings
from summc.preprocess.candidates import Candidates
from summc.preprocess.terms import load_stopwords, stemmer_library, stemmer_used
from summc.records import Cluster, TokenizedCluster, WordWeights
from summc.rouge import METRICS
from summc.selectors import SELECTORS, Selector
from summc.selectors.solving import SelectSettings
from summc.settings import checked, own_of, perhaps, rules, setting, settings_of, signature_line
from summc.system.resources import configs_folder
from summc.system.versions import version
from summc.text.numbers import SUFFIXES, parse_amount, plain, shown
from summc.weights import WEIGHTINGS, CoverageWeighting, Weigher
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
    """All settings of a run, in tables as in a configuration file: the table "select" has those of stage 5.

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
    def analysis(self) -> Analysis:
        """The object that finds terms and concepts; it keeps stop words if the weighting needs them."""
        return Analysis(self.preprocess, keeps_stopwords=WEIGHTINGS[self.weigh.weighting].needs_stopwords)

    @property
    def selector(self) -> Selector:
        """The configured selector, with its own settings."""
        return self.selectors[self.select.selector]

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
        given: Mapping[str, Any],
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
        if given.get("query") and given.get("use_query") is False:
            problem = f"given with {as_typed('query')}"
            raise SettingError(as_typed("use_query=False"), problem, "leave one of them out")
        if isinstance(given.get("budget"), str):
            given = {**given, **_parse_budget(given["budget"], given)}
        places = places or dict(zip(given, map(as_typed, given), strict=True))
        config = self
        values: dict[str, dict[str, Any]] = {}
        for name, value in given.items():
            if name not in _TABLES_OF:
                raise SettingError(places[name], "unknown setting", perhaps(name, _TABLES_OF))
            for table in _TABLES_OF[name]:
                values.setdefault(table, {})[name] = value
        for table, own in values.items():
            config = config.with_table(table, own, places)
        used = [*(selectors or [config.select.selector]), *(weightings or [config.weigh.weighting])]
        for name in given:
            stages = {*_TABLES_OF[name]} & {*_STAGES}
            owners = [each for each, kind in _OWNERS.items() if name in rules(kind)]
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


_STAGES: Mapping[str, Any] = {each.name: each.default_factory for each in fields(Config)[:-1]}
#: Name of a table in a configuration file -> the class of its settings.
TABLES: Mapping[str, type] = {
    **_STAGES,
    **{f"selectors.{name}": selector for name, selector in SELECTORS.items()},
}
#: Setting -> the tables that have it.
_TABLES_OF = {
    name: [table for table, settings in TABLES.items() if name in rules(settings)]
    for own in TABLES.values()
    for name in rules(own)
}
#: Name of a selector or a weighting -> its class.
_OWNERS: Mapping[str, type] = {**SELECTORS, **WEIGHTINGS}


def _parse_budget(text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings "budget" and, if one is written, "unit"; raise if another unit is given."""
    number, unit = parse_amount(text, as_typed("budget"))
    if unit and given.get("unit", unit) != unit:
        problem = f"{given['unit']}, where {as_typed('budget')} counts {unit}"
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
    """Return what a TOML file holds.

    ``otherwise`` and ``shape`` say what to do if it is not there, or not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(path, "no such file", otherwise) from None
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", "check the path") from None
    except (ValueError, RecursionError) as error:  # the file is not TOML or not UTF-8, or nested too deeply
        raise InputError(path, f"not TOML ({error})", shape) from None


# Signatures


#: Values of settings as in Kitano and Takeda's paper. A signature leaves out settings with these values.
_THE_PAPERS = {
    "concepts": "words",
    "order": "given",
    "datelines": "kept",
    "left-out": Candidates(leave_out=(), least_words=1).signature,
    "documents": "1+",
    "bigrams": 1,
    "place": "none",
}

#: The value of "stopwords" in a signature if stage 2 kept stop words only for a weighting that needs them.
#: Another weighting must then leave them out.
_WEIGHED = "weighed"

#: Name of a stage -> the settings that it was run with.
Signature = Mapping[str, Mapping[str, Any]]


def load_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the settings of stage 1 for a signature: encoding, language and library that split sentences."""
    splitter = "nupunkt" if cluster.language == "en" else "sentencex"
    return {
        "encoding": config.load.encoding,
        "language": cluster.language,
        "splitter": f"{splitter}-{version(splitter)}",
        **({"grouped": "by-topic"} if cluster.title else {}),
    }


def preprocess_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the settings of stage 2 for a signature: the stemmer, stop words, concepts and candidates."""
    settings = config.preprocess
    stemmer = stemmer_used(settings.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    if not settings.remove_stopwords:
        stopwords = "kept"
    elif not config.analysis.removes_stopwords:
        stopwords = _WEIGHED
    else:
        stopwords = "removed" if load_stopwords(cluster.language) else "none-known"
    said = {
        "stemmer": stemmer,
        "stopwords": stopwords,
        "concepts": settings.concepts,
        "order": settings.order,
        "datelines": config.candidates.datelines,
        "left-out": config.candidates.signature,
        library: version(library) if library else "",
        **({"tokenizer": settings.tokenizer} if settings.tokenizer else {}),
    }
    return _unlike_the_papers(said)


def _unlike_the_papers(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a signature shows: not those as in the paper, and none without a value."""
    return {name: value for name, value in said.items() if value not in ("", _THE_PAPERS.get(name))}


def weigh_signature(weigher: Weigher, config: Config, questions: Sequence[str]) -> dict[str, Any]:
    """Return the settings of stage 3 for a signature: how words and bigrams were weighed.

    ``weigher`` is the fitted weighting. ``questions`` has the question of each cluster, or "" if a cluster
    has none.
    """
    settings, own = config.weigh, dict(weigher.signature)
    if "background" in own:
        own["background"] = ",".join(Path(path).name for path in settings.background) or "none"
    if issubclass(WEIGHTINGS[settings.weighting], CoverageWeighting):
        shared = CoverageWeighting(**own_of(settings, CoverageWeighting))
        # With a question or a boosted word, words in only one document count too.
        least = {1 if asked or settings.boost else shared.least_documents for asked in questions or [""]}
        bigrams = 1 if config.preprocess.concepts == "words" else plain(shared.bigram_factor)
        place = f"{plain(shared.place_bonus)}/{shared.place_fades}" if shared.place_bonus else "none"
        documents = ",".join(f"{number}+" for number in sorted(least))
        own |= _unlike_the_papers({"documents": documents, "bigrams": bigrams, "place": place})
    # If the questions came with the clusters, their texts are in the data.
    used = settings.query or ("own" if any(questions) else "")
    asked = {
        "boosted": ",".join(settings.boost),
        "ignored": ",".join(settings.ignore),
        "query": used if settings.use_query else "none",
    }
    versions = WEIGHTINGS.versions(settings.weighting)
    return {"weights": settings.weighting, **own, **_unlike_the_papers(asked), **versions}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 for a signature: the selector with its own settings, and the budget K.

    ``name`` is the selector, by default the configured one.
    """
    selector = config.selectors[name or config.select.selector]
    return {
        "selector": selector.name,
        **{name: shown(value) for name, value in settings_of(selector).items()},
        **around_signature(config, selector.name),
        "numpy": version("numpy"),
        **SELECTORS.versions(selector.name),
    }


def around_signature(config: Config, selector: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 that apply to every selector, for a signature.

    The budget K is always included. The other settings are included only if they are in use. Without a
    ``selector``, only what the user gave for all selectors is included.
    """
    select, budget = config.select, plain(config.select.budget)
    reading = select.reading_with(selector) if selector or not isinstance(select.reading, str) else 0
    return {
        **({} if select.fill == "whole" else {"fill": select.fill}),
        "k": budget if select.unit == "words" else f"{budget}{SUFFIXES[select.unit]}",
        **({"polish": "on"} if select.polish else {}),
        **({"reading": plain(reading)} if reading else {}),
        **{name: ",".join(texts) for name in ("must", "without") if (texts := getattr(select, name))},
    }


def of_all(
    sign: Callable[[Cluster, Config], dict[str, Any]], clusters: Sequence[Cluster], config: Config
) -> dict[str, Any]:
    """Return the settings of a stage for a signature of several clusters.

    ``sign`` returns the settings for one cluster. Values that differ by language are joined by "+".
    """
    found: dict[str, dict[Any, None]] = {}
    for cluster in {cluster.language: cluster for cluster in clusters}.values():
        for name, value in sign(cluster, config).items():
            found.setdefault(name, {})[value] = None
    return {name: "+".join(map(str, sorted(values, key=str))) for name, values in found.items()}


def signature_of(
    clusters: Sequence[Cluster], weighing: Mapping[str, Any], selecting: Mapping[str, Any], config: Config
) -> str:
    """Return on one line the settings of all stages that the summaries of clusters were made with.

    ``weighing`` and ``selecting`` are the settings of stages 3 and 5 for a signature.
    """
    loading = of_all(load_signature, clusters, config)
    preprocessing = of_all(preprocess_signature, clusters, config)
    stages = {"load": loading, "preprocess": preprocessing, "weigh": weighing, "select": selecting}
    return signature_text(stages)


def signature_of_run(cluster: Cluster, weights: WordWeights, config: Config) -> str:
    """Return the settings of all stages that the summary of a cluster was made with."""
    weighing = weigh_signature(weights.weigher, config, [weights.question]) if weights.weigher else {}
    return signature_of([cluster], weighing, select_signature(config), config)


def as_preprocessed(
    text: TokenizedCluster, signature: Signature, config: Config, place: str
) -> tuple[TokenizedCluster, Config]:
    """Return the terms of a cluster that the weighting needs, and the configuration that led to them.

    The signature says how stages 1 and 2 were run. It names the stemmer that was used for the language of its
    cluster. If the configuration leads to the same stemmer for that language, its setting is not changed, so
    that clusters of several languages can share one configuration. ``place`` is for error messages.
    """
    said = signature.get("preprocess", {})
    given = {name: value for name, value in signature.get("load", {}).items() if name == "encoding"}
    used = stemmer_used(config.preprocess.stemmer, text.cluster.language)
    if said.get("stemmer", used) != used:
        given["stemmer"] = said["stemmer"]
    if "stopwords" in said:
        given["remove_stopwords"] = said["stopwords"] in ("removed", _WEIGHED)
        given |= {name: said.get(name, _THE_PAPERS[name]) for name in ("concepts", "order", "datelines")}
    config = config.with_settings(given, places={name: f"{place}: signature {name}" for name in given})
    needs_stopwords = WEIGHTINGS[config.weigh.weighting].needs_stopwords
    if needs_stopwords and said.get("stopwords") == "removed":
        problem = f"its stop words were removed, and weighting {config.weigh.weighting} counts them"
        raise InputError(place, problem, f"run summc preprocess {as_typed('remove_stopwords=False')} before")
    if not needs_stopwords and said.get("stopwords") == _WEIGHED:
        text = config.analysis.content_of(text)
    return config.analysis.with_function_terms(text), config


def signature_text(signature: Signature) -> str:
    """Return a signature on one line: ``name:value`` for each setting and for summc's version.

    They are joined by "|".
    """
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return signature_line({**parts, "summc": version("summc")})
