"""Summarize documents: choose the sentences that cover the most important words, within a budget.

>>> import summc
>>> summary = summc.summarize("The dam broke. Nobody was hurt.", "3w")
>>> print(summary)
The dam broke.

``summarize`` takes texts (``str``) or paths (``pathlib.Path``) and returns a ``Summary``.
``Summarizer`` does the same for many clusters, as a transformer of scikit-learn.
``score`` scores a summary against references by ROUGE.
``Problem`` and ``solve`` are for coverage problems without text.
``load``, ``tokenize``, ``weigh``, ``build_graph``, ``select`` and ``render`` are the stages of ``summarize``.
``SELECTORS`` and ``WEIGHTINGS`` list the algorithms by name; ``Config`` has all settings.
All errors are subclasses of ``SummcError``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summc.api.estimator import Summarizer as Summarizer
    from summc.api.problems import Problem as Problem
    from summc.api.problems import solve as solve
    from summc.api.sources import load as load
    from summc.api.stages import build_graph as build_graph
    from summc.api.stages import render as render
    from summc.api.stages import score as score
    from summc.api.stages import select as select
    from summc.api.stages import tokenize as tokenize
    from summc.api.stages import weigh as weigh
    from summc.api.summaries import Explanation as Explanation
    from summc.api.summaries import Summary as Summary
    from summc.api.summaries import SummarySentence as SummarySentence
    from summc.api.summaries import summarize as summarize
    from summc.errors import InputError as InputError
    from summc.errors import NoSummaryError as NoSummaryError
    from summc.errors import NotFoundError as NotFoundError
    from summc.errors import SettingError as SettingError
    from summc.errors import SummcError as SummcError
    from summc.records import Cluster as Cluster
    from summc.records import Score as Score
    from summc.records import Selection as Selection
    from summc.selectors import SELECTORS as SELECTORS
    from summc.settings.config import Config as Config
    from summc.weights import WEIGHTINGS as WEIGHTINGS

    __version__: str

# The module that defines each public name. It is imported when the name is first used, so that ``import
# summc`` and the command line start quickly.
_HOMES = {
    "Cluster": "records",
    "Config": "settings.config",
    "Explanation": "api.summaries",
    "InputError": "errors",
    "NoSummaryError": "errors",
    "NotFoundError": "errors",
    "Problem": "api.problems",
    "SELECTORS": "selectors",
    "Score": "records",
    "Selection": "records",
    "SettingError": "errors",
    "Summarizer": "api.estimator",
    "Summary": "api.summaries",
    "SummarySentence": "api.summaries",
    "SummcError": "errors",
    "WEIGHTINGS": "weights",
    "build_graph": "api.stages",
    "load": "api.sources",
    "render": "api.stages",
    "score": "api.stages",
    "select": "api.stages",
    "solve": "api.problems",
    "summarize": "api.summaries",
    "tokenize": "api.stages",
    "weigh": "api.stages",
}

__all__ = [  # noqa: RUF022 (in the order in which people meet them)
    "summarize",
    "Summary",
    "SummarySentence",
    "Explanation",
    "Summarizer",
    "score",
    "Score",
    "Problem",
    "solve",
    "Selection",
    "load",
    "tokenize",
    "weigh",
    "build_graph",
    "select",
    "render",
    "Cluster",
    "Config",
    "SELECTORS",
    "WEIGHTINGS",
    "SummcError",
    "SettingError",
    "InputError",
    "NotFoundError",
    "NoSummaryError",
]


if not TYPE_CHECKING:  # type checkers would take any name for an attribute of the module

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from summc.system.versions import version

            return version("summc")
        if name in _HOMES:
            return getattr(importlib.import_module(f"summc.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'summc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
