"""How much the place and the form of a sentence promise, in a text with sections.

Reports of one story agree on what matters. A text with sections says what matters in some places rather than
others, and in sentences of some forms. Prominence is the exponential of a sum over both.
"""

from __future__ import annotations

import numpy as np
import regex

from summc.records import HEADINGS, WHOLE_WORDS, Floats, TokenizedCluster
from summc.text.arithmetic import exp, log

# The constants are rounded from a regression on 84 real and invented texts of some fifty kinds: a multinomial
# logit, within each text, of the sentences that state its main facts. In texts left out of it these did not
# help: words of the title and of headings, similarity to the whole text, LexRank, the last sentences, the
# first sentence of a turn.

#: A text with fewer headings has no sections to speak of: it may have a title, or a line that looks like one.
_SECTIONS = 3
#: Times the logarithm of its length: a long sentence states less in each word.
_LENGTH = 0.25
#: For a sentence of fewer than ``WHOLE_WORDS`` words.
_ASIDE = -0.35
#: Times the logarithm of 1 + the number of sentences before it in its document.
_LATE = -0.18
#: For the first sentence of a section, and for the first of a paragraph: both say what follows.
_FIRST = 0.25
#: For a sentence of a section such as "Summary", "Motivation" or "Conclusion".
_SUMMED_UP = 0.4
#: Times the mean, over its content words, of the logarithm of how often the text has the word.
_FREQUENT = 0.13
#: Times what it does (``acts``): it gives a number, a decision, an outcome.
_ACT = 0.4
#: Times the share of its characters that are marks of code or markup, at most ``_MOST_CODE``.
_CODE, _MOST_CODE = -6.0, 0.2
_MARKS = regex.compile(r"[{}\[\]<>=_/\\|*#`~^$&@+]")
_SUMS_UP = frozenset(HEADINGS) - {"heading"}


def has_sections(tokenized: TokenizedCluster) -> bool:
    """Tell whether a text has headings enough to show its structure.

    Without sections, as in reviews and transcripts, what many sentences share matters more.
    """
    return sum(sentence.kind in HEADINGS for sentence in tokenized.cluster.sentences) >= _SECTIONS


def prominence(tokenized: TokenizedCluster, acts: Floats) -> Floats:
    """Return how much each sentence promises, shape (N,), given what each of them does (``acts_of``)."""
    sentences, words = tokenized.cluster.sentences, tokenized.cluster.lengths
    marks = np.array([len(_MARKS.findall(s.text)) / max(len(s.text), 1) for s in sentences])
    promise = _of_places(tokenized) + _ACT * acts + _FREQUENT * _log_frequency(tokenized)
    promise += _LENGTH * log(np.maximum(words, 1.0)) + _ASIDE * (words < WHOLE_WORDS)
    return exp(promise + _CODE * np.minimum(marks, _MOST_CODE))


def _of_places(tokenized: TokenizedCluster) -> Floats:
    """Return the logarithm of what the place of each sentence promises, shape (N,)."""
    promises = []
    for document in tokenized.cluster.documents:
        place, is_next, of_section, before = 0, False, 0.0, None
        for sentence in document.sentences:
            if sentence.kind in HEADINGS:
                is_next, of_section = True, _SUMMED_UP * (sentence.kind in _SUMS_UP)
            is_running = sentence.is_running
            opens = (is_next and is_running) + (before is None or before.paragraph != sentence.paragraph)
            promises.append((1.0 + place, _FIRST * opens + of_section))
            place, is_next, before = place + is_running, is_next and not is_running, sentence
    late, promise = np.array(promises, dtype=float).reshape(-1, 2).T
    return np.asarray(_LATE * log(late) + promise)


def _log_frequency(tokenized: TokenizedCluster) -> Floats:
    """Return the mean logarithm of the number of occurrences of each sentence's content words, shape (N,)."""
    index = tokenized.index
    sentence, concept, count = index.pairs
    is_content = tokenized.is_content_word[concept]
    often = log(np.bincount(concept, count, len(index.concepts)).astype(float)[concept])
    words = np.bincount(sentence, is_content, index.size)
    return np.asarray(np.bincount(sentence, is_content * often, index.size) / np.maximum(words, 1))
