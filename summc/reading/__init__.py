"""What makes a choice of sentences hard to read, as prices that a selector can weigh against coverage."""

from __future__ import annotations

from summc.reading.prices import Fault, PriceList, ReadingPrices
from summc.reading.reasons import in_words

__all__ = ["Fault", "PriceList", "ReadingPrices", "in_words"]
