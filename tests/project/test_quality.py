"""The bench that compares summaries with other people's systems."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from tests.bench.quality import quality
from tests.support.small import write_lines


def test_the_table_has_a_row_for_each_system_and_a_picture(tmp_path: Path) -> None:
    data, table, picture = write_lines(tmp_path / "two.jsonl"), tmp_path / "table.md", tmp_path / "a.png"
    only = ["--system", "default", "--system", "lead", "--system", "KL-Sum (sumy)"]
    flags = [f"{data}=20,30", *only, "-o", str(table), "--plot", str(picture), "--jobs", "1"]
    assert CliRunner().invoke(quality, flags).exit_code == 0
    heading, _, *rows = table.read_text(encoding="utf-8").splitlines()
    assert "two (2), 20 words" in heading
    assert "two (2), 30 words" in heading
    assert [row.split()[1] for row in rows[:2]] == ["default", "lead"]
    assert picture.read_bytes()[1:4] == b"PNG"
