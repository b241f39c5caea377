"""The first words of a sentence, as lists of words spell them."""

from __future__ import annotations

from itertools import accumulate

import regex

#: The first four words: no entry in a list is longer than "on_the_other_hand".
_OPENING = regex.compile(
    r"[^\p{L}\p{M}\p{N}]*([\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?:\s+[\p{L}\p{M}]+){0,3})(,?)"
)


def openings(text: str) -> list[str]:
    """Return what a text opens with: "On that day, ..." with on, on_that, on_that_day and on_that_day,.

    The list is never empty; it is [""] if the text does not begin with a word.
    """
    match = _OPENING.match(text)
    if not match:
        return [""]
    runs = list(accumulate(match[1].lower().split(), "{}_{}".format))
    return [*runs, f"{runs[-1]},"] if match[2] else runs
