"""Fuzzers for summc. Run them for minutes in development; the tests run them for a moment."""
