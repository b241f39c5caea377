"""Run the commands that make figures, in full or small."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from summc.api.evaluation import load_dataset
from summc.cli import main
from summc.config import Config
from summc.lab.experiments.random_graphs import Family
from summc.records import Cluster
from summc.system.resources import sample_folder
from tests.bench.published import compare
from tests.bench.quality import quality
from tests.figures import Cells, Record

SHARED = Path(__file__).parent.parent.parent.parent / "shared" / "data"
#: What makes a command small: two clusters, graphs, kinds of weights and values of mu, and small graphs.
SMALLER = {
    r"--dataset \S+( --language \S+)?( -k \d+)?( --stem)?": "--dataset two",
    r"--graphs \d+": "--graphs 2",
    r"(weights|costs)=equal,\S+": r"\1=equal,uniform",
    r"^sweep": "sweep --mu 0.04:0.05:0.01",
    r"sentences=[\d,]+": "sentences=30",
    r"budget=0.03,\S+": "budget=0.1,0.2",
    r"--sentences \d+": "--sentences 72",
    r"--exact": "--exact --sentences 36",
    r"^experiment map(?!.* sentences=)": "experiment map --vary sentences=30",
}


class Commands:
    """Runs commands of summc and keeps them."""

    def __init__(self, small: bool) -> None:
        self.small = small
        self.lines: dict[str, None] = {}

    def __call__(self, line: str) -> Record:
        """Return the JSON that a command of summc prints."""
        self.lines[f"summc {line}"] = None
        return dict(json.loads(_written(main, f"{self._sized(line)} -q --format json")))

    def graphs(self, line: str) -> list[Record]:
        """Return what ``summc experiment map`` saves: the results on each graph, by selector."""
        self.lines[f"summc {line}"] = None
        lines = _written(main, f"{self._sized(line)} -q --save saved").splitlines()
        saved = [record for record in map(json.loads, lines) if "family" in record]
        return [
            {**record["family"], **{name.split()[0]: result for name, result in record["results"].items()}}
            for record in saved
        ]

    def clusters(self, dataset: str, language: str) -> list[Cluster]:
        """Return the clusters of a data set in a language."""
        config = Config(load=dataclasses.replace(Config().load, language=language))
        with tempfile.TemporaryDirectory() as folder:
            _write_two(Path(folder))
            return load_dataset(folder if self.small else dataset, config)[0]

    def published(self) -> list[list[str]]:
        """Return the rows that ``python -m tests.bench.published`` prints, without totals."""
        self.lines["python -m tests.bench.published FOLDER --time-limit 3"] = None
        with tempfile.TemporaryDirectory() as folder:
            if self.small:
                _write_published(Path(folder))
            source = Path(folder) if self.small else _data() / "bmcp"
            return list(compare(source, ("normal", "high"), 0.001 if self.small else 3.0))[1:-1]

    def systems(self, line: str) -> Cells:
        """Return the table that ``python -m tests.bench.quality`` writes."""
        self.lines[f"python -m tests.bench.quality {line}"] = None
        lines = _written(
            quality.main, "two=100 --system default --system lead --jobs 1" if self.small else line
        )
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in lines.splitlines()]
        return [rows[0], *rows[2:]]

    def _sized(self, line: str) -> str:
        for pattern, smaller in SMALLER.items() if self.small else ():
            line = re.sub(pattern, smaller, line)
        return line


@functools.cache
def _written(command: Callable[[list[str]], object], line: str) -> str:
    """Return what a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        _write_two(Path(folder, "two"))
        line = re.sub(r"\b(two|saved)\b", rf"{folder}/\1", line)
        for name in set(re.findall(r"[\w-]+\.jsonl", line)):
            line = line.replace(name, str(next(_data().glob(f"*/{name}"))))
        output = Path(folder, "output")
        try:
            command([*shlex.split(line), "-o", str(output)])
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"{line}: exit code {ended.code}") from ended
        saved = Path(folder, "saved", "map.jsonl")
        output = saved if saved.exists() else output
        return output.read_text(encoding="utf-8")


def _data() -> Path:
    return Path(os.environ.get("SUMMC_DATA", SHARED))


def _write_two(folder: Path) -> None:
    """Write a data set with two clusters of the sample, with three documents and references each."""
    for cluster in ("90001", "90002"):
        documents = sorted((sample_folder() / "docs" / f"d{cluster}t").iterdir())[:3]
        references = (sample_folder() / "models").glob(f"D{cluster}*")
        for path in (*documents, *references):
            target = folder / path.relative_to(sample_folder())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def _write_published(folder: Path) -> None:
    """Write two small random problems as published ones are stored, with any best known value."""
    columns = ("cost", "weight", "edge_sentence", "edge_word")
    with gzip.open(folder / "20.jsonl.gz", "wt", encoding="utf-8") as file:
        for number in (1, 2):
            graph, _ = Family(sentences=20).problem(number)
            record = {column: getattr(graph, column).astype(int).tolist() for column in columns}
            file.write(json.dumps({"id": f"20_60_{number}_20", "graph": record}) + "\n")
    (folder / "best.json").write_text('{"20_60_1_20": 400, "20_60_2_20": 300}', encoding="utf-8")
