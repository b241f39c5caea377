"""Settings in Python. Configuration files are in tests/sessions/flags.txt."""

from __future__ import annotations

import tomllib
from pathlib import Path

from summc.config import Config
from tests.conftest import ROOT


def test_the_default_file_equals_the_built_in_defaults() -> None:
    written = tomllib.loads((ROOT / "configs" / "default.toml").read_text())
    assert written == tomllib.loads(Config().to_toml())
    assert Config().with_file("default") == Config()


def test_a_printed_configuration_can_be_read_again(tmp_path: Path) -> None:
    given = {"language": 'a"b\\c', "background": ("x\ny", "z"), "mu": 1e-9, "budget": 7, "selector": "bp"}
    config = Config().with_settings(given)
    (tmp_path / "my.toml").write_text(config.to_toml())
    assert Config().with_file(str(tmp_path / "my.toml")) == config
