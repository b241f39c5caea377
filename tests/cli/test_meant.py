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
ALL_BUT_EXPECTED = ("tfidf", "document-frequency", "position", "mixed")
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


# The ending of the output file


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.html", "<!doctype html>"),
        ("a.HTM", "<!doctype html>"),
        ("a.json", "{\n"),
        ("a.jsonl", '{"id"'),
        ("a.md", "## flood"),
        ("a.txt", "The dam"),
        ("a.out", "The dam"),
        ("a", "The dam"),
    ],
)
def test_the_ending_of_the_output_file_decides_its_format(
    summc: Cli, flood: Path, tmp_path: Path, name: str, start: str
) -> None:
    assert summc("summarize", *QUICK, flood, "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text().startswith(start)


@pytest.mark.parametrize(
    ("command", "ending", "start"),
    [
        ("explain -k 10 {flood}", "json", '{\n  "id"'),
        ("curve -k 10,20 --selector g-greedy {flood}", "csv", '"cluster","k",'),
        ("score {flood} --reference {flood}", "md", "| summary"),
        ("datasets", "json", '{\n  "looked_in"'),
        ("evaluate --dataset {data} --config paper --selector lead", "csv", '"selector",'),
        ("sweep --dataset {data} --config paper-fig3 --mu 0.04 --versus greedy", "json", "{"),
        ("experiment random-graphs --graphs 1 --mu 5 --sentences 20", "csv", '"method",'),
    ],
)
def test_every_command_with_formats_looks_at_the_ending(
    summc: Cli, flood: Path, tmp_path: Path, command: str, ending: str, start: str
) -> None:
    output, data = tmp_path / f"out.{ending}", referenced(tmp_path / "data.jsonl")
    result = summc(*command.format(flood=flood, data=data).split(), "-o", output)
    assert (result.code, result.err) == (0, "")
    assert output.read_text().startswith(start)


def test_a_format_that_is_given_wins_over_the_ending(summc: Cli, flood: Path, tmp_path: Path) -> None:
    assert summc("summarize", *QUICK, flood, "-o", tmp_path / "a.json", "--format", "text").code == 0
    assert (tmp_path / "a.json").read_text().startswith("The dam")
    assert summc("summarize", *QUICK, flood, "--format", "json", "-o", tmp_path / "a.csv").code == 0
    assert json.loads((tmp_path / "a.csv").read_text())["id"] == "flood"


@pytest.mark.parametrize("ending", ["csv", "tex", "pdf", "gz", "png"])
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


# A URL in the place of a path


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        (
            "https://example.org/",
            "run curl -L https://example.org/ > page.html, then give page.html instead",
        ),
        (
            "https://example.org/a.pdf?x=1&y=2",
            "run curl -L 'https://example.org/a.pdf?x=1&y=2' > page.pdf, then give page.pdf instead",
        ),
        ("s3://bucket/a.jsonl", "copy it to a file first, and give that instead"),
        ("file:///a/b.txt", "give /a/b.txt instead"),
    ],
)
@pytest.mark.parametrize("command", ["summarize", "load", "score", "evaluate --dataset"])
def test_the_error_for_a_url_says_how_to_fetch_it(summc: Cli, command: str, url: str, remedy: str) -> None:
    result = summc(*command.split(), url)
    assert (result.code, result.out) == (4, "")
    assert result.err == f"error: {url}: a URL, which summc does not fetch; {remedy}\n"


# Lines that are broken


def line(name: str, **members: object) -> str:
    return json.dumps({"id": name, "documents": [FLOOD], **members})


@pytest.mark.parametrize("source", ["in.jsonl", "-", "folder"])
def test_a_broken_line_does_not_stop_the_other_clusters(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(["{broken", line("a"), "", '{"id": "x"}', line("b")])
    place = {"-": "standard input", "folder": "folder/in.jsonl"}.get(source, source)
    (tmp_path / "folder").mkdir()
    for name in ("in.jsonl", "folder/in.jsonl"):
        (tmp_path / name).write_text(lines)
    result = summc("summarize", *QUICK, "--format", "json", source, stdin=lines)
    assert [each["id"] for each in json.loads(result.out)] == ["a", "b"]
    assert result.code == 3
    first, second = result.err.splitlines()
    assert first.startswith(f"error: {place}:1: not JSON")
    assert second.startswith(f'error: {place}:4: no list "documents"')


def test_lines_that_are_too_long_or_not_utf_8_do_not_stop_the_others(
    summc: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\n".join([b"x" * 3 * 1024**2, line("a").encode(), b"\xff", line("b").encode()]))
    result = summc("load", "--encoding", "utf-8", path)
    assert [json.loads(each)["cluster"]["id"] for each in result.out.splitlines()] == ["a", "b"]
    assert result.code == 3
    assert [each.split(": ")[1] for each in result.err.splitlines()] == [f"{path}:1", f"{path}:3"]


def test_only_broken_lines_are_one_error_each(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("{a\n{b\n")
    result = summc("summarize", path)
    assert (result.code, result.out) == (3, "")
    assert [each.partition(": not")[0] for each in result.err.splitlines()] == [
        f"error: {path}:1",
        f"error: {path}:2",
    ]


# Members of a line that are not summc's


def test_other_members_of_a_line_come_out_with_its_summary(summc: Cli, tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out"
    mine = {"my_key": 5, "graph": [1], "tags": {"a": None}}
    broken = '{"id": "x", "my_key": 6}'
    path.write_text(f"{line('a', **mine)}\n{broken}\n{line('b')}\n")
    assert summc("batch", *QUICK, path, "-o", out).code == 5
    first, failed, plain = (out / "part-00000.jsonl").read_text().splitlines()
    assert json.loads(first).items() >= mine.items()
    assert json.loads(failed)["my_key"] == 6
    assert json.loads(failed)["error"]["code"] == 3
    assert "my_key" not in plain
    assert summc("summarize", *QUICK, path, "--format", "jsonl").out == f"{first}\n{plain}\n"


def test_members_with_names_of_summc_come_out_in_an_object_of_their_own(summc: Cli, tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out"
    clashing = {"text": "mine", "error": {"a": 1}, "given": 2}
    path.write_text(line("a", **clashing))
    assert summc("batch", *QUICK, path, "-o", out).code == 0
    made = json.loads((out / "part-00000.jsonl").read_text())
    assert made["text"].startswith("The dam")
    assert made["given"] == clashing
    assert "error" not in made
    assert summc("batch", *QUICK, path, "-o", out).code == 0  # a user's "error" is no failure


def test_every_member_that_summc_writes_is_protected(summc: Cli, flood: Path) -> None:
    options = ["--weighting", "expected", "--explain", "--by-topic", "--format", "json"]
    (made,) = json.loads(summc("summarize", *QUICK, *options, flood).out)
    assert {"forecast", "explanation", "title"} < made.keys() <= RESULT_MEMBERS


def test_the_stages_pass_other_members_on(summc: Cli) -> None:
    given = line("a", my_key=5, text="mine")
    whole = summc("summarize", "-", "--format", "jsonl", stdin=given).out
    passed = summc("load", "-", stdin=given).out
    for stage in ("preprocess", "weigh", "graph", "select"):
        passed = summc(stage, stdin=passed).out
    assert summc("render", "--format", "jsonl", stdin=passed).out == whole
    between = json.dumps({"later": True, **json.loads(passed)})
    assert json.loads(summc("render", "--format", "jsonl", stdin=between).out)["later"] is True


def test_members_that_are_no_object_are_refused(summc: Cli) -> None:
    loaded = json.loads(summc("load", "-", stdin=line("a")).out)
    loaded["cluster"]["members"] = 5
    result = summc("preprocess", stdin=json.dumps(loaded))
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
    path = tmp_path / "a.txt"
    sentence = "After weeks of rain the dam breaks and the valley below it is under water."
    path.write_text(f"{head}{FLOOD}\n\n{sentence}\n")
    assert summc("summarize", "--must", "dam breaks", "-k", "20", path).out == f"{sentence}\n"
    loaded = summc("load", path).out
    for stage in (["preprocess"], ["weigh"], ["graph"], ["select", "--must", "dam breaks", "-k", "20"]):
        loaded = summc(*stage, stdin=loaded).out
    assert summc("render", stdin=loaded).out == f"{sentence}\n"


def test_a_required_text_may_stand_in_a_headline_alone(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"Ruin at the weir\n\n{FLOOD}\n")
    assert summc("summarize", "--must", "weir", "-k", "5", path).out == "Ruin at the weir\n"


# Settings of other weightings


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (
            "--weighting expected --power 2",
            "--power: not a setting of weighting expected; choose document-frequency or position or mixed",
        ),
        (
            "--weighting expected --place-bonus 2",
            f"--place-bonus: not a setting of weighting expected; choose {' or '.join(ALL_BUT_EXPECTED)}",
        ),
        ("--idf-unit document", "--idf-unit: not a setting of weighting mixed; choose tfidf"),
        (
            "--config paper --dispersion 2",
            "--dispersion: not a setting of weighting tfidf; choose expected or mixed",
        ),
    ],
)
def test_a_setting_of_another_weighting_is_refused(summc: Cli, flood: Path, flags: str, problem: str) -> None:
    result = summc("summarize", *flags.split(), flood)
    assert (result.code, result.out, result.err) == (2, "", f"error: {problem}\n")


def test_a_configuration_file_may_have_settings_of_other_weightings(summc: Cli, flood: Path) -> None:
    path = flood.with_name("my.toml")
    path.write_text('[weigh]\nweighting = "expected"\npower = 2\nplace_bonus = 3\n')
    assert summc("summarize", "--config", path, flood).code == 0


@pytest.mark.parametrize("flags", ["--preset paper --idf-unit document", "--preset paper-fig3 --beta 3"])
def test_flags_for_presets_are_those_of_their_weightings_and_selectors(
    summc: Cli, tmp_path: Path, flags: str
) -> None:
    data = referenced(tmp_path / "data.jsonl")
    result = summc("evaluate", "--dataset", data, "-k", "20", *flags.split())
    assert (result.code, result.err) == (0, "")


def test_a_flag_that_one_of_the_presets_does_not_use_is_refused(summc: Cli) -> None:
    result = summc("evaluate", "--dataset", "sample", "--preset", "paper,default", "--idf-unit", "document")
    assert result.code == 2
    assert result.err == "error: --idf-unit: not a setting of weighting mixed; choose tfidf\n"


def test_learn_refuses_settings_that_it_does_not_use(summc: Cli) -> None:
    result = summc("learn", "--dataset", "sample", "--power", "2")
    assert result.code == 2
    assert result.err.startswith("error: --power: no such option;")


# Flags that contradict each other, or that were ignored


def test_a_question_and_no_question_at_once_are_refused(summc: Cli, flood: Path) -> None:
    result = summc("summarize", "--query", "dam", "--no-query", flood)
    assert (result.code, result.err) == (2, "error: --no-query: given with --query; leave one of them out\n")
    with pytest.raises(SettingError, match="`use_query=False`: given with `query`"):
        summarize([FLOOD], query="dam", config={"use_query": False})
    path = flood.with_name("my.toml")
    path.write_text('[weigh]\nquery = "dam"\n')
    assert summc("summarize", "--config", path, "--no-query", flood).code == 0  # the flag wins over the file


@pytest.mark.parametrize("command", ["summarize --show-config", "score {lines}", "batch --show-config"])
@pytest.mark.parametrize("language", ["klingon", "xx"])
def test_an_unknown_language_is_refused_even_where_none_is_needed(
    summc: Cli, tmp_path: Path, command: str, language: str
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"failure": "no sentence fits"}\n')
    result = summc(*command.format(lines=lines).split(), "--language", language)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f'error: --language: unknown language "{language}"; give a name')


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


@pytest.fixture
def dated(tmp_path: Path) -> Path:
    path = tmp_path / "dated"
    path.mkdir()
    (path / "20260310.txt").write_text(FLOOD)
    (path / "b20260309.txt").write_text(
        "The rain filled the lake above the old mill for weeks. Engineers warned the village twice."
    )
    return path


def test_dates_are_kept_in_the_order_given(summc: Cli, dated: Path) -> None:
    result = summc("summarize", "--order", "given", "--least-words", "1", "--dates", dated)
    assert "[10 March 2026]" in result.out
    assert result.out.endswith("[9 March 2026]\n")


def test_render_and_explain_write_dates(summc: Cli, dated: Path) -> None:
    passed = summc("load", dated).out
    for stage in (["preprocess", "--least-words", "1"], ["weigh"], ["graph"], ["select"]):
        passed = summc(*stage, stdin=passed).out
    whole = summc("summarize", "--least-words", "1", "--dates", dated).out
    assert "[9 March 2026]" in whole
    assert summc("render", "--dates", stdin=passed).out == whole
    told = summc("explain", "--dates", "-k", "10", dated).out
    assert "20260310.txt, 10 March 2026, sentence 1 of 2, 9 words\n" in told
    assert "10 March 2026" not in summc("explain", "-k", "10", dated).out


@pytest.mark.parametrize("command", ["summarize", "explain"])
def test_dates_that_are_not_known_are_reported(summc: Cli, flood: Path, command: str) -> None:
    result = summc(command, "--dates", flood)
    assert (result.code, result.err) == (0, "warning: --dates: no document has a date that is known\n")


# The language of a background


def test_a_background_is_read_in_its_own_language(tmp_path: Path) -> None:
    path = tmp_path / "fr.txt"
    path.write_text(TEXTS["fr"])
    config = Config().with_settings({"weighting": "tfidf", "background": (str(path),)})
    (background,) = read_background(config, "en")
    assert background.cluster.language == "fr"
    (asked,) = read_background(config.with_settings({"language": "german"}), "en")
    assert asked.cluster.language == "de"


def test_a_background_weighs_alike_in_the_stages_and_in_summarize(summc: Cli, tmp_path: Path) -> None:
    path = tmp_path / "fr.txt"
    path.write_text(TEXTS["fr"])
    weighing = ["--weighting", "tfidf", "--idf-unit", "document", "--background", path]
    line = summc("preprocess", stdin=summc("load", "-", stdin=FLOOD).out).out
    graph = summc("graph", stdin=summc("weigh", *weighing, stdin=line).out).out
    selected = json.loads(summc("select", "-k", "10", stdin=graph).out)["selection"]
    whole = json.loads(summc("summarize", *weighing, "-k", "10", "--format", "json", "-", stdin=FLOOD).out)
    assert selected["covered_weight"] == whole["covered_weight"]
