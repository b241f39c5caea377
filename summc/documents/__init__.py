"""Stage 1: read files, folders and standard input into clusters of documents, split into sentences."""

from summc.documents.sources import cluster_of_texts, holds_json, load, read_text

__all__ = ["cluster_of_texts", "holds_json", "load", "read_text"]
