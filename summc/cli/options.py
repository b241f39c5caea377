"""Options that several commands share. Most of them are made from the settings of the stages."""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import click
from click.core import ParameterSource

from summc.cli import console
from summc.cli.help import COLUMN, SOME_SELECTORS, SOME_WEIGHTINGS, Option, set_level
from summc.config import TABLES, Config
from summc.errors import OutputError, SettingError
from summc.records import Cluster
from summc.report.screens import Screen, wrap_lines
from summc.selectors import SELECTORS
from summc.settings import AUTO, Rule, Value, rules
from summc.system.logs import log
from summc.system.outputs import check_writable, write_whole
from summc.system.resources import sample_folder
from summc.text.languages import asked_language
from summc.text.numbers import plain
from summc.weights.settings import WeighSettings

#: A decorator that adds an option to a command.
Add = Callable[[Any], Any]

#: Stage -> the classes of its settings, each with its heading in the help.
_STAGES: Mapping[str, Sequence[tuple[type, str]]] = {
    "load": [(TABLES["load"], "Documents")],
    "preprocess": [(TABLES["preprocess"], "Preprocessing"), (TABLES["candidates"], "Candidates")],
    "weigh": [(WeighSettings, "Weights"), (TABLES["weigh"], SOME_WEIGHTINGS)],
    "select": [(TABLES["select"], "Selection"), *((kind, SOME_SELECTORS) for kind in SELECTORS.values())],
    "score": [(TABLES["score"], "Scores")],
}

#: Endings of formats that no command writes with ``-o``. Any other unknown ending is fine: DUC names the
#: summary of a system D0601.M.250.A.24.
_UNWRITTEN = ("bz2", "docx", "gz", "pdf", "png", "svg", "tsv", "xlsx", "xz", "zip", "zst")
#: Ending of the file that ``-o`` names -> the format that it stands for.
_ENDINGS = {
    ".csv": "csv", ".html": "html", ".json": "json", ".jsonl": "jsonl", ".md": "md", ".tex": "tex",
    ".txt": "text", ".htm": "html", ".markdown": "md", ".ndjson": "jsonl",
    **{f".{ending}": ending for ending in _UNWRITTEN},
}  # fmt: skip

#: The most numbers that an argument may hold; more numbers suggest a mistyped step.
_MOST_NUMBERS = 1000

#: The type of an option for a path. A shell completes it; summc itself checks it.
PATH = click.Path(readable=False)


def option(flags: str, heading: str, help_: str, metavar: str = "", **attributes: Any) -> Add:
    """Return a decorator that adds an option; without a ``metavar`` it takes no value.

    ``flags`` has its names, and the parameter's name if it is another: "--save save_to".
    """
    if not metavar:
        attributes["is_flag"] = True
    elif metavar in ("FILE", "DIR", "NAME|FILE", "NAME|PATH"):
        attributes["type"] = PATH
    attributes["show_default"] = bool(attributes.get("default"))
    return click.option(
        *flags.split(), cls=Option, heading=heading, help=help_, metavar=metavar or None, **attributes
    )


def _all(options: Iterable[Add]) -> Add:
    """Return a decorator that adds several options, in this order."""

    def decorate(command: Any) -> Any:
        for add in reversed([*options]):
            command = add(command)
        return command

    return decorate


def _as_one(name: str, kind: Any, options: Iterable[Add], make: Callable[..., Any]) -> Add:
    """Return a decorator that adds options; ``make`` turns their values into one argument, a ``kind``."""

    def decorate(command: Any) -> Any:
        @functools.wraps(command)
        def grouped(**arguments: Any) -> Any:
            names = kind.__dataclass_fields__.keys() & arguments.keys()
            values = dict(zip(names, map(arguments.pop, names), strict=True))
            return command(**arguments, **{name: make(**values)})

        return _all(options)(grouped)

    return decorate


dataset = functools.partial(option, "--dataset", "Documents", metavar="NAME|PATH", default="")
dates = functools.partial(option, "--dates", "Output")
jobs = option("--jobs", "Settings", "Work in N processes.", "N", type=click.IntRange(min=1), default=1)
scheduler = functools.partial(
    option, "--scheduler", "Settings",
    "Work on a Dask cluster instead, such as tcp://head:8786. Needs summc[cluster].", "ADDRESS",
)  # fmt: skip
#: The file of JSON lines to read.
lines = click.argument("lines", type=PATH, metavar="[LINES]", default="-")


# Where results go


@dataclasses.dataclass(frozen=True)
class Output:
    """Where and how a command writes its result: the values of the options that ``output`` adds."""

    path: str | None = None
    format: str = "text"
    wide: bool = False
    plot: str | None = None
    unsigned: bool = False
    verbose: bool = False

    @property
    def stream(self) -> TextIO | None:
        """Standard output, or None if ``-o`` names a file."""
        return sys.stdout if self.path in (None, "-") else None

    @property
    def screen(self) -> Screen:
        """The screen for a table: the terminal, or 80 columns elsewhere; without a limit if ``--wide``."""
        columns = console.terminal_columns(self.stream) or console.USUAL_COLUMNS
        return Screen(None if self.wide else columns, console.in_colour(self.stream))

    def write(self, chunks: Iterable[str], *, wraps: bool = False) -> None:
        """Write a result to stdout as UTF-8, or to a file, whole or not at all.

        ``wraps``: on a terminal, break the lines of a text to fit.
        """
        if self.path and self.path != "-":
            write_whole(self.path, map(str.encode, chunks))
            return
        if sys.stdout is None:
            raise OutputError("standard output", "closed", "give it somewhere to go, or use -o")
        terminal = sys.stdout.isatty()
        columns = console.terminal_columns(sys.stdout) if wraps and self.format == "text" else None
        for chunk in chunks:
            text = wrap_lines(chunk, columns) if columns else chunk
            if terminal:  # it would obey control characters; files and pipes get all characters
                text = re.sub(console.OBEYED, "\N{REPLACEMENT CHARACTER}", text)
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()

    def write_table(self, render: Callable[[str, Screen], str], signature: str = "") -> None:
        """Write the table that ``render`` makes; ``-v`` also shows the signature."""
        self.write([render(self.format, self.screen)])
        if signature:
            log.info("%s", signature)

    def draw(self, name: str, *data: Any, signature: str) -> None:
        """Write the picture of ``--plot``, if given; ``name`` names a function of ``figures``."""
        if self.plot:
            from summc.lab.experiments import figures

            figure = getattr(figures, name)(*data, "" if self.unsigned else signature)
            figures.save(figure, self.plot, signature)


def output(*formats: str, wide: bool = False, plot: bool = False, verbose: str = "") -> Add:
    """Return a decorator that adds ``-o`` and similar options, which become one argument: ``output``.

    Without ``--format``, the ending of the file that ``-o`` names decides; the default is the first of the
    ``formats``. ``verbose`` is the help of ``-v``.
    """
    flags = []
    if plot:
        flags += [option("--plot", "Output", "Also draw a .png, .svg or .pdf; needs summc[plots].", "FILE")]
        help_ = "Draw no signature below the picture; its metadata keep it."
        flags.append(option("--no-signature unsigned", "Output", help_, common=False))
    if formats:
        metavar, help_ = _choices("--format", formats, "Format; by default the ending of FILE decides.")
        kind = click.Choice(formats)
        flags.append(option("--format", "Output", help_, metavar, type=kind, default=formats[0]))
    if wide:
        flags.append(option("--wide", "Output", "Show all columns of the table, however wide.", common=False))
    flags += [option("-o --output path", "Output", "Write to a file, whole or not at all.", "FILE")]
    if verbose:
        flags.append(
            option("-v --verbose", "Output", verbose, common=False, expose_value=False, callback=set_level)
        )
    return _as_one("output", Output, flags, functools.partial(_checked_output, formats))


#: The help of ``-v`` in commands that print numbers.
SIGNATURE = "Report on stderr the settings that the numbers depend on."


def _checked_output(formats: Sequence[str], **values: Any) -> Output:
    """Return the output; raise if a file cannot be written, or if options contradict each other."""
    path, plot = values["path"], values.get("plot")
    if path == "":
        raise SettingError("-o", "is empty", "name a file; a variable may not be set")
    if path not in (None, "-"):
        check_writable(path)
    if plot is not None:
        from summc.lab.experiments.figures import check_drawable

        check_drawable(plot)
    if plot and path and os.path.realpath(plot) == os.path.realpath(path):
        raise SettingError("--plot", f"{plot} is where -o writes", "name another file")
    context = click.get_current_context()
    if formats and context.get_parameter_source("format") is ParameterSource.DEFAULT:
        values["format"] = _ENDINGS.get(Path(path or "").suffix.lower(), formats[0])
        if values["format"] not in formats:
            problem = f"{path}: {context.info_name} does not write {values['format']}"
            raise SettingError("-o", problem, f"give --format, one of {', '.join(formats)}")
    return Output(**values, verbose=log.isEnabledFor(logging.INFO))


# Where documents come from


@dataclasses.dataclass(frozen=True)
class Sources:
    """Where documents come from: the values of the arguments and options that ``sources`` adds."""

    paths: tuple[str, ...] = ()
    sample: bool = False
    by_topic: bool = False

    def inputs(self, output: str | None = None, plot: str | None = None, *, stdin: bool = True) -> list[str]:
        """Return the paths to read: those given, the folder of the sample, or "-" for what is piped in.

        Raises ``SettingError`` if there are none, or if ``output`` or ``plot`` lies in what is read.
        """
        if self.sample and self.paths:
            raise SettingError("--sample", f"given with {self.paths[0]}", "give one or the other")
        if self.sample:
            return [str(sample_folder())]
        if not self.paths and stdin and sys.stdin and not sys.stdin.isatty():
            return ["-"]
        if not self.paths:
            inputs = "files or folders, - for standard input," if stdin else "files or folders,"
            raise SettingError("PATH", "nothing to read", f"name {inputs} or --sample")
        for flag, written in (("-o", output), ("--plot", plot)):
            target = Path(os.path.realpath(written)) if written and written != "-" else None
            for path in self.paths:
                if target and target.is_relative_to(os.path.realpath(path)):
                    problem = f"{written} is, or lies in, {path}, which is read"
                    raise SettingError(flag, problem, "write elsewhere")
        return list(self.paths)


def sources(*, by_topic: bool = False) -> Add:
    """Return a decorator that adds the paths of documents and ``--sample``, as one argument: ``sources``."""
    flags = [
        click.argument("paths", type=PATH, metavar="PATH...", nargs=-1),
        option("--sample", "Documents", "Use the sample documents that come with summc."),
    ]
    if by_topic:
        flags += [option("--by-topic", "Documents", "Summarize each topic in the documents separately.")]
    return _as_one("sources", Sources, flags, Sources)


def warn_of_no_dates(clusters: Iterable[Cluster]) -> None:
    """Warn that ``--dates`` has no effect if no document of the clusters has a date."""
    if not any(document.date for cluster in clusters for document in cluster.documents):
        log.warning("--dates: no document has a date that is known")


# Values of options


def _number(kind: type) -> Callable[[str], Any]:
    """Return a click type that makes numbers of texts; the check of the setting gets any other text."""

    def number(text: str) -> Any:
        with suppress(ValueError):
            return kind(text)
        return text

    return number


def _amounts(text: str) -> tuple[float | str, ...]:
    """Return one or several budgets K, as numbers or as the user wrote them."""
    if ":" in text:
        return tuple(numbers_in(text, "--budget", "budgets", "25:400:25"))
    return tuple(dict.fromkeys(text.split(",")))


def numbers_in(text: str, flag: str, meaning: str, example: str) -> list[float]:
    """Return the numbers in an argument such as ``50,100`` or ``LOW:HIGH:STEP``, each once, in order."""
    try:
        return list(dict.fromkeys(number for part in text.split(",") for number in _range(part)))
    except (ValueError, ArithmeticError):
        remedy = f"write LOW:HIGH:STEP, such as {example}"
        raise SettingError(flag, f"must be {meaning}, got {text}", remedy) from None


def _range(text: str) -> list[float]:
    # Exact decimals, so that 0.1 + 0.2 gives 0.3.
    low, high, step = map(Decimal, text.split(":") if ":" in text else (text, text, "1"))
    if not (0 <= low <= high <= 1e9 and step > 0 and (high - low) / step < _MOST_NUMBERS):  # noqa: PLR2004 (sane)
        raise ValueError
    return [float(low + i * step) for i in range(int((high - low) / step) + 1)]


# Settings


def settings(
    *sections: str, without: Sequence[str] = (), rare: Sequence[str] = (), several_budgets: str = ""
) -> Add:
    """Return a decorator that adds ``--config``, ``--show-config`` and a flag for each setting of stages.

    Settings in ``without`` get no flag; without ``unit``, ``-k`` counts words. Settings under the headings in
    ``rare`` are shown only by ``--help-all``. With ``several_budgets``, its default, ``-k`` takes several
    budgets, for ``make_configs``.
    """
    aliases = () if "--preset" in without else ("--preset",)
    help_ = "A preset, such as highest, or a TOML file."
    flags = {"config": option("--config", "Settings", help_, "NAME|FILE", aliases=aliases)}
    help_ = "Print the settings that a run would use, and stop."
    flags["show_config"] = option("--show-config", "Settings", help_, common=False)
    for settings, stage_heading in [pair for section in sections for pair in _STAGES[section]]:
        # The short help of a command with one stage shows all its settings, but not those of one selector.
        all_common = len(sections) == 1 and stage_heading not in (SOME_SELECTORS, SOME_WEIGHTINGS)
        for name, (default, rule) in rules(settings).items():
            heading = rule.heading or stage_heading
            common = (rule.common or all_common) and heading not in rare
            length = rule.help if "unit" not in without else "Length of a summary, in words."
            if name == "budget" and several_budgets:
                help_ = f"{length} Several: 50,100 or 50:400:50."
                flags[name] = budget(help_, _amounts, "K,...", several_budgets)
            elif name == "budget":
                flags[name] = budget(length)
            elif name not in (*without, *flags):  # of settings with the same name the first one counts
                flags[name] = _option(name, default, rule, heading, common=common)
    return _all(flags.values())


def make_config(flags: Mapping[str, Any], output: Output | None = None, *used: Sequence[str]) -> Config:
    """Return the configuration of a command that takes one budget, as ``make_configs`` does."""
    return make_configs(flags, output, *used)[0]


def make_configs(
    flags: Mapping[str, Any], output: Output | None = None, *used: Sequence[str]
) -> list[Config]:
    """Return a configuration for each budget of ``-k``: the defaults, changed by ``--config``, then by flags.

    Flags that were not given are None or (). A flag is rejected if nothing in use has the setting. ``used``
    are the selectors and the weightings in use, if they are not the configured ones. With ``--show-config``
    and an ``output``, write the first configuration there and exit.
    """
    values = {name: value for name, value in flags.items() if value not in (None, ())}
    is_shown = values.pop("show_config", False)
    base = Config().with_file(values.pop("config")) if "config" in values else Config()
    configs, budgets = [], values.get("budget")
    for budget in budgets if isinstance(budgets, tuple | list) else (budgets,):
        changes = values if budget is None else {**values, "budget": budget}
        configs.append(base.with_settings(changes, *used))
    asked_language(configs[0].load.language)  # raises if unknown, even in a command that does not use it
    if is_shown and output:
        output.write([configs[0].to_toml()])
        click.get_current_context().exit()
    return configs


def budget(help_: str, kind: Any = None, metavar: str = "K", default: str = "100") -> Add:
    """Return a decorator that adds the option ``-k``, and other names for it that users try.

    ``kind`` is the click type of its value, by default a text. ``default`` is only shown in the help.
    """
    text = f"{help_}  [default: {default}]" if default else help_
    aliases = ("-n", "--words", "--length", "--max-words")
    return option("-k --budget budget", "Length", text, metavar, type=kind, aliases=aliases)


def _option(name: str, default: Value, rule: Rule, heading: str, *, common: bool) -> Add:
    """Return a decorator that adds the flag of a setting. Its value is checked with the other settings."""
    flag, help_, more = f"--{name.replace('_', '-')}", rule.help, dict[str, Any]()
    metavar = rule.metavar or {int: "N", float: "FLOAT"}.get(type(default), "TEXT")
    default_text = default if isinstance(default, str | tuple) else plain(default)
    if isinstance(default, bool):
        metavar, default_text, more["default"] = "", flag[2:] if default else rule.off, None
        flag += f"/--{rule.off}"
    elif isinstance(default, tuple):
        more["multiple"], default_text = not rule.commas, ", ".join(default)
        if rule.commas:
            metavar, help_ = "NAME,...", _listing(rule.choices, help_)
    elif rule.auto:
        metavar, default_text, more["type"] = f"FLOAT|{AUTO}", f"{default}, {rule.auto}", _number(float)
    elif rule.choices:
        metavar, help_ = _choices(flag, rule.choices, help_)
        more["shell_complete"] = click.Choice(rule.choices).shell_complete
    elif not isinstance(default, str):
        more["type"] = _number(type(default))
    help_ += f"  [default: {default_text}]" if default_text != "" else ""
    return option(f"{flag} {name}", heading, help_, metavar, common=common, **more)


def _choices(flag: str, choices: Sequence[str], help_: str) -> tuple[str, str]:
    """Return the metavar of an option, which lists its choices if they fit, and the help, which else does."""
    metavar = "|".join(choices)
    if len(f"{flag} {metavar}") <= COLUMN:
        return metavar, help_
    return "NAME", _listing(choices, help_)


def _listing(choices: Sequence[str], help_: str) -> str:
    """Return a help text with the choices at the end of its first sentence."""
    first, _, rest = help_.removesuffix(".").partition(". ")
    return f"{first}: {', '.join(choices)}." + (f" {rest}." if rest else "")


def check_workers(jobs: int, scheduler: str | None) -> None:
    """Raise ``SettingError`` if both ``--jobs`` and ``--scheduler`` are given."""
    if scheduler and jobs > 1:
        raise SettingError("--jobs", "given with --scheduler", "the workers of the cluster decide")
