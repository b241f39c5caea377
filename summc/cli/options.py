"""Options that several commands share. Most of them are made from the settings of the stages."""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from summc.cli.console import talk
from summc.cli.help import COLUMN, SOME_SELECTORS, SOME_WEIGHTINGS, Option
from summc.cli.offers import CONFIGURATION, DATA_SET, FILE, FOLDER, LANGUAGE_OR_AUTO, Offers
from summc.cli.ranges import Budget, Budgets
from summc.errors import SettingError
from summc.records import Cluster
from summc.selectors import SELECTORS
from summc.settings import AUTO, Rule, Value, rules
from summc.settings.config import TABLES, Config
from summc.system.resources import sample_folder
from summc.text.languages import asked_language
from summc.text.numbers import Amount, plain
from summc.weights.settings import WeighSettings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("summc")

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

#: Adds an option to a command, as ``click.option`` does. It also takes the arguments of ``Option``.
option = partial(click.option, cls=Option)

#: Stage -> the classes of its settings, each with its heading in the help.
_STAGES: Mapping[str, Sequence[tuple[type, str]]] = {
    "load": [(TABLES["load"], "Documents")],
    "preprocess": [(TABLES["preprocess"], "Preprocessing"), (TABLES["candidates"], "Candidates")],
    "weigh": [(WeighSettings, "Weights"), (TABLES["weigh"], SOME_WEIGHTINGS)],
    "select": [(TABLES["select"], "Selection"), *((each, SOME_SELECTORS) for each in SELECTORS.values())],
    "score": [(TABLES["score"], "Scores")],
}
#: Other names for ``-k`` that users try.
_LENGTHS = ("-n", "--words", "--length", "--max-words")

#: Metavar of a setting, as shown in its help -> parameter type that can complete its value in a shell.
_OFFERS = {"NAME|PATH": DATA_SET, "FILE": FILE, "DIR": FOLDER, "LANGUAGE": LANGUAGE_OR_AUTO}

#: Endings of formats that no command writes with ``-o``. Any other unknown ending is fine: DUC names the
#: summary of a system D0601.M.250.A.24.
_UNWRITTEN = ("bz2", "docx", "gz", "pdf", "png", "svg", "tsv", "xlsx", "xz", "zip", "zst")
#: Ending of the file that ``-o`` names -> the format that it stands for.
_ENDINGS = {
    ".csv": "csv", ".html": "html", ".json": "json", ".jsonl": "jsonl", ".md": "md", ".tex": "tex",
    ".txt": "text", ".htm": "html", ".markdown": "md", ".ndjson": "jsonl",
    **{f".{each}": each for each in _UNWRITTEN},
}  # fmt: skip


def settings_options(
    *sections: str, without: Sequence[str] = (), rare: Sequence[str] = (), several_budgets: str = ""
) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds a flag for each setting of stages, ``--config`` and ``--show-config``.

    ``sections`` names the stages. ``select`` includes the settings of each selector, and ``preprocess`` the
    rules for candidates (sentences that may be chosen). Settings in ``without`` get no flag. Those under the
    headings in ``rare`` are shown only by ``--help-all``. If ``several_budgets`` is given, ``-k`` takes
    several budgets, for ``make_configs``, and this text is shown as the default.
    """

    def decorate(command: Decorated) -> Decorated:
        for section in reversed(sections):
            known = _settings_of_stage(section, rare, alone=len(sections) == 1)
            for name, (default, rule) in reversed(known.items()):
                if name == "budget":
                    command = _budget_option(several_budgets, default, rule)(command)
                elif name not in without:
                    command = _option(name, default, rule)(command)
        help_ = "Print the settings that a run would use, and stop."
        command = option("--show-config", is_flag=True, heading="Settings", common=False, help=help_)(command)
        help_ = "A preset, such as highest, or a TOML file."
        return option(
            "--config",
            type=CONFIGURATION,
            metavar="NAME|FILE",
            heading="Settings",
            aliases=["--preset"],
            help=help_,
        )(command)

    return decorate


def _settings_of_stage(stage: str, rare: Sequence[str], *, alone: bool) -> dict[str, tuple[Value, Rule]]:
    """Return the settings of a stage: name -> (default, rule). Each rule has a heading.

    ``alone`` says that the command has no other stage. Then all settings of the stage are common (shown by
    ``--help``), except those of single selectors or weightings. Settings under the headings in ``rare`` are
    never common.
    """
    found: dict[str, tuple[Value, Rule]] = {}
    for settings, heading in _STAGES[stage]:
        common = alone and heading not in (SOME_SELECTORS, SOME_WEIGHTINGS)
        for name, (default, rule) in rules(settings).items():
            place = rule.heading or heading
            shown = (rule.common or common) and place not in rare
            placed = dataclasses.replace(rule, heading=place, common=shown)
            found.setdefault(name, (default, placed))  # of settings with the same name the first one counts
    return found


def make_config(
    config: str | None,
    flags: Mapping[str, Any],
    selectors: Sequence[str] = (),
    weightings: Sequence[str] = (),
) -> Config:
    """Return the configuration to use: the defaults, overridden by the file ``config``, then by the flags.

    Flags that were not given are None or (). A flag is rejected if none of the ``selectors`` and
    ``weightings`` in use has the setting. By default these are the configured ones.
    """
    base = Config() if config is None else Config().with_file(config)
    given = {name: value for name, value in flags.items() if value is not None and value != ()}
    if isinstance(given.get("budget"), Amount):
        given |= given["budget"].settings(given)
    made = base.with_settings(given, selectors, weightings=weightings)
    asked_language(made.load.language)  # raises if it is unknown, even in a command that does not use it
    return made


def make_configs(config: str | None, flags: Mapping[str, Any]) -> list[Config]:
    """Return a configuration for each budget of ``-k``; without ``-k``, one with the configured budget."""
    budgets = flags["budget"] or (None,)
    return [make_config(config, {**flags, "budget": budget}) for budget in budgets]


def output_option(command: Decorated) -> Decorated:
    """Add the option ``-o`` to a command; it fails before the work if the file cannot be written."""

    def writable(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
        if value == "":
            raise SettingError("-o", "is empty", "name a file; a variable may not be set")
        if value is not None and value != "-":
            from summc.system.outputs import check_writable

            check_writable(value)
        return value

    help_ = "Write to a file, whole or not at all."
    return option(
        "-o", "--output", type=FILE, metavar="FILE", heading="Output", callback=writable, help=help_
    )(command)


def plot_option(command: Decorated) -> Decorated:
    """Add the option ``--plot`` to a command; it fails before the work if the picture cannot be written.

    ``--no-signature`` leaves the signature out of the picture.
    """

    def drawable(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            from summc.lab.experiments.pictures import check_drawable

            check_drawable(value)
        return value

    help_ = "Also draw a .png, .svg or .pdf; needs summc[plots]."
    plot = option("--plot", type=FILE, metavar="FILE", heading="Output", callback=drawable, help=help_)
    without = "Draw no signature below the picture; its metadata keep it."
    unsigned = option(
        "--no-signature", "unsigned", is_flag=True, heading="Output", common=False, help=without
    )
    return plot(unsigned(command))


def check_plot(plot: str | None, output: str | None, *, unsigned: bool) -> None:
    """Raise ``SettingError`` if ``--plot`` and ``-o`` are the same file, or --no-signature has no picture."""
    if unsigned and not plot:
        raise SettingError("--no-signature", "given without --plot", "name a picture, or leave it out")
    if plot and output and os.path.realpath(plot) == os.path.realpath(output):
        raise SettingError("--plot", f"{plot} is where -o writes", "name another file")


def save_picture(draw: Callable[[str], Figure], path: str, signature: str, *, unsigned: bool) -> None:
    """Write the picture that ``draw`` makes, which shows the signature below it unless ``unsigned``."""
    from summc.lab.experiments.pictures import save

    save(draw("" if unsigned else signature), path, signature)


def format_option(*formats: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option ``--format`` to a command that also has ``-o``.

    Without ``--format``, the ending of the file that ``-o`` names decides; the default is the first format.
    """
    metavar, help_ = _choices("--format", formats, "Format; by default the ending of FILE decides.")
    added = option(
        "--format", "format_", type=click.Choice(formats), default=formats[0], show_default=True,
        metavar=metavar, heading="Output", help=help_,
    )  # fmt: skip

    def decorate(command: Decorated) -> Decorated:
        @functools.wraps(command)
        def with_format(*args: Any, **options: Any) -> Any:
            source = click.get_current_context().get_parameter_source("format_")
            if source is ParameterSource.DEFAULT:
                options["format_"] = _format_of(options["output"], formats)
            return command(*args, **options)

        return added(cast("Decorated", with_format))

    return decorate


def _format_of(output: str | None, formats: Sequence[str]) -> str:
    """Return the format that the ending of an output file stands for, or the first of ``formats``.

    Raises ``SettingError`` if the ending stands for a format that is not among ``formats``.
    """
    ending = PurePath(output or "").suffix.lower()
    format_ = _ENDINGS.get(ending, formats[0])
    if format_ not in formats:
        known = {each: name for name, each in reversed(_ENDINGS.items())}
        *others, last = [known[each] for each in (*formats[1:], formats[0])]
        problem = f"{output}: {click.get_current_context().info_name} does not write {format_}"
        remedy = f"name a {', '.join(others)} or {last} file, or give --format"
        raise SettingError("-o", problem, remedy)
    return format_


def verbose_option(command: Decorated) -> Decorated:
    """Add the option ``-v`` to a command."""
    return _verbose_option("Report on stderr what was used and covered.")(command)


def signature_option(command: Decorated) -> Decorated:
    """Add the option ``-v`` to a command whose ``-v`` shows the settings that its numbers depend on."""
    return _verbose_option("Report on stderr the settings that the numbers depend on.")(command)


def _verbose_option(help_: str) -> Callable[[Decorated], Decorated]:
    return option(
        "-v", "--verbose", is_flag=True, heading="Output", common=False, callback=talk, help=help_
    )  # fmt: skip


def wide_option(command: Decorated) -> Decorated:
    """Add the option ``--wide`` to a command whose table may be wider than the screen."""
    help_ = "Show all columns of the table, however wide."
    return option("--wide", is_flag=True, heading="Output", common=False, help=help_)(command)


def source_arguments(command: Decorated) -> Decorated:
    """Add the argument for paths of documents to a command, and ``--sample``, to be used instead of paths."""
    help_ = "Use the sample documents that come with summc."
    sample = option("--sample", is_flag=True, heading="Documents", help=help_)
    return click.argument("paths", type=FILE, metavar="PATH...", nargs=-1)(sample(command))


def sources_of(
    paths: Sequence[str], output: str | None, *, sample: bool, plot: str | None = None, stdin: bool = True
) -> list[str]:
    """Return the paths to read: those given, or the folder of the sample.

    Raises ``SettingError`` if there are none, or if ``output`` or ``plot`` would be written to one of the
    paths or into a folder among them. ``stdin`` says whether the command can read standard input.
    """
    if sample and paths:
        raise SettingError("--sample", f"given with {paths[0]}", "give one or the other")
    if not sample and not paths:
        inputs = "files or folders, - for standard input," if stdin else "files or folders,"
        raise SettingError("PATH", "nothing to read", f"name {inputs} or --sample")
    for flag, written in (("-o", output), ("--plot", plot)):
        target = os.path.realpath(written) if written and written != "-" else ""
        for path in paths:
            real = os.path.realpath(path)
            if target and (target == real or target.startswith(f"{real}{os.sep}")):
                problem = f"{written} is, or lies in, {path}, which is read"
                raise SettingError(flag, problem, "write elsewhere")
    return [str(sample_folder())] if sample else list(paths)


def dates_option(help_: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option ``--dates`` to a command."""
    return option("--dates", is_flag=True, heading="Output", help=help_)


def warn_of_no_dates(clusters: Iterable[Cluster]) -> None:
    """Warn that ``--dates`` has no effect if no document of the clusters has a date."""
    if not any(document.date for cluster in clusters for document in cluster.documents):
        log.warning("--dates: no document has a date that is known")


def by_topic_option(command: Decorated) -> Decorated:
    """Add the option ``--by-topic`` to a command."""
    help_ = "Summarize each topic in the documents separately."
    return option("--by-topic", is_flag=True, heading="Documents", help=help_)(command)


def dataset_option(help_: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option ``--dataset``."""
    return option("--dataset", type=DATA_SET, metavar="NAME|PATH", heading="Documents", help=help_)


def jobs_option(command: Decorated) -> Decorated:
    """Add the option ``--jobs`` to a command."""
    return option(
        "--jobs", type=click.IntRange(min=1), metavar="N", default=1, show_default=True, heading="Settings",
        help="Work in N processes.",
    )(command)  # fmt: skip


def scheduler_option(*, common: bool = True) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option ``--scheduler``, for work on a Dask cluster."""
    return option(
        "--scheduler", metavar="ADDRESS", heading="Settings", common=common,
        help="Work on a Dask cluster instead, such as tcp://head:8786. Needs summc[cluster].",
    )  # fmt: skip


def input_argument(command: Decorated) -> Decorated:
    """Add to a command the argument for the file of JSON lines to read; the default is standard input."""
    return click.argument("lines", type=FILE, metavar="[LINES]", default="-")(command)


def budget_option(
    help_: str, kind: Any = None, metavar: str = "K", default: str = "100"
) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option ``-k``.

    ``kind`` is the click type of its value; None means one budget. ``default`` is only shown in the help.
    """
    shown = f"{help_}  [default: {default}]" if default else help_
    return option(
        "-k", "--budget", "budget", type=kind or Budget(), metavar=metavar, heading="Length",
        aliases=_LENGTHS, help=shown,
    )  # fmt: skip


def _budget_option(several: str, default: Value, rule: Rule) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds ``-k``. It takes several budgets if ``several`` is not "".

    ``several`` is the default that the help then shows.
    """
    if several:
        help_ = f"{rule.help} Several: 50,100 or 50:400:50."
        return budget_option(help_, Budgets(), "K,...", several)
    return budget_option(rule.help, default=str(plain(cast("float", default))))


def _option(name: str, default: Value, rule: Rule) -> Callable[[Decorated], Decorated]:
    flag = f"--{name.replace('_', '-')}"
    placed = partial(option, heading=rule.heading, common=rule.common)
    if isinstance(default, bool):
        shown = f"  [default: {flag[2:] if default else rule.off}]"
        return placed(name, f"{flag}/--{rule.off}", default=None, help=rule.help + shown)
    if isinstance(default, tuple) and rule.commas:
        shown = f"{_listing(rule.choices, rule.help)}  [default: {_some_of(rule.choices, default)}]"
        names = Offers(rule.choices, commas=True)
        return placed(flag, name, type=names, metavar="NAME,...", help=shown)
    if isinstance(default, tuple):
        offers = _OFFERS.get(rule.metavar, click.STRING)
        return placed(flag, name, type=offers, multiple=True, metavar=rule.metavar, help=rule.help)
    if rule.auto:
        shown = f"{rule.help}  [default: {default}, {rule.auto}]"
        return placed(flag, name, type=_Number(float), metavar=f"FLOAT|{AUTO}", help=shown)
    metavar, help_ = rule.metavar or ("N" if isinstance(default, int) else ""), rule.help
    if rule.choices:
        metavar, help_ = _choices(flag, rule.choices, rule.help)
    kind: Any = _Number(type(default)) if isinstance(default, int | float) else click.STRING
    if isinstance(default, str):
        kind = Offers(rule.choices) if rule.choices else _OFFERS.get(rule.metavar, click.STRING)
    shown = f"  [default: {default if isinstance(default, str) else plain(default)}]" if default != "" else ""
    return placed(flag, name, type=kind, metavar=metavar or None, help=help_ + shown)


def _choices(flag: str, choices: Sequence[str], help_: str) -> tuple[str, str]:
    """Return the metavar and the help of an option with choices.

    The choices are the metavar if it fits the column. Otherwise the first sentence of the help lists them.
    """
    metavar = "|".join(choices)
    if len(f"{flag} {metavar}") <= COLUMN:
        return metavar, help_
    return "NAME", _listing(choices, help_)


def _listing(choices: Sequence[str], help_: str) -> str:
    """Return a help text with the choices at the end of its first sentence."""
    first, _, rest = help_.removesuffix(".").partition(". ")
    return f"{first}: {', '.join(choices)}." + (f" {rest}." if rest else "")


def _some_of(choices: Sequence[str], some: Sequence[str]) -> str:
    """Return some of the choices as text, or if that is shorter, which of them are missing."""
    missing = [f'"{each}"' for each in choices if each not in some]
    return f"all but {' and '.join(missing)}" if 0 < len(missing) < len(some) else ", ".join(some)


class _Number(click.ParamType):  # type: ignore[type-arg]  # generic only in new versions of click
    """The type of an option for a setting that is a number, of the class ``kind``."""

    name = "float"

    def __init__(self, kind: type[float]) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value as a number; any other text is unchanged, for the check of the setting."""
        del param, ctx  # in click's signature, not needed here
        with suppress(ValueError):
            return self._kind(value)
        return value
