"""Read exports in JSON: the messages of a forum, a chat or a tracker, reviews, the turns of a transcript.

Any object with a field of prose is a message. Objects under the same member, such as "posts", are compared
with each other to learn what their fields hold.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from summc.documents.decoding import decode
from summc.documents.formats.rows import (
    Fields,
    Message,
    contents,
    find_fields,
    is_person,
    letters_of,
    message_of,
    text_of,
)
from summc.documents.raw import Content
from summc.errors import InputError

#: Messages of which there is less than this share of the longest kind are descriptions of something else.
_ENOUGH = 0.25
#: Members that repeat parts of the messages.
_COPIES = re.compile(r"(?i).*(?:highlight|suggested|related|preview)")


class Node(NamedTuple):
    """An object, the member that it stands under, and the object around it."""

    member: str
    record: Mapping[str, Any]
    above: Node | None


def read(data: bytes, place: str, encoding: str) -> Content:
    """Return the documents in a JSON file; raise an error if it has no prose."""
    text = decode(data, place, encoding)
    try:
        messages = _messages(_parse(text))
    except RecursionError:
        raise InputError(place, "JSON nested too deeply", "give a plain list of objects") from None
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg.removesuffix(' at').removesuffix(' starting')}, line {error.lineno})"
        raise InputError(place, problem, "save it again, or as text") from None
    parts = contents(messages, place, may_be_talk=True)
    if not parts:
        raise InputError(place, "JSON without prose", "give one with texts, such as messages")
    return Content([], parts=parts)


def _parse(text: str) -> Any:
    """Return the value in a JSON text, or the list of values if each line has one."""
    try:
        return json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise
        return [json.loads(line, parse_int=float) for line in text.split("\n") if line.strip()]


def _messages(value: Any) -> list[Message]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = [{"text": item} for item in value]
    nodes = list(_nodes(value, "", None))
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node.member].append(node)
    fields = {member: find_fields([node.record for node in group]) for member, group in groups.items()}
    chosen = _chosen(groups, fields)
    kept = [node for node in nodes if node.member in chosen and not _is_notice(node.record)]
    return [_message(node, fields) for node in kept if not _is_piece(node, fields)]


def _nodes(value: Any, member: str, above: Node | None) -> Iterator[Node]:
    """Yield the objects in a value, each before those inside it."""
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item, member, above)
    elif isinstance(value, dict):
        node = Node(member, value, above)
        yield node
        # The members of an object that maps ids to objects have no name of their own.
        inner = list(value.values())
        is_map = len(inner) > 1 and all(
            isinstance(item, dict) and item.keys() == inner[0].keys() for item in inner
        )
        for name, item in value.items():
            if isinstance(item, dict | list) and not _COPIES.match(name):
                yield from _nodes(item, member if is_map else name, node)


def _chosen(groups: Mapping[str, Sequence[Node]], fields: Mapping[str, Fields]) -> set[str]:
    """Return the members whose objects are messages: the kind with most text, and what belongs to it."""
    amounts = {
        member: sum(len(text_of(node.record.get(name))) for node in group for name in fields[member].prose)
        for member, group in groups.items()
        if fields[member].prose and not is_person(member)
    }
    if not amounts:
        return set()
    main = max(amounts, key=lambda member: amounts[member])
    around = {node.above.member for node in groups[main] if node.above}
    names = set(fields[main].prose)
    return {
        member
        for member, amount in amounts.items()
        if amount >= _ENOUGH * amounts[main] or member in around or not names.isdisjoint(fields[member].prose)
    }


def _message(node: Node, fields: Mapping[str, Fields]) -> Message:
    """Return the message of an object; what it lacks, the objects around it may state.

    A speaker is taken from an object that says nothing itself, such as a turn that has paragraphs.
    """
    message, above, is_silent = message_of(node.record, fields[node.member]), node.above, True
    while above is not None:
        outer = message_of(above.record, fields[above.member])
        is_silent = is_silent and not outer.texts
        speaker = message.speaker or (outer.speaker if is_silent else "")
        message = Message(message.texts, message.title or outer.title, message.date or outer.date, speaker)
        above = above.above
    return message


def _is_piece(node: Node, fields: Mapping[str, Fields]) -> bool:
    """Tell whether the object around another has all its text, as where a message lists its links."""
    texts = message_of(node.record, fields[node.member]).texts
    above = node.above
    while above is not None:
        whole = "".join(map(letters_of, message_of(above.record, fields[above.member]).texts))
        if whole and all(letters_of(text) in whole for text in texts):
            return True
        above = above.above
    return False


def _is_notice(record: Mapping[str, Any]) -> bool:
    """Tell whether a program wrote a message, as for a new member of a chat."""
    return record.get("system") is True or str(record.get("subtype")).startswith(("channel_", "group_"))
