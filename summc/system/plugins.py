"""Find what other installed packages add to summc: selectors, weightings, document formats and data sets.

A package declares what it adds in its entry points, in a group such as
``[project.entry-points."summc.selectors"]``. An addition that cannot be used is left out with a warning, so
that a faulty package does not stop summc. Two packages that add the same name or setting are an error.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
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
    points = [each for each in _entry_points().select(group=group) if each.dist is not None]
    found = [Addition(each.name, each.dist.name, each.dist.version, each.load) for each in points]
    return tuple(sorted(found, key=lambda each: (each.name, each.package)))


@cache
def _entry_points() -> Any:
    """Return the entry points of all installed packages; reading them opens a file of every package."""
    from importlib import metadata  # noqa: PLC0415 (slow: help and most completions do without)

    try:
        return metadata.entry_points()
    except Exception as error:  # noqa: BLE001 (files that any installer wrote)
        said = _in_a_line(error)
        log.warning("installed packages: their entry points cannot be read (%s); repair them", said)
        return metadata.EntryPoints()


class Registry(Mapping[str, T], Generic[T]):
    """A mapping of the names that users type to the objects of one group, such as all selectors.

    ``own`` are the objects of summc itself; those that packages add come after them. Packages are imported
    when the registry is first used, not earlier, because they import modules of summc that may be loading.
    ``accept`` gets the name of an addition, the loaded object and all entries so far. It returns the entries
    to add, or raises ValueError if the object cannot be used.
    """

    def __init__(
        self, group: str, own: Mapping[str, T], accept: Callable[[str, Any, Mapping[str, T]], Mapping[str, T]]
    ) -> None:
        self._group, self._own, self._accept = group, own, accept

    def __getitem__(self, name: str) -> T:
        return self._found[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found[0])

    def __len__(self) -> int:
        return len(self._found[0])

    def package_of(self, name: str) -> str:
        """Return the package that added the entry of this name, or "" if the entry is summc's own."""
        added = self._found[1].get(name)
        return added.package if added else ""

    def versions(self, name: str) -> dict[str, str]:
        """Return the package that added the entry of this name, and its version; {} for summc's own."""
        added = self._found[1].get(name)
        return {added.package: added.version} if added else {}

    @cached_property
    def _found(self) -> tuple[dict[str, T], dict[str, Addition]]:
        """Return all entries, and the additions among them, both by name."""
        found: tuple[dict[str, T], dict[str, Addition]] = dict(self._own), {}
        self.__dict__["_found"] = found  # set first: a package may use the registry while it is imported
        for own in self._own.values():
            _declare("summc", own)
        for each in additions(self._group):
            self._add(each, *found)
        return found

    def _add(self, addition: Addition, known: dict[str, T], added: dict[str, Addition]) -> None:
        kind = self._group.removeprefix("summc.").removesuffix("s")
        try:
            if not _NAME.fullmatch(addition.name):
                raise ValueError("its name must be letters, digits, - and _")  # noqa: TRY301
            self._check_free([addition.name], addition.package, kind)
            entries = self._accept(addition.name, _loaded(addition), dict(known))
            self._check_free(entries, addition.package, kind)
        except ValueError as problem:
            what = f"{addition.package}: its {kind} {addition.name}"
            log.warning("%s is left out: %s; update or uninstall it", what, problem)
            return
        for entry in entries.values():
            _declare(addition.package, entry)
        known.update(entries)
        added.update(dict.fromkeys(entries, addition))

    def _check_free(self, names: Iterable[str], package: str, kind: str) -> None:
        for name in names:
            if self.package_of(name):
                raise _clash(self.package_of(name), package, f"a {kind} {name}")
            if name in self:
                raise ValueError(f"there is one for {name}")


def _declare(package: str, entry: object) -> None:
    """Raise an error if a class has a setting that another package declares differently."""
    for name, declared in rules(entry).items() if isinstance(entry, type) else ():
        owner, known = _declared.setdefault(name, (package, declared))
        if owner != package and known != declared:
            raise _clash(owner, package, f"a setting {name}")


def _clash(package: str, other: str, what: str) -> InternalError:
    return InternalError(f"{package} and {other}", f"both add {what}", f"uninstall {other}")


def _loaded(addition: Addition) -> Any:
    try:
        return addition.load()
    except Exception as error:  # a package may raise any error when it is imported
        raise ValueError(f"it cannot be loaded ({_in_a_line(error)})") from error


def _in_a_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}"[:200] if said else type(error).__name__


@contextlib.contextmanager
def blamed(package: str, name: str) -> Iterator[None]:
    """Turn any error in the ``with`` block into one that names the package and its addition ``name``.

    If ``package`` is "", the code is summc's own, and the error is raised unchanged.
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
    """Return the error to raise if the code of a package fails or returns something wrong."""
    return InternalError(package, problem, f"tell its authors; {as_typed('traceback')} shows where")


def check_class(found: Any, method: str, arguments: int) -> None:
    """Raise ValueError unless ``found`` is a dataclass of settings, with a ``method`` of these arguments."""
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
