"""Score the summaries of selectors on a data set, and tabulate the mean scores with confidence intervals."""

from summc.lab.evaluation.baselines import BASELINES
from summc.lab.evaluation.outcomes import (
    check_names,
    evaluate,
    evaluate_preset,
    make_cases,
    make_rouge,
    score_texts,
    warn_of_lengths,
)
from summc.lab.evaluation.table import ScoreRow, score_rows

__all__ = [
    "BASELINES",
    "ScoreRow",
    "check_names",
    "evaluate",
    "evaluate_preset",
    "make_cases",
    "make_rouge",
    "score_rows",
    "score_texts",
    "warn_of_lengths",
]
