"""Data sets by name: how to get each, where it is found, what it holds, and summaries by other systems."""
