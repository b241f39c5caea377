"""A node postprocessor for LlamaIndex."""

from __future__ import annotations

from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from summc.adapters import Extract, extracts


class SummcPostprocessor(BaseNodePostprocessor):
    """Reduces nodes to the sentences that answer the query best together, within a budget.

    ``budget`` and ``config`` are as for ``summc.summarize``. Each sentence becomes a node with the metadata,
    the source and the score of its passage, and its offsets in it as ``start_char`` and ``end_char``.
    """

    budget: int | float | str
    config: Any = None

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class, for serialization."""
        return cls.__name__

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = query_bundle.query_str if query_bundle else None
        found = extracts([item.node.get_content() for item in nodes], self.budget, query, self.config)
        return [_node(nodes[each.passage], each) for each in found]


def _node(passage: NodeWithScore, sentence: Extract) -> NodeWithScore:
    node, offsets = passage.node, ["start_char", "end_char"]
    made = TextNode(
        text=sentence.text,
        metadata={**node.metadata, **sentence.metadata},
        # The language model and the embedder need no offsets.
        excluded_llm_metadata_keys=[*node.excluded_llm_metadata_keys, *offsets],
        excluded_embed_metadata_keys=[*node.excluded_embed_metadata_keys, *offsets],
        relationships=dict(node.relationships),
    )
    return NodeWithScore(node=made, score=passage.score)
