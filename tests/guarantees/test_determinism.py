"""The same input gives the same bytes, whatever the hash seed, locale, time zone, threads or Python."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, SAMPLE, Cli
from tests.support.languages import TEXTS

#: One command a line. DATA stands for the data, JOBS for the number of processes.
COMMANDS = """\
summarize -k 60 --selector g-greedy DATA --format json
summarize -k 60 DATA/docs/d90001t --format json
summarize -k 60 --selector bp DATA/docs/d90002t --format json
summarize -k 60 --selector exact DATA/docs/d90001t -v
summarize -k 60 --selector lp-rounding --certify DATA/docs/d90002t --format md
summarize -k 30 --selector stack --polish DATA/docs/d90001t
summarize -k 60 --certify --query beacon --embedder none DATA/docs/d90001t -v
summarize -k 60 --certify --config highest DATA/docs/d90002t --format json
summarize -k 20,30 --by-topic DATA/docs/d90001t --format html
explain -k 30 --selector bp-decimation DATA/docs/d90001t
load DATA
load DATA.jsonl
evaluate --dataset DATA --selector g-greedy,random --config paper-fig3
sweep --dataset DATA --selector bp --mu 0.02:0.04:0.02 --iterations 9 --versus lead --format csv
curve -k 50 --selector greedy DATA --format csv --jobs JOBS
experiment random-graphs --graphs 2 --sentences 30 --mu 4:4:1
datasets check DATA
batch DATA -k 40 --selector g-greedy --part-size 1 -o OUT1
batch DATA -k 40 --selector bp --part-size 1 --weighting tfidf --background DATA -o OUT2
"""

#: A core that OpenBLAS has on every processor of this kind.
PLAIN_CORE = "ARMV8" if platform.machine() in ("aarch64", "arm64") else "Prescott"

#: Run the commands in one process, to import only once.
SCRIPT = """\
import sys
if len(sys.argv) > 2:
    import tests.support.other_processor
from summc.cli import main
for line in sys.stdin.read().splitlines():
    print("$", line, flush=True)
    try:
        main(line.replace("JOBS", sys.argv[1]).split())
    except SystemExit as leaving:
        print("exit", leaving.code, flush=True)
"""


def run_all(data: Path, python: str, jobs: int, *more: str, **environment: str) -> list[str]:
    """Return what all commands print and write in an environment; ``more`` makes it another processor."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ran = subprocess.run(
        [python, "-c", SCRIPT, str(jobs), *more],
        input=COMMANDS.replace("DATA", data.name),
        cwd=data.parent,
        env={**kept, "XDG_DATA_HOME": str(data.parent), "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return [ran.stdout, ran.stderr, *written(data)]


def run_here(summc: Cli, data: Path) -> list[str]:
    """Return the same in the environment of the tests."""
    out = err = ""
    with contextlib.chdir(data.parent):
        for line in COMMANDS.replace("DATA", data.name).splitlines():
            result = summc(*line.replace("JOBS", "1").split())
            assert result.code == 0, result.err
            out += f"$ {line}\n{result.out}exit 0\n"
            err += result.err
    return [out, err, *written(data)]


def written(data: Path) -> list[str]:
    """Return the names and the contents of the files that were written."""
    parts = sorted(path for path in data.parent.glob("OUT*/*") if path.name != "manifest.json")
    assert len(parts) == 2 * 4  # each batch has two parts, and says what they are and that it is complete
    return [f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in parts]


def copied(folder: Path, *, backwards: bool) -> Path:
    """Copy a part of the sample, forwards or backwards, as the listing of a folder may depend on that.

    Two clusters of three documents are enough. Beside them is a file of texts whose languages are detected.
    """
    documents = [
        path for name in ("d90001t", "d90002t") for path in sorted((SAMPLE / "docs" / name).iterdir())[:3]
    ]
    models = [path for path in (SAMPLE / "models").iterdir() if re.match("D9000[12]", path.name)]
    for path in sorted([*documents, *models], reverse=backwards):
        target = folder / "news" / path.relative_to(SAMPLE)  # "sample" would name the data set of summc
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    texts = [part for text in TEXTS.values() for part in (text, text[:40])]
    lines = (json.dumps({"id": str(i), "documents": [text]}) for i, text in enumerate(texts))
    (folder / "news.jsonl").write_text("\n".join(lines))
    return folder / "news"


def test_environment_and_processor_do_not_change_the_output(summc: Cli, tmp_path: Path) -> None:
    usual = run_here(summc, copied(tmp_path / "usual", backwards=False))
    other = run_all(
        copied(tmp_path / "other", backwards=True), sys.executable, 2, "other processor",
        PYTHONHASHSEED="4321", LC_ALL="tr_TR.UTF-8", LANG="tr_TR.UTF-8", TZ="Asia/Kathmandu", PYTHONUTF8="0",
        OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2", MKL_NUM_THREADS="2",
        OPENBLAS_THREAD_TIMEOUT="4",  # threads that wait for work sleep, and do not take CPU time
        NPY_DISABLE_CPU_FEATURES=" ".join(features()), OPENBLAS_CORETYPE=PLAIN_CORE,
    )  # fmt: skip
    assert other == usual


def features() -> list[str]:
    """Return the features of this processor that NumPy can do without."""
    core: Any = vars(np).get("_core") or np.core  # it has another name before NumPy 2
    umath = core._multiarray_umath  # noqa: SLF001 (there is no public list)
    return [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]


@pytest.mark.parametrize("python", os.environ.get("SUMMC_PYTHONS", "").split(os.pathsep))
def test_another_python_does_not_change_the_output(summc: Cli, tmp_path: Path, python: str) -> None:
    if not python:
        pytest.skip("SUMMC_PYTHONS names no interpreters that have summc installed to compare with")
    usual = run_here(summc, copied(tmp_path / "usual", backwards=False))
    other = run_all(copied(tmp_path / "other", backwards=False), python, 1)
    # Signatures name the installed libraries, which may differ, as may the commit of an installed summc.
    versions = re.compile(r"((?:numpy|nltk|scikit-learn|nupunkt|sentencex|summc)[:-])[\w.+]+")
    assert [versions.sub(r"\1*", text) for text in other] == [versions.sub(r"\1*", text) for text in usual]
