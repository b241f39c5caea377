"""The JSON Schemas of what commands print, made from the records. ``summc/schemas`` has them as files."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import cache, reduce
from importlib import resources
from operator import or_
from typing import Any, NotRequired, TypedDict, get_args, get_origin, get_type_hints

import msgspec

from summc.records import KINDS, PROSE
from summc.report import codec
from summc.report.explain import Explanation, Location
from summc.report.keywords import Keyword
from summc.report.summaries import SentenceResult, SummaryResult
from summc.report.text import MAY_LACK, NOT_IN_JSON

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: The types of ``codec`` that msgspec does not know.
_KNOWN: Mapping[type, dict[str, Any]] = {
    codec.Amount: {"type": "number", "minimum": 0},
    codec.Weight: {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]},
    codec.KindName: {"enum": [PROSE, *KINDS]},
    codec.DateText: {"type": "string", "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$"},
}
#: The members of a table that are named after metrics, such as rouge1.
_FIGURES = {"type": "object", "required": ["recall", "precision", "f1"]}


class Place(TypedDict):
    """A sentence and where it stands: its document, the date of that, and its position, from 0."""

    document: str
    date: NotRequired[str]
    position: int
    text: str


@cache
def _shape(record: Any) -> Any:
    """Return the type of what ``as_json`` makes of a record: an object with its attributes as members."""
    if record is Location:
        return Place
    parts = tuple(map(_shape, get_args(record)))
    if get_origin(record) is tuple:
        return list[parts[0]]  # type: ignore[valid-type]
    if not dataclasses.is_dataclass(record):
        return reduce(or_, parts) if parts else record
    hints, members = get_type_hints(record), dict[str, Any]()
    for name in (field.name for field in dataclasses.fields(record) if field.name not in NOT_IN_JSON):
        if name == "location":
            members |= get_type_hints(Place, include_extras=True)
        else:
            kind = _shape(hints[name])
            members[name.rstrip("_")] = NotRequired[kind] if name in MAY_LACK else kind
    return _object(str(getattr(record, "__name__", "")), **members)


def _object(name: str, **members: Any) -> Any:
    return TypedDict(name, members)  # type: ignore[operator]


_STAGES = {name: NotRequired[shape] for name, shape in codec.SHAPES.items()}
_KEYWORDS: Any = list[_shape(Keyword)]  # type: ignore[misc]
_EXPLANATION = get_type_hints(_shape(Explanation), include_extras=True)
_COVERED = {"covered_weight": float, "total_weight": float, "bound": float | None}
_FAILURE = _object("Failure", code=int, place=str, problem=str, remedy=str)
_ROW = _object(
    "EvaluationRow", selector=str, clusters=int, covered_weight=float | None, words=float,
    converged=float | None, proven=float | None, settings=dict[str, Any] | None,
)  # fmt: skip
_ROWS: Any = {"rows": list[_ROW], "per_cluster": NotRequired[list[dict[str, Any]]]}  # type: ignore[valid-type]
#: Name of a schema -> the shapes of the objects that it describes.
SHAPES: Mapping[str, tuple[Any, ...]] = {
    "evaluation": (_object("Evaluation", dataset=str, clusters=int, signature=str, **_ROWS),),
    "explanation": (
        _object("Explained", id=NotRequired[str], forecast=NotRequired[float], **_COVERED, **_EXPLANATION),
    ),
    "keywords": (_object("Keywords", id=str, keywords=_KEYWORDS),),
    "scores": (_object("Scores", id=str, signature=str),),
    "stage": (_object("StageLine", signature=dict[str, Any], failure=NotRequired[str], **_STAGES),),
    "summary": (SummaryResult, _object("FailedSummary", id=str, error=_FAILURE)),
}


def schema_of(*shapes: Any) -> dict[str, Any]:
    """Return the JSON Schema of an object of one of the shapes, or of a list of such objects."""
    refs, parts = msgspec.json.schema_components(
        shapes, schema_hook=_KNOWN.__getitem__, ref_template="#/$defs/{name}"
    )
    for part in parts.values():
        if "description" in part:
            part["description"] = " ".join(part["description"].split())
    for shape in (SummaryResult, SentenceResult):
        for name, kind in get_type_hints(shape, include_extras=True).items():
            described = get_args(kind)[0] if get_origin(kind) is NotRequired else kind
            if shape.__name__ in parts:
                parts[shape.__name__]["properties"][name]["description"] = described.__metadata__[0]
    for name in parts.keys() & {"Scores", "EvaluationRow"}:
        parts[name]["additionalProperties"] = _FIGURES
    several = {"type": "array", "items": {"anyOf": list(refs)}}
    return {"$schema": _DRAFT, "anyOf": [*refs, several], "$defs": parts}


def read_schema(name: str) -> dict[str, Any]:
    """Return a schema that comes with the package, such as "summary"."""
    text = (resources.files("summc") / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
