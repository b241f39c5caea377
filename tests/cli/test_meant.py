"""What a user means is done without being spelled out, and what cannot be meant is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from summc import Config, summarize
from summc.errors import SettingError
from summc.method import read_background
from summc.report.summaries import RESULT_MEMBERS
from tests.conftest import Cli
from tests.support.languages import TEXTS

FLOOD = "The dam above the old mill broke on Monday. Nobody in the village below it was hurt by the water."
QUICK = ("--selector", "g-greedy", "-k", "10")


@pytest.fixture
def flood(tmp_path: Path) -> Path:
    path = tmp_path / "flood.txt"
    path.write_text(FLOOD)
    return path


def referenced(path: Path) -> Path:
    """Write a data set of one cluster with a reference."""
    path.write_text(json.dumps({"language": "en", "documents": [FLOOD], "references": ["The dam broke."]}))
    return path


def selected(summc: Cli, lines: str, *options: str, preprocess: tuple[str, ...] = ()) -> str:
    """Run the stages from preprocess to select, the last with options."""
    for stage in (["preprocess", *preprocess], ["weigh"], ["graph"], ["select", *options]):
        lines = summc(*stage, stdin=lines).out
    return lines


# The ending of the output file


@pytest.mark.parametrize(
    ("command", "name", "start"),
    [
        ("summarize {flood}", "a.HTM", "<!doctype html>"),
        ("summarize {flood}", "a.json", "{\n"),
        ("summarize {flood}", "a.jsonl", '{"id"'),
        ("summarize {flood}", "a.md", "## flood"),
        ("summarize {flood}", "a.out", "The dam"),
        ("summarize {flood}", "a", "The dam"),
        ("summarize --format text {flood}", "a.json", "The dam"),
        ("summarize --format json {flood}", "a.csv", "{\n"),
        ("explain -k 10 {flood}", "a.json", '{\n  "id"'),
        ("curve -k 10,20 --selector g-greedy {flood}", "a.csv", '"cluster","k",'),
        ("score {flood} --reference {flood}", "a.md", "| summary"),
        ("datasets", "a.json", '{\n  "looked_in"'),
        ("evaluate --dataset {data} --config paper --selector lead", "a.csv", '"selector",'),
        ("sweep --dataset {data} --config paper-fig3 --mu 0.04 --versus greedy", "a.json", "{"),
        ("experiment random-graphs --graphs 1 --mu 5 --sentences 20", "a.csv", '"method",'),
    ],
)
def test_the_ending_of_the_output_file_decides_its_format(
    summc: Cli, flood: Path, tmp_path: Path, command: str, name: str, start: str
) -> None:
    output, data = tmp_path / name, referenced(tmp_path / "data.jsonl")
    result = summc(*command.format(flood=flood, data=data).split(), "-o", output)
    assert (result.code, result.err) == (0, "")
    assert output.read_text().startswith(start)


@pytest.mark.parametrize("ending", ["csv", "pdf", "gz"])
def test_an_ending_that_the_command_does_not_write_is_refused(
    summc: Cli, flood: Path, tmp_path: Path, ending: str
) -> None:
    output = tmp_path / f"a.{ending}"
    result = summc("summarize", *QUICK, flood, "-o", output)
    assert result.code == 2
    assert result.err == (
        f"error: -o: {output}: summarize does not write {ending}; "
        "name a .json, .jsonl, .md, .html or .txt file, or give --format\n"
    )
    assert not output.exists()


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("https://example.org/", "run curl -L https://example.org/ > page.html, then give page.html instead"),
        ("https://example.org/a.pdf?x=1&y=2",
         "run curl -L 'https://example.org/a.pdf?x=1&y=2' > page.pdf, then give page.pdf instead"),
        ("s3://bucket/a.jsonl", "copy it to a file first, and give that instead"),
        ("file:///a/b.txt", "give /a/b.txt instead"),
    ],
)  # fmt: skip
def test_the_error_for_a_url_says_how_to_fetch_it(summc: Cli, url: str, remedy: str) -> None:
    for command in ("summarize", "load", "score", "evaluate --dataset"):
        result = summc(*command.split(), url)
        assert (result.code, result.out) == (4, "")
        assert result.err == f"error: {url}: a URL, which summc does not fetch; {remedy}\n"


# Lines that are broken, and members of lines that are not summc's


def line(name: str, **members: object) -> str:
    return json.dumps({"id": name, "documents": [FLOOD], **members})


@pytest.mark.parametrize("source", ["in.jsonl", "-", "folder"])
def test_a_broken_line_does_not_stop_the_other_clusters(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    data = "\n".join(["{broken", line("a"), "", '{"id": "x"}', line("b")]).encode()
    if source != "-":
        data += b"\n" + b"x" * 3 * 1024**2 + b"\n\xff"
    place = {"-": "standard input", "folder": "folder/in.jsonl"}.get(source, source)
    (tmp_path / "folder").mkdir()
    for name in ("in.jsonl", "folder/in.jsonl"):
        (tmp_path / name).write_bytes(data)
    result = summc("summarize", *QUICK, "--encoding", "utf-8", "--format", "json", source, stdin=data)
    assert [each["id"] for each in json.loads(result.out)] == ["a", "b"]
    wrong = (1, 4) if source == "-" else (1, 4, 6, 7)
    assert result.code == 3
    assert [each.split(": ")[1] for each in result.err.splitlines()] == [f"{place}:{n}" for n in wrong]
    assert f"error: {place}:1: not JSON" in result.err
    assert f'error: {place}:4: no list "documents"' in result.err


def test_other_members_of_a_line_come_out_with_its_summary(summc: Cli, tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out"
    mine = {"my_key": 5, "graph": [1], "tags": {"a": None}}
    clashing = {"text": "mine", "error": {"a": 1}, "given": 2}
    path.write_text(
        f'{line("a", **mine)}\n{{"id": "x", "my_key": 6}}\n{line("b")}\n{line("c", **clashing)}\n'
    )
    assert summc("batch", *QUICK, path, "-o", out).code == 5
    first, failed, plain, clashed = (out / "part-00000.jsonl").read_text().splitlines()
    assert json.loads(first).items() >= mine.items()
    assert json.loads(failed)["my_key"] == 6
    assert json.loads(failed)["error"]["code"] == 3
    assert "my_key" not in plain
    assert json.loads(clashed)["text"].startswith("The dam")
    assert json.loads(clashed)["given"] == clashing
    assert "error" not in json.loads(clashed)
    written = summc("summarize", *QUICK, path, "--format", "jsonl").out
    assert written == f"{first}\n{plain}\n{clashed}\n"


def test_every_member_that_summc_writes_is_protected(summc: Cli, flood: Path) -> None:
    options = ["--weighting", "expected", "--explain", "--by-topic", "--format", "json"]
    (made,) = json.loads(summc("summarize", *QUICK, *options, flood).out)
    assert {"forecast", "explanation", "title"} < made.keys() <= RESULT_MEMBERS


def test_the_stages_pass_other_members_on(summc: Cli) -> None:
    given = line("a", my_key=5, text="mine")
    loaded = summc("load", "-", stdin=given).out
    passed = selected(summc, loaded)
    whole = summc("summarize", "-", "--format", "jsonl", stdin=given).out
    assert summc("render", "--format", "jsonl", stdin=passed).out == whole
    between = json.dumps({"later": True, **json.loads(passed)})
    assert json.loads(summc("render", "--format", "jsonl", stdin=between).out)["later"] is True
    broken = json.loads(loaded)
    broken["cluster"]["members"] = 5
    result = summc("preprocess", stdin=json.dumps(broken))
    assert result.code == 3
    assert "standard input:1: cluster.members must be an object" in result.err


# A required text that stands in a headline and in a sentence


@pytest.mark.parametrize(
    "head",
    ["DAM BREAKS\n\n", "The dam breaks.\n\nMonday, 9 March 2026\n\n", "The dam breaks, says the U.S.\n\n"],
)
def test_a_required_text_means_a_sentence_rather_than_a_headline(
    summc: Cli, tmp_path: Path, head: str
) -> None:
    path, options = tmp_path / "a.txt", ("--must", "dam breaks", "-k", "20")
    sentence = "After weeks of rain the dam breaks and the valley below it is under water."
    path.write_text(f"{head}{FLOOD}\n\n{sentence}\n")
    assert summc("summarize", *options, path).out == f"{sentence}\n"
    lines = selected(summc, summc("load", path).out, *options)
    assert summc("render", stdin=lines).out == f"{sentence}\n"


def test_a_required_text_may_stand_in_a_headline_alone(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"Ruin at the weir\n\n{FLOOD}\n")
    assert summc("summarize", "--must", "weir", "-k", "5", path).out == "Ruin at the weir\n"


# Settings of other weightings, and flags that contradict each other


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("summarize --weighting expected --power 2",
         "--power: not a setting of weighting expected; choose document-frequency or position or mixed"),
        ("summarize --weighting expected --place-bonus 2",
         ("--place-bonus: not a setting of weighting expected; "
         "choose tfidf or document-frequency or position or mixed")),
        ("summarize --config paper --dispersion 2",
         "--dispersion: not a setting of weighting tfidf; choose expected or mixed"),
        ("evaluate --dataset sample --preset paper,default --idf-unit document",
         "--idf-unit: not a setting of weighting mixed; choose tfidf"),
        ("learn --dataset sample --power 2", "--power: no such option; "),
        ("summarize --query dam --no-query", "--no-query: given with --query; leave one of them out"),
    ],
)  # fmt: skip
def test_a_setting_that_has_no_effect_is_refused(summc: Cli, arguments: str, error: str) -> None:
    result = summc(*arguments.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {error}")


def test_a_configuration_file_may_have_settings_that_are_not_used(summc: Cli, flood: Path) -> None:
    path = flood.with_name("my.toml")
    path.write_text('[weigh]\nweighting = "expected"\npower = 2\nplace_bonus = 3\nquery = "dam"\n')
    assert summc("summarize", "--config", path, "--no-query", flood).code == 0  # the flag wins over the file
    with pytest.raises(SettingError, match="`use_query=False`: given with `query`"):
        summarize([FLOOD], query="dam", config={"use_query": False})


@pytest.mark.parametrize("flags", ["--preset paper --idf-unit document", "--preset paper-fig3 --beta 3"])
def test_flags_for_presets_are_those_of_their_weightings_and_selectors(
    summc: Cli, tmp_path: Path, flags: str
) -> None:
    data = referenced(tmp_path / "data.jsonl")
    result = summc("evaluate", "--dataset", data, "-k", "20", *flags.split())
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("command", ["summarize --show-config", "score {lines}", "batch --show-config"])
def test_an_unknown_language_is_refused_even_where_none_is_needed(
    summc: Cli, tmp_path: Path, command: str
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"failure": "no sentence fits"}\n')
    result = summc(*command.format(lines=lines).split(), "--language", "klingon")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith('error: --language: unknown language "klingon"; give a name')


def test_the_error_for_a_missing_language_names_those_that_are_there(summc: Cli, tmp_path: Path) -> None:
    texts = tmp_path / "multiling2011" / "SourceTexts"
    texts.mkdir(parents=True)
    for language in ("french", "czech", "other"):
        (texts / f"M0000.{language}").write_text(FLOOD)
    for command in (["datasets", "check", "multiling2011"], ["evaluate", "--dataset", "multiling2011"]):
        result = summc(*command, "--data", tmp_path, "--language", "greek")
        assert result.code == 3
        assert result.err == (
            f"error: {texts.parent}: nothing in Greek; choose --language from czech, french\n"
        )


# Dates


def test_every_command_that_prints_sentences_can_date_them(summc: Cli, tmp_path: Path) -> None:
    (tmp_path / "20260310.txt").write_text(FLOOD)
    (tmp_path / "b20260309.txt").write_text(
        "The rain filled the lake above the old mill for weeks. Engineers warned the village twice."
    )
    given = summc("summarize", "--order", "given", "--least-words", "1", "--dates", tmp_path).out
    assert "[10 March 2026]" in given
    assert given.endswith("[9 March 2026]\n")
    lines = selected(summc, summc("load", tmp_path).out, preprocess=("--least-words", "1"))
    whole = summc("summarize", "--least-words", "1", "--dates", tmp_path).out
    assert "[9 March 2026]" in whole
    assert summc("render", "--dates", stdin=lines).out == whole
    told = summc("explain", "--dates", "-k", "10", tmp_path).out
    assert "20260310.txt, 10 March 2026, sentence 1 of 2, 9 words\n" in told
    assert "10 March 2026" not in summc("explain", "-k", "10", tmp_path).out


@pytest.mark.parametrize("command", ["summarize", "explain"])
def test_dates_that_are_not_known_are_reported(summc: Cli, flood: Path, command: str) -> None:
    result = summc(command, "--dates", flood)
    assert (result.code, result.err) == (0, "warning: --dates: no document has a date that is known\n")


# The language of a background


def test_a_background_is_read_in_its_own_language(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "fr.txt"
    path.write_text(TEXTS["fr"])
    config = Config().with_settings({"weighting": "tfidf", "background": (str(path),)})
    (background,) = read_background(config, "en")
    assert background.cluster.language == "fr"
    (asked,) = read_background(config.with_settings({"language": "german"}), "en")
    assert asked.cluster.language == "de"
    # The stages weigh as summarize does.
    weighing = ["--weighting", "tfidf", "--idf-unit", "document", "--background", path]
    line = summc("preprocess", stdin=summc("load", "-", stdin=FLOOD).out).out
    graph = summc("graph", stdin=summc("weigh", *weighing, stdin=line).out).out
    selection = json.loads(summc("select", "-k", "10", stdin=graph).out)["selection"]
    whole = json.loads(summc("summarize", *weighing, "-k", "10", "--format", "json", "-", stdin=FLOOD).out)
    assert selection["covered_weight"] == whole["covered_weight"]
