"""Small data from the sample, for tests that need real texts: a run on the whole sample takes far longer."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path

from tests.conftest import SAMPLE

#: Two documents of the cluster d90004t. Given as paths they are one cluster.
DAM = [SAMPLE / "docs" / "d90004t" / name for name in ("EQW20320310.0202", "EQW20320319.0088")]


@cache
def lines(clusters: int) -> list[str]:
    """Return the first clusters of the sample as JSON lines, each with two of its documents."""
    from summc.documents.sources import load

    return [
        json.dumps(
            {
                "id": cluster.id,
                "language": "en",
                "documents": [
                    "\n".join(each.text for each in document.sentences) for document in cluster.documents[:2]
                ],
                "references": cluster.references,
            }
        )
        for cluster in islice(load([SAMPLE]), clusters)
    ]


def write_lines(path: Path, clusters: int = 2) -> Path:
    """Write the first clusters of the sample to a file, with two documents each, and return its path."""
    path.write_text("".join(f"{line}\n" for line in lines(clusters)))
    return path


def lines_of(path: Path, *references: list[str], language: str = "en") -> Path:
    """Write a cluster of two short documents for each list of references, and return the path of the file."""
    texts = ["The dam broke near the old town.", "The dam broke. Nobody was hurt in the old town."]
    made = [{"documents": texts, "references": each, "language": language} for each in references]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in made))
    return path
