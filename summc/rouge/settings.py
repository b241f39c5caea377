"""The settings of stage 6, which scores summaries with ROUGE."""

from __future__ import annotations

from dataclasses import dataclass

from summc.rouge import METRICS, PROTOCOLS
from summc.settings import setting


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """The settings of stage 6: which ROUGE metrics, under which protocol, on which tokens."""

    rouge: str = setting(
        "paper",
        "Mean over references (paper), or as ROUGE-1.5.5: pooled and cut at K words (official).",
        choices=PROTOCOLS,
    )
    rouge_bytes: int = setting(
        0, "official: cut texts at N bytes, not at K words; 0 means at K words.", at_least=0, metavar="N"
    )
    metrics: tuple[str, ...] = setting(("rouge1",), "What to score by.", choices=METRICS, commas=True)
    stem: bool = setting(False, "Score by the stems of ROUGE-1.5.5 -m, on both sides.", off="no-stem")  # noqa: FBT003
    rouge_stopwords: str = setting("kept", "Stop words in scores.", choices=("kept", "removed"))
