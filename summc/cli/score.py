"""``summc score``: ROUGE-1."""

from __future__ import annotations

from collections.abc import Iterator

import click

from summc.cli.console import write
from summc.cli.options import format_option, output_option


@click.command()
@click.argument("summary", default="-")
@click.option(
    "--reference", "references", multiple=True, metavar="FILE", help="A reference summary; may be repeated."
)
@format_option("text", "json")
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
    from summc.documents import read_text
    from summc.render import render_scores
    from summc.rouge import rouge1

    given = [read_text(path) for path in references]
    scores = [(name, rouge1(text, given or own, place=name)) for name, text, own in _summaries(summary)]
    write([render_scores(scores, format_)], output)


def _summaries(path: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the name, the text and the references of each summary in a file, a text or lines of JSON."""
    from summc.cli.lines import read_summaries
    from summc.documents import holds_json, read_text

    if holds_json(path):
        for summary in read_summaries(path):
            yield summary.cluster.id, summary.text, summary.cluster.references
    else:
        yield ("standard input" if path == "-" else path), read_text(path), ()
