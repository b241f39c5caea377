"""Dependencies: each has a lower bound, and the lock file pins all of them within their bounds."""

from __future__ import annotations

import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEPENDENCIES = [
    Requirement(text)
    for text in [
        *PROJECT["dependencies"],
        *(t for extra in PROJECT["optional-dependencies"].values() for t in extra),
    ]
    if not text.startswith("summc[")
]


def test_every_dependency_has_a_lower_bound_and_no_upper_one() -> None:
    for each in DEPENDENCIES:
        kinds = {specifier.operator for specifier in each.specifier}
        assert kinds in ({">="}, {"=="}), each
        assert kinds == {">="} or each.name in ("mypy", "ruff"), each


def test_the_lock_has_every_dependency_within_its_bounds() -> None:
    text = (ROOT / ".ci" / "dev.lock").read_text()
    assert "://" not in text
    lines = [line.partition("==") for line in text.splitlines() if not line.startswith("#")]
    locked = {canonicalize_name(name): version for name, _, version in lines}
    assert len(locked) == len(lines)
    # Tools that the bench compares with are not in the development environment.
    apart = set(map(Requirement, PROJECT["optional-dependencies"]["bench"]))
    for each in DEPENDENCIES:
        assert each in apart or each.specifier.contains(locked[canonicalize_name(each.name)]), each


def test_resuming_a_batch_needs_the_same_libraries() -> None:
    from summc.batch import libraries
    from summc.system.inputs import limits

    apart = {"click", "jinja2", "platformdirs", "sumeval"}  # these do not change a summary
    wanted = {each.split(">=")[0] for each in PROJECT["dependencies"]} - apart
    # The C and numpy loops may differ in the last digits, and the limits decide which inputs fail.
    assert set(libraries()) == wanted | {"summc", *limits()}
