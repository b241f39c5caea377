from __future__ import annotations

import codecs
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.documents import cluster_of_texts, load
from summc.documents.paragraphs import paragraphs
from summc.documents.raw import PageStarts
from summc.documents.sentences import make_document, split_sentences
from summc.documents.sgml import read_sgml
from summc.errors import InputError, NotFoundError, SettingError
from summc.preprocess.order import in_order_of_dates
from summc.records import Cluster
from summc.system.json_objects import parse_object
from summc.text.numbers import count_words
from tests.conftest import SAMPLE
from tests.support.writers import write_files as write


def texts(cluster: Cluster) -> list[str]:
    return [sentence.text for sentence in cluster.sentences]


# From files to clusters


def test_a_folder_of_documents_is_one_cluster(tmp_path: Path) -> None:
    folder = write(tmp_path / "flood", {"b.txt": "Second.", "a.txt": "First.", ".hidden": "No."})
    (cluster,) = load([folder])
    assert cluster.id == "flood"
    assert [document.id for document in cluster.documents] == ["a.txt", "b.txt"]
    assert texts(cluster) == ["First.", "Second."]


def test_each_folder_within_a_folder_is_a_cluster(tmp_path: Path) -> None:
    write(tmp_path, {"two/b.txt": "Two.", "one/a.txt": "One.", "deep/er/c.txt": "Three."})
    assert [cluster.id for cluster in load([tmp_path])] == ["deep/er", "one", "two"]


def test_files_given_together_are_one_cluster_and_each_folder_is_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "One.", "c/c.txt": "Two.", "b.txt": "Three."})
    first, second = load([tmp_path / "a.txt", tmp_path / "c", tmp_path / "b.txt"])
    assert (first.id, texts(first)) == ("a+1", ["One.", "Three."])
    assert (second.id, texts(second)) == ("c", ["Two."])


def test_each_line_of_a_jsonl_file_is_a_cluster(tmp_path: Path) -> None:
    french = {"id": "d", "text": "Il pleut. Il neige."}
    first_line = {"id": "x", "documents": [french], "references": ["R"], "language": "fr"}
    path = tmp_path / "clusters.jsonl"
    path.write_text(f'{json.dumps(first_line)}\n\n{{"documents": ["Plain text."]}}\n')
    first, second = load([path])
    assert (first.id, first.language, first.references) == ("x", "fr", ("R",))
    assert texts(first) == ["Il pleut.", "Il neige."]
    assert (second.id, second.language, texts(second)) == ("line-3", "en", ["Plain text."])


def test_references_are_found_in_the_duc_layout() -> None:
    clusters = list(load([SAMPLE]))
    assert len(clusters) == 6
    for cluster in clusters:
        assert len(cluster.documents) >= 6
        assert len(cluster.references) == 3


def test_a_folder_among_documents_is_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"a.txt": "One.", "below/b.txt": "Two."})
    (cluster,) = load([tmp_path])
    assert texts(cluster) == ["One."]
    assert "below: a folder among documents; left out, name it to read it" in caplog.text


def test_unreadable_files_in_a_folder_are_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"a.txt": "One.", "b.png": b"\x89PNG\r\n", "c.bin": b"a\x00b", "d.txt": " \n "})
    (cluster,) = load([tmp_path])
    assert texts(cluster) == ["One."]
    for problem in ("b.png: a PNG picture", "c.bin: a binary file", "d.txt: an empty file"):
        assert f"{tmp_path}/{problem}" in caplog.text


def test_gzip_files_are_read_as_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<html><body><p>It poured.</p></body></html>"
    lines = b'{"id": "x", "documents": ["One."]}\n{"id": "y", "documents": ["Two."]}\n'
    files = {"a.txt": b"It rained.", "b.html": page, "c.jsonl": lines}
    folder = write(tmp_path, {f"{name}.gz": gzip.compress(data) for name, data in files.items()})
    (cluster,) = load([folder / "a.txt.gz", folder / "b.html.gz"])
    assert texts(cluster) == ["It rained.", "It poured."]
    assert [each.id for each in load([folder / "c.jsonl.gz"])] == ["x", "y"]
    assert [each.id for each in load([folder])] == ["x", "y", tmp_path.name]
    write(tmp_path, {"d.txt.gz": gzip.compress(b"It rained.")[:-9]})
    with pytest.raises(InputError, match=r"d.txt.gz: a damaged gzip file"):
        list(load([folder / "d.txt.gz"]))
    monkeypatch.setenv("SUMMC_MOST_MB", "1")
    write(tmp_path, {"d.txt.gz": gzip.compress(b"It rained. " * 100_000)})
    with pytest.raises(InputError, match=r"d.txt.gz: .*1 MB"):
        list(load([folder / "d.txt.gz"]))


def test_an_empty_folder_among_clusters_is_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"one/a.txt": "One."})
    (tmp_path / "two").mkdir()
    assert [cluster.id for cluster in load([tmp_path])] == ["one"]
    assert "two: an empty folder; left out" in caplog.text


@pytest.mark.parametrize(
    ("content", "problem"), [(b"", "an empty file"), (b"\x00\x01", "a binary file"), (b"%PDF-1.7", "a PDF")]
)
def test_a_named_file_must_be_text(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "x"
    with pytest.raises(NotFoundError, match="no such file or folder"):
        list(load([path]))
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        list(load([path]))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", r"c.jsonl:2: not JSON"),
        ("[]", r"c.jsonl:2: not a JSON object"),
        ('{"id": "x"}', r'c.jsonl:2: no list "documents"'),
        ('{"documents": [3]}', r"c.jsonl:2: documents\[0\] is not an object"),
        ('{"documents": [{"id": "a"}]}', r"c.jsonl:2: documents\[0\].text is not a text"),
        ('{"documents": ["\\ud800"]}', r"c.jsonl:2: holds half a surrogate pair"),
        ('{"documents": ["a"], "references": "x"}', r'c.jsonl:2: "references" is not a list'),
        ('{"documents": ["a"], "references": ""}', r'c.jsonl:2: "references" is not a list'),
        ('{"documents": ["a"], "references": false}', r'c.jsonl:2: "references" is not a list'),
        ('{"documents": []}', r"c.jsonl:2: no text"),
    ],
)
def test_an_error_names_the_number_of_a_wrong_line(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"documents": ["Good."]}\n' + line)
    with pytest.raises(InputError, match=problem):
        list(load([path]))


# Duplicates


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp037"])
def test_json_lines_are_read_in_any_given_encoding(tmp_path: Path, encoding: str) -> None:
    line = json.dumps({"documents": ["The \u00fcber dam broke."]}, ensure_ascii=False)
    write(tmp_path, {"a.jsonl": f"{line}\r\n\n{line}\n".encode(encoding)})
    assert [cluster.id for cluster in load([tmp_path / "a.jsonl"], encoding=encoding)] == ["line-1", "line-3"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_only_a_line_feed_ends_a_line_of_json(tmp_path: Path, encoding: str) -> None:
    texts_ = [f"The dam{end}broke." for end in "\u2028\u2029\x85"]
    line = json.dumps({"documents": texts_}, ensure_ascii=False)
    write(tmp_path, {"a.jsonl": f"{line}\n".encode(encoding)})
    assert len(list(load([tmp_path / "a.jsonl"]))) == 1


def test_json_lines_are_recognised_after_a_byte_order_mark_in_any_file(tmp_path: Path) -> None:
    write(tmp_path, {"lines": codecs.BOM_UTF8 + b'{"id": "a", "documents": ["The dam broke."]}\n'})
    assert [cluster.id for cluster in load([tmp_path / "lines"])] == ["a"]


def test_a_file_named_twice_is_read_once_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, {"a.txt": "The dam broke."}) / "a.txt"
    (cluster,) = load([path, path, path])
    assert (cluster.id, texts(cluster)) == ("a", ["The dam broke."])
    assert caplog.messages == [f"{path}: named more than once; read once"]


def test_a_duplicate_member_among_very_many_is_found_quickly() -> None:
    members = ", ".join(f'"{i}": 0' for i in range(60_000))
    with pytest.raises(InputError, match="the member '59999' twice"):
        parse_object(f'{{{members}, "59999": 0}}', "a.jsonl:1", "an object")


def test_a_duplicate_document_counts_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {"a.txt": "Same\ntext.", "b.txt": "Same text.", "c.txt": "Other text."})
    (cluster,) = load([tmp_path])
    assert [document.id for document in cluster.documents] == ["a.txt", "c.txt"]
    assert [sentence.document for sentence in cluster.sentences] == [0, 1]
    assert "b.txt: the same text as a.txt; left out" in caplog.text


def test_a_repeated_sentence_stays_in_each_document() -> None:
    cluster = cluster_of_texts(["It rained. It poured.", "It rained. It stopped."])
    assert texts(cluster) == ["It rained.", "It poured.", "It rained.", "It stopped."]
    assert [(s.document, s.position) for s in cluster.sentences] == [(0, 0), (0, 1), (1, 0), (1, 1)]


# Encodings


@pytest.mark.parametrize(
    "content",
    [
        "Café – “über”.".encode(),
        codecs.BOM_UTF8 + "Café – “über”.".encode(),
        "Café – “über”.".encode("utf-16"),
        codecs.BOM_UTF16_BE + "Café – “über”.".encode("utf-16-be"),
        "Café – “über”.".encode("cp1252"),
    ],
)
def test_encodings_are_recognised(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    (cluster,) = load([path])
    assert texts(cluster) == ["Café – “über”."]
    assert ("read as Windows-1252" in caplog.text) == (content == "Café – “über”.".encode("cp1252"))


@pytest.mark.parametrize(
    ("text", "encoding", "language", "name"),
    [
        ("Haiťané žijí v chudobě.", "cp1250", "cs", "Windows-1250"),
        ("Haiťané žijí v chudobě.", "iso-8859-2", "cs", "ISO 8859-2"),
        ("Łódź płonie od środy.", "cp1250", "pl", "Windows-1250"),
        ("Город горит.", "cp1251", "ru", "Windows-1251"),
        ("העיר בוערת.", "cp1255", "he", "Windows-1255"),
        ("Die Stadt brennt für Übergänge.", "cp1252", "de", "Windows-1252"),
    ],
)
def test_text_that_is_not_unicode_is_read_in_an_encoding_of_its_language(
    tmp_path: Path, text: str, encoding: str, language: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    (cluster,) = load([path], language=language)
    assert texts(cluster) == [text]
    assert caplog.messages == [f"{path}: not UTF-8, read as {name}; give `encoding` if that is wrong"]
    path.write_bytes(text.encode("utf-8"))
    (cluster,) = load([path], language=language)
    assert texts(cluster) == [text]


def test_a_given_encoding_is_used(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Łódź płonie.".encode("iso-8859-2"))
    (cluster,) = load([path], encoding="iso-8859-2")
    assert texts(cluster) == ["Łódź płonie."]
    with pytest.raises(InputError, match="not utf-8 at byte 0"):
        list(load([path], encoding="utf-8"))
    with pytest.raises(SettingError, match='unknown encoding "utf-9"'):
        list(load([path], encoding="utf-9"))
    path.write_bytes(b"bad \x81 byte")
    refused = "not UTF-8 or Windows-1252 at byte 4; name its encoding with `encoding`"
    with pytest.raises(InputError, match=refused):
        list(load([path]))


# Sentences


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("The U.S. Senate voted. Mr. Hale left at 5 p.m. on Jan. 5.", 2),
        ("It rose 3.5 percent, Lt. Gen. R.B. Thorne said. Cmdr. Moyle agreed.", 2),
        ("``It is over,'' he said. ``Go home.''", 2),
        ('"It is over." She left.', 2),
        ("* * *", 0),
        ("No full stop", 1),
        ("! It began.", 1),
        ("France has sent the ship Pourquoi Pas? to the scene.", 1),
        ("was it far? yes it was. no it was not.", 3),
        ("Was it far? Yes.", 2),
    ],
)
def test_english_text_is_split_into_sentences(paragraph: str, expected: int) -> None:
    assert len(split_sentences(paragraph, "en")) == expected


@pytest.mark.parametrize(
    ("language", "paragraph"),
    [
        ("fr", "Il pleut. Il neige."),
        ("ar", "ذهب الولد. ثم عاد؟"),
        ("zh", "他来了。她走了。"),
        ("cs", "Prší. Sněží."),
        ("is", "Dagur kom. Nótt fór."),
    ],
)
def test_text_in_other_languages_is_split_into_sentences(language: str, paragraph: str) -> None:
    assert len(split_sentences(paragraph, language)) == 2


def test_a_sentence_knows_its_paragraph_and_the_page_it_begins_on() -> None:
    body = ["A heading", "* * *", "* It rained. It poured\non and on. It stopped."]
    pages: list[PageStarts] = [((0, 1),), ((0, 1),), ((0, 1), (18, 2), (26, 4))]
    document = make_document("a", body, 0, "en", pages)
    found = [(s.text, s.position, s.paragraph, s.page) for s in document.sentences]
    assert found == [
        ("A heading", 0, 0, 1),
        ("It rained.", 1, 2, 1),
        ("It poured\non and on.", 2, 2, 1),
        ("It stopped.", 3, 2, 4),
    ]
    assert {s.page for s in make_document("a", body, 0, "en").sentences} == {None}


def test_titles_and_initials_of_other_languages_end_no_sentence() -> None:
    assert split_sentences("M. Dupont est là. Il mange.", "fr") == ["M. Dupont est là.", "Il mange."]
    assert len(split_sentences("قال ج. و. بوش ذلك.", "ar")) == 1


def test_a_sentence_may_continue_after_a_quotation() -> None:
    assert len(split_sentences('Lidé začali řvát "tsunami!", řekla novinářka.', "cs")) == 1
    said = "Je n'ai rien à voler.\" a déclaré un habitant."
    assert split_sentences(f"{said} Il pleut.", "fr") == [said, "Il pleut."]


@pytest.mark.parametrize(
    ("paragraph", "sentence", "words"),
    [
        ("* In Sri Lanka the ground moved.", "In Sri Lanka the ground moved.", 6),
        ("- Au Sri Lanka, le sol a bougé.", "Au Sri Lanka, le sol a bougé.", 7),
        ("\u2022A rope.", "A rope.", 2),
        ("*Note* that it rained.", "*Note* that it rained.", 4),
        ("+33 1 57 is the number.", "+33 1 57 is the number.", 6),
        ("-5 degrees were measured.", "-5 degrees were measured.", 4),
    ],
)
def test_a_bullet_is_neither_printed_nor_counted(paragraph: str, sentence: str, words: int) -> None:
    pages: list[PageStarts] = [((0, 1), (len("".join(paragraph.split())), 2))]
    (found,) = make_document("a", [paragraph], 0, "en", pages).sentences
    assert (found.text, found.words, found.page) == (sentence, words, 1)


def test_control_characters_do_not_reach_the_summary() -> None:
    (paragraph,) = paragraphs("red \x1b[31mdam\x07 and\u200bwall")
    assert paragraph == "red [31mdam and wall"


@given(paragraph=st.text(max_size=60), language=st.sampled_from(["en", "fr", "zh"]))
def test_splitting_loses_only_white_space(paragraph: str, language: str) -> None:
    folded = " ".join(paragraph.split())
    sentences = split_sentences(folded, language)
    if sentences:
        assert "".join("".join(sentences).split()) == "".join(folded.split())
    else:
        assert not any(character.isalnum() for character in folded)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("WASHINGTON (AP) _ It rained.", 5),
        ("well-known don't", 2),
        ("他来了。", 3),
        ("日本 2024 年", 4),
        ("The well-known U.S. film 英雄 isn't new", 8),
        ("well-known英雄", 4),
        ("naïve café", 2),
    ],
)
def test_words_are_counted_as_a_reader_counts(text: str, count: int) -> None:
    assert count_words(text) == count


@given(text=st.text(max_size=100))
def test_the_word_count_is_never_below_that_of_split(text: str) -> None:
    assert count_words(text) >= len(text.split())


# DUC SGML

SGML = """
<DOC>
<DOCNO> AAA20300101.0001 </DOCNO>
<DATE_TIME> 2030-01-01 </DATE_TIME>
<HEADLINE> Not in the text </HEADLINE>
<TEXT>
   HASK (AAA) _ Marl & Sons said R&D rose &amp; fell by 5 &LT; 6
percent.
   ``We are pleased,'' it said.&LR; It &Cx1f;closed.
<P>
A paragraph of its own</P><P>and x < y stays.
</TEXT>
</DOC>
<DOC><DOCNO>B</DOCNO><TEXT>Open to the end &unknown; &#233;.
"""


def test_sgml_text_keeps_quotes_and_bare_ampersands() -> None:
    assert [(document.id, document.paragraphs) for document in read_sgml(SGML)] == [
        (
            "AAA20300101.0001",
            [
                "HASK (AAA) _ Marl & Sons said R&D rose & fell by 5 < 6 percent.",
                "``We are pleased,'' it said. It closed.",
                "A paragraph of its own",
                "and x < y stays.",
            ],
        ),
        ("B", ["Open to the end &unknown; é."]),
    ]


@pytest.mark.parametrize(
    ("element", "date"),
    [
        ("<DATE_TIME> 1999-07-07 15:28:23 </DATE_TIME>", "1999-07-07"),
        ("<DATE_TIME> 07/04/1999 15:28 </DATE_TIME>", "1999-07-04"),
        ("<DATE_TIME> 31/12/1999 </DATE_TIME>", "1999-12-31"),
        ("<DATE>920102\n</DATE>", "1992-01-02"),
        ("<DATE> 07/04/87 </DATE>", "1987-07-04"),
        ("<DATE>\n<P>\nJanuary 1, 1990, Monday, Home Edition\n</P>\n</DATE>", "1990-01-01"),
        ("<DATE1> 1 March 1994 </DATE1>", "1994-03-01"),
        ("<DATE_TIME></DATE_TIME><DATE> 19990707 </DATE>", "1999-07-07"),
        ("<DATE_TIME> 1999-02-30 </DATE_TIME>", ""),
        ("<DATE_TIME> yesterday </DATE_TIME>", ""),
        ("<DATE_TIME> 1999-07-07", "1999-07-07"),
        ("", ""),
    ],
)
def test_the_date_of_an_sgml_document_is_read(element: str, date: str) -> None:
    (document,) = read_sgml(f"<DOC><DOCNO>A</DOCNO>{element}<TEXT>It rained on May 5, 2001.</TEXT></DOC>")
    assert document.date == date
    assert document.paragraphs == ["It rained on May 5, 2001."]


def test_a_date_tag_within_the_text_stays_text() -> None:
    (document,) = read_sgml("<DOC><TEXT>It rained on <DATE>May 5, 2001</DATE> in Hask.</TEXT></DOC>")
    assert (document.date, document.paragraphs) == ("", ["It rained on May 5, 2001 in Hask."])


def test_a_date_in_the_file_wins_over_one_in_its_name(tmp_path: Path) -> None:
    def news(day: str, text: str) -> str:
        return f"<DOC><DATE_TIME>{day}</DATE_TIME><TEXT>{text}</TEXT></DOC>"

    late, early = news("1999-07-09 10:00", "The dam broke."), news("1999-07-08", "It rained.")
    write(tmp_path, {"APW19980101.0001": late, "APW19980102.0001": early})
    (cluster,) = load([tmp_path])
    assert [document.date for document in cluster.documents] == ["1999-07-09", "1999-07-08"]
    assert texts(in_order_of_dates(cluster)) == ["It rained.", "The dam broke."]


def test_sgml_without_text_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "wire"
    path.write_text("<DOC><DOCNO>A</DOCNO><HEADLINE>Only that</HEADLINE></DOC>")
    with pytest.raises(InputError, match="no text"):
        list(load([path]))
    assert "wire: A: no text; left out" in caplog.text


def test_documents_with_the_same_name_are_renamed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "in.jsonl"
    named = ["a", "a#2", "a", "a\x00", "b", "a"]
    texts = ["One went.", "Two came.", "Three sat.", "Four ran.", "One went.", "Five fell."]
    documents = [{"id": id_, "text": text} for id_, text in zip(named, texts, strict=True)]
    path.write_text(json.dumps({"id": "x", "documents": documents}))
    (cluster,) = load([path])
    assert [document.id for document in cluster.documents] == ["a", "a#2", "a#3", "a#4", "a#5"]
    assert f"{path}:1: documents[2]: another document called a; renamed to a#3" in caplog.text
    assert f"{path}:1: documents[4]: the same text as a; left out" in caplog.text


def test_a_paragraph_may_run_over_very_many_pages() -> None:
    starts = tuple((5 * i, i + 1) for i in range(6_000))
    document = make_document("a", ["Go on. " * 6_000], 0, "en", [starts])
    assert [sentence.page for sentence in document.sentences] == [i + 1 for i in range(6_000)]
