"""Detection of the language of a cluster."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import docx
import pytest

from summc import summarize
from summc.documents.catalogue import read, read_raw
from summc.documents.formats import read_documents
from summc.documents.jsonl import parse_cluster
from summc.documents.language import (
    Guess,
    ask_library,
    guess_language,
    language_of,
    language_of_text,
    sample_of,
)
from summc.documents.raw import RawCluster, RawDocument
from summc.system.resources import stopwords
from summc.text.languages import AUTO, CODES, SNOWBALL
from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.depth import every_second
from tests.support.languages import TEXTS
from tests.support.writers import RELATIONS, epub, mail, word, xhtml, zipped

MULTILING = ROOT.parent / "shared" / "data" / "multiling2011"
ICELANDIC = (
    "Vatnið hækkaði um nóttina og bærinn var umflotinn um morguninn. Fólkið var flutt í skólann á hæðinni og "
    "enginn slasaðist í flóðinu að sögn lögreglu sem kom á staðinn."
)


def cluster_of(texts: Mapping[str, str], **stated: str) -> RawCluster:
    documents = [
        RawDocument(name, [text], name, language=stated.get(name, "")) for name, text in texts.items()
    ]
    return RawCluster("flood", documents, "flood/")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


# One text


@pytest.mark.parametrize("code", sorted({*CODES.values()} - {"id"}))
def test_the_language_of_two_sentences_is_certain(code: str) -> None:
    assert guess_language(TEXTS[code]) == Guess(code, is_certain=True, is_likely=True)


def test_indonesian_and_malay_are_too_alike_to_be_certain() -> None:
    guess = guess_language(TEXTS["id"])
    assert guess.code in ("id", "ms")
    assert guess.is_likely
    assert not guess.is_certain


def test_each_language_with_stop_words_has_a_text() -> None:
    assert {code for code in CODES.values() if stopwords(code)} | {"sr"} == set(TEXTS)
    assert {"aš", "iš", "dėl", "jūsų"} <= stopwords("lt")  # which stopwordsiso garbles


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("მდინარე ღამით ადიდდა და დილით ქალაქი წყლის ქვეშ იყო.", "ka"),
        ("இரவில் ஆறு பெருக்கெடுத்தது, காலையில் நகரம் நீரில் மூழ்கியது.", "ta"),
        ("Рака паднялася ўначы, і раніцай горад быў пад вадой.", "be"),
        ("Реката се искачи ноќта и утрото градот беше под вода, куќите се празни.", "mk"),
    ],
)
def test_a_language_without_stop_words_is_recognised_by_its_letters(text: str, code: str) -> None:
    assert guess_language(text) == Guess(code, is_certain=True, is_likely=True)
    assert not stopwords(code)


@pytest.mark.parametrize("text", ["", " \n", "12 34 5.6", "😀 🎉 👍🏽", "?!…—", "\u0301\u0301", "ⲁⲃⲅ ⲇⲉ"])
def test_text_without_a_language_is_taken_for_english(text: str) -> None:
    assert guess_language(text) == Guess()
    assert language_of_text(text) == "en"


def test_names_in_other_letters_and_decomposed_accents_do_not_change_the_language() -> None:
    assert guess_language(f"{TEXTS['de']} Москва, 東京, Αθήνα, القاهرة.").code == "de"
    assert guess_language(f"{TEXTS['zh']} Tokyo, London, Reuters.").code == "zh"
    assert guess_language(f"{TEXTS['ja']} 東京都港区").code == "ja"
    assert guess_language(unicodedata.normalize("NFD", TEXTS["vi"])).code == "vi"


def test_an_unknown_language_is_not_certain() -> None:
    assert not guess_language(ICELANDIC).is_certain


@pytest.mark.parametrize(
    "paragraphs", [["x" * 1_000_000], ["word"] * 100_000, ["a b " * 9, *["x" * 5000] * 9]]
)
def test_a_long_text_is_sampled_in_three_places(paragraphs: list[str]) -> None:
    sample = sample_of(paragraphs)
    assert len(sample) == 3002
    assert sample.startswith(paragraphs[0][:1000])
    assert sample.endswith(paragraphs[-1][-1000:])
    assert sample_of(["One.", "Two."]) == "One.\nTwo."


def test_an_english_licence_does_not_hide_the_language_of_a_book() -> None:
    assert guess_language(sample_of([TEXTS["en"], *[TEXTS["fr"]] * 40])).code == "fr"


def test_detection_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.support.languages import TEXTS; from summc.documents.language import guess_language\n"
        "for text in TEXTS.values(): print(guess_language(' '.join(text.split()[:6])), guess_language(text))"
    )
    first, second = (
        subprocess.check_output(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in "12"
    )
    assert first == second


# A cluster


def test_a_language_that_is_given_is_not_detected(caplog: pytest.LogCaptureFixture) -> None:
    cluster = cluster_of({"a": TEXTS["fr"], "b": TEXTS["de"]}, a="cy")
    assert language_of(cluster, "en") == "en"
    assert not told(caplog)


def test_the_majority_of_documents_decides_and_the_others_are_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cluster = cluster_of({"a": TEXTS["en"], "b": TEXTS["fr"], "c": TEXTS["fr"], "d": TEXTS["de"]})
    assert language_of(cluster, AUTO) == "fr"
    assert language_of(cluster_of({"a": TEXTS["sv"], "b": TEXTS["fi"]}), AUTO) == "sv"  # a tie
    assert told(caplog) == [
        "flood/: documents in several languages (English: a; German: d); all read as French",
        "flood/: documents in several languages (Finnish: b); all read as Swedish",
    ]


def test_documents_too_short_to_be_certain_are_read_together(caplog: pytest.LogCaptureFixture) -> None:
    words = TEXTS["it"].split()
    texts = {str(i): " ".join(words[i : i + 2]) for i in range(0, len(words), 2)}
    assert not any(guess_language(text).is_certain for text in texts.values())
    assert language_of(cluster_of(texts), AUTO) == "it"
    assert not told(caplog)


@pytest.mark.parametrize(
    "text", ["", "Alpha beta gamma.", "12 34", "Café.", "Il cane.", "No comment.", "zzz " * 500]
)
def test_very_little_text_is_taken_for_english_without_a_warning(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert language_of(cluster_of({"a": text}), AUTO) == "en"
    assert not told(caplog)


def test_a_detected_language_without_stop_words_gives_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": ICELANDIC}), AUTO) == "is"
    assert told(caplog) == [
        'flood/: language not certain, read as "is"; give `language` if that is wrong',
        'flood/: no stop words are known of its language ("is"); all its words count',
    ]


def test_the_library_decides_if_the_vote_is_uncertain(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": TEXTS["id"]}), AUTO) == "id"
    assert told(caplog) == [
        "flood/: language not certain, read as Indonesian; give `language` if that is wrong"
    ]


def test_the_language_is_certain_if_vote_and_library_agree(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    guess = guess_language(TEXTS["id"])
    monkeypatch.setattr("summc.documents.language.ask_library", lambda _: guess.code)
    assert language_of(cluster_of({"a": TEXTS["id"]}), AUTO) == guess.code
    assert not told(caplog)


@pytest.mark.parametrize(("found", "code"), [("nn", "no"), ("", "ms")])
def test_the_library_may_give_another_name_or_none(
    found: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summc.documents.language.ask_library", lambda _: found)
    assert language_of(cluster_of({"a": TEXTS["id"]}), AUTO) == code


@pytest.mark.parametrize("text", [TEXTS["fr"], "No comment.", "12 34", "zzz " * 500])
def test_the_library_is_not_asked_about_certain_or_empty_text(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("summc.documents.language.ask_library", pytest.fail)
    language_of(cluster_of({"a": text}), AUTO)


@pytest.mark.parametrize("text", ["\ud800 \udfff", "é" * 9, "\x00 ÿ þ", "ⲁⲃⲅ ⲇⲉ ⲍⲏ"])
def test_the_library_survives_hostile_text(text: str) -> None:
    assert ask_library(text) == ask_library(text)


def test_a_stated_language_wins_over_an_uncertain_text(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": TEXTS["id"]}, a="id-ID"), AUTO) == "id"
    assert language_of(cluster_of({"a": "Alpha beta."}, a="it"), AUTO) == "it"
    assert not told(caplog)


def test_the_text_wins_over_a_wrong_stated_language(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": TEXTS["fr"], "b": TEXTS["fr"]}, a="en-US"), AUTO) == "fr"
    assert told(caplog) == ["flood/: the text of a is not in the language stated there; the text counts"]


def test_bokmal_and_nynorsk_are_norwegian(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": TEXTS["no"], "b": "Kort."}, a="nb-NO", b="nn"), AUTO) == "no"
    assert not told(caplog)


@pytest.mark.parametrize("stated", ["x-default", "und", "klingon", "??"])
def test_an_unknown_stated_language_is_ignored(stated: str, caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": TEXTS["fr"]}, a=stated), AUTO) == "fr"
    assert not told(caplog)


def test_a_stated_language_without_stop_words_gives_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert language_of(cluster_of({"a": ICELANDIC}, a="is"), AUTO) == "is"
    assert "is" not in SNOWBALL
    assert told(caplog) == ['flood/: no stop words are known of its language ("is"); all its words count']


def test_a_cluster_keeps_the_language_of_its_line() -> None:
    line = json.dumps({"documents": [TEXTS["fr"]], "language": "german"})
    assert language_of(parse_cluster(line, "a.jsonl:1"), AUTO) == "de"


def test_documents_without_text_do_not_vote() -> None:
    raw = cluster_of({"a": TEXTS["fr"]})
    empty = [RawDocument(str(i), [], str(i), "no text", language="en") for i in range(3)]
    assert language_of(RawCluster("x", [*empty, *raw.documents], "x"), AUTO) == "fr"


@pytest.mark.skipif(not MULTILING.is_dir(), reason="MultiLing is not here")
@pytest.mark.parametrize("language", ["arabic", "czech", "english", "french", "hebrew"])
def test_every_cluster_of_multiling_is_recognised(language: str) -> None:
    clusters = read_raw(str(MULTILING), [], language=CODES[language])
    found = {language_of(replace(cluster, language=None), AUTO) for cluster in every_second(clusters)}
    assert found == {CODES[language]}


# Stated languages


def stated_in(data: bytes, name: str) -> str:
    return read_documents(data, name, name)[0].language


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ('<html lang="fr-CA"><body><p>Texte.</p></body></html>', "fr-CA"),
        ('<html><meta http-equiv="Content-Language" content="it"><body><p>Testo.</p></body></html>', "it"),
        ('<html><body lang="sv"><p>Text.</p></body></html>', "sv"),
        ('<html><body><p>Mot. <i lang="la">In situ.</i></p></body></html>', ""),
    ],
)  # fmt: skip
def test_a_page_states_its_language(page: str, language: str) -> None:
    assert stated_in(page.encode(), "a.html") == language


def test_a_book_states_its_language() -> None:
    chapters = {"a.xhtml": xhtml("<p>Ein Satz.</p>")}
    assert stated_in(epub(chapters, ["a.xhtml"]), "a.epub") == ""
    stated = "<dc:language xmlns:dc='dc'> de-AT </dc:language>"
    assert stated_in(epub(chapters, ["a.xhtml"], metadata=stated), "a.epub") == "de-AT"
    assert stated_in(epub(chapters, ["a.xhtml"], language="nl"), "a.epub") == "nl"


@pytest.mark.parametrize(("header", "language"), [("es", "es"), ("en, fr", ""), (None, "")])
def test_a_mail_states_its_language(header: str | None, language: str) -> None:
    message = mail("Una frase.")
    if header is not None:
        message["Content-Language"] = header
    assert stated_in(message.as_bytes(), "a.eml") == language


def test_a_word_document_states_its_language() -> None:
    document = docx.Document()
    document.add_paragraph(TEXTS["fr"])
    assert stated_in(word(document), "a.docx") == "en-US"  # from the template of python-docx


def test_a_word_document_with_broken_styles_can_be_read() -> None:
    text = '<w:document xmlns:w="w"><w:p><w:r><w:t>The dam broke.</w:t></w:r></w:p></w:document>'
    members = {"_rels/.rels": RELATIONS, "word/document.xml": text, "word/styles.xml": "<broken"}
    assert stated_in(zipped(members), "a.docx") == ""


# The command


def folder_in(parent: Path, code: str, name: str = "") -> Path:
    """Make a folder of three similar documents in one language."""
    folder = parent / (name or code)
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.txt").write_text(f"{TEXTS[code]} {i}.", encoding="utf-8")
    return folder


def test_a_french_folder_is_read_as_french(summc: Cli, tmp_path: Path) -> None:
    folder = folder_in(tmp_path, "fr")
    detected, given, english = (
        summc("summarize", folder, "--format", "json", *flags)
        for flags in ([], ["--language", "french"], ["--language", "english"])
    )
    assert (detected.code, detected.out, detected.err) == (0, given.out, given.err)
    problem = "the text is French, but read as English"
    assert english.err.startswith(f"warning: {folder}: {problem}; leave out --language to detect it\n")
    assert "language:fr|splitter:sentencex" in detected.out
    assert "stemmer:snowball" in detected.out
    assert "language:en" in english.out


def test_verbose_names_the_language_and_how_it_was_found(summc: Cli, tmp_path: Path) -> None:
    folder = folder_in(tmp_path, "fr")
    assert summc("summarize", "-v", folder).err.startswith("fr: language: French, detected\n")
    assert "language:" not in summc("summarize", "-v", "--language", "fr", folder).err
    assert summc("summarize", "-q", "-v", folder).err == ""
    assert summc("summarize", "-v", "-q", folder).err == ""
    page = tmp_path / "page.html"
    page.write_text(f'<html lang="it"><body><p>{TEXTS["it"]}</p></body></html>', encoding="utf-8")
    assert summc("summarize", "-v", page).err.startswith("page: language: Italian, stated\n")
    assert summc("summarize", "-v", "-", stdin="No comment.").err.startswith(
        "stdin: language: English, assumed"
    )


def test_each_cluster_has_its_own_language(summc: Cli, tmp_path: Path) -> None:
    for code in ("de", "en", "ru"):
        folder_in(tmp_path, code)
    result = summc("load", tmp_path)
    clusters = [json.loads(line) for line in result.out.splitlines()]
    assert [each["cluster"]["language"] for each in clusters] == ["de", "en", "ru"]
    assert [each["signature"]["load"]["language"] for each in clusters] == ["de", "en", "ru"]
    assert result.err == ""


def test_the_stages_detect_the_same_language_as_summarize(summc: Cli, tmp_path: Path) -> None:
    folder, lines = folder_in(tmp_path, "es"), ""
    for stage in ("load", "preprocess", "weigh", "graph", "select"):
        lines = summc(stage, *([folder] if stage == "load" else []), stdin=lines).out
    assert summc("render", stdin=lines).out == summc("summarize", folder).out


def test_batch_detects_the_language_of_each_cluster(summc: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    clusters = [{"id": code, "documents": [TEXTS[code]]} for code in ("fr", "en", "cs")]
    clusters += [{"id": "kept", "documents": [TEXTS["fr"]], "language": "en"}]
    clusters += [{"id": "mixed", "documents": [TEXTS["fr"], TEXTS["de"], TEXTS["fr"] + " Fin."]}]
    lines.write_text("".join(f"{json.dumps(each)}\n" for each in clusters))
    result = summc("batch", lines, "-o", tmp_path / "out", "--boost", "pont=2")
    made = [json.loads(line) for line in (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()]
    languages = [each["signature"].partition("language:")[2][:2] for each in made]
    assert languages == ["fr", "en", "cs", "en", "fr"]
    warning = f"warning: {lines}:5: documents in several languages (German: 1); all read as French\n"
    assert result.err == warning


def test_batch_refuses_conflicting_boosts_before_the_work(summc: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text(json.dumps({"documents": [TEXTS["en"]]}))
    result = summc("batch", lines, "-o", tmp_path / "out", "--boost", "river=2", "--boost", "rivers=3")
    assert (result.code, result.err.partition(" conflicts")[0]) == (2, "error: --boost: rivers=3")
    assert not (tmp_path / "out").exists()


def test_the_language_of_a_configuration_wins_over_detection(summc: Cli, tmp_path: Path) -> None:
    folder = folder_in(tmp_path, "fr")
    config = tmp_path / "mine.toml"
    assert '\nlanguage = "auto"\n' in summc("summarize", "--show-config").out
    for language, used in ((" Auto ", "fr"), ("german", "de")):
        config.write_text(f'[load]\nlanguage = "{language}"\n')
        line = json.loads(summc("load", "--config", config, folder).out)
        assert line["cluster"]["language"] == used


def test_known_data_sets_are_english_by_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "multiling2011" / "SourceTexts").mkdir(parents=True)
    for language in ("english", "french"):
        text = TEXTS[CODES[language]]
        (tmp_path / "multiling2011" / "SourceTexts" / f"M0000.{language}").write_text(text, encoding="utf-8")
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


def test_a_summary_is_scored_in_its_own_language(summc: Cli, tmp_path: Path) -> None:
    for name in ("summary.txt", "reference.txt"):
        (tmp_path / name).write_text(TEXTS["fr"], encoding="utf-8")
    command = ["score", tmp_path / "summary.txt", "--reference", tmp_path / "reference.txt"]
    assert summc(*command).out == summc(*command, "--language", "french").out


def test_python_detects_the_language_too() -> None:
    detected = summarize([TEXTS["fr"]], budget=20)
    assert detected.cluster.language == "fr"
    assert detected == summarize([TEXTS["fr"]], budget=20, language="french")
    assert summarize([TEXTS["fr"]], budget=20, language="en").cluster.language == "en"
    assert summarize([TEXTS["fr"]], budget=20, language="auto").cluster.language == "fr"


def test_english_is_found_without_reading_other_stop_words() -> None:
    code = (
        "import sys; from summc.documents import load\n"
        "print(*[cluster.language for cluster in load(sys.argv[1:])], *sys.modules)"
    )
    folder = str(SAMPLE / "docs" / "d90001t")
    ran = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("en ")
    assert "stopwordsiso" not in ran.stdout.split()
