"""The parts of a document: its sections, and what frames its text without being part of it."""

from summc.text.structure.apparatus import apparatus_of, in_abstract, is_paper
from summc.text.structure.sections import Section, known_kind, run_in, sections_of

__all__ = ["Section", "apparatus_of", "in_abstract", "is_paper", "known_kind", "run_in", "sections_of"]
