"""Find what other installed packages add to summc: selectors, weightings, formats, data sets, embedders.

A package declares what it adds in its entry points, in a group such as
``[project.entry-points."summc.selectors"]``. An addition that cannot be used is left out with a warning, so
that a faulty package does not stop summc. Two packages that add the same name are an error.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from summc.errors import InternalError, SummcError, as_typed
from summc.settings import Rule, check, rules

#: Not the logger "summc", so that warnings about packages are shown even while those about files are muted.
log = logging.getLogger("summc.plugins")

SELECTORS, WEIGHTINGS, FORMATS, DATASETS, EMBEDDERS = (
    f"summc.{kind}" for kind in ("selectors", "weightings", "formats", "datasets", "embedders")
)

#: The names that an addition may have. A user must be able to type them in a list with commas, and as the
#: name of a table in a configuration file.
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.IGNORECASE)

T = TypeVar("T")


@cache
def _declared() -> bytes:
    """Return the texts in which all installed packages declare their entry points."""
    files = (path for folder in sys.path for path in Path(folder).glob("*-info/entry_points.txt"))
    return b"\n".join(map(Path.read_bytes, files))


def _entry_points(group: str) -> Any:
    """Return the entry points in a group, of all installed packages."""
    if f"[{group}]".encode() not in _declared():
        return ()
    from importlib import metadata  # noqa: PLC0415 (slow, and most users have no such package)

    return metadata.entry_points(group=group)


class Registry(Mapping[str, T], Generic[T]):
    """A mapping of the names that users type to the objects of one group, such as all selectors.

    ``builtin`` are the objects of summc itself; those of packages come after them. Packages are imported when
    the registry is first used, not earlier, because they import modules of summc that may be loading.
    ``accept`` gets the name of an addition and the loaded object. It returns the entries to add, or raises
    ValueError if the object cannot be used.
    """

    def __init__(
        self, group: str, builtin: Mapping[str, T], accept: Callable[[str, Any], Mapping[str, T]]
    ) -> None:
        self._group, self._builtin, self._accept = group, builtin, accept

    def __getitem__(self, name: str) -> T:
        return self._entries[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries[0])

    def __len__(self) -> int:
        return len(self._entries[0])

    def package_of(self, name: str) -> str:
        """Return the package that added the entry of this name, or "" if the entry is summc's own."""
        added = self._entries[1].get(name)
        return added.dist.name if added else ""

    def versions(self, name: str) -> dict[str, str]:
        """Return the package that added the entry of this name, and its version; {} for summc's own."""
        added = self._entries[1].get(name)
        return {added.dist.name: added.dist.version} if added else {}

    @cached_property
    def _entries(self) -> tuple[dict[str, T], dict[str, Any]]:
        """Return all entries, and the entry points of those that packages add, both by name."""
        entries: tuple[dict[str, T], dict[str, Any]] = dict(self._builtin), {}
        self.__dict__["_entries"] = entries  # set first: a package may use the registry while it is imported
        for point in sorted(_entry_points(self._group), key=lambda point: (point.name, point.dist.name)):
            self._add(point, *entries)
        return entries

    def _add(self, point: Any, all_entries: dict[str, T], added: dict[str, Any]) -> None:
        kind, package = self._group.removeprefix("summc.").removesuffix("s"), point.dist.name
        try:
            if not _NAME.fullmatch(point.name):
                raise ValueError("its name must be letters, digits, - and _")  # noqa: TRY301
            entries = self._accept(point.name, _loaded(point))
            for name in entries:
                if name in added:
                    place, problem = f"{self.package_of(name)} and {package}", f"both add a {kind} {name}"
                    raise InternalError(place, problem, f"uninstall {package}")
                if name in all_entries:
                    raise ValueError(f"there is one for {name}")  # noqa: TRY301
        except ValueError as problem:
            what = f"{package}: its {kind} {point.name}"
            log.warning("%s is left out: %s; update or uninstall it", what, problem)
            return
        all_entries.update(entries)
        added.update(dict.fromkeys(entries, point))


def _loaded(point: Any) -> Any:
    try:
        return point.load()
    except Exception as error:  # a package may raise any error when it is imported
        raise ValueError(f"it cannot be loaded ({_in_a_line(error)})") from error


def _in_a_line(error: BaseException) -> str:
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}"[:200] if message else type(error).__name__


@contextlib.contextmanager
def blame(package: str, name: str) -> Iterator[None]:
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


def check_class(class_: Any, method: str) -> None:
    """Raise ValueError unless ``class_`` is a dataclass of valid settings with this method."""
    if not (isinstance(class_, type) and dataclasses.is_dataclass(class_) and hasattr(class_, method)):
        raise ValueError(f"it is not a dataclass with a method {method}()")
    for field in dataclasses.fields(class_):
        if not isinstance(field.metadata.get("rule"), Rule):
            raise ValueError(f"its field {field.name} is not made by summc.settings.setting")  # noqa: TRY004
    for name, (default, rule) in rules(class_).items():
        if isinstance(default, bool) and not rule.off:
            raise ValueError(f'its setting {name} needs off="no-...", the flag that turns it off')
        try:
            check(default, default, rule, name)
        except SummcError as error:
            raise ValueError(f"the default of its setting {error}") from None
