"""Find the parts of a document: its sections, and its apparatus.

The apparatus is what belongs to a document but not to its text, such as a bibliography or a caption.
"""

from summc.text.structure.apparatus import apparatus_of, in_abstract, is_paper
from summc.text.structure.sections import Section, known_kind, run_in, sections_of

__all__ = ["Section", "apparatus_of", "in_abstract", "is_paper", "known_kind", "run_in", "sections_of"]
