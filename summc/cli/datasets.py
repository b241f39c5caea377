"""``summc datasets``: list the known data sets and check them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import click

from summc import datasets as catalogue
from summc.cli import options
from summc.cli.help import Group
from summc.cli.options import Output, option
from summc.documents.paragraphs import without_controls
from summc.errors import InputError, SettingError
from summc.report.summaries import amount
from summc.system.json_objects import dump
from summc.text.languages import AUTO, asked_language

#: The most broken sentences to show; further ones are only counted.
_SHOWN = 5

_data_option = option("--data", "Documents", "Folder in which to look first.", "DIR")


@click.group(cls=Group, invoke_without_command=True)
@_data_option
@options.output("text", "json")
def datasets(data: str | None, output: Output) -> None:
    """List the data sets that summc knows, and whether each is there and whole.

    \b
      summc datasets
      summc datasets check duc2004
      SUMMC_DATA=/corpora summc datasets --format json

    Looks for them in --data, in $SUMMC_DATA, in your own data folder and in data/.
    """
    ctx = click.get_current_context()
    if ctx.invoked_subcommand:
        if output.path or output.format != "text":
            raise SettingError("-o" if output.path else "--format", "is for the list alone", "leave it out")
        ctx.obj = data
        return

    folders = catalogue.data_folders(data)
    looked_in = [without_controls(str(folder)) for folder in folders]
    described = [_described(name, folders) for name in catalogue.DATASETS]
    if output.format == "json":
        output.write([dump({"looked_in": looked_in, "datasets": described}, indent=2), "\n"])
        return
    output.write([*map(_paragraph, described), f"looked in: {', '.join(looked_in)}\n"])


@datasets.command()
@click.argument("name", type=options.PATH, metavar="NAME|PATH")
@option(
    "--language", "Documents", "Language to check. auto: English for known data sets, else detected.",
    "LANGUAGE", default=AUTO,
)  # fmt: skip
@_data_option
@click.pass_obj
def check(data_of_group: str | None, name: str, language: str, data: str | None) -> None:
    """Count a data set and report what is wrong with it.

    \b
      summc datasets check sample
      summc datasets check duc2006 --data /corpora

    Reports documents without text, clusters without references or without an expected question, and files
    that cannot be decoded. These are problems, and the exit code is 3. Notes tell of duplicates, of documents
    in several clusters, and of sentences that look broken: they start in mid-sentence.
    """
    folders = catalogue.data_folders(data or data_of_group)
    code = asked_language(language)
    clusters = catalogue.read_raw(name, folders, language=code)
    inventory = catalogue.take_inventory(clusters)
    sentences, broken = catalogue.count_sentences(clusters, code)
    lacking = catalogue.without_question(name, clusters)
    problems = [*inventory.problems, *(f"{raw.place}: no question for {raw.id}" for raw in lacking)]
    lines = [f"{name}: {catalogue.find(name, folders)}", _counts(inventory, catalogue.DATASETS.get(name))]
    lines.append(f"{sentences} sentences, of which {len(broken)} look broken")
    excerpts = [(place, shorten(text, 60, placeholder="...")) for place, text in broken[:_SHOWN]]
    lines += [f'note: {place}: looks broken: "{text}"' for place, text in excerpts]
    lines += [f"note: {remark}" for remark in inventory.remarks]
    lines += [f"problem: {problem}" for problem in problems]
    Output().write([f"{without_controls(line)}\n" for line in lines])
    if problems:
        raise InputError(name, f"{amount(len(problems), 'problems')} found", "see the list above")


def _described(name: str, folders: Sequence[Path]) -> dict[str, Any]:
    dataset = catalogue.DATASETS[name]
    path = catalogue.locate(name, folders)
    inventory = problem = None
    if path is not None:
        try:
            inventory = catalogue.take_inventory(catalogue.read_raw(name, folders))
        except InputError as error:
            problem = without_controls(str(error))
    return {
        "name": name, "title": dataset.title, "found": None if path is None else without_controls(str(path)),
        "counts": None if inventory is None else _counts(inventory, dataset), "problem": problem,
        "terms": dataset.terms, "obtain": dataset.obtain,
    }  # fmt: skip


def _paragraph(described: dict[str, Any]) -> str:
    head = f"{described['name']:15}{described['title']}"
    rows = [
        described["found"], described["counts"] or described["problem"] or "not found",
        f"terms: {described['terms']}", None if described["found"] else f"to get it, {described['obtain']}",
    ]  # fmt: skip
    return "".join([head, *(f"\n{'':15}{row}" for row in rows if row), "\n"])


def _counts(inventory: Any, expected: Any) -> str:
    def count(what: str) -> str:
        number, target = getattr(inventory, what), getattr(expected, what, None)
        return f"{number} {what}" if target in (None, number) else f"{number} {what} (expected {target})"

    return ", ".join(count(what) for what in ("clusters", "documents", "references"))
