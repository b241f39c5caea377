"""Fuzzers for summc. Run them for minutes in development; .ci/run runs them for a moment."""
