"""The compiled stemmers against those of NLTK."""

from __future__ import annotations

import pytest
import stopwordsiso
from hypothesis import example, given
from hypothesis import strategies as st

from summc.documents import load
from summc.preprocess.terms import words
from summc.text.languages import SNOWBALL, nltk_porter, nltk_snowball, porter, snowball
from tests.conftest import SAMPLE

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
    assert porter()(word) == nltk_porter()(word)


@given(text=st.text(max_size=60))
def test_porter_equals_that_of_nltk_in_every_script(text: str) -> None:
    for word in words(text):
        assert porter()(word) == nltk_porter()(word)


def test_porter_equals_that_of_nltk_on_the_sample() -> None:
    found = {word for cluster in load([SAMPLE]) for s in cluster.sentences for word in words(s.text)}
    assert len(found) > 2000
    assert {word: porter()(word) for word in found} == {word: nltk_porter()(word) for word in found}


def disagreements(language: str) -> tuple[int, int]:
    """Return how many stop words of a language the two stem differently, and how many there are."""
    compiled, plain = snowball(SNOWBALL[language]), nltk_snowball(SNOWBALL[language])
    listed = [word for word in stopwordsiso.stopwords(language) if word.isalpha()]
    return sum(compiled(word) != plain(word) for word in listed), len(listed)


@pytest.mark.parametrize("language", ["da", "es", "it", "nl", "no"])
def test_snowball_equals_that_of_nltk_if_the_algorithm_has_not_changed(language: str) -> None:
    assert disagreements(language)[0] == 0


@pytest.mark.parametrize("language", sorted(SNOWBALL.keys() - {"da", "es", "it", "nl", "no", "ar"}))
def test_snowball_mostly_agrees_with_nltk_in_other_languages(language: str) -> None:
    different, listed = disagreements(language)
    assert different <= 0.1 * listed


def test_snowball_knows_letters_that_nltk_does_not() -> None:
    assert snowball("romanian")("populația") == "popul"
    assert snowball("hungarian")("amelyből") == "amely"
    assert snowball("swedish")("företaget") == "företag"
    assert nltk_snowball("romanian")("populația") == "populaț"
