"""Price what makes a summary hard to read, so that a selector can weigh it against coverage.

A fault is something that makes a summary hard to read, such as a pronoun whose noun is missing. Its price is
subtracted from the covered weight. Prices are shares of the best coverage. This is the weight that the
selector's first selection covers, which is made without regard to faults.
"""

from __future__ import annotations

from summc.selectors.reading.prices import Fault, PriceList, PriceTable, ReadingPrices
from summc.selectors.reading.reasons import in_words

__all__ = ["Fault", "PriceList", "PriceTable", "ReadingPrices", "in_words"]
