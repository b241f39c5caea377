"""The documentation is correct: examples print what is shown, and everything that exists is documented."""

from __future__ import annotations

import doctest
import json
import os
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from summc import errors
from summc.documents import formats
from summc.lab.evaluation import BASELINES
from summc.preprocess.concepts import PreprocessSettings
from summc.selectors import SELECTORS
from summc.settings import rules
from summc.system.versions import version
from summc.weights import WEIGHTINGS
from tests.conftest import ROOT, Cli
from tests.figures import results
from tests.figures.parts import PARTS, small
from tests.support.sessions import run

GENERATE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
PAGES = ROOT / "docs" / "pages"
TEXTS: dict[Path, str] = GENERATE["texts"]()
README = TEXTS[ROOT / "README.md"]
ALL = "\n".join(TEXTS.values())
COMMANDS: dict[str, click.Command] = GENERATE["all_commands"]()
#: The command and the output of each example.
SHOWN = [
    (found["command"], found["output"])
    for text in TEXTS.values()
    for found in GENERATE["EXAMPLE"].finditer(text)
]


@pytest.fixture
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the examples in a new folder that holds ``data``."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)


# Examples


@pytest.mark.usefixtures("_in_folder")
@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command[:60] for command, _ in SHOWN])
def test_examples_print_the_output_shown(summc: Cli, command: str, output: str) -> None:
    versionless = re.compile(
        r"(nltk|numpy|pystemmer|scikit-learn|splitter|sumeval|summc)(\"?): ?\"?[\w.+-]+\"?"
    )
    result = run(summc, command)
    assert versionless.sub("", result.out + result.err) == versionless.sub("", output)


def test_examples_name_the_release_and_no_commit() -> None:
    assert len(SHOWN) == ALL.count("```console") >= 10
    named = re.findall(r"\bsummc:([\w.+-]+)", "".join(output for _, output in SHOWN))
    release = GENERATE["RELEASE"]
    assert set(named) == {release}, "run: python docs/generate.py"
    assert GENERATE["without_commit"](f"summc:{version('summc')}|k:5") == f"summc:{release}|k:5"


@pytest.mark.usefixtures("_in_folder")
def test_python_examples_give_the_results_shown(summc: Cli) -> None:
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", ALL, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, "docs", None, None)
    assert len(test.examples) >= 5
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(test, clear_globs=False)
    assert result.failed == 0
    # What is called the paper's is what the command gives with the paper's settings.
    alone, together = test.globs["paper"], test.globs["papers"]
    for path, summaries in (("data/sample/docs/d90004t", [alone]), ("data/sample", together)):
        made = summc("summarize", "--config", "paper-fig3", "--format", "jsonl", path).out.splitlines()
        assert [json.loads(line)["sentences"] for line in made] == [
            summary.to_dict()["sentences"] for summary in summaries
        ]


def test_the_places_of_the_equations_exist() -> None:
    page = (PAGES / "method" / "paper.md").read_text(encoding="utf-8")
    places = re.findall(r"`([\w/]+\.(?:py|c))`: `(\w+)`", page)
    assert len(places) >= 10
    for path, name in places:
        code = (ROOT / "summc" / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|class|int) {name}\b", code, re.MULTILINE), (path, name)


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    texts = '["The old dam broke early on Monday morning.", "Nobody in the two towns below was hurt."]'
    exec(code.replace('["text one", "text two"]', texts), {})  # noqa: S102 (our own example)
    assert "The old dam broke" in capsys.readouterr().out


def _shown_commands() -> list[str]:
    """Return every summc command in the text, in code of a line or of a block."""
    blocks = re.findall(r"```(?:sh|console)[^\n]*\n(.*?)```", ALL, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", ALL, flags=re.DOTALL))
    found = (re.findall(r"(?:^|[/ $])summc ([a-z][^|#>]*)", text) for text in (*lines, *spans))
    return sorted({each.strip() for line in found for each in line})


def test_commands_that_are_shown_have_only_options_that_exist() -> None:
    checked = 0
    for shown_command in _shown_commands():
        first, *others = shown_command.split()
        name = f"{first} {others[0]}" if others and f"{first} {others[0]}" in COMMANDS else first
        if name not in COMMANDS:
            continue  # a sentence about summc
        known = {flag for each in COMMANDS[name].params for flag in (*each.opts, *each.secondary_opts)}
        flags = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", shown_command)) - {"-h", "--help"}
        assert flags <= known, shown_command
        checked += len(flags)
    assert checked > 100


# Figures


def test_pages_have_the_figures_that_were_made() -> None:
    for path, text in TEXTS.items():
        assert GENERATE["with_figures"](text) == text, f"run: python docs/generate.py ({path.name})"
    assert set(re.findall(r"<!-- figures: ([\w-]+)", ALL)) - {"NAME"} == set(PARTS) == set(results())


@pytest.mark.parametrize("part", PARTS)
def test_small_tables_of_figures_are_still_the_same(part: str) -> None:
    assert small(part) == results()[part]["small"], f"run: python -m tests.figures {part}"


# Everything is documented


def test_generated_pages_are_up_to_date() -> None:
    for path, text in GENERATE["pages"]().items():
        assert path.read_text(encoding="utf-8") == text, f"run: python docs/generate.py ({path.name})"


def test_schemas_are_up_to_date() -> None:
    for path, text in GENERATE["schemas"]().items():
        assert path.read_text(encoding="utf-8") == text, f"run: python docs/generate.py ({path.name})"


def test_every_name_and_exit_code_is_documented() -> None:
    concepts = rules(PreprocessSettings)["concepts"][1].choices
    configurations = [path.stem for path in (ROOT / "configs").glob("*.toml")]
    for name in (*SELECTORS, *WEIGHTINGS, *concepts, *BASELINES, *formats.FORMATS, *configurations):
        assert f"`{name}`" in ALL, name
    codes = {kind.exit_code for kind in errors.SummcError.__subclasses__()}
    assert all(f"\n| {code} |" in TEXTS[PAGES / "guide" / "scripts.md"] for code in codes)


def test_tests_that_the_promises_name_exist() -> None:
    named = set(re.findall(r"`(\w+/test_\w+\.py)`", TEXTS[PAGES / "guarantees.md"]))
    assert len(named) > 5
    assert {name for name in named if not (ROOT / "tests" / name).is_file()} == set()


# The README


def test_the_readme_is_short_and_its_commands_are_one_line_each() -> None:
    assert len(README.splitlines()) <= 150
    run, test = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert run.endswith("summc summarize --sample")
    assert test.endswith("-m pytest")


def test_links_and_pictures_lead_to_files() -> None:
    for path, text in TEXTS.items():
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for target in re.findall(r"\]\((?!https?://|#)([^)#\s]+)", prose):
            assert (path.parent / target).is_file(), f"{path}: {target}"
    assert "images/page.png" in README
    assert (PAGES / "images" / "page.png").stat().st_size < 200_000


# The site


@pytest.mark.skipif(find_spec("mkdocs") is None or find_spec("material") is None, reason="needs summc[docs]")
def test_the_site_has_every_page_and_fetches_nothing_from_other_hosts(tmp_path: Path) -> None:
    # One test: building the site takes seconds, and parallel test processes would each build it.
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "docs/mkdocs.yml", "-d", tmp_path],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "WARNING" not in ran.stderr
    for path in TEXTS.keys() - {ROOT / "README.md"}:
        assert (tmp_path / path.relative_to(PAGES).with_suffix(".html")).is_file(), path
    foreign = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
    for path in tmp_path.rglob("*.html"):
        assert foreign.findall(path.read_text()) == []
    for path in tmp_path.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import [\"']http", path.read_text())
