"""A journal file with a line for each finished piece of work, so that an interrupted run can resume.

The first line holds the conditions of the run: everything that its results depend on. Each further line is
written as soon as its result arrives. If a process was killed while it wrote a line, the incomplete line is
cut off when the run resumes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from summc.errors import InputError, OutputError
from summc.system.json_objects import dump, parse_object
from summc.system.outputs import check_same, warn_of_other_commit, write_whole

Line = dict[str, Any]

REMEDY = "save to another folder, or remove it"


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal at ``path``. ``resume`` creates the file if it does not exist."""

    path: Path

    def resume(self, conditions: Mapping[str, Any]) -> list[tuple[str, Line]]:
        """Return the lines of the work that is finished, each with its place (file and line number).

        Raises if the journal was begun under other conditions. If there is no journal yet, it writes the
        first line and returns an empty list.
        """
        lines = list(self._whole_lines())
        if not lines:
            write_whole(str(self.path), [dump({"conditions": conditions}), "\n"])
            return []
        self._compare(lines[0][1], conditions)
        return lines[1:]

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line for a finished piece of work to the file."""
        try:
            with self.path.open("ab") as stream:
                stream.write(f"{dump(line)}\n".encode())
        except OSError as error:
            raise self._unwritable(error) from None

    def _whole_lines(self) -> Iterator[tuple[str, Line]]:
        try:
            data = self.path.read_bytes()
            end = data.rfind(b"\n") + 1
            if end < len(data):
                os.truncate(self.path, end)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unwritable(error) from None
        for number, line in enumerate(data[:end].splitlines(), start=1):
            place = f"{self.path}:{number}"
            try:
                yield place, parse_object(line, place, "a line of a journal")
            except InputError as error:
                raise InputError(place, error.problem, REMEDY) from None

    def _compare(self, first: Line, conditions: Mapping[str, Any]) -> None:
        known = first.get("conditions")
        if not isinstance(known, dict):
            raise InputError(str(self.path), "not a journal of summc", REMEDY)
        check_same(known, conditions, str(self.path), REMEDY, {"data": lambda *_: "of other data"})
        warn_of_other_commit(known, conditions, str(self.path))

    def _unwritable(self, error: OSError) -> OutputError:
        return OutputError(str(self.path), f"cannot be written ({error.strerror})", "check the path")
