"""Price what makes a summary hard to read, so that a selector can weigh it against coverage."""

from __future__ import annotations

from summc.selectors.reading.prices import Fault, PriceList, ReadingPrices, describe_fault

__all__ = ["Fault", "PriceList", "ReadingPrices", "describe_fault"]
