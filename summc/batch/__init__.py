"""Many clusters, each by itself: read in parts, worked on in processes or on a cluster, written in parts."""

from summc.batch.run import Batch, Outcome, prepare

__all__ = ["Batch", "Outcome", "prepare"]
