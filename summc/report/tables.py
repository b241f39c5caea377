"""Write a table as aligned text, Markdown, LaTeX or CSV."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import category, normalize

from summc.report.screens import Screen, painted, shortened, width, wrap_lines
from summc.system.json_objects import dump

Cells = Sequence[Sequence[str]]
Row = Mapping[str, Any]
#: A column: the name of its values, its heading, the format of its numbers, and its rank. A narrow screen
#: leaves out the columns of the lowest ranks first, and never those of rank 0.
Column = tuple[str, str, str, int]
#: The row and the column of a cell; row 0 is the heading.
Position = tuple[int, int]

#: Characters that may begin a formula in a spreadsheet; the minus sign is not the hyphen on a keyboard.
_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
#: Characters to escape in a Markdown cell, because they would begin a tag, code, an entity or a link, or end
#: the cell.
_MARKDOWN = re.compile(r"[\\`<|]|&(?=#?\w+;)|\](?=[(\[])")
#: Where an address would become a link in Markdown. Renderers such as GitHub's make links of addresses.
_LINKED = re.compile(r"(?i)(?<=www)\.|(?<=\w):(?=//)")
_MAIL_ADDRESS = re.compile(r"(?<=[\w.+-])@(?=\w)")
#: Characters to escape in a LaTeX cell.
_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
    | {sign: f"\\{sign}" for sign in "&%$#_{}"}
)
#: Headings of columns that hold names. In CSV a name is a text even if it looks like a number.
_NAMES = frozenset({"cluster", "method", "metric", "selector", "summary", "versus"})
_NUMBER = re.compile(r"[+-]?(?:\d[\d.]*(?:e[+-]?\d+)?%?)?")
#: The names of styles for cells, as parameters of "select graphic rendition".
_HEADING = "1"
BETTER, WORSE = "32", "31"
_GAP = "  "
#: Widths to which a name in the first column is shortened: at least to the first before any column is left
#: out, and never below the second.
_LONG_NAME, _LEAST_NAME = 30, 12


def render_cells(
    cells: Cells, format_: str, screen: Screen | None = None,
    *, fold: Sequence[int] = (), styles: Mapping[Position, str] | None = None, note: str = "",
) -> str:  # fmt: skip
    """Return a table as text: CSV for ``csv``, Markdown for ``md``, LaTeX for ``tex``, else aligned columns.

    The first row of ``cells`` is the heading. A ``note`` comes below the table, except in CSV. If aligned
    columns are wider than the ``screen``, the columns whose indices are in ``fold`` are left out in this
    order until the others fit, and a line below names them. Long names in the first column are shortened. On
    a screen with colour, headings are bold, and ``styles`` gives the colours of cells.
    """
    if format_ == "csv":
        return "".join(f"{','.join(map(_csv_cell, row, cells[0]))}\n" for row in cells)
    if format_ == "md":
        lines = _aligned([[unlinked(_MARKDOWN.sub(r"\\\g<0>", cell)) for cell in row] for row in cells])
        lines.insert(1, ["-" * width(cell) for cell in lines[0]])
        return "".join(f"| {' | '.join(line)} |\n" for line in lines) + (f"\n{note}\n" if note else "")
    if format_ == "tex":
        return _latex(cells, note)
    screen = screen or Screen()
    columns, fitting = _fitted(cells, screen.columns, fold)
    lines = _aligned(fitting)
    if screen.colour:
        codes = {(0, i): _HEADING for i in range(len(cells[0]))} | dict(styles or {})
        for row, line in enumerate(lines):
            line[:] = [_painted(cell, codes.get((row, i), "")) for i, cell in zip(columns, line, strict=True)]
    table = "".join(f"{_GAP.join(line).rstrip()}\n" for line in lines)
    left_out = ", ".join(_left_out(cells[0], columns))
    below = [note, f"not shown: {left_out}; --wide shows all" if left_out else ""]
    lines_below = [wrap_lines(line, screen.columns) for line in below if line]
    return "\n".join([table, *lines_below, ""]) if lines_below else table


def render_rows(
    rows: Sequence[Row], columns: Sequence[Column], format_: str, screen: Screen | None = None, **more: Any
) -> str:
    """Return a table of values by name, as ``render_cells`` does, without the columns that no row has.

    ``more`` is for ``render_cells``: ``styles`` and ``note``.
    """
    columns = [column for column in columns if any(column[0] in row for row in rows)]
    fold = sorted((i for i, (*_, rank) in enumerate(columns) if rank), key=lambda i: columns[i][-1])
    none = "" if format_ == "csv" else "-"
    cells = [[heading for _, heading, *_ in columns]]
    cells += [[cell(row.get(name), spec, none) for name, _, spec, _ in columns] for row in rows]
    return render_cells(cells, format_, screen, fold=fold, **more)


def render_data(rows: Sequence[Row], about: Row, format_: str) -> str:
    """Return rows of numbers as JSON, after the members ``about`` them, or as CSV without these."""
    if format_ == "json":
        return dump({**about, "rows": rows}, indent=2) + "\n"
    lines = [with_ends(flat(row)) for row in rows]
    return render_rows(lines, [(name, name, "", 0) for name in {n: 0 for line in lines for n in line}], "csv")


def cell(value: Any, spec: str, none: str = "-") -> str:
    """Return a number or an interval in a format, a text as it is, and ``none`` for None."""
    if value is None:
        return none
    if isinstance(value, tuple):
        return f"[{value[0]:{spec}}, {value[1]:{spec}}]"
    return value if isinstance(value, str) else f"{value:{spec}}"


def flat(row: Row) -> dict[str, Any]:
    """Return a row without rows in it: ``x`` of the row ``y`` becomes ``y_x``, and its ``mean`` is ``y``."""
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            columns |= {f"{name}_{key}".removesuffix("_mean"): item for key, item in flat(value).items()}
        else:
            columns[name] = value
    return columns


def with_ends(row: Row) -> dict[str, Any]:
    """Return a row in which each interval, ``ci`` or ``x_ci``, is two numbers, ``low`` and ``high``."""
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if name.endswith("ci") and name.removesuffix("ci")[-1:] in ("", "_"):
            stem = name.removesuffix("ci")
            columns[f"{stem}low"], columns[f"{stem}high"] = value or (None, None)
        else:
            columns[name] = value
    return columns


def _latex(cells: Cells, note: str) -> str:
    """Return a table for the LaTeX package booktabs, with the note in small type below it.

    The note is a paragraph after the table, because a cell of it would widen the table.
    """
    # A bracket or star that begins a row would be taken for an argument of the line end before it.
    heading, *rows = (" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in cells)
    rows = [f"{{}}{row}" if row[0] in "[*" else row for row in rows]
    columns = f"l{'r' * (len(cells[0]) - 1)}"
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", heading, r"\midrule", *rows, r"\bottomrule"]
    below = [rf"\par\smallskip{{\footnotesize {note.translate(_LATEX)}\par}}"] if note else []
    return "\n".join(["% needs \\usepackage{booktabs}", *lines, r"\end{tabular}", *below, ""])


def unlinked(markdown: str) -> str:
    """Return Markdown in which addresses such as www.example.com stay text.

    A backslash breaks the address, but not in front of an @: there GitHub's renderer needs a comment.
    """
    return _MAIL_ADDRESS.sub("<!-- -->@", _LINKED.sub(r"\\\g<0>", markdown))


def _fitted(cells: Cells, columns: int | None, fold: Sequence[int]) -> tuple[list[int], Cells]:
    """Return the indices of the columns to show, and their cells, with short names in the first column.

    Of the columns in ``fold``, those without any value are left out first.
    """
    name_width, *widths = (max(map(width, column)) for column in zip(*cells, strict=True))
    indices, names = list(range(len(widths) + 1)), name_width
    if columns is not None:
        empty = [i for i in fold if {row[i] for row in cells[1:]} <= {"-"}]
        first_to_go = [*empty, *(i for i in fold if i not in empty)]
        rest = sum(widths) + len(_GAP) * len(widths)
        while first_to_go and min(name_width, _LONG_NAME) + rest > columns:
            indices.remove(first_to_go[0])
            rest -= widths[first_to_go.pop(0) - 1] + len(_GAP)
        names = max(_LEAST_NAME, columns - rest)
    return indices, [[shortened(row[0], names), *(row[i] for i in indices[1:])] for row in cells]


def _left_out(heading: Sequence[str], columns: Sequence[int]) -> list[str]:
    """Return the names of the columns that are not in ``columns``, each once.

    If a column of the same name is shown, the nearest unrepeated name to the left is added, as in
    "95% interval of rouge2".
    """
    named_once = [i for i, name in enumerate(heading) if heading.count(name) == 1]
    names = {heading[i] for i in columns}
    owners = [heading[max((j for j in named_once if j < i), default=0)] for i in range(len(heading))]
    gone = [(heading[i], owners[i]) for i in range(len(heading)) if i not in columns]
    return list(dict.fromkeys(f"{name} of {owner}" if name in names else name for name, owner in gone))


def _painted(cell: str, codes: str) -> str:
    text = cell.strip()
    return cell.replace(text, painted(text, codes)) if codes and text else cell


def _csv_cell(cell: str, heading: str) -> str:
    """Return a cell of a CSV file, changed if a spreadsheet would run it as a formula.

    A single quote before the text marks it as text. Double quotes keep it one cell also where semicolons or
    tabs separate cells. Numbers are not changed.
    """
    if not cell or (heading not in _NAMES and _NUMBER.fullmatch(cell)):
        return cell
    # Spreadsheets ignore spaces, control characters and invisible characters before a formula.
    first = next((character for character in cell if category(character)[0] not in "CZ"), "")
    begins = first != "" and normalize("NFKC", first) in _FORMULA  # also a fullwidth equals sign
    mark = "'" if begins or cell.startswith(("\t", "\r", "\n")) else ""
    return '"{}"'.format(mark + cell.replace('"', '""'))


def _aligned(cells: Cells) -> list[list[str]]:
    """Return the rows with the cells of each column padded to equal width."""
    return [list(line) for line in zip(*map(_padded, zip(*cells, strict=True)), strict=True)]


def _padded(column: Sequence[str]) -> list[str]:
    """Return the cells of a column padded to equal width; a column of numbers is aligned to the right."""
    widest = max(map(width, column))
    numbers = all(cell[:1].isdigit() or cell[:1] in tuple("+-[<") for cell in column[1:])
    gaps = [" " * (widest - width(cell)) for cell in column]
    return [gap + cell if numbers else cell + gap for cell, gap in zip(column, gaps, strict=True)]
