"""Worker processes, and the signals that are blocked while they start."""
