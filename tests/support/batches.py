"""Make clusters for batches, and read the output of a batch."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

from summc.batch import prepare
from summc.config import Config
from summc.documents.sources import load
from tests.conftest import SAMPLE

QUICK = ["--config", "paper", "--selector", "g-greedy", "-k", "40"]
QUICKLY = Config().with_file("paper").with_settings({"selector": "g-greedy", "budget": 40})


@cache
def all_sentences() -> list[str]:
    return [sentence.text for cluster in load([SAMPLE]) for sentence in cluster.sentences]


def make_lines(count: int, sentences: int = 8) -> list[str]:
    rng, texts = random.Random(3), all_sentences()
    return [
        json.dumps({"id": f"c{n:03}", "documents": [" ".join(rng.sample(texts, sentences)) for _ in "ab"]})
        for n in range(count)
    ]


def make_thirty(folder: Path) -> tuple[Path, bytes]:
    """Write a file of 30 clusters, the first one broken; return it and its batch output of 10 parts."""
    path = folder / "thirty.jsonl"
    path.write_text("\n".join(["{broken", *make_lines(29, 2)]))
    finish(path, folder / "out")
    return path, output_of(folder / "out")


def parts_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def output_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in parts_in(folder))


def finish(path: Path, out: Path) -> list[str]:
    """Run a batch with parts of 3 clusters; return the names of the parts that were made."""
    with prepare([str(path)], QUICKLY, str(out), 3) as batch:
        done = list(batch.work())
        batch.finish()
    return [each.name for each in done]
