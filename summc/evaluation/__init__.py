"""Score the summaries of selectors on a data set, and tabulate the mean scores with confidence intervals."""

from summc.evaluation.baselines import BASELINES
from summc.evaluation.outcomes import (
    check_names,
    evaluate,
    evaluate_preset,
    make_rouge,
    prepare,
    score_texts,
    warn_of_lengths,
)
from summc.evaluation.table import ScoreRow, score_rows

__all__ = [
    "BASELINES",
    "ScoreRow",
    "check_names",
    "evaluate",
    "evaluate_preset",
    "make_rouge",
    "prepare",
    "score_rows",
    "score_texts",
    "warn_of_lengths",
]
