"""Run the command in forks of a process that has its modules already: loading them takes half a second.

The standard streams are real ones. A test of how Python or the command starts needs a new process instead.
``start`` forks this process. ``forks`` starts a server, which has not looked for other packages yet.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from summc.cli import main

if TYPE_CHECKING:  # conftest imports pytest and all modules of summc, which the server does not need
    from tests.conftest import Result


@dataclass(frozen=True)
class Fork:
    """A command that runs in a fork, and the file for its standard error."""

    process: int
    errors: BinaryIO

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit code (negative for a signal) and standard error."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        with self.errors:
            self.errors.seek(0)
            return code, self.errors.read().decode()


def start(*arguments: object, stdin: int | None = None, stdout: int, stderr: int | None = None) -> Fork:
    """Start the command with open files as its standard streams; stdin is empty if it is not given."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115 (it is read later)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about forking with threads: the child uses none
        child = os.fork()
    if child:
        return Fork(child, errors)
    code = 99
    try:
        given = os.open(os.devnull, os.O_RDONLY) if stdin is None else stdin
        code = _run([*map(str, arguments)], given, stdout, errors.fileno() if stderr is None else stderr)
    finally:
        os._exit(code)  # the usual end of Python takes as long as a short run


def _run(arguments: list[str], *streams: int) -> int:
    for number, copy in enumerate([os.dup(stream) for stream in streams]):
        os.dup2(copy, number)
    os.closerange(3, 1000)  # as in a new process: a pipe does not end while a fork has it open
    sys.stdin, sys.stdout, sys.stderr = (open(n, "w" if n else "r", closefd=False) for n in range(3))  # noqa: SIM115 (they stay open)
    try:
        main(arguments)
    except SystemExit as leaving:
        code = leaving.code
    try:
        sys.stdout.flush()
    except OSError:
        return 120  # as Python does at its end
    return code if isinstance(code, int) else 98


@contextmanager
def forks() -> Iterator[Callable[..., Result]]:
    """Start a server; yield a function that runs the command in a fork of it.

    A run can have ``packages``: folders with packages that are installed.
    """
    from tests.conftest import ROOT, Result

    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forks"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip

    def run(*arguments: object, stdin: str = "", packages: Sequence[Path] = ()) -> Result:
        for name in ("in", "out", "err"):
            Path(folder, name).write_text(stdin if name == "in" else "")
        job = [folder, [*map(str, arguments)], [*map(str, packages)], {**os.environ}, str(Path.cwd())]
        print(json.dumps(job), file=server.stdin, flush=True)
        assert server.stdout is not None
        code = int(server.stdout.readline())
        return Result(code, Path(folder, "out").read_text(), Path(folder, "err").read_text())

    with server, tempfile.TemporaryDirectory() as folder:
        yield run


@contextmanager
def having(run: Callable[..., Result], *packages: Path) -> Iterator[None]:
    """Let all runs have packages that are looked for once. Their warnings are not shown."""
    run(HAVING, packages=packages)
    try:
        yield
    finally:
        run(HAVING)


#: In place of a command: begins or ends a server that has looked for packages.
HAVING = "having"
#: What the server loads. The forks load the configuration, which looks for what other packages add: each may
#: have others. These modules do not look for them.
LOADED = (
    "Stemmer", "numpy.ma", "numpy.random", "scipy.special", "sumeval.metrics.rouge",
    "summc.documents.sources", "summc.graph", "summc.preprocess.candidates", "summc.preprocess.order",
    "summc.preprocess.topics", "summc.report.summaries", "summc.rouge", "summc.selectors.prices",
    "summc.system.processes", "summc.report.tables", "summc.weights",
)  # fmt: skip


def serve(*names: str) -> None:
    """Load modules. Then do each job of standard input in a fork, and print its exit code."""
    for name in names:
        import_module(name)
    sources, order = sys.modules["summc.documents.sources"], sys.modules["summc.preprocess.order"]
    order.cut_datelines(sources.cluster_of_texts(["This loads the models. They are large."]))
    gc.freeze()  # or a collection in a fork would copy the memory of all modules
    for line in sys.stdin:
        folder, arguments, packages, variables, working_folder = json.loads(line)
        if arguments == [HAVING] and not packages:
            os._exit(0)
        fork = os.fork()
        if not fork:
            sys.path[:0] = packages
            if arguments == [HAVING]:
                print(0, flush=True)
                serve("summc.cli.summarize")
            os.chdir(working_folder)
            os.environ.update(variables)
            sys.argv = ["summc", *arguments]
            new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            files = {"in": os.O_RDONLY, "out": new, "err": new}
            os._exit(_run(arguments, *(os.open(f"{folder}/{name}", flags) for name, flags in files.items())))
        _, status = os.waitpid(fork, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":  # worker processes import this too
    serve(*LOADED)
