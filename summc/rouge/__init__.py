"""Score a summary against references, which people wrote, by ROUGE.

A text is cut and split into tokens (``texts``, ``stems``). A metric counts how much of a reference is in a
summary (``counts``). A protocol turns these counts into recall, precision and F (``scorer``). The library
SumEval finds words, counts n-grams, and measures ROUGE-L for the paper's protocol. Everything else is
implemented in this package and tested against scores that ROUGE-1.5.5 printed.
"""

METRICS = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeW", "rougeSU4")
