"""Write what the documentation shows of the code: commands, configuration, output of examples, and figures.

Run it after a change to options, settings, configurations, output or figures, and look at the difference:

    python docs/generate.py

Tests check that the result is up to date.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from summc.cli import COMMANDS, cli
from summc.cli.help import HEADINGS, HELP, heading_of
from summc.cli.mcp import Answer
from summc.config import TABLES, Config
from summc.errors import SummcError
from summc.settings import Rule, Value, rules
from summc.system.json_objects import dump
from summc.system.resources import configs_folder
from summc.system.versions import version
from summc.text.numbers import plain

ROOT = Path(__file__).resolve().parent.parent
#: The last release, which the examples name.
_PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
_PROJECT, RELEASE = _PYPROJECT["project"], _PYPROJECT["tool"]["hatch"]["version"]["fallback-version"]
PAGES = ROOT / "docs" / "pages"
#: An example: a command after "$ ", and its output.
EXAMPLE = re.compile(r"(?P<fence>```console.*)\n\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)(?=```)")
#: An option is described once for all commands if at least this many commands have it.
SHARED = 3
#: An upper limit from here on is too high to matter.
HUGE = 1e6
FIGURES = runpy.run_path(str(ROOT / "tests" / "figures" / "__init__.py"))
SCHEMAS = runpy.run_path(str(ROOT / "docs" / "schemas.py"))
NOTE = "<!-- Made by docs/generate.py. Change the code, then run it again. -->\n"


class Described(NamedTuple):
    """An option in the reference: its heading in ``--help-all``, its longest flag, and its item of a list."""

    heading: str
    flag: str
    text: str


def all_commands() -> dict[str, click.Command]:
    """Return each command and subcommand by its full name, such as "datasets check"."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = found[name] = getattr(import_module(f"summc.cli.{COMMANDS[name][0]}"), name)
        if isinstance(command, click.Group):
            found |= {f"{name} {below}": each for below, each in command.commands.items()}
    return found


def texts() -> dict[Path, str]:
    """Return the text of the README and of every page."""
    return {
        path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(PAGES.rglob("*.md")))
    }


def options_of(name: str, command: click.Command) -> dict[str, Described]:
    """Return the options of a command by the names of their parameters, as ``--help-all`` orders them."""
    context = _context(name, command)
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    options.sort(key=lambda each: HEADINGS.index(heading_of(each)))
    return {
        str(each.name): Described(heading_of(each), each.opts[-1], _described(each, context))
        for each in options
    }


def command_page() -> str:
    """Return the page with every command and every option, under the headings of ``--help-all``."""
    options = {name: options_of(name, command) for name, command in all_commands().items()}
    shared = _shared(options)
    parts = [
        NOTE,
        ABOUT_COMMANDS,
        "| command | what it does |\n| --- | --- |\n"
        + "".join(
            f"| [`{name}`](#{_anchor(f'summc {name}')}) | {_text(text)} |\n"
            for name, (_, text) in COMMANDS.items()
        ),
        "Options of `summc` itself stand before the command:\n",
        "".join(each.text for each in options_of("", cli).values()),
    ]
    for name, command in all_commands().items():
        parts += _command_section(name, command, options[name], shared)
    parts.append("## Shared options\n")
    for heading in HEADINGS:
        described = {
            each.text: None for own in options.values() for each in own.values()
            if each in shared and each.heading == heading
        }  # fmt: skip
        if described:
            parts += [f"### {heading}\n", "".join(described)]
    return "\n".join(parts)


def configuration_page() -> str:
    """Return the page with every setting, its default and its values, and the shipped configurations."""
    parts = [NOTE, CONFIGURATION]
    for table, settings in TABLES.items():
        known = rules(settings)
        if known:
            rows = "".join(_setting_row(name, *found) for name, found in known.items())
            parts += [
                f"### `[{table}]`\n",
                f"| key | default | values | meaning |\n| --- | --- | --- | --- |\n{rows}",
            ]
    parts.append(SHIPPED)
    for path in sorted(configs_folder().glob("*.toml")):
        parts += [f"### `{path.stem}`\n", *_configuration(path)]
    return "\n".join(parts)


def man_page() -> str:
    """Return the manual page: every command, and the options of ``summarize`` as ``--help-all`` has them."""
    summarize = all_commands()["summarize"]
    context = _context("summarize", summarize)
    options = [each for each in summarize.get_params(context) if isinstance(each, click.Option)]
    parts = [
        f'.TH SUMMC 1 "" "summc {RELEASE}" "User Commands"',
        f".SH NAME\nsummc \\- {_roff(_PROJECT['description'].partition(':')[0].lower())}",
        ".SH SYNOPSIS\n.B summc\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIPATH\\fR]...",
        f".SH DESCRIPTION\n{_roff(_PROJECT['description'])}.",
        _roff("A PATH is a file, a folder or standard input (-). See also summc COMMAND --help-all."),
        ".SH COMMANDS",
        *(f".TP\n.B {_roff(name)}\n{_roff(text)}" for name, (_, text) in COMMANDS.items()),
        ".SH OPTIONS OF SUMMARIZE",
    ]
    for heading in HEADINGS:
        records = [each.get_help_record(context) for each in options if heading_of(each) == heading]
        shown = [f".TP\n.B {_roff(names)}\n{_roff(text)}" for names, text in filter(None, records)]
        parts += [f".SS {heading}", *shown] if shown else []
    parts += [
        ".SH EXIT STATUS\n.TP\n.B 0\nSuccess.",
        *(
            f".TP\n.B {kind.exit_code}\n{_roff((kind.__doc__ or '').partition(chr(10))[0])}"
            for kind in sorted(SummcError.__subclasses__(), key=lambda kind: kind.exit_code)
        ),
    ]
    return "\n".join(parts) + "\n"


def _roff(text: str) -> str:
    """Return plain text for a manual page, on one line that is no request."""
    return "\\&" + " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")


ABOUT_COMMANDS = """\
# Commands

`summc COMMAND --help` shows the options that people use most, on one screen. With `--help-all` it shows all
of them, under the headings of this page. Options of three or more commands are described once, under
[Shared options](#shared-options).
"""

CONFIGURATION = """\
# Configuration

- A flag wins over a configuration file, and the file wins over the defaults.
- `--config FILE.toml` reads a file. `--config highest` takes one that ships with summc, a preset. `--preset`
  means the same, except in `evaluate`, where `--preset a,b` compares presets.
- `--show-config` prints the settings that a run would use, as a file that you can use again.
- Every key has a flag: `least_words` in a file is `--least-words` on the command line.
- A wrong key or value is refused, and the message says where it stands.
- A flag that the selector or weighting does not use is refused, as in `--power 2 --weighting expected`. A
  file may have such keys.

```toml
[select]
budget = 60
selector = "g-greedy"

[selectors.bp]
mu = 0.04
```

## Settings
"""

SHIPPED = """\
## Shipped configurations

Use them by name, as in `summc summarize --config paper docs/`. The files are in `configs/`. Each list shows
what differs from the defaults. [What each step from `paper` to the default is
worth](../method/measurements.md#from-the-paper-to-the-default) was measured.
"""


def _context(name: str, command: click.Command) -> click.Context:
    context = click.Context(cli, info_name="summc", **cli.context_settings)
    for part in name.split():
        context = click.Context(command, parent=context, info_name=part)
    return context


def _shared(options: Mapping[str, Mapping[str, Described]]) -> set[Described]:
    """Return the options to describe once, each by the description that most commands have."""
    counts = Counter(item for own in options.values() for item in own.items())
    found: dict[str, Described] = {}
    for (parameter, described), count in counts.most_common():
        if count >= SHARED:
            found.setdefault(parameter, described)
    return set(found.values())


def _command_section(
    name: str, command: click.Command, options: Mapping[str, Described], shared: set[Described]
) -> Iterator[str]:
    usage = " ".join(["summc", name, *command.collect_usage_pieces(_context(name, command))])
    yield f"## summc {name}\n"
    yield f"```text\n{usage}\n```\n"
    yield _help(command.help or "")
    complete, others = [], []
    for heading in HEADINGS:
        own = [each for each in options.values() if each.heading == heading and each not in shared]
        if own:
            yield f"**{heading}**\n"
            yield "".join(each.text for each in own)
        here = [each for each in options.values() if each.heading == heading and each in shared]
        link = f"[{heading}](#{_anchor(heading)})"
        if heading == HELP or not here:
            continue
        if len(here) == len([each for each in shared if each.heading == heading]):
            complete.append(link)
        else:
            others.append(f"- {link}: {', '.join(f'`{each.flag}`' for each in here)}\n")
    if complete or others:
        yield "**Shared options**\n"
        yield (f"- All of {', '.join(complete)}\n" if complete else "") + "".join(others)


def _help(text: str) -> str:
    """Return the help text of a command as Markdown. Examples, which click must not wrap, become code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        mark, _, rest = paragraph.partition("\n")
        if mark.strip() == "\b":
            lines = rest.splitlines()
            indent = min(len(line) - len(line.lstrip()) for line in lines)
            parts.append("```sh\n" + "".join(f"{line[indent:]}\n" for line in lines) + "```\n")
        else:
            parts.append(_text(" ".join(paragraph.split())) + "\n")
    return "\n".join(parts)


def _described(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    text = " ".join(text.split())
    default = ""
    if found := re.search(r"\s*\[default: ([^\[\]]*)\]$", text):
        text, default = text[: found.start()], found[1]
    # The help leaves the range of a number out. The reference has it.
    limits = click.Option.get_help_extra(option, context).get("range", "")
    aliases = [f"`{each}`" for each in getattr(option, "aliases", ())]
    sentences = [
        _text(text),
        _limits(limits),
        f"Default: `{default}`." if default else "",
        f"Other names: {', '.join(aliases)}." if aliases else "",
    ]
    return f"- `{names}`: {' '.join(filter(None, sentences))}\n"


def _limits(text: str) -> str:
    """Return click's "x>=1" as "At least 1."."""
    if not text:
        return ""
    low = re.fullmatch(r"x>=(\S+)", text)
    both = re.fullmatch(r"(\S+)<=x<=(\S+)", text)
    if low:
        return f"At least {low[1]}."
    return f"From {plain(float(both[1]))} to {plain(float(both[2]))}." if both else f"{text}."


def _setting_row(name: str, default: Value, rule: Rule) -> str:
    cells = [f"`{name}`", _value(default), _values(default, rule), _text(rule.help)]
    return f"| {' | '.join(cells)} |\n"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value if isinstance(value, str) else plain(value)}`" if value != "" else "empty"


def _values(default: Value, rule: Rule) -> str:
    if rule.choices:
        return ("some of " if isinstance(default, tuple) else "") + _value(list(rule.choices))
    if isinstance(default, bool):
        return "`true`, `false`"
    if isinstance(default, tuple):
        return "texts"
    if isinstance(default, str) and not rule.auto:
        return "a text"
    limits = [("at least", rule.at_least), ("above", rule.above), ("below", rule.below)]
    if rule.at_most is not None and rule.at_most < HUGE:
        limits.append(("at most", rule.at_most))
    described = " and ".join(f"{words} {plain(limit)}" for words, limit in limits if limit is not None)
    kind = "a whole number" if isinstance(default, int) else "a number"
    return f"{kind} {described}".strip() + (f", or `auto`: {rule.auto}" if rule.auto else "")


def _configuration(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield re.sub(r"^# ", "", text.splitlines()[0]) + "\n"
    defaults = Config().conditions()
    changed = [
        f"- `{table}.{key}`: {_value(value)}\n"
        for table, values in _tables(tomllib.loads(text))
        for key, value in values.items()
        if value != defaults.get(f"{table}.{key}", value)
    ]
    yield "".join(changed) or "Every setting has its default.\n"


def _tables(content: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, values in content.items():
        if name == "selectors":
            yield from ((f"selectors.{below}", each) for below, each in values.items())
        else:
            yield name, values


def _text(text: str) -> str:
    """Return plain text for Markdown: names of files and variables are not markup."""
    return re.sub(r"([*_<|])", r"\\\1", text)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def pages() -> dict[Path, str]:
    """Return the text of each page that is made from the code."""
    reference = PAGES / "reference"
    return {
        reference / "commands.md": command_page(),
        reference / "configuration.md": configuration_page(),
        ROOT / "docs" / "summc.1": man_page(),
    }


def schemas() -> dict[Path, str]:
    """Return the text of each JSON Schema that the package has; shapes of ``codec`` have private names."""
    made: dict[Path, str] = {}
    for name, shapes in {**SCHEMAS["SHAPES"], "answer": (Answer,)}.items():
        text = re.sub(r'(?<=["/])_(?=[A-Z])', "", dump(SCHEMAS["schema_of"](*shapes), indent=2))
        made[ROOT / "summc" / "schemas" / f"{name}.json"] = f"{text}\n"
    return made


def with_figures(text: str) -> str:
    """Return the text of a page with the figures that ``python -m tests.figures`` made."""
    return str(FIGURES["filled"](text, FIGURES["results"]()))


def with_output(text: str) -> str:
    """Return the text of a page with the output of each example as the real command prints it now."""
    return EXAMPLE.sub(
        lambda found: f"{found['fence']}\n$ {found['command']}\n{_output(found['command'])}", text
    )


def _output(command: str) -> str:
    """Return stdout, then stderr, of a command, run in a new folder that holds ``data``."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").symlink_to(ROOT / "data")
        # Examples show what everybody sees, with or without the extra for finding by meaning.
        start = "from summc.weights import embedders; embedders.is_extra_installed = bool"
        start += "; from summc.cli import main; main()"
        script = f'summc() {{ "{sys.executable}" -c "{start}" "$@"; }}\n{command}'
        ran = subprocess.run(  # noqa: S603 (commands of our own pages)
            ["/bin/bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    return without_commit(ran.stdout + ran.stderr)


def without_commit(output: str) -> str:
    """Return an output that names the release only, so that a new commit does not change the pages."""
    return output.replace(version("summc"), RELEASE)


if __name__ == "__main__":
    for path, text in schemas().items():
        path.write_text(text, encoding="utf-8")
    made = texts() | pages()
    for path, text in made.items():
        path.write_text(with_output(with_figures(text)), encoding="utf-8")
