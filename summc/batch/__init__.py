"""Summarize many clusters independently, part by part, in several processes or on a Dask cluster."""

from summc.batch.run import Batch, Outcome, prepare

__all__ = ["Batch", "Outcome", "prepare"]
