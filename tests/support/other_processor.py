"""Make NumPy and ``math`` differ in their last digits, as they do on another processor.

Import it before summc. What IEEE 754 does not define to the last bit then gives a neighbouring number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

#: Functions whose last digits differ between processors or libraries.
_FUNCTIONS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "power", "tanh", "dot")


def _in_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def changed(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        return np.nextafter(result, np.inf, **({"out": options["out"]} if "out" in options else {}))

    return changed


def _in_math(function: Callable[..., float]) -> Callable[..., float]:
    return lambda *arguments: math.nextafter(function(*arguments), math.inf)


for name in _FUNCTIONS:
    setattr(np, name, _in_numpy(getattr(np, name)))
for name in ("exp", "expm1", "log", "log2", "log10", "log1p", "pow", "tanh", "lgamma"):
    setattr(math, name, _in_math(getattr(math, name)))
