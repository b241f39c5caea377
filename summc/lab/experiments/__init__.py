"""Experiments that reproduce the figures of the paper, and related experiments."""
