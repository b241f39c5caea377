"""The structure of the package: allowed imports, and modules that printing help must not load."""

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
FOUNDATION = {"errors", "files", "processes", "records", "resources", "settings", "text"}
#: Selectors and reading prices work on the sentences of a graph. They know the problem, not the text.
ON_THE_GRAPH = {"reading", "selectors"}
STAGES = {"documents", "preprocess", "weights", "graph", "rouge"} | ON_THE_GRAPH
ABOVE = {"codec", "config", "signatures", "pipeline"}
TOP = {"batch", "bench", "evaluation", "experiments", "report"}  # built on the pipeline
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[Path]:
    """Return the files of summc that a file imports, anywhere in the file."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "summc":
            found |= {file_of(f"{node.module}.{alias.name}") or needed(node.module) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {needed(alias.name) for alias in node.names if alias.name.split(".")[0] == "summc"}
    return found


def file_of(module: str) -> Path | None:
    """Return the file of a module, or None if the name is not a module."""
    path = ROOT.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.exists()), None)


def needed(module: str) -> Path:
    found = file_of(module)
    assert found, f"{module} is not a module"
    return found


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


#: Further imports that a part may make, apart from itself and the layers below it.
ALSO = {
    "reading": {"graph"},
    "selectors": {"graph"},
    "bench": {"evaluation"},  # scores what it measures
    "experiments": {"evaluation"},  # scores what it measures
    "batch": {"report"},  # writes summaries
}


def allowed(part: str) -> set[str]:
    own = {part} | ALSO.get(part, set())
    if part in FOUNDATION:
        return FOUNDATION
    if part in STAGES:
        return FOUNDATION | own
    below = FOUNDATION | STAGES | ABOVE | own
    return below | TOP | {"cli"} if part in {"cli", "__main__", "__init__"} else below


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_part_imports_only_the_layers_below_it(path: Path) -> None:
    assert {part_of(each) for each in imported(path)} - {"__init__"} <= allowed(part_of(path))


def test_the_import_test_sees_every_module() -> None:
    assert {"documents/formats/mail.py", "documents/formats/mail_html.py"} <= {
        path.relative_to(PACKAGE).as_posix() for path in MODULES
    }


def test_there_are_no_circular_imports() -> None:
    graph = {path: imported(path) for path in MODULES}
    while graph:
        free = [path for path, needs in graph.items() if not needs & graph.keys()]
        assert free, f"a circle among {sorted(path.relative_to(PACKAGE).as_posix() for path in graph)}"
        for path in free:
            del graph[path]


def test_the_package_root_has_an_entry_for_each_stage() -> None:
    stages = {"documents", "preprocess", "weights", "graph", "selectors", "rouge"}
    entries = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "."))}
    assert stages <= entries
    assert len(entries) <= 24


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["summarize", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = "import sys; from summc.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    modules = set(ran.stdout.split())
    assert not modules & {
        "sklearn", "nltk", "scipy", "sumeval", "nupunkt", "stopwordsiso", "matplotlib", "jinja2",
    }  # fmt: skip
    assert "numpy" not in modules or arguments[0] == "summarize"


@pytest.mark.parametrize("selector", ["auto", "bp", "g-greedy"])
def test_a_summary_of_one_cluster_imports_nothing_heavy(selector: str) -> None:
    code = "import sys; from summc.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    arguments = ["summarize", "--selector", selector, str(SAMPLE / "docs" / "d90001t")]
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    modules = set(ran.stdout.splitlines()[-1].split())
    assert "Stemmer" in modules
    assert not modules & {"sklearn", "nltk", "scipy", "sumeval", "stopwordsiso", "matplotlib", "jinja2"}


def test_only_one_file_imports_sumeval() -> None:
    importers = [path for path in PACKAGE.rglob("*.py") if "from sumeval" in path.read_text()]
    assert importers == [PACKAGE / "rouge" / "engine.py"]


def test_the_wheel_contains_the_sample_configurations_and_word_lists(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [path.relative_to(SAMPLE) for path in SAMPLE.rglob("*") if path.is_file()]
    assert {f"summc/resources/sample/{file.as_posix()}" for file in files} <= names
    assert {"summc/resources/configs/paper-fig3.toml", "summc/resources/stopwords-english.txt"} <= names
    assert {f"summc/report/{name}" for name in ("page.css", "page.html.j2", "page.js", "search.js")} <= names
    assert "summc/resources/linked-english.txt" in names
    assert {"summc/resources/linked-others.txt", "summc/resources/months.txt"} <= names
    assert "summc/resources/wordnet-2.0-exceptions.tsv" in names
    assert not [name for name in names if name.startswith(("tests/", "data/"))]


def test_the_source_archive_contains_the_word_lists(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as found:
        names = {name.partition("/")[2] for name in found.getnames()}
    assert "summc/resources/wordnet-2.0-exceptions.tsv" in names
    assert "summc/resources/stopwords-english.txt" in names


def test_the_sample_has_the_documented_size() -> None:
    from summc.documents import load

    clusters = list(load([SAMPLE]))
    assert len(clusters) == 6
    for cluster in clusters:
        assert len(cluster.references) == 3
        assert all(len(reference.split()) <= 100 for reference in cluster.references)
        for document in cluster.documents:
            assert 150 <= sum(sentence.words for sentence in document.sentences) <= 300
