"""Score a summary against references by ROUGE.

A reference is a summary that a person wrote. A text is cut and split into tokens (``cuts``, ``stems``,
``texts``). A metric counts how much of a reference is in a summary (``ngrams``, ``lcs``; ``metrics`` lists
them). A protocol turns these counts into recall, precision and F (``scorer``).
``engine`` wraps the library SumEval, which finds words, counts n-grams, and measures ROUGE-L for the paper's
protocol. Everything else is implemented in this package and tested against scores that ROUGE-1.5.5 printed.
"""

from summc.rouge.metrics import METRICS
from summc.rouge.scorer import PROTOCOLS, Rouge
from summc.rouge.texts import warn_of_unsegmented

__all__ = ["METRICS", "PROTOCOLS", "Rouge", "warn_of_unsegmented"]
