"""Compile the inner loops while summc is installed, if there is a C compiler; without one summc works too."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# As __init__.py has them, which needs numpy and so cannot be asked here; a test compares.
FOLDER = "summc/selectors/compiled"
SOURCES = ("messages.c", "search.c")
LIBRARY = "_compiled.so"

#: No sum is contracted or reordered: a search must come to the answer that it has in numpy. Nobody looks at
#: the exceptions of floating point, so that a loop with a choice in it may become vector instructions too.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-fPIC", "-shared")


class Compiled(BuildHookInterface[Any]):
    """Hatchling's hook: builds the library beside its sources, and puts it into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the hook's)
        """Compile, or say that it could not be and go on."""
        if self.target_name != "wheel":
            return
        problem = compile_library(Path(self.root) / FOLDER)
        if problem:
            self.app.display_warning(f"nothing was compiled, summc will be slower: {problem}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["artifacts"].append(f"{FOLDER}/{LIBRARY}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"


def compile_library(folder: Path) -> str:
    """Compile the sources of a folder into a library there; return why that failed, or nothing."""
    library, sources = folder / LIBRARY, [folder / name for name in SOURCES]
    compiler = _compiler()
    if not compiler:
        return "this machine has no C compiler"
    made = library.with_suffix(f".{os.getpid()}.tmp")
    stamp = f"-DSOURCES={zlib.crc32(b''.join(source.read_bytes() for source in sources))}u"
    command = [*compiler, *FLAGS, stamp, *map(str, sources), "-o", str(made), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 (the compiler of this machine)
        made.replace(library)
    except (OSError, subprocess.CalledProcessError) as error:
        made.unlink(missing_ok=True)
        return str(error)
    return ""


def _compiler() -> list[str]:
    named = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    commands = [shlex.split(name) for name in named if name]
    return next((command for command in commands if shutil.which(command[0])), [])


if __name__ == "__main__":  # after a change to the sources: python summc/selectors/compiled/build.py
    sys.exit(compile_library(Path(__file__).parent) or 0)
