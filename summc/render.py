"""Summaries as text, JSON and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from summc.records import Score, Summary
from summc.settings import plain
from summc.storage import dump

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|])")


def render(summaries: Sequence[Summary], format_: str) -> str:
    """Return summaries in a format; every line of it ends.

    ``json`` is one object for one cluster and a list for several; ``jsonl`` is an object a line.
    """
    if format_ == "text":
        return "\n".join(_as_text(summaries))
    if format_ == "md":
        return "\n".join(map(_as_markdown, summaries))
    objects = [as_object(summary) for summary in summaries]
    if format_ == "jsonl":
        return "".join(f"{dump(each)}\n" for each in objects)
    return dump(objects if len(objects) != 1 else objects[0], indent=2) + "\n"


def as_object(summary: Summary) -> dict[str, Any]:
    """Return a summary as it stands in JSON."""
    documents = summary.cluster.documents
    return {
        "id": summary.cluster.id,
        "budget": plain(summary.selection.budget),
        "words": summary.words,
        "covered_weight": summary.selection.covered_weight,
        "text": summary.text,
        "sentences": [
            {"document": documents[s.document].id, "position": s.position, "text": s.text, "words": s.words}
            for s in summary.sentences
        ],
        "signature": summary.signature,
    }


def describe(summary: Summary) -> str:
    """Return in one line what a summary uses and covers, and how its selector fared."""
    selection = summary.selection
    share = selection.covered_weight / summary.total_weight if summary.total_weight else 0.0
    facts = [
        f"{summary.words} of {plain(selection.budget)} words in {len(summary.sentences)} sentences",
        f"weight {selection.covered_weight:.4g} of {summary.total_weight:.4g} covered ({share:.1%})",
        _convergence(summary),
    ]
    return f"{summary.cluster.id}: {', '.join(fact for fact in facts if fact)}"


def render_scores(scores: Sequence[tuple[str, Score]], format_: str) -> str:
    """Return the scores of named summaries: a table that ends with their mean and signature, or JSON."""
    if format_ == "json":
        objects = [
            {
                "id": name,
                "rouge1": {"recall": score.recall, "precision": score.precision, "f1": score.f1},
                "signature": score.signature,
            }
            for name, score in scores
        ]
        return dump(objects if len(objects) != 1 else objects[0], indent=2) + "\n"
    rows = [(name, (score.recall, score.precision, score.f1)) for name, score in scores]
    if len(rows) > 1:
        recalls, precisions, f1s = zip(*(figures for _, figures in rows), strict=True)
        rows.append(("mean", (fmean(recalls), fmean(precisions), fmean(f1s))))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  recall {r:.4f}  precision {p:.4f}  F1 {f:.4f}" for name, (r, p, f) in rows]
    return "\n".join([*lines, scores[0][1].signature, ""])


def _convergence(summary: Summary) -> str:
    selection, diagnostics = summary.selection, summary.selection.diagnostics
    if "converged" not in diagnostics:
        return f"by {selection.selector}"
    verdict = "converged" if diagnostics["converged"] else "did not converge"
    rounds, change = diagnostics["iterations"], diagnostics["last_change"]
    return f"{selection.selector} {verdict} in {rounds} iterations (last change {change:.1e})"


def _as_text(summaries: Sequence[Summary]) -> Iterator[str]:
    for summary in summaries:
        # As head and tail do: a heading only where there is more than one.
        heading = f"==> {summary.cluster.id} <==\n" if len(summaries) > 1 else ""
        yield f"{heading}{summary.text}\n"


def _as_markdown(summary: Summary) -> str:
    documents = summary.cluster.documents
    lines = [f"- {_escaped(s.text)} ({_escaped(documents[s.document].id)})" for s in summary.sentences]
    return "\n".join([f"## {_escaped(summary.cluster.id)}", "", *lines, ""])


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)
