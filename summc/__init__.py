"""Summarize documents: choose the sentences that cover the most important words, within a budget.

>>> import summc
>>> summary = summc.summarize("The dam broke. Nobody was hurt.", "3w")
>>> print(summary)
The dam broke.

``summarize`` takes texts (``str``) or paths (``pathlib.Path``) and returns a ``Summary``.
``Summarizer`` does the same for many clusters, as a transformer of scikit-learn.
``keywords`` returns the words and phrases that weigh the most.
``score`` scores a summary against references by ROUGE.
``evaluate``, ``compare``, ``sweep`` and ``curve`` measure selectors on data sets.
``Problem``, ``solve`` and ``least_budget`` are for coverage problems without text.
``propagate`` runs belief propagation on one and returns the marginals.
``stages`` has the six stages of ``summarize``: load, preprocess, weigh, graph, select and render.
``SELECTORS`` and ``WEIGHTINGS`` list the algorithms by name; ``Config`` has all settings.
All errors are subclasses of ``SummcError``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summc.api import load, stages
    from summc.api.beliefs import Beliefs, propagate
    from summc.api.estimator import Summarizer
    from summc.api.evaluation import compare, curve, evaluate, sweep
    from summc.api.problems import Problem, Solution, least_budget, solve
    from summc.api.summaries import (
        Explanation,
        Summary,
        SummarySentence,
        keywords,
        score,
        summarize,
    )  # fmt: skip
    from summc.config import Config
    from summc.errors import InputError, NoSummaryError, NotFoundError, SettingError, SummcError
    from summc.records import Cluster, CoverageGraph, Score, Selection, TokenizedCluster, WordWeights
    from summc.report.keywords import Keyword
    from summc.selectors import SELECTORS, Selector
    from summc.weights import WEIGHTINGS

    __version__: str

__all__ = [  # noqa: RUF022 (in the order in which people meet them)
    "summarize", "Summary", "SummarySentence", "Explanation", "Summarizer",
    "keywords", "Keyword", "score", "Score",
    "Problem", "solve", "least_budget", "Solution", "propagate", "Beliefs", "Selection",
    "load", "stages",
    "Cluster", "TokenizedCluster", "WordWeights", "CoverageGraph", "Selector",
    "evaluate", "compare", "sweep", "curve",
    "Config", "SELECTORS", "WEIGHTINGS",
    "SummcError", "SettingError", "InputError", "NotFoundError", "NoSummaryError",
]  # fmt: skip

# The modules that have the public names, light ones first. They are imported until one has the name that is
# used, so that ``import summc`` and the command line start quickly.
_HOMES = (
    "errors",
    "weights",
    "api",
    "api.problems",
    "api.beliefs",
    "api.summaries",
    "api.estimator",
    "records",
    "api.evaluation",
)


if not TYPE_CHECKING:  # type checkers would take any name for an attribute of the module

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from summc.system.versions import version

            return version("summc")
        if name == "stages":
            return importlib.import_module("summc.api.stages")
        for home in _HOMES if name in __all__ else ():
            if hasattr(module := importlib.import_module(f"summc.{home}"), name):
                return getattr(module, name)
        raise AttributeError(f"module 'summc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
