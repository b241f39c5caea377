"""The settings of scoring by ROUGE."""

from __future__ import annotations

from dataclasses import dataclass

from summc.rouge import METRICS
from summc.settings import setting


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """The settings of scoring: which ROUGE metrics, under which protocol, on which tokens."""

    rouge: str = setting(
        "paper",
        "paper: mean over the references. official: as ROUGE-1.5.5, cut at K words.",
        choices=("paper", "official"),
        common=True,
    )
    rouge_bytes: int = setting(
        0, "official: cut at N bytes instead of K words, unless N is 0.", at_least=0, metavar="N"
    )
    metrics: tuple[str, ...] = setting(("rouge1",), "Metrics.", choices=METRICS, commas=True, common=True)
    stem: bool = setting(
        False,  # noqa: FBT003
        "Use stems, as ROUGE-1.5.5 -m.",
        off="no-stem",
        common=True,
    )
    rouge_stopwords: str = setting("kept", "Stop words in scored texts.", choices=("kept", "removed"))
