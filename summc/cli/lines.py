"""Lines of JSON between the stage commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from summc.errors import InputError
from summc.records import Summary

Line = dict[str, Any]


def signature_of(line: Line, place: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings that the stages before ran with, as far as the line says."""
    signature = line.get("signature", {})
    if not isinstance(signature, dict) or not all(isinstance(part, dict) for part in signature.values()):
        raise InputError(place, "signature must be an object of objects", "leave it out")
    return signature


def sign(line: Line, place: str, stage: str, settings: Mapping[str, Any]) -> Line:
    """Add the settings of a stage to what the line says of the stages before it."""
    line["signature"] = {**signature_of(line, place), stage: settings}
    return line


def read_summaries(path: str) -> Iterator[Summary]:
    """Yield the summary of each line that a selection was made on."""
    from summc import storage
    from summc.pipeline import make_summary

    for place, line in storage.read_lines(path):
        cluster = storage.decode_cluster(line, place)
        graph = storage.decode_graph(line, place)
        if graph.sentence_ids.max(initial=0) >= len(cluster.sentences):
            raise InputError(
                place, "graph.sentence_ids names a sentence the cluster does not have", "build it again"
            )
        yield make_summary(cluster, graph, storage.decode_selection(line, place), signature_of(line, place))
