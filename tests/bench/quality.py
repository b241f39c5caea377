"""Compare the summaries of summc with those of other people's systems by ROUGE, on several data sets.

    python -m tests.bench.quality sample=100 reviews.jsonl=20 -o quality.md --plot quality.png
    python -m tests.bench.quality questions.jsonl=100,200,400 --system default --system lead --system BM25

A data set is what ``summc evaluate --dataset`` takes, with the length of its summaries in words. All systems
get the sentences that summc finds, and all summaries are whole sentences of at most that length: each in the
order of a system's ranks if it still fits. Clusters in which no sentence is that short are left out. Scores
are those of ROUGE-1.5.5 with stems. ``pip install 'summc[bench]'`` brings the other systems. One that is not
installed is left out, and so is KL-Sum where a cluster has more than 400 sentences: it would take hours.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import compress
from pathlib import Path
from typing import Any, TextIO

import click
import numpy as np

import summc
from summc.api.evaluation import load_dataset
from summc.config import Config
from summc.records import Cluster
from summc.report.tables import render_cells
from summc.selectors.base import fill_in_order
from summc.text.numbers import count_words
from tests.bench.peers import PatternTokenizer

#: A function of sentences and a question -> the sentences in the order in which a system would take them.
System = Callable[[Sequence[str], str], Sequence[str]]
PRESETS = ("default", "highest", "paper-fig3", "paper-fig4")
BASELINES = ("lead", "random", "oracle")
METRICS = ("rouge1", "rouge2")
#: KL-Sum is left out where a cluster has more sentences.
_MOST = 400


def by_sumy(module: str, name: str, sentences: Sequence[str]) -> list[str]:
    """Rank by a system of sumy, with its English stemmer and stop words."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.nlp.stemmers import Stemmer
    from sumy.utils import get_stop_words

    summarizer = getattr(import_module(f"sumy.summarizers.{module}"), name)(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    tokenizer = PatternTokenizer()
    document = ObjectDocumentModel([Paragraph([Sentence(each, tokenizer) for each in sentences])])
    seen: list[Any] = []

    def see(rated: Sequence[Any]) -> Sequence[Any]:
        """Keep the rated sentences, which sumy shows to the function that says how many to take."""
        seen.extend(rated)
        return rated

    summarizer(document, see)
    return [str(each.sentence) for each in sorted(seen, key=lambda each: -each.rating)]


def lexrank(sentences: Sequence[str], _question: str) -> list[str]:
    return by_sumy("lex_rank", "LexRankSummarizer", sentences)


def textrank(sentences: Sequence[str], _question: str) -> list[str]:
    return by_sumy("text_rank", "TextRankSummarizer", sentences)


def lsa(sentences: Sequence[str], _question: str) -> list[str]:
    return by_sumy("lsa", "LsaSummarizer", sentences)


def sumbasic(sentences: Sequence[str], _question: str) -> list[str]:
    return by_sumy("sum_basic", "SumBasicSummarizer", sentences)


def kl_sum(sentences: Sequence[str], _question: str) -> list[str]:
    return by_sumy("kl", "KLSummarizer", sentences) if len(sentences) <= _MOST else []


def summa(sentences: Sequence[str], _question: str) -> list[str]:
    """Rank by summa's TextRank, which splits the text by itself."""
    from summa.summarizer import summarize

    scored = summarize("\n".join(sentences), ratio=1.0, split=True, scores=True)
    return [sentence for sentence, _ in sorted(scored, key=lambda each: -each[1])]


def submodlib(sentences: Sequence[str], _question: str) -> list[str]:
    """Rank by submodlib: lazy greedy on facility location, with TF-IDF similarities."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from submodlib import FacilityLocationFunction

    rows = TfidfVectorizer(stop_words="english").fit_transform(sentences)
    function = FacilityLocationFunction(len(sentences), "dense", sijs=(rows @ rows.T).toarray())
    taken = function.maximize(len(sentences) - 1, "LazyGreedy", show_progress=False)
    return [sentences[i] for i, _ in taken]


def bm25(sentences: Sequence[str], question: str) -> list[str]:
    """Rank by BM25 against the question, as a retriever does."""
    from rank_bm25 import BM25Okapi

    if not question:
        return []
    words = PatternTokenizer().to_words
    model = BM25Okapi([words(sentence.lower()) for sentence in sentences])
    scores = model.get_scores(words(question.lower()))
    return [sentences[i] for i in np.argsort(-scores, kind="stable")]


SYSTEMS: Mapping[str, System] = {
    "LexRank (sumy)": lexrank, "TextRank (sumy)": textrank, "LSA (sumy)": lsa, "SumBasic (sumy)": sumbasic,
    "KL-Sum (sumy)": kl_sum, "TextRank (summa)": summa, "submodular (submodlib)": submodlib, "BM25": bm25,
}  # fmt: skip


ALL = (*PRESETS, *BASELINES, *SYSTEMS)


def ranked(work: tuple[str, Cluster]) -> Sequence[str] | None:
    """Return the sentences of a cluster in the order of a system; None if it is not installed."""
    system, cluster = work
    tokenizer = PatternTokenizer()
    sentences = [sentence.text for sentence in cluster.sentences if tokenizer.to_words(sentence.text)]
    try:
        return SYSTEMS[system](list(dict.fromkeys(sentences)), cluster.query)
    except ImportError:
        return None


def rankings(
    clusters: Sequence[Cluster], systems: Collection[str], jobs: int
) -> dict[str, list[Sequence[str]]]:
    """Return what each of the systems that ranks all clusters makes of each of them."""
    found: dict[str, list[Sequence[str]]] = {}
    for system in (each for each in SYSTEMS if each in systems):
        print(f"  {system}", file=sys.stderr)
        with ProcessPoolExecutor(jobs) as pool:
            made = list(pool.map(ranked, [(system, cluster) for cluster in clusters]))
        if all(made):
            found[system] = [each for each in made if each is not None]
        else:
            why = "not installed" if made[0] is None else "it cannot rank all clusters"
            print(f"  {system} is left out: {why}", file=sys.stderr)
    return found


def rows_of(
    clusters: Sequence[Cluster],
    found: Mapping[str, Sequence[Sequence[str]]],
    names: Collection[str],
    words: int,
    jobs: int,
) -> list[dict[str, Any]]:
    """Return the records of ``summc.evaluate`` for the named systems at one length."""
    fits = [any(sentence.words <= words for sentence in cluster.sentences) for cluster in clusters]
    with tempfile.TemporaryDirectory() as folder:
        peers = Path(folder, "peers.jsonl")
        with peers.open("w", encoding="utf-8") as file:
            for system, orders in found.items():
                for cluster, order in compress(zip(clusters, orders, strict=True), fits):
                    lengths = np.array([count_words(sentence) for sentence in order], dtype=float)
                    taken = fill_in_order(lengths, range(len(order)), words)
                    text = "\n".join(order[i] for i in taken)
                    file.write(json.dumps({"system": system, "cluster": cluster.id, "text": text}) + "\n")
        return summc.evaluate(
            list(compress(clusters, fits)), [each for each in BASELINES if each in names],
            presets=[each for each in PRESETS if each in names], peers=peers if found else "",
            jobs=jobs, budget=words, rouge="official", stem=True, metrics=METRICS,
        )  # fmt: skip


def draw(found: Mapping[str, Sequence[Mapping[str, Any]]], file: str) -> None:
    """Draw the ROUGE-1 recall of each system with its interval, in a panel for each data set."""
    from matplotlib import pyplot as plt

    systems = list(dict.fromkeys(row["selector"] for rows in found.values() for row in rows))[::-1]
    columns = min(len(found), 4)
    lines = -(-len(found) // columns)
    size = (2.2 + 1.8 * columns, 0.6 + 2.9 * lines)
    figure, panels = plt.subplots(lines, columns, figsize=size, squeeze=False, layout="constrained")
    for axes in panels.flat[len(found) :]:
        axes.set_visible(False)
    for number, (axes, (dataset, rows)) in enumerate(zip(panels.flat, found.items(), strict=False)):
        for row in rows:
            colour = "C3" if row["selector"] in PRESETS[:2] else "C0" if row["selector"] in PRESETS else "0.4"
            line = systems.index(row["selector"])
            axes.plot([row["rouge1_low"], row["rouge1_high"]], [line, line], color=colour, linewidth=1)
            axes.plot(row["rouge1"], line, "o", color=colour, markersize=3.5)
        shown = systems if number % columns == 0 else [""] * len(systems)
        axes.set_yticks(range(len(systems)), shown, size=7)
        axes.set_ylim(-0.7, len(systems) - 0.3)
        axes.set_title(dataset, size=8)
        axes.tick_params(axis="x", labelsize=7)
        axes.grid(alpha=0.3)
    figure.supxlabel("ROUGE-1 recall with 95% t intervals", size=8)
    figure.savefig(file, dpi=200)


def cell(row: Mapping[str, Any] | None) -> str:
    """Return the scores of a row, such as ".362 / .100 (±.021)"."""
    if row is None:
        return "-"
    scores = " / ".join(f"{row[metric]:.3f}".lstrip("0") for metric in METRICS)
    return f"{scores} (±{(row['rouge1_high'] - row['rouge1_low']) / 2:.3f})".replace("±0", "±")


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET=WORDS,...")
@click.option("-o", "--output", type=click.File("w"), default="-", help="Write the table to a file.")
@click.option("--plot", metavar="FILE", help="Also draw a picture.")
@click.option("--system", "only", type=click.Choice(ALL), multiple=True, help="Only these systems.")
@click.option("--jobs", type=int, default=2, help="Number of processes.")
def quality(
    datasets: Sequence[str], output: TextIO, plot: str | None, only: Sequence[str], jobs: int
) -> None:
    """Compare summc with other people's systems by ROUGE-1 and ROUGE-2."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in datasets:
        dataset, _, lengths = each.rpartition("=")
        print(dataset, file=sys.stderr)
        clusters, _ = load_dataset(dataset, Config())
        orders = rankings(clusters, only or ALL, jobs)
        for words in map(int, lengths.split(",")):
            rows = rows_of(clusters, orders, only or ALL, words, jobs)
            found[f"{Path(dataset).stem} ({rows[0]['clusters']}), {words} words"] = rows
    names = list(dict.fromkeys(row["selector"] for rows in found.values() for row in rows))
    cells = [["system", *found]]
    for system in names:
        own = [next((row for row in rows if row["selector"] == system), None) for rows in found.values()]
        cells.append([system, *map(cell, own)])
    output.write(render_cells(cells, "md"))
    if plot:
        draw(found, plot)


if __name__ == "__main__":
    quality()
