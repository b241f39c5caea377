"""The adapters of retrieval frameworks, and the examples of them in the guide."""

from __future__ import annotations

import importlib
import re
from itertools import pairwise
from typing import Any

import pytest

from summc.adapters import extracts
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "pages" / "guide" / "pipelines.md").read_text(encoding="utf-8")
#: Framework -> its example, and what that prints.
EXAMPLES = {
    framework: (code, output)
    for code, framework, output in re.findall(
        r"```python\n((?:(?!```).)*?summc\.adapters\.(\w+) .*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL
    )
}
WORDS = {"embedder": "none"}


def framework(name: str) -> Any:
    package = {"langchain": "langchain_core", "llamaindex": "llama_index.core", "haystack": "haystack"}[name]
    return pytest.importorskip(package, reason=f"needs summc[{name}]")


# What all adapters share


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("Rain fell.  The dam\n  broke.", ["Rain fell.", "The dam\n  broke."]),
        ("> The up-to-\n> date spill\u00ad\n> way broke. Rain fell.",
         ["The up-to-\n> date spill\u00ad\n> way broke.", "Rain fell."]),
        ("[10:01] Anna: The dam broke.\n[10:02] Ben: When?\n[10:03] Anna: At noon. It rained.",
         ["The dam broke.", "When?", "At noon.", "It rained."]),
        ("<p>The dam broke.</p>", ["<p>The dam broke.</p>"]),
    ],
)  # fmt: skip
def test_offsets_lead_to_the_sentences_of_a_passage(passage: str, expected: list[str]) -> None:
    config = {"leave_out": "nothing", "reading": 0}
    found = extracts([passage], "9s", None, config)
    places = [slice(each.metadata["start_char"], each.metadata["end_char"]) for each in found]
    assert [each.text for each in found] == [passage[place] for place in places] == expected
    assert all(before.stop <= after.start for before, after in pairwise(places))
    assert [each.metadata.get("speaker") for each in found] == (
        ["Anna", "Ben", "Anna", "Anna"] if "Anna" in passage else [None] * len(found)
    )


def test_sentences_keep_the_order_of_their_passages_whatever_their_dates() -> None:
    passages = [
        "",
        "March 9, 2032\n\nThe dam broke on Tuesday.",
        " ",
        "March 1, 2032\n\nThe lake rose on Monday.",
    ]
    found = extracts([*passages, passages[1]], "2s", "When did the dam break?", WORDS)
    assert [(each.passage, each.text) for each in found] == [
        (1, "The dam broke on Tuesday."),
        (3, "The lake rose on Monday."),
    ]
    assert extracts(["", " ", "--\x00*"], 5, "Why?", None) == extracts([], 5, None, None) == []


def test_text_that_differs_from_its_passage_has_no_offsets() -> None:
    subtitle = "WEBVTT\n\n00:01.000 --> 00:02.000\nMills &amp; Sons broke the dam.\n"
    [found] = extracts([subtitle], "1s", None, None)
    assert (found.text, found.metadata) == ("Mills & Sons broke the dam.", {})


# The frameworks


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack"])
def test_the_example_of_the_guide_prints_what_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    framework(name)
    code, output = EXAMPLES[name]
    exec(code, {})  # noqa: S102 (our own example)
    assert capsys.readouterr().out == output


PASSAGES = [
    "The dam of Pell broke at noon. Nobody was hurt.",
    "A crack in the spillway broke the dam of Pell.",
]
QUERY = "What happened in the spillway?"


def test_langchain_compresses_documents() -> None:
    framework("langchain")
    documents = importlib.import_module("langchain_core.documents")
    adapter = importlib.import_module("summc.adapters.langchain").SummcCompressor(budget="10w", config=WORDS)
    passages = [documents.Document(text, metadata={"source": i}) for i, text in enumerate(PASSAGES)]
    [made] = adapter.compress_documents(passages, QUERY)
    assert (made.page_content, made.metadata) == (
        PASSAGES[1],
        {"source": 1, "start_char": 0, "end_char": len(PASSAGES[1])},
    )
    assert passages[1].metadata == {"source": 1}


def test_llamaindex_postprocesses_nodes_and_keeps_their_source_and_score() -> None:
    framework("llamaindex")
    schema = importlib.import_module("llama_index.core.schema")
    adapter = importlib.import_module("summc.adapters.llamaindex").SummcPostprocessor(budget=10, config=WORDS)
    source = {schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(node_id="report")}
    nodes = [
        schema.NodeWithScore(
            node=schema.TextNode(text=text, metadata={"page": i}, relationships=source), score=i
        )
        for i, text in enumerate(PASSAGES)
    ]
    [made] = adapter.postprocess_nodes(nodes, query_str=QUERY)
    assert (made.text, made.score, made.node.ref_doc_id) == (PASSAGES[1], 1, "report")
    assert made.metadata == {"page": 1, "start_char": 0, "end_char": len(PASSAGES[1])}
    assert made.node.get_content(schema.MetadataMode.LLM) == f"page: 1\n\n{PASSAGES[1]}"
    assert adapter.postprocess_nodes(nodes)  # no query: a summary
    assert type(adapter).from_dict(adapter.to_dict()).to_dict() == adapter.to_dict()


def test_haystack_runs_it_in_a_pipeline_that_can_be_saved() -> None:
    haystack = framework("haystack")
    component = importlib.import_module("summc.adapters.haystack").SummcExtractor("10w", WORDS)
    assert importlib.import_module("haystack.telemetry._telemetry").telemetry is None
    pipeline = haystack.Pipeline()
    pipeline.add_component("summc", component)
    pipeline = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["summc.adapters.haystack"])
    documents = [haystack.Document(content=text, meta={"n": i}, score=i) for i, text in enumerate(PASSAGES)]
    [made] = pipeline.run({"summc": {"documents": documents, "query": QUERY}})["summc"]["documents"]
    assert (made.content, made.score) == (PASSAGES[1], 1)
    assert made.meta == {"n": 1, "start_char": 0, "end_char": len(PASSAGES[1])}
