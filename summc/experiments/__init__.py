"""Experiments that reproduce the paper's figures, and some more."""
