"""Worker processes, and signals that must wait while one starts."""
