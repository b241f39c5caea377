"""The JSON that commands print fits the schemas that come with the package. Sessions are checked too."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.schemas import SCHEMAS, check_json, validator

DAM = SAMPLE / "docs" / "d90004t"


@pytest.mark.parametrize(
    "given",
    [
        "summarize -k 20,40 --fill truncate --format json DAM",
        "summarize -k 30 --format jsonl --explain --query when? DAM",
        "explain -k 30 --why-not spillway --format json DAM",
        "keywords --format json DAM",
        "evaluate --dataset sample --selector lead,random --per-cluster --format json",
        "load DAM",
        "curve -k 20,40 --format json DAM",
        "datasets --format json",
        "experiment map --graphs 2 --vary budget=0.1 --vary mu=0.5 --time --format json",
        "experiment random-graphs --graphs 2 --sentences 9 --mu 4 --exact --time --format json",
        "sweep --dataset sample --mu 0.02 --versus g-greedy,human --format json",
    ],
)
def test_json_fits_its_schema(summc: Cli, given: str) -> None:
    arguments = given.replace("DAM", str(DAM)).split()
    assert check_json(arguments, summc(*arguments).out)


def test_lines_of_all_stages_and_scores_fit_their_schemas(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "reference").write_text("The dam broke.")
    line = summc("load", "-", stdin="The old dam broke at dawn. Nobody in the town was hurt.").out
    for stage in ("preprocess", "weigh", "graph", "select"):
        line = summc(stage, stdin=line).out
        assert check_json([stage], line) == 1
    assert check_json(["render", "json"], summc("render", "--format", "json", stdin=line).out) == 1
    scores = ["score", "--reference", tmp_path / "reference", "--format", "json"]
    assert check_json(list(map(str, scores)), summc(*scores, stdin=line).out) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda result: result.pop("covered"),
        lambda result: result.update(words="20"),
        lambda result: result["sentences"][0].pop("document"),
        lambda result: result["sentences"][0].update(start=1.5),
        lambda result: result["sentences"][0].update(boxes=[[1, 2]]),
    ],
)
def test_other_json_does_not_fit(summc: Cli, change: Any) -> None:
    result = json.loads(summc("summarize", "-k", 20, "--format", "json", DAM).out)
    changed = deepcopy(result)
    change(changed)
    assert validator("summary").is_valid(result)
    assert not validator("summary").is_valid(changed)
    members = validator("summary").schema["$defs"]["SentenceResult"]["properties"]
    assert {name for sentence in result["sentences"] for name in sentence} <= set(members)


def test_every_schema_describes_a_command() -> None:
    files = (ROOT / "summc" / "schemas").iterdir()
    assert {*SCHEMAS.values(), "answer"} == {path.stem for path in files}
