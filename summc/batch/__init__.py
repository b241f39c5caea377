"""Summarize many clusters independently, in several processes or on a Dask cluster of machines.

The clusters are divided into parts, and the summaries of each part go into one output file.
"""

from summc.batch.run import Batch, Outcome, prepare

__all__ = ["Batch", "Outcome", "prepare"]
