"""Arithmetic that is the same on every machine, numbers and lengths, languages, dates."""
