"""The JSON Schemas of what commands print, made from the records. ``generate.py`` writes them as files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache, reduce
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
#: What members that are named after metrics, such as rouge1, have in each table.
_FIGURES = {
    **{table: ["recall", "precision", "f1"] for table in ("Scores", "EvaluationRow")},
    "SweepRow": ["mean", "ci", "difference", "difference_ci"],
}


def _object(name: str, /, **members: Any) -> Any:
    return TypedDict(name, members)  # type: ignore[operator]


def _objects(name: str, /, **members: Any) -> Any:
    return list[_object(name, **members)]  # type: ignore[misc]


#: A sentence and where it stands: its document, the date of that, and its position, from 0.
PLACE = _object("Place", document=str, date=NotRequired[str], position=int, text=str)


@cache
def _shape(record: Any) -> Any:
    """Return the type of what ``as_json`` makes of a record: an object with its attributes as members."""
    if record is Location:
        return PLACE
    parts = tuple(map(_shape, get_args(record)))
    if get_origin(record) is tuple:
        return list[parts[0]]  # type: ignore[valid-type]
    if not dataclasses.is_dataclass(record):
        return reduce(or_, parts) if parts else record
    hints, members = get_type_hints(record), dict[str, Any]()
    for name in (field.name for field in dataclasses.fields(record) if field.name not in NOT_IN_JSON):
        if name == "location":
            members |= get_type_hints(PLACE, include_extras=True)
        else:
            kind = _shape(hints[name])
            members[name.rstrip("_")] = NotRequired[kind] if name in MAY_LACK else kind
    return _object(str(getattr(record, "__name__", "")), **members)


_STAGES = {name: NotRequired[shape] for name, shape in codec.SHAPES.items()}
_KEYWORDS: Any = list[_shape(Keyword)]  # type: ignore[misc]
_EXPLANATION = get_type_hints(_shape(Explanation), include_extras=True)
_COVERED = {"covered_weight": float, "total_weight": float, "bound": float | None}
_FAILURE = _object("Failure", code=int, place=str, problem=str, remedy=str)
# The tables of the laboratory. A share, a mean or an interval that cannot be computed is null.
_VALUE, _SHARE, _ENDS = float | str | None, float | None, tuple[float, float] | None
_MEAN = {"mean": float, "ci": _ENDS, "difference": _SHARE, "difference_ci": _ENDS}
_AXES = (
    "sentences", "left", "right", "weights", "costs", "levels", "budget",
    "beta", "mu", "damping", "iterations",
)  # fmt: skip
_EVALUATED = _objects(
    "EvaluationRow", selector=str, clusters=int, covered_weight=_SHARE, words=float, converged=_SHARE,
    proven=_SHARE, settings=dict[str, Any] | None,
)  # fmt: skip
_LENGTHS = _objects(
    "Length", cluster=str, k=float, words=float, sentences=int, **_COVERED, share=float, proven=_SHARE
)
_DATASETS = _objects(
    "Dataset", name=str, title=str, found=str | None, counts=str | None, problem=str | None, terms=str,
    obtain=str,
)  # fmt: skip
_CELLS = _objects(
    "MapRow", selector=str, **dict.fromkeys(_AXES, NotRequired[_VALUE]), graphs=int, share=float,
    better=float, worse=float, difference=float, difference_low=_SHARE, difference_high=_SHARE, solved=_SHARE,
    converged=_SHARE, seconds=NotRequired[float],
)  # fmt: skip
_METHODS = _objects(
    "MethodRow", method=str, mean=float, error=float, difference=float, difference_error=float,
    difference_ci=_ENDS, share=_SHARE, solved=_SHARE, seconds=NotRequired[float],
)  # fmt: skip
_POINTS = _objects("SweepRow", selector=str, beta=_VALUE, mu=_SHARE, converged=_SHARE, clusters=int)
_BEST: Any = dict[str, _object("Best", beta=_VALUE, mu=float, **_MEAN)]  # type: ignore[misc]
_GRAPHS = dict.fromkeys(("sentences", "left_degree", "right_degree", "seed", "graphs"), int)
_SET = {"dataset": str, "clusters": int, "signature": str}
#: Name of a schema -> the shapes of the objects that it describes.
SHAPES: Mapping[str, tuple[Any, ...]] = {
    "curve": (_object("Curve", signature=str, rows=_LENGTHS),),
    "datasets": (_object("Datasets", looked_in=list[str], datasets=_DATASETS),),
    "evaluation": (
        _object("Evaluation", **_SET, rows=_EVALUATED, per_cluster=NotRequired[list[dict[str, Any]]]),
    ),
    "experiment": (
        _object("Map", **dict.fromkeys(_AXES, str), graphs=int, seed=int, summc=str, rows=_CELLS),
        _object("RandomGraphs", **_GRAPHS, costs=_ENDS, weights=_ENDS, k=float, proven=NotRequired[int],
                selectors=dict[str, Any], signature=str, rows=_METHODS),
    ),
    "explanation": (
        _object("Explained", id=NotRequired[str], forecast=NotRequired[float], **_COVERED, **_EXPLANATION),
    ),
    "keywords": (_object("Keywords", id=str, keywords=_KEYWORDS),),
    "scores": (_object("Scores", id=str, signature=str),),
    "stage": (_object("StageLine", signature=dict[str, Any], failure=NotRequired[str], **_STAGES),),
    "summary": (SummaryResult, _object("FailedSummary", id=str, error=_FAILURE)),
    "sweep": (
        _object("Sweep", **_SET, k=float, versus=str, best=_BEST, note=str, rows=_POINTS),
    ),
}  # fmt: skip


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
    for name, figures in _FIGURES.items():
        if name in parts:
            parts[name]["additionalProperties"] = {"type": "object", "required": figures}
    several = {"type": "array", "items": {"anyOf": list(refs)}}
    return {"$schema": _DRAFT, "anyOf": [*refs, several], "$defs": parts}
