"""Detection of the language of a cluster."""

from __future__ import annotations

import json
import logging
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from summc import summarize
from summc.datasets import read, read_raw, take_inventory
from summc.documents.jsonl import parse_cluster
from summc.documents.language import (
    Guess,
    guess_language,
    language_of,
    language_of_text,
    sample_of,
)
from summc.documents.raw import RawCluster, RawDocument, paragraph_blocks
from summc.system.resources import stopwords
from summc.text.languages import AUTO, CODES
from tests.conftest import ROOT, Cli
from tests.support.cases import read_cases
from tests.support.depth import every_second
from tests.support.languages import TEXTS
from tests.support.writers import write_files

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011"
CASES = read_cases("documents/cases/language.toml")
ICELANDIC = (
    "Vatnið hækkaði um nóttina og bærinn var umflotinn um morguninn. Fólkið var flutt í skólann á hæðinni og "
    "enginn slasaðist í flóðinu að sögn lögreglu sem kom á staðinn."
)


def cluster_of(texts: Mapping[str, str], stated: Mapping[str, str]) -> RawCluster:
    documents = [
        RawDocument(name, paragraph_blocks([text] * bool(text)), name, language=stated.get(name, ""))
        for name, text in texts.items()
    ]
    return RawCluster("flood", documents, "flood/")


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


# One text


def test_the_language_of_two_sentences_is_certain() -> None:
    for code in {*CODES.values()}:
        assert guess_language(TEXTS[code]) == Guess(code, is_certain=True)


def test_a_language_without_stop_words_is_not_certain() -> None:
    assert guess_language(ICELANDIC) == Guess("is", is_certain=False)


def test_each_language_with_stop_words_has_a_text() -> None:
    assert {code for code in CODES.values() if stopwords(code)} | {"sr"} == set(TEXTS)
    assert {"aš", "iš", "dėl", "jūsų"} <= stopwords("lt")  # which stopwordsiso garbles


@pytest.mark.parametrize(("text", "code"), CASES["by_letters"])
def test_a_language_without_stop_words_is_recognised_by_its_letters(text: str, code: str) -> None:
    assert guess_language(text) == Guess(code, is_certain=True)
    assert not stopwords(code)


@pytest.mark.parametrize("text", CASES["none"])
def test_text_without_a_language_is_taken_for_english(text: str) -> None:
    assert guess_language(text) == Guess()
    assert language_of_text(text) == "en"


def test_names_in_other_letters_and_decomposed_accents_do_not_change_the_language() -> None:
    assert guess_language(f"{TEXTS['de']} Москва, 東京, Αθήνα, القاهرة.").code == "de"
    assert guess_language(f"{TEXTS['zh']} Tokyo, London, Reuters.").code == "zh"
    assert guess_language(f"{TEXTS['ja']} 東京都港区").code == "ja"
    assert guess_language(unicodedata.normalize("NFD", TEXTS["vi"])).code == "vi"


@pytest.mark.parametrize(
    "paragraphs", [["x" * 1_000_000], ["word"] * 100_000, ["a b " * 9, *["x" * 5000] * 9]]
)
def test_a_long_text_is_sampled_in_three_places(paragraphs: list[str]) -> None:
    sample = sample_of(paragraphs)
    assert len(sample) == 1202
    assert sample.startswith(paragraphs[0][:400])
    assert sample.endswith(paragraphs[-1][-400:])
    assert sample_of(["One.", "Two."]) == "One.\nTwo."
    # So an English licence does not hide the language of a book.
    assert guess_language(sample_of([TEXTS["en"], *[TEXTS["fr"]] * 40])).code == "fr"


# A cluster


@pytest.mark.parametrize("case", CASES["clusters"], ids=lambda case: case["title"])
def test_the_language_of_a_cluster(case: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    known = {**TEXTS, "is": ICELANDIC}
    texts = {name: known[text[1:]] if text[:1] == "@" else text for name, text in case["texts"].items()}
    cluster = cluster_of(texts, case.get("stated", {}))
    assert language_of(cluster, AUTO) == case["language"]
    assert warnings_in(caplog) == case.get("warnings", [])
    assert language_of(cluster, "en") == "en"  # it was given, so nothing is detected


def test_documents_too_short_to_be_certain_are_read_together(caplog: pytest.LogCaptureFixture) -> None:
    words = TEXTS["it"].split()
    texts = {str(i): " ".join(words[i : i + 2]) for i in range(0, len(words), 2)}
    assert not any(guess_language(text).is_certain for text in texts.values())
    assert language_of(cluster_of(texts, {}), AUTO) == "it"
    assert not warnings_in(caplog)


@pytest.mark.parametrize("text", [*CASES["little"], TEXTS["en"]])
def test_the_library_is_not_asked_about_little_or_english_text(
    text: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("py3langid.classify", pytest.fail)
    assert language_of(cluster_of({"a": text}, {}), AUTO) == "en"
    assert not warnings_in(caplog)


@pytest.mark.parametrize("text", ["\ud800 \udfff" * 9, "é" * 12, "\x00 ÿ þ" * 9, "ⲁⲃⲅ ⲇⲉ ⲍⲏ" * 9])
def test_the_library_survives_hostile_text(text: str) -> None:
    assert guess_language(text) == guess_language(text)


def test_a_cluster_keeps_the_language_of_its_line() -> None:
    line = json.dumps({"documents": [TEXTS["fr"]], "language": "german"})
    assert language_of(parse_cluster(line, "a.jsonl:1"), AUTO) == "de"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("5月10日に市は9時から水を止めた。 川の水位は3年前より高い。 ", "ja"),
        ("SluiceGate 4.1 を公開。pip install sluicegate を実行。config.toml の host port を指定。 ", "ja"),
        ("我们 使用 Docker Compose Helm chart Prometheus Grafana 部署 sluicegate-operator 服务。 ", "zh"),
    ],
)
def test_valid_japanese_and_chinese_is_no_damage(
    caplog: pytest.LogCaptureFixture, text: str, language: str
) -> None:
    raw = RawCluster("c", [RawDocument("a", paragraph_blocks([text * 40]), "a")], "c")
    assert language_of(raw, language) == language
    assert not warnings_in(caplog)


@pytest.mark.skipif(not MULTILING.is_dir(), reason="MultiLing is not here")
@pytest.mark.parametrize("language", ["ar", "cs", "en", "fr", "he"])
def test_multiling_is_complete_and_its_languages_are_recognised(
    language: str, caplog: pytest.LogCaptureFixture
) -> None:
    clusters = read_raw(str(MULTILING), [], language=language)
    found = take_inventory(clusters)
    references = 33 if language == "fr" else 30
    assert (found.clusters, found.documents, found.references) == (10, 100, references)
    assert found.problems == ()  # although one Czech text is in Windows-1250 without saying so
    recognised = {language_of(replace(cluster, language=None), AUTO) for cluster in every_second(clusters)}
    assert recognised == {language}
    assert not [warning for warning in warnings_in(caplog) if "damaged" in warning]


# The command


@pytest.fixture
def french(tmp_path: Path) -> Path:
    """Return a folder of three similar documents in French."""
    return write_files(tmp_path / "fr", {f"{i}.txt": f"{TEXTS['fr']} {i}." for i in range(3)})


def test_a_french_folder_is_read_as_french(summc: Cli, french: Path, tmp_path: Path) -> None:
    detected, given, english = (
        summc("summarize", french, "--format", "json", *flags)
        for flags in ([], ["--language", "french"], ["--language", "english"])
    )
    assert detected == given
    problem = "the text is French, but read as English"
    assert english.err.startswith(f"warning: {french}: {problem}; leave out --language to detect it\n")
    assert "language:fr|splitter:sentencex" in detected.out
    assert "stemmer:snowball" in detected.out
    assert "language:en" in english.out
    # The stages, Python, a configuration and score detect it too.
    lines = summc("load", french).out
    for stage in ("preprocess", "weigh", "graph", "select"):
        lines = summc(stage, stdin=lines).out
    assert summc("render", stdin=lines).out == summc("summarize", french).out
    assert summarize([TEXTS["fr"]], budget=20).cluster.language == "fr"
    for language, used in (("auto", "fr"), ("french", "fr"), ("en", "en")):
        assert summarize([TEXTS["fr"]], budget=20, language=language).cluster.language == used
    assert '\nlanguage = "auto"\n' in summc("summarize", "--show-config").out
    for language, used in ((" Auto ", "fr"), ("german", "de")):
        (tmp_path / "mine.toml").write_text(f'[load]\nlanguage = "{language}"\n')
        line = json.loads(summc("load", "--config", tmp_path / "mine.toml", french).out)
        assert (line["cluster"]["language"], line["signature"]["load"]["language"]) == (used, used)
    command = ["score", french / "0.txt", "--reference", french / "1.txt"]
    assert summc(*command).out == summc(*command, "--language", "french").out


def test_verbose_names_the_language_and_how_it_was_found(summc: Cli, french: Path) -> None:
    assert summc("summarize", "-v", french).err.startswith("fr: language: French, detected\n")
    assert "language:" not in summc("summarize", "-v", "--language", "fr", french).err
    for flags in ("-qv", "-vq"):
        assert summc("summarize", flags, french).err == ""
    page = f'<html lang="it"><body><p>{TEXTS["it"]}</p></body></html>'
    assert summc("summarize", "-v", "-", stdin=page).err.startswith("stdin: language: Italian, stated\n")
    short = summc("summarize", "-v", "-", stdin="No comment.")
    assert short.err.startswith("stdin: language: English, assumed")


def test_batch_detects_the_language_of_each_cluster(summc: Cli, tmp_path: Path) -> None:
    clusters = [{"id": code, "documents": [TEXTS[code]]} for code in ("fr", "en", "cs", "ru")]
    clusters += [{"id": "kept", "documents": [TEXTS["fr"]], "language": "en"}]
    clusters += [{"id": "mixed", "documents": [TEXTS["fr"], TEXTS["de"], TEXTS["fr"] + " Fin."]}]
    lines, out = tmp_path / "a.jsonl", tmp_path / "out"
    lines.write_text("".join(f"{json.dumps(each)}\n" for each in clusters))
    refused = summc("batch", lines, "-o", out, "--boost", "river=2", "--boost", "rivers=3")
    assert (refused.code, refused.err.partition(" conflicts")[0]) == (2, "error: --boost: rivers=3")
    assert not out.exists()
    result = summc("batch", lines, "-o", out, "--boost", "pont=2")
    made = [json.loads(line) for line in (out / "part-00000.jsonl").read_text().splitlines()]
    languages = [each["signature"].partition("language:")[2][:2] for each in made]
    assert languages == ["fr", "en", "cs", "ru", "en", "fr"]
    warning = f"warning: {lines}:6: documents in several languages (German: 1); all read as French\n"
    assert result.err == warning


def test_known_data_sets_are_english_by_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = {f"multiling2011/SourceTexts/M0000.{name}": TEXTS[CODES[name]] for name in ("english", "french")}
    write_files(tmp_path, files)
    for name in ("multiling2011", str(tmp_path / "multiling2011")):
        (cluster,) = read(name, [tmp_path], language=AUTO)
        assert cluster.language == "en"
        (cluster,) = read(name, [tmp_path], language="fr")
        assert cluster.language == "fr"
    caplog.set_level(logging.INFO)
    assert {cluster.language for cluster in read("sample", [], language=AUTO)} == {"en"}
    assert not caplog.records  # nothing was detected


def test_checking_a_data_set_splits_it_in_its_own_language(summc: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    text = f"{TEXTS['de']} Er kam am 7. Juli an und blieb bis zum 9. August in der Stadt."
    lines.write_text(json.dumps({"id": "x", "documents": [text], "references": ["Der Fluss stieg."]}))
    checked = summc("datasets", "check", lines)
    assert checked.out == summc("datasets", "check", lines, "--language", "german").out
    assert "4 sentences" in checked.out
