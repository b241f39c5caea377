"""Stage 1: read files, folders and standard input into clusters of documents, split into sentences."""
