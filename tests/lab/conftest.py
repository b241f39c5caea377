from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


@pytest.fixture(autouse=True, scope="package")
def _one_thread() -> Iterator[None]:
    """Let scikit-learn use one thread: on small data, several take most of their time to wait."""
    with threadpool_limits(1, user_api="openmp"):
        yield
