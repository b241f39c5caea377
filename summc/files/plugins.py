"""What other installed packages add to summc: selectors, weightings, document formats and data sets.

A package names what it adds in its entry points, as ``[project.entry-points."summc.selectors"]``. One that
cannot be used is left out with a warning, so that it never stops anything else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import metadata
from typing import Any, Generic, TypeVar

from summc.errors import InternalError, SummcError, named
from summc.resources import command_outlines
from summc.settings import Rule, Value, check, rules

#: Of its own, so that it is heard also where warnings about files are muted while those are looked at.
log = logging.getLogger("summc.plugins")

SELECTORS, WEIGHTINGS, FORMATS, DATASETS = (
    f"summc.{kind}" for kind in ("selectors", "weightings", "formats", "datasets")
)

#: What may be typed: in a list with commas, and as the name of a table in a configuration file.
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.IGNORECASE)
_REMEDY = "update or uninstall it"

#: Flag, without its dashes -> the group that a package has declared it in.
_claimed: dict[str, str] = {}

T = TypeVar("T")
Rules = Mapping[str, tuple[Value, Rule]]


@dataclasses.dataclass(frozen=True, slots=True)
class Addition:
    """Something that a package adds: the name a user types, and who adds it. ``load`` imports it."""

    name: str
    package: str
    version: str
    load: Callable[[], Any]


@cache
def additions(group: str) -> tuple[Addition, ...]:
    """Return what packages add to a group, by name; none of it is imported."""
    found = [
        Addition(each.name, each.dist.name, each.dist.version, each.load)
        for each in _entry_points().select(group=group)
        if each.dist is not None
    ]
    return tuple(sorted(found, key=lambda each: (each.name, each.package)))


@cache
def _entry_points() -> Any:
    """Return all that is installed: a look reads a file of every package, so that one look must do."""
    try:
        return metadata.entry_points()
    except Exception as error:  # noqa: BLE001 (files that any installer wrote)
        _warn("installed packages", f"their entry points cannot be read ({_in_a_line(error)})", "repair them")
        return metadata.EntryPoints()


class Registry(Mapping[str, T], Generic[T]):
    """What summc has, and what packages add, by the name that a user types.

    Packages are imported when the registry is first looked into, not before: they import the stage that they
    add to. ``accept`` gets the name, what was loaded and what is known already, and returns what it adds; it
    raises ValueError where that cannot be used.
    """

    def __init__(
        self, group: str, own: Mapping[str, T], accept: Callable[[str, Any, Mapping[str, T]], Mapping[str, T]]
    ) -> None:
        self._group, self._own, self._accept = group, own, accept
        self._all: dict[str, T] | None = None
        self._packages: dict[str, Addition] = {}

    def __getitem__(self, name: str) -> T:
        return self._known()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def package_of(self, name: str) -> str:
        """Return the package that adds what has this name, or "" for summc's own."""
        self._known()
        return self._packages[name].package if name in self._packages else ""

    def versions(self, name: str | None = None) -> dict[str, str]:
        """Return the package that adds what has this name, or all that add anything, with their versions."""
        self._known()
        used = [self._packages[each] for each in self._packages if name in (None, each)]
        return {each.package: each.version for each in used}

    def _known(self) -> dict[str, T]:
        if self._all is None:
            self._all = dict(self._own)  # what a package finds that looks in here while it is imported
            for each in additions(self._group):
                self._add(each, self._all)
        return self._all

    def _add(self, addition: Addition, known: dict[str, T]) -> None:
        kind = self._group.removeprefix("summc.").removesuffix("s")
        try:
            if not _NAME.fullmatch(addition.name):
                raise ValueError("its name must be letters, digits, - and _")  # noqa: TRY301
            if addition.name in known:
                raise ValueError("there is one of that name")  # noqa: TRY301
            entries = self._accept(addition.name, _loaded(addition), dict(known))
            taken = ", ".join(entries.keys() & known.keys())
            if taken:
                raise ValueError(f"there is one for {taken}")  # noqa: TRY301
        except ValueError as problem:
            _warn(addition.package, f"its {kind} {addition.name} is left out: {problem}", _REMEDY)
            return
        known.update(entries)
        self._packages.update(dict.fromkeys(entries, addition))


def _loaded(addition: Addition) -> Any:
    try:
        return addition.load()
    except Exception as error:  # whatever a package does when it is imported
        raise ValueError(f"it cannot be loaded ({_in_a_line(error)})") from error


def _warn(package: str, problem: str, remedy: str) -> None:
    import multiprocessing  # noqa: PLC0415 (few ever need it)

    if multiprocessing.current_process().name == "MainProcess":  # a worker would say it again
        log.warning("%s: %s; %s", package, problem, remedy)


def _in_a_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}"[:200] if said else type(error).__name__


@contextlib.contextmanager
def blamed(package: str, name: str) -> Iterator[None]:
    """Name the package whose code fails; "" is summc itself, whose faults are its own."""
    try:
        yield
    except (SummcError, MemoryError):
        raise
    except Exception as error:
        if not package:
            raise
        raise fault(package, f"{name} failed ({_in_a_line(error)})") from error


def fault(package: str, problem: str) -> InternalError:
    """Return the error of a package that does not do what it must."""
    return InternalError(package, problem, f"tell its authors; {named('traceback')} shows where")


# Checks for what packages bring


def check_class(found: Any, group: str, method: str, arguments: int, shared: Rules) -> None:
    """Raise ValueError unless this is a dataclass of settings that has a method with a number of arguments.

    Its settings become flags. ``shared`` are those of its group, which it may declare too; any other must
    have a name of its own.
    """
    import inspect  # noqa: PLC0415 (slow, and few have packages to check)

    if not isinstance(found, type) or not dataclasses.is_dataclass(found):
        raise ValueError("it is not a dataclass")
    for field in dataclasses.fields(found):
        if not isinstance(field.metadata.get("rule"), Rule):
            raise ValueError(f"its field {field.name} is not made by summc.settings.setting")  # noqa: TRY004
    try:
        inspect.signature(getattr(found(), method)).bind(*[None] * arguments)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"it has no {method}() of {arguments} arguments ({_in_a_line(error)})") from None
    for name, (default, rule) in rules(found).items():
        _check_setting(name, default, rule, shared)
    _claim(group, found)


def _check_setting(name: str, default: Value, rule: Rule, shared: Rules) -> None:
    if isinstance(default, bool) and not rule.off:
        raise ValueError(f'its setting {name} needs off="no-...", the flag that turns it off')
    try:
        check(default, default, rule, name)
    except SummcError as error:
        raise ValueError(f"the default of its setting {error}") from None
    if name in shared and _flag_like(default, rule) != _flag_like(*shared[name]):
        raise ValueError(f"its setting {name} is declared differently elsewhere")
    if name not in shared and _flags_of(name, rule) & _taken_flags():
        raise ValueError(f"its setting {name} has the name of another option")


def _claim(group: str, found: type) -> None:
    """Keep the flags of a class for its group, or raise ValueError if a package has one in another group."""
    flags = [flag for name, (_, rule) in rules(found).items() for flag in _flags_of(name, rule)]
    for flag in flags:
        if _claimed.get(flag, group) != group:
            raise ValueError(
                f"{named(flag)} is a setting of one of the {_claimed[flag].removeprefix('summc.')}"
            )
    _claimed.update(dict.fromkeys(flags, group))


def _flag_like(default: Value, rule: Rule) -> tuple[Any, ...]:
    """Return what two settings must share to be one flag."""
    return type(default), tuple(rule.choices), rule.off, rule.commas, bool(rule.auto)


def _flags_of(name: str, rule: Rule) -> set[str]:
    """Return the flags of a setting, without their dashes."""
    return {name.replace("_", "-"), *([rule.off] if rule.off else ())}


@cache
def _parameters() -> tuple[Mapping[str, Any], ...]:
    """Return the parameters of all commands, without importing one."""
    return tuple(json.loads(command_outlines().read_text(encoding="utf-8"))["parameters"])


@cache
def _taken_flags() -> frozenset[str]:
    """Return the flags of all commands of summc, without their dashes."""
    flags = (flag for each in _parameters() for flag in (*each["declared"][1:], *each.get("off", ())))
    return frozenset(flag.lstrip("-") for flag in flags) | {"debug", "help", "version"}


def offered(setting: str) -> frozenset[str]:
    """Return the names that summc offers for a setting in any of its commands."""
    return frozenset(
        name
        for each in _parameters()
        if any(flag.lstrip("-") == setting for flag in each["declared"][1:])
        for name in each.get("names", ())
    )
