"""Measure how fast summc is, as ratios within one run, which vary less between machines than seconds do."""
