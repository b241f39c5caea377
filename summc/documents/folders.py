"""What a folder holds: which entries are read, and whether its files or its subfolders are the documents."""

from __future__ import annotations

import io
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from summc.documents.formats import read_found_documents
from summc.errors import InputError
from summc.system.inputs import most_bytes, opened, place_of, read_all, too_long
from summc.system.processes import heard

log = logging.getLogger("summc")

TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
#: Suffixes of files with a cluster on each line. Only ``summc batch`` reads Zstandard.
_LINES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
#: The message for a link that is not followed. Otherwise a folder from a stranger could make summc read any
#: file on the user's disk.
LEADS_OUT = "a link that leads out of the folder"

#: A function that reports that a path is left out; its second argument is the reason.
Tell = Callable[[Path | str, str], None]


def warn(path: Path | str, problem: str) -> None:
    """Warn that a path is left out; ``problem`` says why."""
    log.warning("%s: %s", path, problem)


def read_file(path: str) -> bytes:
    """Return the data of a file, or of standard input if the path is ``-``; a gzip file is unpacked."""
    with opened(path) as stream:
        data = read_all(stream, place_of(path))
    if not path.endswith(".gz") or not data.startswith(b"\x1f\x8b"):
        return data
    import gzip  # noqa: PLC0415 (few files are packed)

    most = most_bytes()
    try:
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(path, f"a damaged gzip file ({error})", "fetch it again") from None
    if len(data) > most:
        raise too_long(path, most)
    return data


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is an archive that summc can read."""
    return name.lower().endswith((*TAR, ".zip"))


def is_topics_file(name: str) -> bool:
    """Tell by its name whether a file has the questions of clusters, such as ``duc2006_topics.sgml``.

    Those of the update task of 2007 are excluded: they name the same clusters as those of the main task.
    """
    found = re.fullmatch(r"(?:.*[^a-z])?topics\.sgml?", name, re.IGNORECASE)
    return found is not None and "update" not in name.lower()


def is_dataset_folder(folder: Path) -> bool:
    """Tell whether a folder is in DUC's layout: it holds the folders ``docs`` and ``models``."""
    return os.path.isdir(folder / "docs") and os.path.isdir(folder / "models")  # noqa: PTH112 (never raises)


def leads_out(path: Path, folder: Path) -> bool:
    """Tell whether a path in a folder is a symbolic link to something outside the folder."""
    if not path.is_symlink():
        return False
    real, inside = os.path.realpath(path), os.path.realpath(folder)
    return real != inside and not real.startswith(os.path.join(inside, ""))  # noqa: PTH118 (strings are compared)


def entries_of(folder: Path, tell: Tell = warn) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder, each sorted by name; hidden entries are ignored.

    Links that lead out of the folder, and entries such as pipes, are left out and reported with ``tell``.
    """
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), f"cannot be read ({error.strerror})", "check its permissions") from None
    files: list[Path] = []
    folders: list[Path] = []
    for entry in entries:
        if leads_out(entry, folder):
            tell(entry, f"{LEADS_OUT}; left out")
        elif os.path.isfile(entry):  # noqa: PTH113 (never raises)
            files.append(entry)
        elif os.path.isdir(entry):  # noqa: PTH112 (never raises)
            folders.append(entry)
        else:
            tell(entry, "neither file nor folder; left out")
    return files, folders


def is_collection(files: Sequence[Path], folders: Sequence[Path]) -> bool:
    """Tell whether a folder, given by what it holds, is a collection: each of its subfolders is a cluster.

    None of its files may be a document, apart from a README or a topics file, and some subfolder must hold a
    document, at any depth.
    """
    if not folders or any(path.name.endswith(_LINES) for path in files):
        return False
    with heard():  # warnings come when the files are read
        return not any(map(_is_document, files)) and any(map(_holds_documents, folders))


def _is_document(path: Path) -> bool:
    is_about = re.fullmatch(
        r"[\d\W_]*read[\W_]?me(?![a-z]).*|(?:licen[cs]e|copying|copyright|notice|changelog|authors)(?:\.\w+)?",
        path.name,
        re.IGNORECASE,
    )
    return not is_about and not is_topics_file(path.name) and _is_readable(path)


def _is_readable(path: Path) -> bool:
    found = read_found_documents(partial(read_file, str(path)), path.name, str(path))
    return any(document.paragraphs or document.lacks_extra for document in found)


def _holds_documents(folder: Path) -> bool:
    for below, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(below, name)
            if name.startswith(".") or leads_out(path, folder) or not path.is_file():
                continue
            if name.endswith(_LINES) or _is_readable(path):
                return True
    return False


def warn_of_strays(files: Iterable[Path], tell: Tell = warn) -> None:
    """Report with ``tell`` the files beside the folders of a collection, except topics files."""
    for path in files:
        if not is_topics_file(path.name):
            tell(path, "beside cluster folders, and not a document; left out")
