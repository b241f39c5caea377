"""Find what other installed packages add to summc: selectors, weightings, document formats and data sets.

A package declares what it adds in its entry points, in a group such as
``[project.entry-points."summc.selectors"]``. An addition that cannot be used is left out with a warning, so
that a faulty package does not stop summc. Two packages that add the same name are an error.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Generic, TypeVar

from summc.errors import InternalError, SummcError, as_typed
from summc.settings import Rule, Value, check, rules

#: Not the logger "summc", so that warnings about packages are shown even while those about files are muted.
log = logging.getLogger("summc.plugins")

SELECTORS, WEIGHTINGS, FORMATS, DATASETS = (
    f"summc.{kind}" for kind in ("selectors", "weightings", "formats", "datasets")
)

#: The names that an addition may have. A user must be able to type them in a list with commas, and as the
#: name of a table in a configuration file.
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.IGNORECASE)
_REMEDY = "update or uninstall it"

#: Setting of a selector or weighting -> the package that declares it, and its default and rule.
_declared: dict[str, tuple[str, tuple[Value, Rule]]] = {}

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Addition:
    """Something that a package adds: the name that a user types, the package and its version.

    ``load`` imports the package and returns the addition.
    """

    name: str
    package: str
    version: str
    load: Callable[[], Any]


@cache
def additions(group: str) -> tuple[Addition, ...]:
    """Return what packages add to a group, such as ``summc.selectors``, sorted by name; import nothing."""
    found = [
        Addition(each.name, each.dist.name, each.dist.version, each.load)
        for each in _entry_points().select(group=group)
        if each.dist is not None
    ]
    return tuple(sorted(found, key=lambda each: (each.name, each.package)))


@cache
def _entry_points() -> Any:
    """Return the entry points of all installed packages.

    They are cached, because reading them opens a file of every package.
    """
    from importlib import metadata  # noqa: PLC0415 (slow: help and most completions do without)

    try:
        return metadata.entry_points()
    except Exception as error:  # noqa: BLE001 (files that any installer wrote)
        _warn("installed packages", f"their entry points cannot be read ({_in_a_line(error)})", "repair them")
        return metadata.EntryPoints()


class Registry(Mapping[str, T], Generic[T]):
    """A mapping of the names that users type to the objects of one group, such as all selectors.

    ``own`` are the objects of summc itself; those that packages add come after them. Packages are imported
    when the registry is first used, not earlier, because they import modules of summc that may be loading.
    ``accept`` is a function that checks an addition. It gets the name of the addition, the loaded object and
    all entries so far. It returns the entries to add, or raises ValueError if the object cannot be used.
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
        """Return the package that added the entry of this name, or "" if the entry is summc's own."""
        self._known()
        return self._packages[name].package if name in self._packages else ""

    def versions(self, name: str | None = None) -> dict[str, str]:
        """Return the package that added the entry of this name, and its version: package -> version.

        Without a name, return all packages that added an entry. The result is empty for summc's own entries.
        """
        self._known()
        used = [self._packages[each] for each in self._packages if name in (None, each)]
        return {each.package: each.version for each in used}

    def _known(self) -> dict[str, T]:
        if self._all is None:
            self._all = dict(self._own)  # set first: a package may use the registry while it is imported
            for own in self._own.values():
                _declare("summc", own)
            for each in additions(self._group):
                self._add(each, self._all)
        return self._all

    def _add(self, addition: Addition, known: dict[str, T]) -> None:
        kind = self._group.removeprefix("summc.").removesuffix("s")
        try:
            if not _NAME.fullmatch(addition.name):
                raise ValueError("its name must be letters, digits, - and _")  # noqa: TRY301
            self._check_free([addition.name], addition, known)
            entries = self._accept(addition.name, _loaded(addition), dict(known))
            self._check_free(entries, addition, known)
        except ValueError as problem:
            _warn(addition.package, f"its {kind} {addition.name} is left out: {problem}", _REMEDY)
            return
        for each in entries.values():
            _declare(addition.package, each)
        known.update(entries)
        self._packages.update(dict.fromkeys(entries, addition))

    def _check_free(self, names: Iterable[str], addition: Addition, known: Mapping[str, T]) -> None:
        for name in names:
            if name in self._packages:
                kind = self._group.removeprefix("summc.").removesuffix("s")
                raise _clash(self._packages[name].package, addition.package, f"a {kind} {name}")
            if name in known:
                raise ValueError(f"there is one for {name}")


def _loaded(addition: Addition) -> Any:
    try:
        return addition.load()
    except Exception as error:  # a package may raise any error when it is imported
        raise ValueError(f"it cannot be loaded ({_in_a_line(error)})") from error


def _warn(package: str, problem: str, remedy: str) -> None:
    import multiprocessing  # noqa: PLC0415 (few ever need it)

    if multiprocessing.current_process().name == "MainProcess":  # each worker would repeat the warning
        log.warning("%s: %s; %s", package, problem, remedy)


def _in_a_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}"[:200] if said else type(error).__name__


@contextlib.contextmanager
def blamed(package: str, name: str) -> Iterator[None]:
    """Turn any error in the ``with`` block into one that names the package whose code runs there.

    ``name`` says which addition of the package failed. If ``package`` is "", the code is summc's own, and the
    error is raised unchanged. So are a SummcError and a MemoryError.
    """
    try:
        yield
    except (SummcError, MemoryError):
        raise
    except Exception as error:
        if not package:
            raise
        raise fault(package, f"{name} failed ({_in_a_line(error)})") from error


def fault(package: str, problem: str) -> InternalError:
    """Return the error to raise if the code of a package fails or returns something wrong (``problem``)."""
    return InternalError(package, problem, f"tell its authors; {as_typed('traceback')} shows where")


def _declare(package: str, kind: object) -> None:
    """Raise ``InternalError`` if a class has a setting that another package declares differently."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        for name, declared in rules(kind).items():
            owner, known = _declared.setdefault(name, (package, declared))
            if owner != package and known != declared:
                raise _clash(owner, package, f"a setting {name}")


def _clash(package: str, other: str, what: str) -> InternalError:
    return InternalError(f"{package} and {other}", f"both add {what}", f"uninstall {other}")


def check_class(found: Any, method: str, arguments: int) -> None:
    """Raise ValueError unless summc can use ``found``, a class that a package adds.

    It must be a dataclass whose fields are settings, because each setting becomes a flag of commands. It must
    have a method of the name ``method`` that takes this number of ``arguments``.
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
        if isinstance(default, bool) and not rule.off:
            raise ValueError(f'its setting {name} needs off="no-...", the flag that turns it off')
        try:
            check(default, default, rule, name)
        except SummcError as error:
            raise ValueError(f"the default of its setting {error}") from None
