"""Summary-level ROUGE-L and ROUGE-W-1.2, as ROUGE-1.5.5 counts them. Each line of a text is a sentence.

Each line of the reference is aligned with each line of the summary by a longest common subsequence (LCS).
ROUGE-W prefers a subsequence with runs of consecutive words. A word of the reference is marked if it is in
any of these alignments. Not every marked word counts: a word that occurs twice in the summary counts at most
twice, even if it is marked three times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from summc.rouge.ngrams import Matches
from summc.rouge.texts import Text, Tokens

#: In ROUGE-W a run of k consecutive matches has the weight k to this power (ROUGE-1.5.5's ``-w 1.2``).
POWER = 1.2


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the reference, with two flags for each of its words.

    Attributes:
        marked: whether the word is in the longest common subsequence with any line of the summary.
        counted: whether the word is marked and counts as a match. A word that occurs n times in the summary
            counts only the first n times that it is marked in the reference.
    """

    marked: Sequence[bool]
    counted: Sequence[bool]


def lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the counts for ROUGE-L: the number of matched words, and the number of words in each text."""
    matched = sum(sum(line.counted) for line in _aligned_lines(summary, reference, power=1))
    return Matches(matched, sum(map(len, reference.lines)), len(summary.tokens))


def weighted_lcs_matches(summary: Text, reference: Text) -> Matches:
    """Return the counts for ROUGE-W: the weight of the matched runs of words, and the weight of each text.

    A run of k words has the weight k^1.2. The weight of a reference is computed as in ROUGE-1.5.5: the length
    of each line is raised to the power of 1.2, and the sum over the lines is raised to that power again. So
    even a text compared with itself scores less than 1.
    """
    matched = sum(_weight_of_runs(line) for line in _aligned_lines(summary, reference, power=POWER))
    weight = sum(len(line) ** POWER for line in reference.lines) ** POWER
    return Matches(matched, weight, len(summary.tokens) ** POWER)


def _weight_of_runs(line: _Line) -> float:
    """Return the summed weight of the runs of matched words in a line, as ROUGE-1.5.5 computes it.

    A run goes on through marked words that do not count, but these do not make it longer. The weight of a run
    is added at a word that counts and has no marked word after it. If the last marked word of a run does not
    count, the run goes on in the next marked words of the line, or adds nothing if there are none.
    """
    weight, run = 0.0, 0
    for i, counts in enumerate(line.counted):
        run += counts
        is_followed = i + 1 < len(line.marked) and line.marked[i + 1]
        if counts and not is_followed:
            weight += run**POWER
            run = 0
    return weight


def _aligned_lines(summary: Text, reference: Text, power: float) -> Iterator[_Line]:
    """Yield, for each line of the reference, which of its words are marked and which of them count.

    The weight of a run of k consecutive words is k to the power of ``power``, which is 1 for ROUGE-L.
    """
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
        yield _Line(marked, counted)


def _mark(marked: list[bool], line: Tokens, other: Tokens, power: float) -> None:
    """Set ``marked`` to true for the words of ``line`` that are in its best alignment with ``other``.

    A run of k matched words has the weight k to the power of ``power``. ``best[i][j]`` is the weight of the
    best alignment of the first i words of ``line`` with the first j words of ``other``. As in ROUGE-1.5.5,
    two equal words are always matched. If two alignments have the same weight, the one that skips the word
    of ``line`` is taken.
    """
    places: dict[str, list[int]] = {}
    for j, word in enumerate(other, start=1):
        places.setdefault(word, []).append(j)
    weights = [k**power for k in range(min(len(line), len(other)) + 1)]
    best = [[0.0] * (len(other) + 1)]
    runs: dict[int, int] = {}  # j -> the length of the run of matches that ends there
    for word in line:
        if word not in places and not runs:
            best.append(best[-1])  # no match in this row nor in the one above: nothing changes
            continue
        above, runs_above = best[-1], runs
        row, runs = [0.0], {}
        for j in places.get(word, ()):
            _fill(row, above, j)
            length = runs_above.get(j - 1, 0)
            row.append(above[j - 1] + weights[length + 1] - weights[length])
            runs[j] = length + 1
        _fill(row, above, len(above))
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


def _fill(row: list[float], above: Sequence[float], end: int) -> None:
    """Extend a row of the table ``best`` up to ``end``, by columns in which the words do not match.

    The value of such a column is the larger of the value above it and the value before it in the row.
    """
    best = row[-1]
    for weight in above[len(row) : end]:
        if weight > best:  # noqa: PLR1730 (max() takes twice the time)
            best = weight
        row.append(best)
