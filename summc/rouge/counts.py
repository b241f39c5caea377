"""What each ROUGE metric counts in a summary and a reference.

SumEval counts n-grams and the ROUGE-L of whole texts. ROUGE-L and ROUGE-W-1.2 line by line are those of
ROUGE-1.5.5. Each line of the reference is aligned with each line of the summary by a longest common
subsequence (LCS). ROUGE-W prefers a subsequence with runs of consecutive words. A word of the reference is
marked if it is in any of these alignments. A marked word counts at most as often as the summary has it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from summc.rouge.texts import Text, Tokens, calculator

#: The number of texts whose n-grams are cached. It is enough for the references of 50 clusters, which are
#: used again for each system that is scored.
_MOST_COUNTED = 256
#: At most this many words are between the two words of a pair (ROUGE-1.5.5's ``-2 4``).
GAP = 4
#: In ROUGE-W a run of k consecutive matches has the weight k to this power (ROUGE-1.5.5's ``-w 1.2``).
POWER = 1.2


class Matches(NamedTuple):
    """How many things, such as n-grams, two texts have in common, and how many are in each text."""

    matched: float
    in_reference: float
    in_summary: float


def gram_matches(count: Callable[[Text], Counter[Hashable]], summary: Text, reference: Text) -> Matches:
    """Return how many of the things that ``count`` counts, such as n-grams, two texts have in common."""
    mine, theirs = count(summary), count(reference)
    # SumEval loops over all n-grams of the summary, but most of them are not in the reference.
    shared = {gram: mine[gram] for gram in mine.keys() & theirs.keys()}
    return Matches(calculator().count_overlap(shared, theirs), theirs.total(), mine.total())


@functools.lru_cache(_MOST_COUNTED * 4)  # n is 1 to 4
def ngrams(text: Text, n: int) -> Counter[Hashable]:
    """Return how often each n-gram (run of n tokens) occurs."""
    counts: Counter[Hashable] = calculator().count_ngrams(text.tokens, n)
    return counts


@functools.lru_cache(_MOST_COUNTED)
def skip_bigrams(text: Text) -> Counter[Hashable]:
    """Return how often each word, and each pair with at most four words between, occurs, for ROUGE-SU4.

    As in ROUGE-1.5.5 (``-u``), the last word of the text counts only in pairs, not as a single word.
    """
    tokens = text.tokens
    counts: Counter[Hashable] = Counter(tokens[:-1])
    for distance in range(1, GAP + 2):
        counts.update(zip(tokens, tokens[distance:], strict=False))
    return counts


def whole_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the length of the longest common subsequence of two whole texts, and the length of each text."""
    length: int = calculator().lcs(reference.tokens, summary.tokens)
    return Matches(length, len(reference.tokens), len(summary.tokens))


def lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the counts for ROUGE-L: the number of matched words, and the number of words in each text."""
    matched = sum(sum(counted) for _, counted in _aligned_lines(summary, reference, power=1))
    return Matches(matched, sum(map(len, reference.lines)), len(summary.tokens))


def weighted_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the counts for ROUGE-W: the weight of the matched runs of words, and the weight of each text."""
    # As in ROUGE-1.5.5, the weight of a reference is raised to the power twice: by line, and then as a sum.
    # So even a text compared with itself scores less than 1.
    matched = sum(_weight_of_runs(*line) for line in _aligned_lines(summary, reference, power=POWER))
    weight = sum(len(line) ** POWER for line in reference.lines) ** POWER
    return Matches(matched, weight, len(summary.tokens) ** POWER)


def _weight_of_runs(marked: Sequence[bool], counted: Sequence[bool]) -> float:
    """Return the summed weight of the runs of matched words in a line, as ROUGE-1.5.5 computes it.

    A run goes on through marked words that do not count, but these do not make it longer. It ends, and adds
    its weight, at a word that counts and has no marked word after it.
    """
    weight, run = 0.0, 0
    for i, counts in enumerate(counted):
        run += counts
        is_followed = i + 1 < len(marked) and marked[i + 1]
        if counts and not is_followed:
            weight += run**POWER
            run = 0
    return weight


def _aligned_lines(
    summary: Text, reference: Text, power: float
) -> Iterator[tuple[Sequence[bool], Sequence[bool]]]:
    """Yield for each line of the reference which of its words are marked, and which of them count."""
    left, left_in_summary = Counter(reference.tokens), Counter(summary.tokens)
    for line in reference.lines:
        marked = [False] * len(line)
        for other in summary.lines:
            if not set(line).isdisjoint(other):
                _mark(marked, line, other, power)
        counted = [False] * len(line)
        for i, token in enumerate(line):
            if marked[i] and left[token] > 0 and left_in_summary[token] > 0:
                left[token] -= 1
                left_in_summary[token] -= 1
                counted[i] = True
        yield marked, counted


def _mark(marked: list[bool], line: Tokens, other: Tokens, power: float) -> None:
    """Set ``marked`` to true for the words of ``line`` that are in its best alignment with ``other``.

    ``best[i][j]`` is the weight of the best alignment of the first i words of ``line`` with the first j words
    of ``other``. As in ROUGE-1.5.5, two equal words are always matched, and a tie skips the word of ``line``.
    """
    weights = [k**power for k in range(len(line) + 1)]
    best = [[0.0] * (len(other) + 1)]
    runs = [0] * len(best[0])  # the length of the run of matches that ends at each word of ``other``
    for word in line:
        above, before, row, runs, last = best[-1], runs, [0.0], [0], 0.0
        for j, token in enumerate(other):
            run = 0
            if token == word:
                run = before[j] + 1
                last = above[j] + weights[run] - weights[run - 1]
            elif above[j + 1] > last:  # max() takes longer than all the rest
                last = above[j + 1]
            row.append(last)
            runs.append(run)
        best.append(row)
    i, j = len(line), len(other)
    while i and j:
        if line[i - 1] == other[j - 1]:
            marked[i - 1] = True
            i, j = i - 1, j - 1
        elif best[i - 1][j] >= best[i][j - 1]:
            i -= 1
        else:
            j -= 1
