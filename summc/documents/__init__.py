"""Stage 1: read files, folders and standard input into clusters of documents, split into sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summc.documents.sources import cluster_of_texts as cluster_of_texts
    from summc.documents.sources import load as load
    from summc.documents.sources import read_text as read_text

__all__ = ["cluster_of_texts", "load", "read_text"]


def __getattr__(name: str) -> Any:
    # Imported when first used: the process that reads a PDF needs a few modules of this stage, not all.
    if name in __all__:
        from summc.documents import sources  # noqa: PLC0415

        return getattr(sources, name)
    raise AttributeError(f"module 'summc.documents' has no attribute {name!r}")
