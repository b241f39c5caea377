"""Which words of a text a question finds."""

from __future__ import annotations

import pytest

from summc import method
from summc.config import Config
from summc.records import Cluster, Document, Sentence
from summc.weights.questions import asked_terms


@pytest.mark.parametrize(
    ("language", "question", "word", "counts"),
    [
        ("en", "Did anyone die?", "died", 0.5),
        ("en", "Did anyone die?", "death", 0.5),
        ("en", "What did they decide?", "decision", 0.5),
        ("en", "What did they decide?", "decided", 1.0),
        ("en", "Who bought it?", "buys", 1.0),
        ("en", "Who buys it?", "bought", 1.0),
        ("en", "Which country?", "count", 0.0),
        ("en", "Why 100000?", "1000000", 0.0),
        ("fr", "Que décider ?", "décision", 0.5),
        ("cs", "Kdo chválí vládu?", "vláda", 0.5),
    ],
)
def test_words_that_a_question_finds(language: str, question: str, word: str, counts: float) -> None:
    sentences = (Sentence(0, 0, word, 1),)
    config = Config()
    text = method.preprocess(Cluster("c", (Document("d", sentences),), language=language), config)
    found = asked_terms(text, question, config.preprocessor.terms_in(language))
    assert max(found.values(), default=0.0) == counts
