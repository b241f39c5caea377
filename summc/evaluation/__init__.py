"""A data set x several selectors -> a table with intervals."""

from summc.evaluation.baselines import BASELINES
from summc.evaluation.outcomes import check_names, evaluate, evaluate_preset, make_rouge, prepare, score_texts
from summc.evaluation.table import Row, tabulate

__all__ = [
    "BASELINES",
    "Row",
    "check_names",
    "evaluate",
    "evaluate_preset",
    "make_rouge",
    "prepare",
    "score_texts",
    "tabulate",
]
