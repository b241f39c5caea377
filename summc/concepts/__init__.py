"""What is covered: the concepts of a sentence, made of its terms.

A concept is a text: a word is its term, a bigram its two terms with a space between, which no term has in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from summc.concepts.base import Concepts, is_bigram
from summc.concepts.bigrams import Bigrams
from summc.concepts.words import Words
from summc.concepts.words_and_bigrams import WordsAndBigrams

__all__ = ["CONCEPTS", "Concepts", "is_bigram"]

#: The name a user types -> what it is.
CONCEPTS: Mapping[str, Concepts] = {each.name: each for each in (Words(), Bigrams(), WordsAndBigrams())}
