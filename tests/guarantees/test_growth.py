"""Time grows about as the input grows: for every pattern of the package, and for every reader of files.

An input 8 times as long may take 18 times as long: linear work passes, and quadratic work, with 64 times,
does not. Only CPU time is compared, and less than ``FLOOR`` seconds count as ``FLOOR``.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import regex

from summc.documents import formats
from summc.documents.formats import read_documents
from summc.documents.headings import Outline, Part, known_parts
from summc.documents.sentences import make_document, split_sentences
from summc.documents.wrapping import unwrap
from summc.errors import SummcError
from summc.records import Sentence
from tests.support.depth import is_deep
from tests.support.writers import epub, mail, pdf_of, word_xml, xhtml

TIMES, MOST = 8, 18
FLOOR = 0.00004
Patterns = (re.Pattern, type(regex.compile("")))

#: Texts to repeat. Each of them has shown quadratic time in some pattern, here or elsewhere.
UNITS = (
    "a", "a.b.", "a ", " ", "\n", "\t\n ", "1", "1,", "1.", ".", ". ", "-", "- ", "A. ", "Aa ", "'", '"a',
    "(a", "[", "[^", "](", "<", "<a ", "<!--", "<?", "&a", "&#", "{", "*a", "_", "=", ":", "/", "@a.",
    "1 Jan ", "et al., ", "\u00e9", "\u4e2d", "\u0301",
)  # fmt: skip


def seconds(work: Callable[[], Any]) -> float:
    gc.disable()  # it would search all objects of the tests for cycles
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def grows_too_fast(make: Callable[[int], Callable[[], Any]], size: int) -> bool:
    """Tell whether work on a size takes more than MOST times as long as work on a TIMES smaller size.

    If it seems so, measure again: the least time of several counts. Then the small work is done TIMES times,
    since what slows a machine for a moment would otherwise miss it, and hit the large work alone.
    """
    large, small = make(size), make(size // TIMES)
    most, least = seconds(large), float("inf")
    # The first time of the small work may be long: it may load a module.
    if most <= MOST * FLOOR or most <= MOST * min(seconds(small), seconds(small)):
        return False
    for _ in range(9):
        most = min(most, seconds(large))
        least = min(least, seconds(lambda: [small() for _ in range(TIMES)]) / TIMES)
        if most <= MOST * max(FLOOR, least):
            return False
    return True


# Patterns


def found_in(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Patterns):
        yield name, value
    elif isinstance(value, list | tuple | set | frozenset):
        for i, each in enumerate(value):
            yield from found_in(f"{name}[{i}]", each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from found_in(f"{name}[{key!r}]", each)


def all_patterns() -> dict[str, Any]:
    """Return every compiled pattern in a module of the package, by its name."""
    found: dict[int, tuple[str, Any]] = {}
    for module in [module for name, module in sorted(sys.modules.items()) if name.startswith("summc.")]:
        assert isinstance(module, ModuleType)
        for name, value in list(vars(module).items()):
            for place, pattern in found_in(f"{module.__name__}.{name}", value):
                found.setdefault(id(pattern), (place, pattern))
    return dict(found.values())


PATTERNS = all_patterns()

#: Patterns whose time grows faster, and why that does no harm.
EXEMPT = {
    "_STATED": "the text has at most 80 characters",
    "_WRITTEN": "the text has at most 80 characters",
    "_AUTHORS": "the text has at most 1000 characters",
    "_BETWEEN_PARTS": "the text has at most 100 characters",
    "_NAMED": "the text has at most 300 characters",
}
METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: deque(pattern.finditer(text), maxlen=0),
}
ALSO_SEARCH = ("findall", "finditer", "sub", "subn", "split")
USE = re.compile(rf"\b(_?[A-Z][A-Z_]*)\.({'|'.join([*METHODS, *ALSO_SEARCH])})\b")


@cache
def uses_in(module: str) -> dict[str, set[str]]:
    """Return the names of patterns in the source of a module, each with the methods that are called."""
    found: dict[str, set[str]] = {}
    for name, method in USE.findall(inspect.getsource(sys.modules[module])):
        found.setdefault(name, set()).add("search" if method in ALSO_SEARCH else method)
    return found


def short(place: str) -> str:
    return place.partition("[")[0].rpartition(".")[2]


def methods_of(place: str) -> set[str]:
    """Return how a module uses a pattern. If that cannot be seen, it is taken to be used in every way."""
    module, _, name = place.partition("[")[0].rpartition(".")
    return uses_in(module).get(name) or {*METHODS}


def searched(place: str, pattern: Any, text: str) -> Callable[[], Any]:
    given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    methods = [METHODS[name] for name in sorted(methods_of(place))]
    return lambda: [method(pattern, given) for method in methods]


def test_there_are_patterns_to_check() -> None:
    assert len(PATTERNS) > 150
    assert {"search"} in map(methods_of, PATTERNS)
    assert {*EXEMPT} <= {*map(short, PATTERNS)}


def units_of(pattern: Any) -> list[str]:
    """Return texts to repeat: the usual ones, and some made of the words in the pattern."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    words = sorted(set(re.findall(r"(?<![\\{])[A-Za-z]{2,}", source)), key=lambda word: (len(word), word))
    tags = [f"<{word} " for word in words[:3]] if "<" in source else []
    return [*UNITS, *words[:3], *(f"{word} " for word in words[:3]), *tags]


@pytest.mark.parametrize("name", sorted({name.rpartition(".")[0] for name in PATTERNS}))
def test_patterns_take_linear_time(name: str) -> None:
    size = 65_536 if is_deep() else 2_048

    def is_slow(place: str, unit: str) -> bool:
        def make(length: int) -> Callable[[], Any]:
            return searched(place, PATTERNS[place], unit * (length // len(unit)) + "\0")

        return grows_too_fast(make, size)

    checked = [each for each in PATTERNS if each.rpartition(".")[0] == name and short(each) not in EXEMPT]
    assert not [
        (place, unit) for place in checked for unit in units_of(PATTERNS[place]) if is_slow(place, unit)
    ]


# Readers


def spine(size: int) -> bytes:
    names = [f"c{i}" for i in range(size // 100)]
    return epub({name: xhtml("<p>It rained.</p>") for name in names}, names)


def repeated(whole: str, unit: str, size: int) -> bytes:
    return whole.replace("{}", unit * (size // len(unit))).encode()


def placed(place: bytes, size: int) -> bytes:
    """Return a PDF of words beside or above each other."""
    return pdf_of(b"".join(b"BT /F1 9 Tf %b Td (It) Tj ET " % (place % (9 * i)) for i in range(size // 32)))


def texts(name: str) -> list[Callable[[int], bytes]]:
    """Return functions that make a file of about a given size, in bytes."""
    lines = (Path(__file__).parent / "cases" / "repeated.txt").read_text().splitlines()[1:]
    cases = [line.encode().decode("unicode_escape").split(" | ", 2) for line in lines]
    return [partial(repeated, whole, unit) for of, whole, unit in cases if of == name]


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
#: What Word does not show: a line of the contents, a hidden run and the copy of a drawing.
UNSEEN = (
    '<w:p><w:pPr><w:pStyle w:val="TOC1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>'
    "<w:p><w:r><w:rPr><w:vanish/></w:rPr></w:r></w:p><w:p><Fallback/></w:p>"
)
FILES: dict[str, list[Callable[[int], bytes]]] = {
    "x.txt": texts("x.txt"),
    "x.html": texts("x.html"),
    "x.md": texts("x.md"),
    "x.eml": [
        *texts("x.eml"),
        lambda size: mail("> It rained.\n" * (size // 13)).as_bytes(),
        lambda size: mail(html="<blockquote type=cite>a</blockquote>" * (size // 36)).as_bytes(),
    ],
    "x.docx": [
        lambda size: word_xml(f"<w:p>{'<w:r><w:t>a </w:t></w:r>' * (size // 24)}</w:p>"),
        lambda size: word_xml(f"<w:document {WORD}><w:body>{UNSEEN * (size // 2)}</w:body></w:document>"),
    ],
    "x.epub": [spine],
    "x.pdf": [
        lambda size: pdf_of(b"BT /F1 9 Tf 9 9 Td (It rained.) Tj ET " * (size // 38)),
        *(partial(placed, place) for place in (b"%d 9", b"9 %d")),
    ],
    "x.sgml": texts("x.sgml"),
}


@pytest.mark.parametrize("name", FILES)
def test_readers_take_linear_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "LIMITED", ())  # measure in this process
    size = 262_144 if is_deep() else 8_192

    def is_slow(make: Callable[[int], bytes]) -> bool:
        return grows_too_fast(lambda length: partial(read_and_split, make(length), name), size)

    assert FILES[name]
    assert not [i for i, make in enumerate(FILES[name]) if is_slow(make)]


def read_and_split(data: bytes, name: str) -> None:
    with contextlib.suppress(SummcError):
        for document in read_documents(data, name, name):
            make_document(document, 0, "en")


def headings(kind: str, size: int) -> Callable[[], Any]:
    """Return work on a document of nothing but headings of one kind."""
    sentences = [Sentence(0, i, "Dams", 1, i) for i in range(size)]
    outline = Outline([Part(i, i + 1, i + 1, kind) for i in range(size)])
    return lambda: [*known_parts(outline, sentences), *map(outline.in_abstract, range(size))]


STEPS: dict[str, Callable[[int], Callable[[], Any]]] = {
    "list items": lambda size: lambda: list(unwrap([["1. item |"] * (size // 2)])),
    "abstracts": partial(headings, "abstract"),
    "contents": partial(headings, "contents"),
    "references": partial(headings, "references"),
    "Japanese on one line": lambda size: lambda: split_sentences("これは文です。" * (size // 4), "ja"),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_of_splitting_take_linear_time(name: str) -> None:
    assert not grows_too_fast(STEPS[name], 65_536 if is_deep() else 4_096)
