"""The stems of option -m of ROUGE-1.5.5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summc.rouge.stems import stem
from summc.system.resources import wordnet_exceptions
from tests.conftest import ROOT

STEMS = ROOT.parent / "shared" / "data" / "rouge" / "stems.tsv"

#: Stems by ROUGE-1.5.5, grouped by the rule that applies.
BY_RULE = {
    "three letters or fewer": "as:as was:was has:has day:day its:its gas:gas ran:ran",
    "irregular forms": "went:go children:child better:well women:women said:say took:take men:men",
    "step 1a": "days:dai caresses:caress ponies:poni cats:cat business:busi class:class dies:di ties:ti",
    "step 1b": "agreed:agre feed:feed plastered:plaster bled:bleed sing:sing conflated:conflat "
    "troubling:troubl sized:size hopping:hop falling:fall hissing:hiss failing:fail filing:file "
    "adding:ad egging:eg rated:rate troubled:troubl",
    "step 1c": "happy:happi sky:sky employ:emploi",
    "initial y": "yesterday:yesterdai years:year young:young yields:yield yelling:yell",
    "step 2": "relational:relat conditional:condit digitizer:digit conformably:conform radically:radic "
    "analogies:analog vietnamization:vietnam predication:predic feudalism:feudal "
    "decisiveness:decis hopefulness:hope sensibility:sensibl",
    "step 3": "triplicate:triplic formative:form formalize:formal electrical:electr "
    "hopeful:hope goodness:good",
    "step 4": "revival:reviv allowance:allow inference:infer airliner:airlin adjustable:adjust "
    "irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt "
    "communism:commun effective:effect agreement:agreem department:depart elements:elem",
    "step 5": "probate:probat rate:rate cease:ceas controlling:control roll:roll",
    "figures": "2004:2004 1990s:1990 20th:20th",
}
PAIRS = [pair.split(":") for pairs in BY_RULE.values() for pair in pairs.split()]


@pytest.mark.parametrize(("word", "expected"), PAIRS)
def test_stems_match_rouge_155(word: str, expected: str) -> None:
    assert stem(word) == expected


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
