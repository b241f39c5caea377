"""Measure how fast summc is, as ratios within one run: they vary less between machines than seconds do."""
