"""HTML of parts, in which every text is escaped that was not made here."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

#: The elements of HTML, among those used, that hold nothing and are not closed.
_EMPTY = frozenset({"input", "meta"})


class Html(str):
    """Markup, safe as it is; any other text is escaped when it is put into it."""

    __slots__ = ()


#: What an element may hold: text, markup, or several of these.
Content = str | Iterable[str]


def tag(name: str, /, *content: Content, **attributes: str | float | bool | None) -> Html:
    """Return an element.

    An attribute that is None or False is left out, one that is True has no value; ``class_`` is ``class``,
    and underscores are hyphens.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{html.escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*content)}</{name}>")


def join(*content: Content) -> Html:
    """Return content as markup, one behind the other."""
    return Html(
        "".join(
            part if isinstance(part, Html) else html.escape(part)
            for each in content
            for part in ([each] if isinstance(each, str) else each)
        )
    )


def json_block(value: Any, **attributes: str) -> Html:
    """Return data for a script: no text in it can end the element it stands in."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return tag("script", Html(data), type="application/json", **attributes)
