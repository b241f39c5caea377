"""A component for Haystack."""

from __future__ import annotations

from haystack import Document, component

from summc.adapters import extracts
from summc.api import ConfigLike


@component
class SummcExtractor:
    """Reduces documents to the sentences that answer the query best together, within a budget.

    ``budget`` and ``config`` are as for ``summc.summarize``. Each sentence becomes a document with the
    metadata and the score of its passage, and its offsets in it as ``start_char`` and ``end_char``.
    """

    def __init__(self, budget: float | str, config: ConfigLike | None = None) -> None:
        self.budget, self.config = budget, config

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], query: str = "") -> dict[str, list[Document]]:
        """Return the chosen sentences in the order of the documents."""
        found = extracts([document.content or "" for document in documents], self.budget, query, self.config)
        return {
            "documents": [
                Document(content=each.text, meta={**passage.meta, **each.metadata}, score=passage.score)
                for each in found
                for passage in [documents[each.passage]]
            ]
        }
