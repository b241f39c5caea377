from __future__ import annotations

import pytest
import stopwordsiso
from hypothesis import example, given
from hypothesis import strategies as st

from summc.documents.sources import cluster_of_texts
from summc.errors import SettingError
from summc.preprocess.terms import find_terms, make_stemmer, stemmer_used, term_spans, words
from summc.records import Cluster, Document, Sentence
from summc.system.resources import stopwords
from summc.text.languages import SNOWBALL, language_code, nltk_stemmer, porter, snowball
from tests.conftest import ROOT
from tests.preprocess import CASES


@pytest.mark.parametrize(("text", "expected"), CASES["words"])
def test_text_is_split_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


ASCII = st.text(alphabet="aBz.,'9 0-_!(:\n", max_size=30)


@given(text=ASCII | st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_the_fast_pattern_for_ascii_gives_the_same_words(text: str) -> None:
    assert words(f"{text} \u00e9") == [*words(text), "\u00e9"]


@given(text=st.text(max_size=80) | st.lists(st.sampled_from(["the", "dam's", "Dams", "it's"])).map(" ".join))
@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_cluster_has_the_terms_of_its_sentences(language: str, text: str) -> None:
    cluster = Cluster("c", (Document("d", (Sentence(0, 0, text, 1), Sentence(0, 1, text, 1))),), (), language)
    stem = make_stemmer("porter", language)
    expected = tuple(stem(word) for word in words(text, language) if word not in stopwords(language))
    assert find_terms(cluster).tokens == (expected, expected)


def tokens(text: str, **settings: object) -> list[str]:
    cluster = cluster_of_texts([text], language=str(settings.pop("cluster_language", "en")))
    tokenized = find_terms(cluster, **settings)  # type: ignore[arg-type]
    assert len(tokenized.tokens) == len(cluster.sentences)
    return [term for terms in tokenized.tokens for term in terms]


def test_words_are_stemmed_and_stop_words_removed() -> None:
    text = "The generalizations were flying; don't the skies of it's own U.S. 1990s?"
    assert tokens(text, remove_stopwords=True) == ["gener", "fly", "ski", "u.s", "1990s"]
    for stemmer in ("snowball", "nltk-snowball"):
        found = tokens(text, remove_stopwords=True, stemmer=stemmer)
        assert found == ["general", "fli", "sky", "u.s", "1990s"]
    assert "the" in tokens(text, remove_stopwords=False, stemmer="none")
    assert "generalizations" in tokens(text, remove_stopwords=False, stemmer="none")


@pytest.mark.parametrize(("stemmer", "language", "used"), CASES["stemmers"])
def test_the_stemmer_depends_on_the_language(stemmer: str, language: str, used: str) -> None:
    assert stemmer_used(stemmer, language) == used


def test_other_languages_use_their_own_stemmer_and_stop_words() -> None:
    assert words("L'homme d’hier", "fr") == ["l", "homme", "d", "hier"]  # an apostrophe separates
    assert tokens("Les maisons continuellement", cluster_language="fr") == ["maison", "continuel"]
    assert tokens("Domy a lidé", cluster_language="cs") == ["domy", "lidé"]
    assert tokens("Qapla batlh", cluster_language="eo") == ["qapla", "batlh"]
    assert {make_stemmer("snowball", language)("1990s") for language in SNOWBALL} == {"1990s"}
    assert "a\u0161" in stopwords("lt")  # where stopwordsiso has "a\u00f0"


def test_a_hebrew_abbreviation_is_one_word_but_a_quotation_is_not() -> None:
    assert words('האו"ם, ב"הארץ"', "he") == ["האו״ם", "ב", "הארץ"]
    assert words("האו״ם", "he") == ["האו״ם"]
    spans = term_spans('האו"ם אמר', "he", str)
    assert [(span.start, span.end, span.term) for span in spans] == [(0, 5, "האו״ם"), (6, 9, "אמר")]


def test_the_english_stop_words_are_those_of_nltk() -> None:
    listed = stopwords("en")
    assert len(listed) == 198
    assert {"the", "don't", "wouldn"} <= listed
    shared = ROOT.parent / "shared" / "data" / "nltk-stopwords-english.txt"
    if shared.exists():
        assert listed == set(shared.read_text().split())


def test_languages_have_names_and_codes() -> None:
    named = {"English": "en", "en": "en", "en-GB": "en", "pt_BR": "pt", "hebrew": "he"}
    assert {name: language_code(name) for name in named} == named
    with pytest.raises(SettingError, match='`language`: unknown language "englsh"; perhaps english'):
        language_code("englsh")


# The compiled stemmers against those of NLTK

# Endings that the rules treat, and double letters that one rule distinguishes.
ENDINGS = [
    "ational", "tional", "enci", "izer", "abli", "alli", "entli", "eli", "ousli", "ization", "ator",
    "alism", "iveness", "aliti", "biliti", "logi", "icate", "ative", "alize", "iciti", "ical", "ful",
    "ness", "al", "ance", "er", "ic", "ible", "ant", "ement", "ent", "sion", "ion", "ou", "ism", "iti",
    "ous", "ive", "ed", "ing", "eds", "ings", "eed", "s", "sses", "ies", "ss", "y", "e", "ll", "at",
    "bl", "iz", "cc", "kk", "xx", "yy", "ññ", "''",
]  # fmt: skip
BEGINNINGS = st.text(alphabet="aeiouybcdhjklstwxzñ'", max_size=5)


@given(beginning=BEGINNINGS, endings=st.lists(st.sampled_from(ENDINGS), max_size=4))
@example(beginning="spe", endings=["cc", "ed"])
@example(beginning="wy", endings=["y", "ings"])
@example(beginning="a", endings=["yy", "ed"])
@example(beginning="", endings=["cc", "ing"])
def test_porter_equals_the_original_porter_of_nltk(beginning: str, endings: list[str]) -> None:
    word = beginning + "".join(endings)
    assert porter()(word) == nltk_stemmer("porter")(word)


@given(text=st.text(max_size=60))
def test_porter_equals_that_of_nltk_in_every_script(text: str) -> None:
    assert list(map(porter(), words(text))) == list(map(nltk_stemmer("porter"), words(text)))


@pytest.mark.parametrize("language", sorted(SNOWBALL.keys() - {"ar"}))
def test_snowball_mostly_agrees_with_nltk(language: str) -> None:
    compiled, other = snowball(SNOWBALL[language]), nltk_stemmer(SNOWBALL[language])
    listed = [word for word in stopwordsiso.stopwords(language) if word.isalpha()]
    different = sum(compiled(word) != other(word) for word in listed)
    # In these languages the algorithm has not changed.
    assert different == 0 if language in ("da", "es", "it", "nl", "no") else different <= 0.1 * len(listed)


def test_snowball_knows_letters_that_nltk_does_not() -> None:
    assert snowball("romanian")("populația") == "popul"
    assert snowball("hungarian")("amelyből") == "amely"
    assert snowball("swedish")("företaget") == "företag"
    assert nltk_stemmer("romanian")("populația") == "populaț"
