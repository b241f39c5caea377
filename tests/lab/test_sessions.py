"""What users type and see: ``evaluate``, ``score``, ``sweep``, ``curve`` and ``experiment``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.conftest import Cli
from tests.support.sessions import check
from tests.support.writers import write_files

FILES = tomllib.loads((Path(__file__).parent / "cases" / "files.toml").read_text(encoding="utf-8"))


def test_session(summc: Cli, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    for words in (35, 70, 71):
        systems = {"long": "dam " * 78, "short": "dam " * words}
        write_files(tmp_path, {f"of-{words}/{name}/line-1.{name}": text for name, text in systems.items()})
    check(summc, tmp_path, "lab.txt")
