"""What a run was made with, on one line: a part for each stage, so that a result can be made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from summc.config import Config
from summc.errors import InputError
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

#: What goes without saying in a signature.
_THE_PAPERS = {
    "concepts": "words",
    "order": "given",
    "datelines": "kept",
    "left-out": Candidates(leave_out=(), least_words=1).signature,
    "documents": "1+",
    "bigrams": 1,
    "place": "none",
}

#: Stop words that stage 2 kept for a weighting that needs them; another weighting leaves them out.
_WEIGHED = "weighed"

#: The settings that each stage has run with so far, stage by stage.
Signature = Mapping[str, Mapping[str, Any]]


def load_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the encoding, the language and the library that split its sentences."""
    splitter = "nupunkt" if cluster.language == "en" else "sentencex"
    return {
        "encoding": config.load.encoding,
        "language": cluster.language,
        "splitter": f"{splitter}-{version(splitter)}",
        **({"grouped": "by-topic"} if cluster.title else {}),
    }


def preprocess_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the stemmer that was really used, and whether stop words were kept."""
    stemmer = stemmer_used(config.preprocess.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    return {
        "stemmer": stemmer,
        "stopwords": _stopwords_signature(cluster.language, config),
        **_coverage_signature(config),
        **({library: version(library)} if library else {}),
    }


def _coverage_signature(config: Config) -> dict[str, Any]:
    """Return what is covered and which sentences may be chosen, where that is not all as the paper has it."""
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
    """Return how words, or whatever is covered, were weighed.

    ``questions`` has the question that each cluster was asked, "" where there was none.
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
    if isinstance(weigher, Expected):  # has constants of its own for all that
        said = {}
    package = WEIGHTINGS.versions(settings.weighting)
    return {
        "weights": settings.weighting, **own, **said, **_steering_signature(settings, questions), **package
    }  # fmt: skip


def _steering_signature(settings: WeighSettings, questions: Sequence[str]) -> dict[str, Any]:
    """Return what the user asked of the weights, where anything was asked.

    A cluster's own question is not spelled out, since it stands in the data: ``query:own``.
    """
    used = settings.query or ("own" if any(questions) else "")
    query = used if settings.use_query else "none"
    asked = {"boosted": ",".join(settings.boost), "ignored": ",".join(settings.ignore), "query": query}
    return {name: value for name, value in asked.items() if value}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return a selector, by default the chosen one, with its own settings, and the budget K."""
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
    """Return what was asked of a choice whichever selector makes it: the budget K, and what is not usual."""
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
    """Return what a stage was run with on clusters of perhaps several languages, each value that it had."""
    found: dict[str, dict[Any, None]] = {}
    for cluster in {cluster.language: cluster for cluster in clusters}.values():
        for name, value in sign(cluster, config).items():
            found.setdefault(name, {})[value] = None
    return {name: "+".join(map(str, sorted(values, key=str))) for name, values in found.items()}


def run_signature(clusters: Sequence[Cluster], weighing: Mapping[str, Any], config: Config) -> str:
    """Return on one line what all summaries of a run share, whatever their budgets."""
    select = {name: value for name, value in select_signature(config).items() if name != "k"}
    return signature_text(
        {
            "load": of_all(load_signature, clusters, config),
            "preprocess": of_all(preprocess_signature, clusters, config),
            "weigh": weighing,
            "select": select,
        }
    )


def with_signature(config: Config, signature: Signature) -> Config:
    """Return a configuration that reads and preprocesses text as the stages of a signature did."""
    loaded, preprocessed = signature.get("load", {}), signature.get("preprocess", {})
    given: dict[str, Any] = {}
    if "encoding" in loaded:
        given["encoding"] = loaded["encoding"]
    if "stemmer" in preprocessed:
        given["stemmer"] = preprocessed["stemmer"]
    if "stopwords" in preprocessed:
        given["remove_stopwords"] = preprocessed["stopwords"] in ("removed", _WEIGHED)
        for name in ("concepts", "order", "datelines"):
            given[name] = preprocessed.get(name, _THE_PAPERS[name])
    return config.with_settings(given)


def leaves_out_stopwords(signature: Signature, config: Config) -> bool:
    """Tell whether a weighting has to leave out stop words that stage 2 kept for another one."""
    needs = WEIGHTINGS[config.weigh.weighting].needs_stopwords
    return signature.get("preprocess", {}).get("stopwords") == _WEIGHED and not needs


def check_stopwords(signature: Signature, config: Config, place: str) -> None:
    """Refuse text whose stop words are gone, for a weighting that needs them."""
    removed = signature.get("preprocess", {}).get("stopwords") == "removed"
    if removed and WEIGHTINGS[config.weigh.weighting].needs_stopwords:
        problem = f"its stop words were removed, and weighting {config.weigh.weighting} counts them"
        raise InputError(place, problem, "run summc preprocess --keep-stopwords before")


def signature_text(signature: Signature) -> str:
    """Return a signature on one line."""
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return "|".join(f"{name}:{value}" for name, value in {**parts, "summc": version("summc")}.items())
