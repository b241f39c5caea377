"""``summc score``: ROUGE-1."""

from __future__ import annotations

from collections.abc import Iterator

import click

from summc.cli.console import write
from summc.cli.options import output_option


@click.command()
@click.argument("summary", default="-")
@click.option(
    "--reference", "references", multiple=True, metavar="FILE", help="A reference summary; may be repeated."
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def score(summary: str, references: tuple[str, ...], format_: str, output: str | None) -> None:
    """Score a summary against references by ROUGE-1.

    SUMMARY is a text file or - for standard input; or the lines that summc select writes, whose clusters
    bring their own references where no --reference is given. The score is SumEval's, as the paper has it:
    the recall of words, averaged over the references.

    \b
      summc score summary.txt --reference ref1.txt --reference ref2.txt
      summc summarize docs/ | summc score --reference ref.txt
      summc load --sample | summc preprocess | summc weigh | summc graph | summc select | summc score
    """
    from statistics import fmean

    from summc.documents import read_text
    from summc.rouge import rouge1
    from summc.storage import dump

    given = [read_text(path) for path in references]
    scores = {name: rouge1(text, given or own, place=name) for name, text, own in _summaries(summary)}
    if format_ == "json":
        objects = [
            {
                "id": name,
                "rouge1": {"recall": s.recall, "precision": s.precision, "f1": s.f1},
                "signature": s.signature,
            }
            for name, s in scores.items()
        ]
        write([dump(objects if len(objects) != 1 else objects[0], indent=2), "\n"], output)
        return
    rows = [(name, s.recall, s.precision, s.f1) for name, s in scores.items()]
    if len(rows) > 1:
        means = [fmean(column) for column in zip(*(row[1:] for row in rows), strict=True)]
        rows.append(("mean", means[0], means[1], means[2]))
    width = max(len(row[0]) for row in rows)
    lines = [f"{name:{width}}  recall {r:.4f}  precision {p:.4f}  F1 {f:.4f}\n" for name, r, p, f in rows]
    write([*lines, next(iter(scores.values())).signature, "\n"], output)


def _summaries(path: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the name, the text and the references of each summary in a file, a text or lines of JSON."""
    from summc.cli.lines import read_summaries
    from summc.documents import holds_json, read_text

    if holds_json(path):
        for summary in read_summaries(path):
            yield summary.cluster.id, summary.text, summary.cluster.references
    else:
        yield ("standard input" if path == "-" else path), read_text(path), ()
