"""The shape of the program: who may import whom, and what must not be imported to print help."""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE

PACKAGE = ROOT / "summc"
FOUNDATION = {
    "amounts",
    "compiled",
    "coverage",
    "errors",
    "inputs",
    "json_objects",
    "languages",
    "lengths",
    "locks",
    "processes",
    "records",
    "resources",
    "settings",
    "signals",
    "stemmers",
    "structure",
    "versions",
}
STAGES = {
    "documents", "preprocess", "concepts", "candidates", "grouping", "weights", "steering", "graph",
    "reading", "selectors", "rouge",
}  # fmt: skip
ABOVE = {"config", "storage", "signatures", "solving", "pipeline", "render", "tables", "topics"}
TOP = {"batch", "bench", "evaluation", "experiments", "report"}  # what stands on the pipeline


def imported(path: Path) -> set[str]:
    """The parts of summc that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "summc":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("summc.")}
    return found


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def allowed(part: str) -> set[str]:
    if part in FOUNDATION:
        return FOUNDATION
    if part in STAGES:
        return FOUNDATION | {part}
    if part in {"bench", "experiments"}:  # what is measured, or swept, is evaluated
        return FOUNDATION | STAGES | ABOVE | {"evaluation", part}
    if part in TOP:
        return FOUNDATION | STAGES | ABOVE | {part}
    if part in {"cli", "__main__", "__init__"}:
        return FOUNDATION | STAGES | ABOVE | TOP | {"cli"}
    return FOUNDATION | STAGES | ABOVE


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_imports_point_one_way(path: Path) -> None:
    assert imported(path) <= allowed(part_of(path))


def test_the_parts_above_the_stages_form_no_circle() -> None:
    graph = {part: imported(PACKAGE / f"{part}.py") & ABOVE for part in ABOVE}
    while graph:
        free = [part for part, needs in graph.items() if not needs & graph.keys()]
        assert free, f"a circle among {sorted(graph)}"
        for part in free:
            del graph[part]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["summarize", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = "import sys; from summc.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    modules = set(ran.stdout.split())
    assert not modules & {"sklearn", "nltk", "scipy", "sumeval", "nupunkt", "stopwordsiso", "matplotlib"}
    assert "numpy" not in modules or arguments[0] == "summarize"


@pytest.mark.parametrize("selector", ["auto", "bp", "g-greedy"])
def test_a_summary_of_one_cluster_imports_nothing_heavy(selector: str) -> None:
    code = "import sys; from summc.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    arguments = ["summarize", "--selector", selector, str(SAMPLE / "docs" / "d90001t")]
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    modules = set(ran.stdout.splitlines()[-1].split())
    assert "Stemmer" in modules
    assert not modules & {"sklearn", "nltk", "scipy", "sumeval", "stopwordsiso", "matplotlib"}


def test_only_one_file_imports_sumeval() -> None:
    importers = [path for path in PACKAGE.rglob("*.py") if "from sumeval" in path.read_text()]
    assert importers == [PACKAGE / "rouge" / "engine.py"]


def test_the_wheel_carries_sample_configurations_and_stop_words(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [path.relative_to(SAMPLE) for path in SAMPLE.rglob("*") if path.is_file()]
    assert {f"summc/resources/sample/{file.as_posix()}" for file in files} <= names
    assert {"summc/resources/configs/paper-fig3.toml", "summc/resources/stopwords-english.txt"} <= names
    assert {"summc/report/page.css", "summc/report/page.js"} <= names
    assert "summc/resources/linked-english.txt" in names
    assert {"summc/resources/linked-others.txt", "summc/resources/months.txt"} <= names
    assert "summc/resources/wordnet-2.0-exceptions.tsv" in names
    assert not [name for name in names if name.startswith(("tests/", "data/"))]


def test_the_source_archive_carries_the_lists_of_words(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as found:
        names = {name.partition("/")[2] for name in found.getnames()}
    assert "summc/resources/wordnet-2.0-exceptions.tsv" in names
    assert "summc/resources/stopwords-english.txt" in names


def test_the_sample_keeps_its_promises() -> None:
    from summc.documents import load

    clusters = list(load([SAMPLE]))
    assert len(clusters) == 6
    for cluster in clusters:
        assert len(cluster.references) == 3
        assert all(len(reference.split()) <= 100 for reference in cluster.references)
        for document in cluster.documents:
            assert 150 <= sum(sentence.words for sentence in document.sentences) <= 300
