"""Tell whether summaries are still the same: those of the sample, MultiLing in five languages, and papers.

    python -m tests.summaries          compares all with tests/golden/summaries.json, in a few minutes
    python -m tests.summaries --write  writes that file anew

The texts are in ``shared`` beside the project; the file has only digests of the summaries made from them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from summc.cli import main
from summc.selectors import SELECTORS

ROOT = Path(__file__).parent.parent
SAMPLE, SHARED = ROOT / "data" / "sample", ROOT.parent / "shared" / "data"
DIGESTS = Path(__file__).parent / "golden" / "summaries.json"
LANGUAGES = ("english", "french", "czech", "arabic", "hebrew")
PRESETS = ("default", "highest", "paper", "paper-fig3", "paper-fig4")


def collections(folder: Path) -> dict[str, list[Path]]:
    """Return the name of each collection and its paths; MultiLing gets a folder for each topic."""
    for path in (SHARED / "multiling2011" / "SourceTexts").iterdir():
        topic, language = path.name[:4], path.suffix[1:].lower()
        target = folder / language / topic / f"{path.stem}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    papers = sorted((SHARED / "papers").glob("*.jsonl"))
    return {"sample": [SAMPLE], "papers": papers, **{name: [folder / name] for name in LANGUAGES}}


def runs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the arguments of each run."""
    found = collections(folder)
    for name, paths in found.items():
        for preset in PRESETS:
            for budget in ("50", "100", "250"):
                yield f"{name} {preset} {budget}", ["--config", preset, "-k", budget, *map(str, paths)]
    for selector in SELECTORS:
        for preset in ("default", "paper-fig3"):
            flags = ["--config", preset, "--selector", selector, "-k", "100", str(SAMPLE)]
            yield f"sample {preset} 100 {selector}", flags


def digest(arguments: list[str], output: Path) -> str:
    """Return a digest of the sentences that ``summc summarize`` chooses."""
    with contextlib.suppress(SystemExit):
        main(["summarize", "-q", "-o", str(output), *arguments])
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    chosen = [(line["id"], [sentence["text"] for sentence in line["sentences"]]) for line in lines]
    return hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:16]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        now = {name: digest(arguments, Path(made, "out.jsonl")) for name, arguments in runs(Path(made))}
    if "--write" in sys.argv:
        DIGESTS.write_text(f"{json.dumps(now, indent=0)}\n")
    before = json.loads(DIGESTS.read_text())
    changed = [name for name in before | now if before.get(name) != now.get(name)]
    print(f"{len(now)} runs, {len(changed)} changed", *changed, sep="\n")
    sys.exit(bool(changed))
