"""Summarize documents: choose the sentences that cover the most important words, within a budget of K words.

>>> from summc import summarize
>>> summarize(["The dam broke. Nobody was hurt."], budget=3).text
'The dam broke.'

Each stage can also be called alone. Its function takes the record that the stage before it returns. The
functions are, in order: ``load``, ``tokenize``, ``fit_idf`` and ``weigh``, ``build_graph``, ``solve`` (with a
selector), ``make_summary``, ``rouge1``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summc.config import Config as Config
    from summc.documents import load as load
    from summc.errors import SummcError as SummcError
    from summc.graph.build import build_graph as build_graph
    from summc.graph.build import make_graph as make_graph
    from summc.pipeline import make_summary as make_summary
    from summc.pipeline import summarize as summarize
    from summc.pipeline import summarize_clusters as summarize_clusters
    from summc.preprocess.terms import tokenize as tokenize
    from summc.rouge import rouge1 as rouge1
    from summc.selectors import SELECTORS as SELECTORS
    from summc.selectors.solving import solve as solve
    from summc.weights import fit_idf as fit_idf
    from summc.weights import weigh as weigh

# Public name -> the module that defines it. The module is imported when the name is first used, so that the
# command line starts quickly.
_HOMES = {
    "Config": "config",
    "SELECTORS": "selectors",
    "SummcError": "errors",
    "build_graph": "graph.build",
    "fit_idf": "weights",
    "load": "documents",
    "make_graph": "graph.build",
    "make_summary": "pipeline",
    "rouge1": "rouge",
    "solve": "selectors.solving",
    "summarize": "pipeline",
    "summarize_clusters": "pipeline",
    "tokenize": "preprocess.terms",
    "weigh": "weights",
}

__all__ = [*_HOMES]  # noqa: PLE0604 (the keys of the table above)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"summc.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'summc' has no attribute {name!r}")
