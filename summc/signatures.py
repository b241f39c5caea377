"""Signatures: the settings of a run on one line, stage by stage, so that its result can be reproduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from summc.config import Config
from summc.errors import InputError, named
from summc.files.versions import version
from summc.preprocess.candidates import Candidates
from summc.preprocess.terms import load_stopwords, stemmer_library, stemmer_used
from summc.records import Cluster
from summc.selectors import SELECTORS
from summc.settings import settings_of
from summc.text.amounts import SUFFIXES
from summc.text.numbers import plain, shown
from summc.weights import WEIGHTINGS, Expected, Weigher
from summc.weights.settings import WeighSettings

#: The paper's values, which a signature leaves out.
_THE_PAPERS = {
    "concepts": "words",
    "order": "given",
    "datelines": "kept",
    "left-out": Candidates(leave_out=(), least_words=1).signature,
    "documents": "1+",
    "bigrams": 1,
    "place": "none",
}

#: Value of "stopwords" if stage 2 kept them for a weighting that needs them; other weightings leave them out.
_WEIGHED = "weighed"

#: Stage -> the settings that it has run with.
Signature = Mapping[str, Mapping[str, Any]]


def load_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the encoding and the language of a cluster, and the library that split its sentences."""
    splitter = "nupunkt" if cluster.language == "en" else "sentencex"
    return {
        "encoding": config.load.encoding,
        "language": cluster.language,
        "splitter": f"{splitter}-{version(splitter)}",
        **({"grouped": "by-topic"} if cluster.title else {}),
    }


def preprocess_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the stemmer that was used for the cluster's language, and how stop words were treated."""
    stemmer = stemmer_used(config.preprocess.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    return {
        "stemmer": stemmer,
        "stopwords": _stopwords_signature(cluster.language, config),
        **_coverage_signature(config),
        **({library: version(library)} if library else {}),
    }


def _coverage_signature(config: Config) -> dict[str, Any]:
    """Return the settings of concepts and candidate sentences that differ from the paper's."""
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
    """Return how the words, or other concepts, were weighed.

    ``questions`` has the question of each cluster, or "".
    """
    settings, own = config.weigh, dict(weigher.signature)
    if "background" in own:
        own["background"] = ",".join(Path(path).name for path in settings.background) or "none"
    words_alone = config.preprocess.concepts == "words"
    least = {settings.shape_for(question).least_documents for question in questions or [""]}
    shape = {
        "documents": ",".join(f"{number}+" for number in sorted(least)),
        "bigrams": 1 if words_alone else plain(settings.bigram_factor),
        "place": f"{plain(settings.place_bonus)}/{settings.place_fades}" if settings.place_bonus else "none",
    }
    said = {name: value for name, value in shape.items() if value != _THE_PAPERS[name]}
    if isinstance(weigher, Expected):  # uses its own constants instead of these
        said = {}
    package = WEIGHTINGS.versions(settings.weighting)
    return {
        "weights": settings.weighting, **own, **said, **_steering_signature(settings, questions), **package
    }  # fmt: skip


def _steering_signature(settings: WeighSettings, questions: Sequence[str]) -> dict[str, Any]:
    """Return the query and the boosted and ignored words, if there are any.

    A cluster's own question is given as ``query:own``, because its text is in the data.
    """
    used = settings.query or ("own" if any(questions) else "")
    query = used if settings.use_query else "none"
    asked = {"boosted": ",".join(settings.boost), "ignored": ",".join(settings.ignore), "query": query}
    return {name: value for name, value in asked.items() if value}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return a selector, by default the configured one, with its own settings and the budget K."""
    selector = config.selector_named(name or config.select.selector)
    settings = {name: shown(value) for name, value in settings_of(selector).items()}
    return {
        "selector": selector.name,
        **settings,
        **around_signature(config),
        "numpy": version("numpy"),
        **SELECTORS.versions(selector.name),
    }


def around_signature(config: Config) -> dict[str, Any]:
    """Return the settings of stage 5 that apply to every selector: the budget K, and the others if used."""
    select = config.select
    return {
        **({} if select.fill == "whole" else {"fill": select.fill}),
        "k": f"{plain(select.budget)}{SUFFIXES[select.unit]}"
        if select.unit != "words"
        else plain(select.budget),
        **({"polish": "on"} if select.polish else {}),
        **({"reading": plain(select.reading)} if select.reading else {}),
        **({"must": ",".join(select.must)} if select.must else {}),
    }


def of_all(
    sign: Callable[[Cluster, Config], dict[str, Any]], clusters: Sequence[Cluster], config: Config
) -> dict[str, Any]:
    """Return the settings of a stage over all clusters; values that differ by language are joined by "+"."""
    found: dict[str, dict[Any, None]] = {}
    for cluster in {cluster.language: cluster for cluster in clusters}.values():
        for name, value in sign(cluster, config).items():
            found.setdefault(name, {})[value] = None
    return {name: "+".join(map(str, sorted(values, key=str))) for name, values in found.items()}


def run_signature(clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config) -> str:
    """Return on one line the settings that all summaries of a run share; the budget is left out."""
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
    """Return the configuration changed to load and preprocess text as the signature says.

    A signature names the stemmer that was used in its ``language``. The configured stemmer stays if it means
    the same one there, so that clusters of several languages share one configuration.
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
    """Tell whether the weighting must leave out stop words that stage 2 kept for another weighting."""
    needs = WEIGHTINGS[config.weigh.weighting].needs_stopwords
    return signature.get("preprocess", {}).get("stopwords") == _WEIGHED and not needs


def check_stopwords(signature: Signature, config: Config, place: str) -> None:
    """Raise ``InputError`` if stop words were removed and the weighting needs them."""
    removed = signature.get("preprocess", {}).get("stopwords") == "removed"
    if removed and WEIGHTINGS[config.weigh.weighting].needs_stopwords:
        problem = f"its stop words were removed, and weighting {config.weigh.weighting} counts them"
        raise InputError(place, problem, f"run summc preprocess {named('remove_stopwords=False')} before")


def signature_text(signature: Signature) -> str:
    """Return a signature on one line."""
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return "|".join(f"{name}:{value}" for name, value in {**parts, "summc": version("summc")}.items())
