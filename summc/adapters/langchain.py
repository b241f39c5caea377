"""A document compressor for LangChain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document

from summc.adapters import extracts


class SummcCompressor(BaseDocumentCompressor):
    """Compresses documents to the sentences that answer the query best together, within a budget.

    ``budget`` and ``config`` are as for ``summc.summarize``. Each sentence becomes a document with the
    metadata of its passage, and its offsets in it as ``start_char`` and ``end_char``.
    """

    budget: int | float | str
    config: Any = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the chosen sentences in the order of the documents."""
        del callbacks
        found = extracts([document.page_content for document in documents], self.budget, query, self.config)
        return [
            Document(page_content=each.text, metadata={**documents[each.passage].metadata, **each.metadata})
            for each in found
        ]
