"""Signatures: the settings of each stage of a run on one line, so that the result can be reproduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from summc.config import Config
from summc.errors import InputError, as_typed
from summc.preprocess.candidates import Candidates
from summc.preprocess.terms import load_stopwords, stemmer_library, stemmer_used
from summc.records import Cluster, Question, Run, TokenizedCluster
from summc.selectors import SELECTORS
from summc.settings import settings_of, signature_line, values_for
from summc.system.versions import version
from summc.text.numbers import SUFFIXES, plain, shown
from summc.weights import WEIGHTINGS, CoverageWeighting, Weigher

#: Values of settings as in Kitano and Takeda's paper. A signature leaves out settings with these values.
_THE_PAPERS = {
    "concepts": "words", "order": "given", "datelines": "kept",
    "left-out": Candidates(leave_out=(), least_words=1).signature, "documents": "1+", "bigrams": 1,
    "place": "none",
}  # fmt: skip

#: The value of "stopwords" in a signature if stage 2 kept stop words only for a weighting that needs them.
#: Another weighting must then leave them out.
_WEIGHED = "weighed"

#: Name of a stage -> the settings that it was run with.
Signature = Mapping[str, Mapping[str, Any]]


def load_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the settings of stage 1 for a signature: encoding, language and what split the text."""
    library, split = "nupunkt" if cluster.language == "en" else "sentencex", config.load.split
    by = {"splitter": f"{library}-{version(library)}"} if split == "sentences" else {"split": split}
    return {
        "encoding": config.load.encoding, "language": cluster.language, **by,
        **({"grouped": "by-topic"} if cluster.title else {}),
    }  # fmt: skip


def preprocess_signature(cluster: Cluster, config: Config) -> dict[str, Any]:
    """Return the settings of stage 2 for a signature: the stemmer, stop words, concepts and candidates."""
    settings = config.preprocess
    stemmer = stemmer_used(settings.stemmer, cluster.language)
    library = stemmer_library(stemmer)
    if not settings.remove_stopwords:
        stopwords = "kept"
    elif not config.preprocessor.removes_stopwords:
        stopwords = _WEIGHED
    else:
        stopwords = "removed" if load_stopwords(cluster.language) else "none-known"
    return _unlike_the_papers({
        "stemmer": stemmer, "stopwords": stopwords, "concepts": settings.concepts, "order": settings.order,
        "datelines": config.candidates.datelines, "left-out": config.candidates.signature,
        library: version(library) if library else "",
        **({"tokenizer": settings.tokenizer} if settings.tokenizer else {}),
        **({"labels": settings.labels} if settings.labels != "auto" else {}),
    })  # fmt: skip


def _unlike_the_papers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a signature shows: those with a value that differs from the paper."""
    return {name: value for name, value in values.items() if value not in ("", _THE_PAPERS.get(name))}


def weigh_signature(weigher: Weigher, config: Config, questions: Sequence[Question | None]) -> dict[str, Any]:
    """Return the settings of stage 3 for a signature: how words and bigrams were weighed.

    ``weigher`` is the fitted weighting. ``questions`` has the question of each cluster, or None if a cluster
    has none.
    """
    settings, values = config.weigh, dict(weigher.signature)
    if "background" in values:
        values["background"] = ",".join(Path(path).name for path in settings.background) or "none"
    if issubclass(WEIGHTINGS[settings.weighting], CoverageWeighting):
        shared = CoverageWeighting(**values_for(CoverageWeighting, settings))
        # With a question or a boosted word, words in only one document count too.
        least = {1 if query or settings.boost else shared.least_documents for query in questions or [None]}
        bigrams = 1 if config.preprocess.concepts == "words" else plain(shared.bigram_factor)
        place = f"{plain(shared.place_bonus)}/{shared.place_fades}" if shared.place_bonus else "none"
        documents = ",".join(f"{number}+" for number in sorted(least))
        values |= _unlike_the_papers({"documents": documents, "bigrams": bigrams, "place": place})
    # If the questions came with the clusters, their texts are in the data.
    used = settings.query or ("own" if any(questions) else "")
    query = used if settings.use_query else "none"
    steering = {
        "boosted": ",".join(settings.boost),
        "ignored": ",".join(settings.ignore),
        "query": query,
        "model": next((question.model for question in questions if question), ""),
    }
    versions = WEIGHTINGS.versions(settings.weighting)
    return {"weights": settings.weighting, **values, **_unlike_the_papers(steering), **versions}


def select_signature(config: Config, name: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 for a signature: the selector with its own settings, and the budget K.

    ``name`` is the selector, by default the configured one.
    """
    selector = config.selectors[name or config.select.selector]
    return {
        "selector": selector.name,
        **{name: shown(value) for name, value in settings_of(selector).items()},
        **common_signature(config, selector.name),
        "numpy": version("numpy"),
        **SELECTORS.versions(selector.name),
    }


def common_signature(config: Config, selector: str = "") -> dict[str, Any]:
    """Return the settings of stage 5 that apply to every selector, for a signature.

    The budget K is always included. The other settings are included only if they are in use. Without a
    ``selector``, only settings that the user gave for all selectors are included.
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


def joined_signature(
    sign: Callable[[Cluster, Config], dict[str, Any]], clusters: Sequence[Cluster], config: Config
) -> dict[str, Any]:
    """Return the settings of a stage for a signature of several clusters.

    ``sign`` returns the settings for one cluster. Values that differ by language are joined by "+".
    """
    by_name: dict[str, dict[Any, None]] = {}
    for cluster in {cluster.language: cluster for cluster in clusters}.values():
        for name, value in sign(cluster, config).items():
            by_name.setdefault(name, {})[value] = None
    return {name: "+".join(map(str, sorted(values, key=str))) for name, values in by_name.items()}


def signature_of(
    clusters: Sequence[Cluster], weighing: Mapping[str, Any], selecting: Mapping[str, Any], config: Config
) -> str:
    """Return on one line the settings of all stages that the summaries of clusters were made with.

    ``weighing`` and ``selecting`` are the settings of stages 3 and 5 for a signature.
    """
    loading = joined_signature(load_signature, clusters, config)
    preprocessing = joined_signature(preprocess_signature, clusters, config)
    stages = {"load": loading, "preprocess": preprocessing, "weigh": weighing, "select": selecting}
    return signature_text(stages)


def signature_of_run(run: Run) -> str:
    """Return the settings of all stages that a summary was made with."""
    weights, config = run.weights, run.config
    weighing = weigh_signature(weights.weigher, config, [weights.question]) if weights.weigher else {}
    return signature_of([run.summary.cluster], weighing, select_signature(config), config)


def as_preprocessed(
    tokenized: TokenizedCluster, signature: Signature, config: Config, place: str
) -> tuple[TokenizedCluster, Config]:
    """Return the terms of a cluster that the weighting needs, and the configuration that led to them.

    The signature says how stages 1 and 2 were run. It names the stemmer that was used for the language of its
    cluster. If the configuration leads to the same stemmer for that language, its setting is not changed, so
    that clusters of several languages can share one configuration. ``place`` is for error messages.
    """
    values = signature.get("preprocess", {})
    loaded = signature.get("load", {})
    changes = {name: value for name, value in loaded.items() if name in ("encoding", "split")}
    if "splitter" in loaded:
        changes["split"] = "sentences"
    used = stemmer_used(config.preprocess.stemmer, tokenized.cluster.language)
    if values.get("stemmer", used) != used:
        changes["stemmer"] = values["stemmer"]
    if "stopwords" in values:
        changes["remove_stopwords"] = values["stopwords"] in ("removed", _WEIGHED)
        changes |= {name: values.get(name, _THE_PAPERS[name]) for name in ("concepts", "order", "datelines")}
    config = config.with_settings(changes, places={name: f"{place}: signature {name}" for name in changes})
    needs_stopwords = WEIGHTINGS[config.weigh.weighting].needs_stopwords
    if needs_stopwords and values.get("stopwords") == "removed":
        problem = f"its stop words were removed, and weighting {config.weigh.weighting} counts them"
        raise InputError(place, problem, f"run summc preprocess {as_typed('remove_stopwords=False')} before")
    if not needs_stopwords and values.get("stopwords") == _WEIGHED:
        tokenized = config.preprocessor.content_of(tokenized)
    return config.preprocessor.with_function_terms(tokenized), config


def signature_text(signature: Signature) -> str:
    """Return a signature on one line: ``name:value`` for each setting and for summc's version.

    They are joined by "|".
    """
    parts = {name: value for stage in signature.values() for name, value in stage.items()}
    return signature_line({**parts, "summc": version("summc")})
