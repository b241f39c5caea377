"""Official scores against the output of ROUGE-1.5.5."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.errors import InputError
from summc.rouge import METRICS
from summc.rouge.scorer import Rouge
from summc.rouge.stems import stem
from summc.rouge.texts import read
from summc.system.resources import wordnet_exceptions
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.small import write_lines

SHARED = ROOT.parent / "shared" / "data"
#: Scores by ROUGE-1.5.5 for each reference of the sample against the others of its cluster.
PRINTED_FOR_SAMPLE = Path(__file__).parent.parent / "golden" / "rouge-1.5.5-sample.json"
PRINTED_FOR_MULTILING = SHARED / "rouge" / "rouge-1.5.5-multiling-english.json"
MULTILING = SHARED / "multiling2011" / "Model Summaries" / "English"

STEMS = SHARED / "rouge" / "stems.tsv"

#: Maps ROUGE-1.5.5's name of a metric to summc's.
NAMES = {name.replace("rouge", "ROUGE-"): name for name in METRICS} | {"ROUGE-W-1.2": "rougeW"}


@cache
def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def rouge_as(options: str, printed: Mapping[str, Any]) -> Rouge:
    """Return the scorer for the options of ROUGE-1.5.5, with the metrics that it printed."""
    flags = options.split()
    numbers = {flag: int(flags[flags.index(flag) + 1]) for flag in ("-l", "-b") if flag in flags}
    return Rouge(
        tuple(NAMES[name] for name in printed if name != "references"),
        "official",
        stem="-m" in flags,
        remove_stopwords="-s" in flags,
        limit=numbers.get("-l"),
        byte_limit=numbers.get("-b"),
    )


def differences(printed: Mapping[str, Any], set_: str, folder: Path) -> tuple[int, list[str]]:
    """Return how many scores were compared, and which of them differ."""
    compared, different = 0, []
    for name, scores in printed["scores"][set_].items():
        texts = [(folder / file).read_text() for file in (name, *scores["references"])]
        found = rouge_as(printed["options"][set_], scores).score(texts[0], texts[1:])
        for metric, figures in scores.items():
            if metric != "references":
                score = found[NAMES[metric]]
                compared += 1
                if [round(figure, 5) for figure in (score.recall, score.precision, score.f1)] != figures:
                    different.append(f"{name} {metric}")
    return compared, different


@pytest.mark.parametrize("set_", ["plain", "words", "stem", "bytes", "stopwords"])
def test_scores_of_the_sample_match_rouge_155(set_: str) -> None:
    printed = read_json(PRINTED_FOR_SAMPLE)
    assert differences(printed, set_, SAMPLE / "models") == (18 * 7, [])


@pytest.mark.skipif(not PRINTED_FOR_MULTILING.exists(), reason="MultiLing 2011 is not here")
@pytest.mark.parametrize("set_", ["plain", "stem", "stem-bytes-665", "all-stem-100", "nostop-stem-100"])
def test_scores_of_multiling_match_rouge_155(set_: str) -> None:
    metrics = {"all-stem-100": 7, "nostop-stem-100": 2}.get(set_, 4)
    assert differences(read_json(PRINTED_FOR_MULTILING), set_, MULTILING) == (30 * metrics, [])


# Cuts


def test_a_cut_keeps_the_lines() -> None:
    for limits, text, lines in (
        (("ascii", 4), "a b\n\nc-d e f\ng", ["a b", "", "c d e"]),
        (("ascii", 3), " a\n\tb", ["a", ""]),
        (("every-script", 3), "a b\n水 c", ["a b", "水"]),
        # For ROUGE-L a cut at bytes counts each line alone.
        (("ascii", None, 4), "abc\ndefgh\ni", ["abc", "defg"]),
        (("ascii", None, 4), "abcd\ne", ["abcd"]),
    ):
        assert [" ".join(line) for line in read(text, *limits).lines] == lines


def test_a_cut_at_bytes_counts_utf_8_bytes_without_line_ends() -> None:
    # The fourth byte of the second text is half a letter.
    for text, most, tokens in (("abc\nde", 4, "abc d"), ("été\nici", 4, "ét"), ("été\nici", 6, "été i")):
        assert " ".join(read(text, "every-script", None, most).tokens) == tokens


@given(st.text("ab \n\té水", max_size=30), st.integers(1, 20))
def test_a_cut_text_is_the_beginning_of_the_text(text: str, most: int) -> None:
    whole = "".join(read(text, "every-script").tokens)
    words = read(text, "every-script", most).tokens
    letters = "".join(read(text, "every-script", None, most).tokens)
    assert (len(words) <= most, len(letters.encode()) <= most) == (True, True)
    assert whole.startswith("".join(words))
    assert whole.startswith(letters)


def test_a_cut_at_bytes_accepts_half_a_surrogate_pair() -> None:
    assert Rouge(protocol="official", byte_limit=4).score("a \ud800", ["a b"])["rouge1"].recall == 0.5


# Empty references


@pytest.mark.parametrize("empty", ["", " \n", "...", "---"])
def test_an_empty_reference_lowers_only_the_precision(empty: str) -> None:
    official = Rouge(METRICS, "official", limit=100)
    summary, reference = "the dam broke near town", "the dam broke near the old town"
    alone = official.score(summary, [reference])
    for metric, pooled in official.score(summary, [empty, reference]).items():
        assert pooled.recall == alone[metric].recall
        assert 0 < pooled.precision < alone[metric].precision


def test_references_must_have_words() -> None:
    for references, problem in (
        ([], "no reference"),
        (["..."], "reference 1 has no words"),
        (["", "..."], "reference 1 has no words"),
    ):
        for protocol in ("paper", "official"):
            with pytest.raises(InputError, match=problem):
                Rouge(protocol=protocol).score("the dam", references)
    with pytest.raises(InputError, match="reference 2 has no words"):
        Rouge().score("the dam", ["the dam", "..."])


# The command

OFFICIAL = ["--metrics", ",".join(METRICS), "--rouge", "official", "--stem", "--format", "json"]


def test_the_command_prints_the_scores_of_rouge_155(summc: Cli) -> None:
    name, models = "D90001.M.100.T.A", SAMPLE / "models"
    printed = read_json(PRINTED_FOR_SAMPLE)["scores"]
    for set_, more in (("stem", ["-k", 100]), ("bytes", ["--rouge-bytes", 300])):
        figures = dict(printed[set_][name])
        references = [word for file in figures.pop("references") for word in ("--reference", models / file)]
        scored = json.loads(summc("score", models / name, *references, *OFFICIAL, *more).out)
        assert {metric: list(scored[NAMES[metric]].values()) for metric in figures} == figures
    assert "|stem:rouge-1.5.5|stopwords:kept|limit:300-bytes|" in scored["signature"]


def test_every_command_that_scores_takes_every_metric(summc: Cli, tmp_path: Path) -> None:
    data = write_lines(tmp_path / "two.jsonl")
    names = ["--selector", "lead,oracle,human", "-k", 70, "--save", tmp_path / "run"]
    rows = json.loads(summc("evaluate", "--dataset", data, *names, *OFFICIAL).out)["rows"]
    assert all(0 < row[metric]["recall"] < 1 for row in rows for metric in METRICS)
    recalls = {row["selector"]: row["rouge1"]["recall"] for row in rows}
    assert recalls["oracle"] == max(recalls.values())
    folder = ["--summaries", tmp_path / "run" / "summaries", "-k", 70, "--dataset", data]
    scored = {row["selector"]: row for row in json.loads(summc("score", *folder, *OFFICIAL).out)["rows"]}
    for row in rows[:2]:
        assert {**scored[row["selector"]]["rougeSU4"], "versus": None} == {**row["rougeSU4"], "versus": None}
    swept = summc("sweep", "--dataset", data, "-k", 40, "--mu", "0.05", "--iterations", 9, *OFFICIAL)
    assert (swept.code, '"rougeW"' in swept.out) == (0, True)


# Stems


def test_stems_match_rouge_155() -> None:
    lines = (Path(__file__).parent / "cases" / "stems.txt").read_text().splitlines()
    pairs = [pair.split(":") for line in lines if not line.startswith("#") for pair in line.split()]
    assert {word: stem(word) for word, _ in pairs} == dict(pairs)


@pytest.mark.skipif(not STEMS.exists(), reason="the table of stems is not here")
def test_all_known_stems_match_rouge_155() -> None:
    known = dict(line.split("\t") for line in STEMS.read_text().splitlines())
    assert len(known) == 25_515
    assert {word: stem(word) for word in known} == known


@given(st.text("abcdeginlmorstuyz", max_size=12))
def test_a_stem_is_never_longer_than_its_word(word: str) -> None:
    if word not in wordnet_exceptions():
        assert len(stem(word)) <= len(word)
        assert stem(word)[:1] == word[:1]


@given(st.text("aeinsyzAéß水 '-1", max_size=12))
def test_any_text_has_a_stem(text: str) -> None:
    assert bool(stem(text)) == bool(text)


def test_the_table_of_irregular_forms_contains_its_licence() -> None:
    text = (ROOT / "summc" / "system" / "resources" / "wordnet-2.0-exceptions.tsv").read_text()
    assert "# WordNet 2.0 Copyright 2003 by Princeton University.  All rights reserved." in text
    assert len(wordnet_exceptions()) == 5_930
