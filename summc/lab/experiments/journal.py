"""A journal file with a line for each finished piece of work, so that an interrupted run can resume.

The first line holds the conditions of the run: everything that its results depend on. An incomplete line,
which a killed process leaves, is cut off when the run resumes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from summc.errors import InputError
from summc.system.json_objects import dump, parse_object
from summc.system.outputs import check_same, reporting_errors, warn_of_other_commit, write_whole

Record = dict[str, Any]

REMEDY = "save to another folder, or remove it"


def resume(path: Path | None, conditions: Mapping[str, Any]) -> list[tuple[str, Record]]:
    """Return the lines of the work that is finished, each with its place (file and line number).

    Raises an error if the journal was begun under other conditions. A missing journal is created. Without a
    path nothing is kept.
    """
    if path is None:
        return []
    data, lines = b"", list[tuple[str, Record]]()
    with reporting_errors(path, "written"), suppress(FileNotFoundError):
        data = path.read_bytes()
        data = data[: data.rfind(b"\n") + 1]
        os.truncate(path, len(data))
    for number, line in enumerate(data.splitlines(), start=1):
        place = f"{path}:{number}"
        try:
            lines.append((place, parse_object(line, place, "a line of a journal")))
        except InputError as error:
            raise InputError(place, error.problem, REMEDY) from None
    if not lines:
        write_whole(str(path), [f"{dump({'conditions': conditions})}\n".encode()])
        return []
    saved_conditions = lines[0][1].get("conditions")
    if not isinstance(saved_conditions, dict):
        raise InputError(str(path), "not a journal of summc", REMEDY)
    check_same(saved_conditions, conditions, str(path), REMEDY)
    warn_of_other_commit(saved_conditions, conditions, str(path))
    return lines[1:]


def append(path: Path | None, line: Mapping[str, Any]) -> None:
    """Append a line for a finished piece of work to the journal."""
    if path:
        with reporting_errors(path, "written"), path.open("ab") as stream:
            stream.write(f"{dump(line)}\n".encode())
