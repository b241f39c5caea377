"""What the modules of summc say in their source: parsed once, for all tests that read it."""

from __future__ import annotations

import ast
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
    return {path: source_of(ast.parse(path.read_text())) for path in sorted(PACKAGE.rglob("*.py"))}


def _shown(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "x"


def source_of(tree: ast.Module) -> Source:
    imports: list[tuple[str, tuple[str, ...]]] = []
    texts, names, parts = list[str](), list[str](), set[ast.AST]()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module)):
                imports.append((module, tuple(alias.name for alias in node.names)))
            case ast.Import():
                imports += [(alias.name, ()) for alias in node.names]
            case ast.JoinedStr():  # comes before its parts
                parts.update(node.values)
                texts.append("".join(map(_shown, node.values)))
            case ast.Constant(value=str(text)) if node not in parts:
                texts.append(text)
            case ast.Call(func=ast.Name(id="as_typed"), args=[ast.Constant(value=str(name))]):
                names.append(name)
    return Source(tuple(imports), tuple(texts), tuple(names))
