"""``summc mcp``: summaries for language models, by the Model Context Protocol on stdin and stdout.

The SDK reads the annotations of the tools when it registers them. They use names that are imported only when
the server starts, so this module must not postpone its annotations.
"""

import dataclasses
import json
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import click

from summc.api import config_of, load, summaries
from summc.api.summaries import SummarySentence
from summc.cli import options
from summc.cli.console import in_flags, reported
from summc.cli.help import Command
from summc.cli.options import Output
from summc.config import Config
from summc.errors import InputError, NotFoundError, SettingError, SummcError
from summc.records import Cluster
from summc.system.logs import captured_logs, log
from summc.system.versions import version

_INSTRUCTIONS = (
    "summc chooses sentences of documents, word for word, and says where each one stands. It uses no language"
    " model. Call summarize for the gist of documents and find for a question about them."
)
#: Settings that make sense for one summary, but not for all.
_OF_ONE_SUMMARY = ("boost", "ignore", "must", "query", "use_query", "without")
#: The most warnings that a result has: a model pays for each.
_MOST_WARNINGS = 20


@dataclasses.dataclass(frozen=True)
class Problem:
    """Where something is wrong, what is wrong, and what to do about it."""

    place: str
    problem: str
    remedy: str


@dataclasses.dataclass(frozen=True)  # without slots, which the SDK would take for defaults
class Answer:
    """The chosen sentences in reading order, and how much they cover.

    ``answered`` is false if the documents probably do not answer the question; then ``sentences`` has only
    the nearest sentence, or none. ``covered`` is the weight of the words that the sentences cover, as a share
    of the weight of all words, from 0 to 1. ``error`` is why there is no answer, or None.
    """

    answered: bool = False
    covered: float = 0.0
    words: int = 0
    sentences: list[SummarySentence] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)
    error: Problem | None = None

    @property
    def text(self) -> str:
        """The answer for a reader: each sentence with its source, and the warnings; or the error."""
        if self.error:
            return str(SummcError(*dataclasses.astuple(self.error)))
        lines = [f"- {sentence.text} ({_source(sentence)})" for sentence in self.sentences]
        lines += [f"warning: {warning}" for warning in self.warnings]
        if self.answered:
            return "\n".join([f"{self.words} words, {self.covered:.0%} of the weight of all words:", *lines])
        nearest = " The nearest sentence is:" if self.sentences else ""
        return "\n".join([f"The documents do not seem to answer the question.{nearest}", *lines])


@click.command(cls=Command)
@click.argument("folders", type=options.PATH, metavar="FOLDER...", nargs=-1, required=True)
@options.settings("load", "preprocess", "weigh", "select", without=_OF_ONE_SUMMARY)
def mcp(folders: tuple[str, ...], **flags: Any) -> None:
    """Let language models summarize and search folders, as an MCP server.

    \b
      summc mcp docs/
      summc mcp notes/ papers/ --tokenizer tokenizer.json

    A client starts it and talks to it through stdin and stdout. It has two tools, summarize and find, and
    reads only what lies in the FOLDERs. Needs summc[mcp].
    """
    config = options.make_config(flags, Output())
    for folder in folders:
        if not os.path.isdir(folder):  # noqa: PTH112 (unlike Path's, it does not raise)
            raise NotFoundError(folder, "no such folder", "check the path")
    server = _server([Path(os.path.realpath(folder)) for folder in folders], config)
    log.setLevel(logging.DEBUG)  # each document that is read becomes a progress notification
    server.run("stdio")


def _server(roots: Sequence[Path], config: Config) -> Any:
    """Return the server with its two tools."""
    try:
        import anyio
        from mcp.server.mcpserver import Context, MCPServer
        from mcp.server.mcpserver.tools import Tool
        from mcp.types import CallToolResult, TextContent, ToolAnnotations
        from pydantic import Field
    except ImportError:
        raise SettingError("summc mcp", "needs the MCP SDK", "pip install 'summc[mcp]'") from None
    places = ", ".join(map(str, roots))
    paths_help = (
        f"Files or folders below {places}. Without paths, the documents there are read, but not those"
    )
    paths_help += " in a folder that stands beside files: name such a folder."
    budget_help = 'Length: 300 or "300w" words, "5s" sentences, "10%" of the text, "2000t" tokens.'
    budget_help += f" Default: {config.select.budget:g} {config.select.unit}."
    one_at_a_time = anyio.Lock()  # a call may fill the cores and much memory

    async def result(context: Context, make: Callable[[], Answer]) -> CallToolResult:
        """Return what ``make`` returns, or the error that it raises, as the result of a tool."""
        steps = count(1)

        def step(message: str) -> None:
            anyio.from_thread.check_cancelled()
            anyio.from_thread.run(context.report_progress, next(steps), None, message)

        def work() -> Answer:
            warnings: list[str] = []
            try:
                with captured_logs(step) as warnings:
                    answer = make()
            except Exception as failure:  # noqa: BLE001 (the caller gets any error as a result)
                error = reported(failure)
                answer = Answer(error=Problem(*_readable([error.place, error.problem, error.remedy])))
            return dataclasses.replace(answer, warnings=_few(warnings))

        async with one_at_a_time:
            answer = await anyio.to_thread.run_sync(work)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=dataclasses.asdict(answer), is_error=answer.error is not None,
        )  # fmt: skip

    async def summarize(
        context: Context,
        paths: Annotated[list[str] | None, Field(description=paths_help)] = None,
        texts: Annotated[list[str] | None, Field(description="Texts to summarize instead of files.")] = None,
        budget: Annotated[float | str | None, Field(description=budget_help)] = None,
        question: Annotated[str, Field(description="What the summary should answer.")] = "",
    ) -> Annotated[CallToolResult, Answer]:
        """Summarize documents or texts by their most important sentences, within a length."""
        return await result(context, partial(_answer, roots, config, paths, texts, budget, question))

    async def find(
        context: Context,
        question: Annotated[str, Field(description="What to look for, as a question or as words.")],
        paths: Annotated[list[str] | None, Field(description=paths_help)] = None,
        budget: Annotated[float | str | None, Field(description=budget_help)] = None,
    ) -> Annotated[CallToolResult, Answer]:
        """Find the sentences of documents that answer a question best, with their sources."""
        make = partial(_answer, roots, config, paths, None, budget, question, is_asked=True)
        return await result(context, make)

    only_reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tools = [Tool.from_function(tool, annotations=only_reads) for tool in (summarize, find)]
    for tool in tools:
        tool.fn_metadata.output_schema = answer_schema()
    return MCPServer(
        "summc", instructions=_INSTRUCTIONS, version=version("summc"), tools=tools, log_level="WARNING"
    )


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of an answer, which comes with the package."""
    schema = json.loads((files("summc") / "schemas" / "answer.json").read_text(encoding="utf-8"))
    return {**schema["$defs"].pop(Answer.__name__), "$defs": schema["$defs"]}


def _answer(
    roots: Sequence[Path], config: Config, paths: Sequence[str] | None, texts: Sequence[str] | None,
    budget: float | str | None, question: str, *, is_asked: bool = False,
) -> Answer:  # fmt: skip
    """Return the sentences that the question, or no question, asks for."""
    if is_asked and not question.strip():
        raise InputError("question", "is empty", "ask for something")
    if paths and texts:
        raise InputError("texts", "given together with paths", "give one or the other")
    chosen = config_of(config, budget=budget, query=question.strip() or None)
    clusters = load(texts or [_allowed(path, roots) for path in paths or map(str, roots)], chosen)
    log.debug("summarizing")
    run = summaries.summarize(_together(clusters), config=chosen).run
    summary, asked = run.summary, run.weights.question
    if chosen.weigh.query and asked is None:  # the documents have no word of the question
        return Answer()
    if asked and not summary.answered:
        nearest = summary.cluster.sentences[asked.nearest]
        run = dataclasses.replace(run, summary=dataclasses.replace(summary, sentences=(nearest,)))
    share = round(summary.covered, 4) if summary.answered else 0.0
    result = summaries.Summary(run)
    return Answer(summary.answered, share, result.words, list(result.sentences))


def _allowed(path: str, roots: Sequence[Path]) -> Path:
    """Return the real path of a file or folder; raise ``InputError`` if it lies outside of the roots.

    A relative path starts in a root, or in the folder that holds the root.
    """
    try:
        bases = [*roots, *(root.parent for root in roots)]
        real = [Path(os.path.realpath(base / path)) for base in bases]
    except ValueError:  # a NUL, or half a surrogate pair
        raise NotFoundError(ascii(path), "no such file or folder", "check the path") from None
    inside = [place for place in real if any(map(place.is_relative_to, roots))]
    if not inside:
        remedy = f"name a path below {', '.join(map(str, roots))}"
        raise InputError(path, "outside of the folders that may be read", remedy)
    place = next(filter(os.path.exists, inside), inside[0])
    if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):  # noqa: PTH110, PTH112, PTH113 (never raise)
        raise InputError(path, "neither file nor folder", "name a file or a folder")
    return place


def _together(clusters: Sequence[Cluster]) -> Cluster:
    """Return one cluster with the documents of all; their names start with that of their own cluster."""
    if len(clusters) == 1:
        return clusters[0]
    pairs = [(cluster.id, document) for cluster in clusters for document in cluster.documents]
    documents = tuple(
        dataclasses.replace(
            document, id=f"{name}/{document.id}",
            sentences=tuple(dataclasses.replace(sentence, document=i) for sentence in document.sentences),
        )
        for i, (name, document) in enumerate(pairs)
    )  # fmt: skip
    return Cluster("documents", documents, language=clusters[0].language)


def _source(sentence: SummarySentence) -> str:
    page = f"page {sentence.page}" if sentence.page else ""
    parts = (sentence.document, sentence.title, sentence.heading, page, sentence.speaker)
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _few(warnings: Sequence[str]) -> list[str]:
    """Return the first warnings, each once, and how many more there are."""
    once = list(dict.fromkeys(_readable(warnings)))
    more = [f"{len(once) - _MOST_WARNINGS} more warnings"] if len(once) > _MOST_WARNINGS else []
    return once[:_MOST_WARNINGS] + more


def _readable(messages: Sequence[str]) -> list[str]:
    """Return messages that name the arguments of the tools, and the flags of ``summc mcp``."""
    # Without a word of the question, a tool returns no sentences.
    texts = [text.removesuffix("; summarized without the question") for text in messages]
    return [in_flags(text.replace("`budget`", "budget").replace("`query`", "question")) for text in texts]
