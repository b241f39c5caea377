"""What the modules of summc say in their source: parsed once, for all tests that read it."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

PACKAGE = ROOT / "summc"


@dataclass(frozen=True)
class Source:
    """A module: its imports, its texts, and the names of settings that its messages write.

    An import is a module and the names that are taken from it. The texts include docstrings, with an "x" for
    each value that is put into a text. Names that depend on a variable are left out.
    """

    imports: tuple[tuple[str, tuple[str, ...]], ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]


@cache
def sources() -> dict[Path, Source]:
    """Return every module of the package."""
    gc.disable()  # it would search the many nodes of syntax trees for cycles, which takes longer than parsing
    try:
        return {path: source_of(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    finally:
        gc.enable()


def source_of(text: str) -> Source:
    nodes = list(ast.walk(ast.parse(text)))
    return Source(tuple(_imports(nodes)), tuple(_texts(nodes)), tuple(_names(nodes)))


def _imports(nodes: list[ast.AST]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, tuple(alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)


def _texts(nodes: list[ast.AST]) -> Iterator[str]:
    made = [node.values for node in nodes if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for values in made for part in values}
    for values in made:
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in values)
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def _names(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "as_typed":
            (argument,) = node.args
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
