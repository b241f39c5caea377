"""Check the JSON that commands print against the schemas of the package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from jsonschema import Draft202012Validator

from tests.conftest import ROOT

#: Command -> the schema of its JSON.
SCHEMAS = {
    **dict.fromkeys(("load", "preprocess", "weigh", "graph", "select"), "stage"),
    **dict.fromkeys(("summarize", "render", "batch"), "summary"),
    **{name: name for name in ("curve", "datasets", "experiment", "keywords", "sweep")},
    "explain": "explanation", "score": "scores", "evaluate": "evaluation",
}  # fmt: skip


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema such as "summary", which also finds members that it lacks.

    Stages and summaries pass on members that a line has of its own.
    """
    schema = json.loads((ROOT / "summc" / "schemas" / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    for record, part in schema["$defs"].items():
        if "properties" in part and record not in ("SummaryResult", "FailedSummary", "StageLine"):
            part.setdefault("additionalProperties", False)
    return Draft202012Validator(schema)


def check_json(arguments: Sequence[str], out: str) -> int:
    """Check what a command printed, if it is JSON; return how many values there were."""
    name = SCHEMAS.get(arguments[0], "") if arguments else ""
    if not out.startswith('{"' if name == "stage" else ("{", "[")):
        return 0
    if name != "stage" and not {"json", "jsonl"} & {*arguments}:
        return 0
    lines = [out] if out[1:2] in ("\n", "") else filter(str.strip, out.split("\n"))
    values = list(map(json.loads, lines if name else ()))
    for value in values:
        validator(name).validate(value)
    return len(values)
