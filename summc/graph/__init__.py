"""Stage 4: the coverage problem as flat read-only arrays, and what a choice covers."""
