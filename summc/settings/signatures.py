"""Signatures: the settings of each stage of a run on one line, so that the result can be reproduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from summc.errors import InputError, as_typed
from summc.preprocess.candidates import Candidates
from summc.preprocess.terms import load_stopwords, stemmer_library, stemmer_used
from summc.records import Cluster
from summc.selectors import SELECTORS
from summc.settings import own_of, settings_of
from summc.settings.config import Config
from summc.system.versions import version
from summc.text.numbers import SUFFIXES, plain, shown
from summc.weights import WEIGHTINGS, CoverageWeighting, Weigher
from summc.weights.settings import WeighSettings

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
    """Return the settings of stage 2, preprocessing: the stemmer, stop words, concepts and candidates.

    They become a part of the signature of a result, the line that tells how to reproduce it.
    """
    stemmer = stemmer_used(config.preprocess.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    return {
        "stemmer": stemmer,
        "stopwords": _stopwords_signature(cluster.language, config),
        **_coverage_signature(config),
        **({library: version(library)} if library else {}),
    }


def _coverage_signature(config: Config) -> dict[str, Any]:
    """Return the settings of concepts and candidate sentences that differ from those of the paper."""
    settings, candidates = config.preprocess, config.candidates
    found = {
        "concepts": settings.concepts,
        "order": settings.order,
        "datelines": candidates.datelines,
        "left-out": candidates.signature,
    }
    return {name: value for name, value in found.items() if value != _THE_PAPERS[name]}


def _stopwords_signature(language: str, config: Config) -> str:
    if not config.preprocess.remove_stopwords:
        return "kept"
    if not config.analysis.removes_stopwords:
        return _WEIGHED
    return "removed" if load_stopwords(language) else "none-known"


def weigh_signature(weigher: Weigher, config: Config, questions: Sequence[str]) -> dict[str, Any]:
    """Return the settings of stage 3 for a signature: how words and bigrams were weighed.

    ``weigher`` is the fitted weighting. ``questions`` has the question of each cluster, or "" if a cluster
    has none.
    """
    settings, own = config.weigh, dict(weigher.signature)
    if "background" in own:
        own["background"] = ",".join(Path(path).name for path in settings.background) or "none"
    return {
        "weights": settings.weighting,
        **own,
        **_shared_signature(config, questions),
        **_steering_signature(settings, questions),
        **WEIGHTINGS.versions(settings.weighting),
    }


def _shared_signature(config: Config, questions: Sequence[str]) -> dict[str, Any]:
    """Return the settings that coverage weightings share, for a signature; {} for other weightings."""
    settings, make = config.weigh, WEIGHTINGS[config.weigh.weighting]
    if not issubclass(make, CoverageWeighting):
        return {}
    shared = CoverageWeighting(**own_of(settings, CoverageWeighting))
    # With a question or a boosted word, words in only one document count too.
    least = {1 if question or settings.boost else shared.least_documents for question in questions or [""]}
    words_alone = config.preprocess.concepts == "words"
    said = {
        "documents": ",".join(f"{number}+" for number in sorted(least)),
        "bigrams": 1 if words_alone else plain(shared.bigram_factor),
        "place": f"{plain(shared.place_bonus)}/{shared.place_fades}" if shared.place_bonus else "none",
    }
    return {name: value for name, value in said.items() if value != _THE_PAPERS[name]}


def _steering_signature(settings: WeighSettings, questions: Sequence[str]) -> dict[str, Any]:
    """Return the query, the boosted words and the ignored words for a signature, each only if there are any.

    If the questions came with the clusters, the query is "own", because their texts are in the data.
    """
    used = settings.query or ("own" if any(questions) else "")
    query = used if settings.use_query else "none"
    asked = {"boosted": ",".join(settings.boost), "ignored": ",".join(settings.ignore), "query": query}
    return {name: value for name, value in asked.items() if value}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 for a signature: the selector with its own settings, and the budget K.

    ``name`` is the selector, by default the configured one.
    """
    selector = config.selector_named(name or config.select.selector)
    settings = {name: shown(value) for name, value in settings_of(selector).items()}
    return {
        "selector": selector.name,
        **settings,
        **around_signature(config, selector.name),
        "numpy": version("numpy"),
        **SELECTORS.versions(selector.name),
    }


def around_signature(config: Config, selector: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 that apply to every selector, for a signature.

    The budget K is always included. The other settings are included only if they are in use. Without a
    ``selector``, only what the user gave for all selectors is included.
    """
    select = config.select
    given = not isinstance(select.reading, str)
    reading = select.reading_with(selector) if selector or given else 0
    return {
        **({} if select.fill == "whole" else {"fill": select.fill}),
        "k": f"{plain(select.budget)}{SUFFIXES[select.unit]}"
        if select.unit != "words"
        else plain(select.budget),
        **({"polish": "on"} if select.polish else {}),
        **({"reading": plain(reading)} if reading else {}),
        **({"must": ",".join(select.must)} if select.must else {}),
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


def signature_of(cluster: Cluster, weighing: Mapping[str, Any], config: Config) -> str:
    """Return on one line the settings of all stages that a summary was made with.

    ``weighing`` are the settings of stage 3 for a signature.
    """
    return signature_text(
        {
            "load": load_signature(cluster, config),
            "preprocess": preprocess_signature(cluster, config),
            "weigh": weighing,
            "select": select_signature(config),
        }
    )


def run_signature(clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config) -> str:
    """Return on one line the settings that all summaries of a run share, without the budget.

    ``weighing`` are the settings of stage 3 for a signature.
    """
    select = {name: value for name, value in select_signature(config).items() if name != "k"}
    return signature_text(
        {
            "load": of_all(load_signature, clusters, config),
            "preprocess": of_all(preprocess_signature, clusters, config),
            "weigh": weighing,
            "select": select,
        }
    )


def with_signature(config: Config, signature: Signature, language: str) -> Config:
    """Return the configuration, changed so that text is loaded and preprocessed as the signature says.

    A signature names the stemmer that was used for the ``language`` of its cluster. If the configuration
    leads to the same stemmer for that language, its setting is not changed, so that clusters of several
    languages can share one configuration.
    """
    loaded, preprocessed = signature.get("load", {}), signature.get("preprocess", {})
    given: dict[str, Any] = {}
    if "encoding" in loaded:
        given["encoding"] = loaded["encoding"]
    used = stemmer_used(config.preprocess.stemmer, language)
    if preprocessed.get("stemmer", used) != used:
        given["stemmer"] = preprocessed["stemmer"]
    if "stopwords" in preprocessed:
        given["remove_stopwords"] = preprocessed["stopwords"] in ("removed", _WEIGHED)
        for name in ("concepts", "order", "datelines"):
            given[name] = preprocessed.get(name, _THE_PAPERS[name])
    return config.with_settings(given, places={name: name for name in given})


def leaves_out_stopwords(signature: Signature, config: Config) -> bool:
    """Tell whether the weighting must leave out stop words that stage 2 kept for another weighting.

    ``signature`` has the settings with which stage 2 was run.
    """
    needs = WEIGHTINGS[config.weigh.weighting].needs_stopwords
    return signature.get("preprocess", {}).get("stopwords") == _WEIGHED and not needs


def check_stopwords(signature: Signature, config: Config, place: str) -> None:
    """Raise ``InputError`` if the signature says that stop words were removed, but the weighting needs them.

    ``signature`` has the settings with which stage 2 was run, and ``place`` names the input in the message.
    """
    removed = signature.get("preprocess", {}).get("stopwords") == "removed"
    if removed and WEIGHTINGS[config.weigh.weighting].needs_stopwords:
        problem = f"its stop words were removed, and weighting {config.weigh.weighting} counts them"
        raise InputError(place, problem, f"run summc preprocess {as_typed('remove_stopwords=False')} before")


def signature_text(signature: Signature) -> str:
    """Return a signature on one line: ``name:value`` for each setting and for summc's version.

    They are joined by "|".
    """
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return "|".join(f"{name}:{value}" for name, value in {**parts, "summc": version("summc")}.items())
