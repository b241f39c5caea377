"""Score a summary against references, which people wrote, by ROUGE.

A text is cut and split into tokens (``texts``, ``stems``). A metric counts how much of a reference is in a
summary (``counts``). A protocol turns these counts into recall, precision and F (``scorer``). The library
SumEval finds words, counts n-grams, and measures ROUGE-L for the paper's protocol. Everything else is
implemented in this package and tested against scores that ROUGE-1.5.5 printed.
``RougeScorer`` scores one text against another, with the calls of the package ``rouge_score``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summc.rouge.rouge_score import RougeScorer as RougeScorer

METRICS = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeW", "rougeSU4")


if not TYPE_CHECKING:  # type checkers would take any name for an attribute of the module

    def __getattr__(name: str) -> Any:
        if name == "RougeScorer":  # imported late: SumEval takes time, and configurations need only METRICS
            from summc.rouge import rouge_score  # noqa: PLC0415

            return rouge_score.RougeScorer
        raise AttributeError(f"module 'summc.rouge' has no attribute {name!r}")
