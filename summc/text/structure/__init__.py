"""The parts of a document: its sections, and the apparatus around its text, such as a bibliography."""

from summc.text.structure.apparatus import apparatus_of, in_abstract, is_paper
from summc.text.structure.sections import Section, known_kind, run_in, sections_of

__all__ = ["Section", "apparatus_of", "in_abstract", "is_paper", "known_kind", "run_in", "sections_of"]
