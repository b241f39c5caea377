"""The benches that compare summc with other people's systems, and with published values."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.bench.published import covered, published
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


def test_published_problems_are_compared_with_the_best_known_values(tmp_path: Path) -> None:
    graph = {"cost": [2, 2, 3], "weight": [5, 4, 1], "edge_sentence": [0, 1, 2, 2], "edge_word": [0, 1, 1, 2]}
    with gzip.open(tmp_path / "4.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": name, "graph": graph}) + "\n" for name in ("a", "b", "c"))
    (tmp_path / "best.json").write_text(json.dumps({"a": 9, "b": 10, "c": 8}), encoding="utf-8")
    result = CliRunner().invoke(published, [str(tmp_path), "--effort", "normal"])
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in result.stdout.splitlines()]
    assert [row[1:4] for row in rows[2:5]] == [
        ["9", "9", "0.000%"],
        ["10", "9", "10.000%"],
        ["8", "9", "-12.500%"],
    ]
    assert rows[5][:3] == ["all", "3 problems", "reached 2"]
    assert result.stderr == "c: 9 is above 8: sets [0, 1]\n"
    with pytest.raises(ValueError, match="cost 5, more than 4"):
        covered(graph, 4, [0, 2])


def test_a_folder_without_published_problems_is_refused(tmp_path: Path) -> None:
    (tmp_path / "best.json").write_text("{}", encoding="utf-8")
    result = CliRunner().invoke(published, [str(tmp_path)])
    assert result.exit_code == 2
    assert "has no file K.jsonl.gz" in result.stderr
