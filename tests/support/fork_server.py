"""Run the command in new processes that have its modules already: importing them takes most of a short run.

``python -m tests.support.fork_server`` reads a job in JSON from each line of standard input, forks to do it,
and prints its exit code.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # conftest imports pytest and all modules of summc, which the server does not need
    from tests.conftest import Result


@contextmanager
def forks(**environment: str) -> Iterator[Callable[..., Result]]:
    """Start a server with these environment variables; yield a function that runs the command in a fork.

    A run can have further environment variables, and ``packages``: folders with packages that are installed.
    """
    from tests.conftest import ROOT, Result

    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fork_server"], cwd=ROOT, env={**os.environ, **environment},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def run(*arguments: object, stdin: str = "", packages: Sequence[Path] = (), **variables: str) -> Result:
        Path(folder, "in").write_text(stdin)
        job = {
            "arguments": [*map(str, arguments)], "folder": folder, "packages": [*map(str, packages)],
            "variables": variables,
        }  # fmt: skip
        print(json.dumps(job), file=server.stdin, flush=True)
        assert server.stdout is not None
        return Result(
            int(server.stdout.readline()), Path(folder, "out").read_text(), Path(folder, "err").read_text()
        )

    with server, TemporaryDirectory() as folder:
        yield run


def serve() -> None:
    """Do the jobs of standard input, each in a fork."""
    # The forks import the configuration, which looks for what other packages add: each may have others.
    import Stemmer  # noqa: F401 (the forks need it, and all the others)
    from numpy import ma, random  # noqa: F401

    from summc import cli, graph, preprocess, rouge, selectors, weights  # noqa: F401
    from summc.documents import cluster_of_texts
    from summc.system import processes  # noqa: F401

    cluster_of_texts(["This loads the models. They are large."])
    gc.freeze()  # or a collection in a fork would copy the memory of all modules
    for line in sys.stdin:
        fork = os.fork()
        if not fork:
            do(json.loads(line))
        _, status = os.waitpid(fork, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def do(job: dict[str, Any]) -> None:
    """Run the command as a job describes it, and exit."""
    from summc.cli import main

    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (name, flags) in enumerate((("in", os.O_RDONLY), ("out", new), ("err", new))):
        os.dup2(os.open(f"{job['folder']}/{name}", flags), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (the old one may have read further jobs)
    sys.path[:0] = job["packages"]
    os.environ.update(job["variables"])
    sys.argv = ["summc", *job["arguments"]]
    try:
        main()
    except SystemExit as leaving:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(leaving.code or 0))  # the usual end of Python takes as long as a short run


if __name__ == "__main__":  # worker processes import this too
    serve()
