"""Parse JSON objects that anyone may have written, and reject values that cannot be written back as JSON."""

from __future__ import annotations

import json
import math
from numbers import Real
from typing import Any

from summc.errors import InputError
from summc.system.inputs import whole_characters


def parse_object(data: bytes | str, place: str, shape: str) -> dict[str, Any]:
    """Return the JSON object in a line; raise an InputError if it is not valid. ``shape`` shows a valid one.

    NaN, infinities and numbers too large for a float are rejected, because Python cannot write them. So are
    two members of the same name, because one would be lost.
    """
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
        record = _parse(whole_characters(text))
        if "\\ud" in text.lower():  # an escape sequence such as \ud800 is a surrogate too
            record = _parse(whole_characters(json.dumps(record, ensure_ascii=False)))
    except RecursionError:
        raise InputError(place, "JSON nested too deeply", "give one plain object a line") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        problem = f"not JSON ({reason.removesuffix(' at').removesuffix(' starting')})"
        raise InputError(place, problem, "give one JSON object a line, or remove this line") from None
    if not isinstance(record, dict):
        raise InputError(place, "not a JSON object", f"give {shape}")
    return record


def _parse(text: str) -> Any:
    return json.loads(
        text, object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite, parse_int=_integer
    )


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name, value in members:
        if name in record:
            raise ValueError(f"the member {name[:40]!r} twice")
        record[name] = value
    return record


def _finite(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise ValueError(f"a number that is not finite, or too large: {written[:20]}")
    return value


def _integer(digits: str) -> int:
    _finite(digits)
    return int(digits)


def dump(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON; letters of any script are written as they are, not as escape sequences."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def nonempty(**members: Any) -> dict[str, Any]:
    """Return the members that have a value: not None, "" or an empty object or list."""
    return {name: value for name, value in members.items() if value not in (None, "", {}, [])}


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number, of Python or of NumPy; True and False are not numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)
