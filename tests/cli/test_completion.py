"""Shell completion: what a shell offers while a command is typed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from summc.cli.outlines import outlines_now
from summc.system.resources import command_outlines
from tests.conftest import PATIENCE, Cli

#: Completes each line of standard input as for bash, then prints the names of all loaded modules.
SUMMC = """
import os, sys
sys.argv[0] = "summc"
from summc.cli import main
os.environ["_SUMMC_COMPLETE"] = "bash_complete"
for typed in sys.stdin.read().splitlines():
    os.environ.update(COMP_WORDS=typed, COMP_CWORD=str(len(typed.split()) - 1))
    try:
        main()
    except SystemExit:
        print("\\0", end="", flush=True)
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_completion_script(summc: Cli, shell: str) -> None:
    assert f"_SUMMC_COMPLETE={shell}_complete" in summc("completion", shell).out


#: What is typed -> what is offered.
OFFERED = {
    "summc ev": ["plain,evaluate"],
    "summc summarize --cert": ["plain,--certify"],
    "summc summarize --keep": ["plain,--keep-stopwords"],
    "summc summarize --quiet --why": ["plain,--why-not"],
    "summc summarize --selector g-greedy-": ["plain,g-greedy-guaranteed", "plain,g-greedy-enumerated"],
    "summc evaluate --selector lead,bp": ["plain,lead,bp", "plain,lead,bp-decimation"],
    "summc sweep --selector b": ["plain,bp", "plain,bp-decimation"],
    "summc evaluate --rouge o": ["plain,official"],
    "summc evaluate --preset best,paper-fig": [f"plain,best,paper-fig{n}" for n in (2, 3, 4)],
    "summc evaluate --dataset duc": [
        "plain,duc2004",
        "plain,duc2003",
        "plain,duc2005",
        "plain,duc2006",
        "plain,duc2007",
    ],
    "summc evaluate --dataset ~/corp": ["file,~/corp"],
    "summc datasets ch": ["plain,check"],
    "summc datasets check multi": ["plain,multiling2011"],
    "summc load --language fr": ["plain,french"],
    "summc summarize a.txt b": ["file,b"],
    "summc select grap": ["file,grap"],
    "summc batch in/ -o ou": ["dir,ou"],
    "summc nonsense --fo": [],
    # as bash splits --option=value
    "summc summarize --selector = g-greedy-g": ["plain,g-greedy-guaranteed"],
    "summc summarize --fill =": ["plain,whole", "plain,truncate"],
    "summc evaluate --dataset = sample --preset = best,paper-fig2": ["plain,best,paper-fig2"],
    "summc batch in/ --output = ou": ["dir,ou"],
    "summc datasets --boost dam = 2 ch": ["plain,check"],
    "summc summarize --selector=g-greedy-g": ["plain,--selector=g-greedy-guaranteed"],
}


def test_completion_offers_what_fits_and_loads_no_heavy_modules() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SUMMC],
        input="\n".join(OFFERED), env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = [part.split() for part in run.stdout.split("\0")[:-1]]
    assert dict(zip(OFFERED, found, strict=True)) == OFFERED
    assert "summc.cli" in run.stderr.split()
    assert not set(run.stderr.split()) & {"numpy", "summc.settings.config", "summc.selectors"}


@pytest.mark.parametrize(
    ("shell", "current", "offered"),
    [
        ("zsh", "2", "plain\n--selector=g-greedy-guaranteed\n_\n"),
        ("fish", "--selector=g-greedy-g", "plain,--selector=g-greedy-guaranteed\n"),
    ],
)
def test_shells_that_split_only_at_spaces_get_the_option_with_its_value(
    shell: str, current: str, offered: str, monkeypatch: pytest.MonkeyPatch, summc: Cli
) -> None:
    monkeypatch.setattr("sys.argv", ["summc"])
    monkeypatch.setenv("COMP_WORDS", "summc summarize --selector=g-greedy-g")
    monkeypatch.setenv("COMP_CWORD", current)
    monkeypatch.setenv("_SUMMC_COMPLETE", f"{shell}_complete")
    assert summc().out == offered


def test_the_stored_outlines_match_the_commands() -> None:
    assert command_outlines() == outlines_now(), "the commands have changed: python -m summc.cli.outlines"


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_completes_names_and_files(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "summc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m summc "$@"\n')
    (bin_ / "summc").chmod(0o755)
    ours, its = pty.openpty()
    environment = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}", "PS1": "$ ", "TERM": "dumb"}
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],  # noqa: S607 (the system's bash)
        stdin=its, stdout=its, stderr=its, cwd=tmp_path, env=environment, start_new_session=True,
    )  # fmt: skip
    try:
        os.write(ours, b'eval "$(summc completion bash)"; echo rea""dy\n')
        read_until(ours, "ready")
        os.write(ours, b"summc summarize --selector bp-d\tdoc\t")
        read_until(ours, "summc summarize --selector bp-decimation documents/")
        os.write(ours, b"\x15summc summarize --selector=bp-d\t--effort=l\t--output=doc\t")
        read_until(ours, "summc summarize --selector=bp-decimation --effort=low --output=documents/")
    finally:
        shell.kill()
        shell.wait()
        os.close(its)
        os.close(ours)


def read_until(terminal: int, wanted: str) -> None:
    """Read from a terminal until it shows the wanted text."""
    seen = ""
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        assert ready, f"the terminal shows no {wanted!r} but {seen!r}"
        seen += os.read(terminal, 4096).decode()
