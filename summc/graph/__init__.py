"""Stage 4: build the coverage problem as flat read-only arrays, and measure what a selection covers."""
