"""Read DUC's topics files, which have the question that the summary of each cluster should answer.

One file has the topics of all clusters, and the name of the cluster in ``<num>``:
``<topic><num> D0601A </num><title> ... </title><narr> ... </narr></topic>``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from summc.documents.decoding import decode
from summc.documents.sgml import tags_in, without_entities
from summc.errors import InputError, NotFoundError

log = logging.getLogger("summc")

_FILE = re.compile(r"(?:.*[^a-z])?topics\.sgml?", re.IGNORECASE)
_MOST_LISTED = 5
_ENDS_SENTENCE = (".", "?", "!", ":")

#: The name of a cluster, in lower case -> its question.
Questions = Mapping[str, str]


def is_topics_file(name: str) -> bool:
    """Tell by its name whether a file is a topics file, such as ``duc2006_topics.sgml``.

    The topics of the update task of 2007 are excluded, because they name the same clusters as the topics of
    the main task.
    """
    return _FILE.fullmatch(name) is not None and "update" not in name.lower()


def read_found_topics(read: Callable[[], bytes], place: str, encoding: str = "auto") -> Questions:
    """Return the questions in a topics file that was found in a folder.

    ``read`` returns the data of the file, and ``place`` is its path for messages. If the file cannot be read,
    warn and return no questions: it is not an error, because the user did not name the file.
    """
    try:
        return read_topics(decode(read(), place, encoding), place)
    except (InputError, NotFoundError) as error:  # the file may have been deleted meanwhile
        log.warning("%s: %s; left out", error.place, error.problem)
        return {}


def read_topics(text: str, place: str) -> Questions:
    """Return the question of each topic in a topics file: its title and its narrative.

    A topic without a cluster name or without a question is left out with a warning. So is a second topic for
    the same cluster, if its question differs. ``place`` is the path of the file for messages.
    """
    questions: dict[str, str] = {}
    number = 0
    for number, topic in enumerate(_topics_in(text), start=1):
        num, title, narrative = (" ".join(topic.get(element, ())) for element in ("num", "title", "narr"))
        name, question = "".join(num.split()[-1:]), _question(title, narrative)
        if not name:
            log.warning("%s: topic %d has no <num>; left out", place, number)
        elif not question:
            log.warning("%s: topic %s has neither <title> nor <narr>; left out", place, name)
        elif questions.setdefault(name.lower(), question) != question:
            log.warning("%s: topic %s again, with another question; left out", place, name)
    if not number:
        raise InputError(place, "no <topic> in it", "give <topic><num>...</num><title>...</title></topic>")
    return questions


def warn_of_unused(questions: Questions, clusters: Iterable[str], place: str) -> None:
    """Warn of the questions whose clusters are not among ``clusters``; ``place`` is the topics file."""
    known = {cluster.lower() for cluster in clusters}
    unused = [name.upper() for name in questions if name not in known]
    if unused:
        what = "topic" if len(unused) == 1 else "topics"
        log.warning("%s: no documents for %s %s", place, what, listed(unused))


def listed(names: Sequence[str]) -> str:
    """Return a list of names for a message, such as "a, b, c, d, e and 3 more"."""
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _topics_in(text: str) -> Iterator[dict[str, list[str]]]:
    """Yield each topic, as the name of each of its elements -> the texts of that element.

    An element ends where another begins, because closing tags may be missing.
    """
    topic: dict[str, list[str]] | None = None
    element = ""
    for closing, tag, data in tags_in(text):
        if tag == "topic":
            if topic is not None:
                yield topic
            topic, element = None if closing else {}, ""
        elif tag != "p":
            element = "" if closing else tag
        if topic is not None and element:
            topic.setdefault(element, []).append(data)
    if topic is not None:
        yield topic


def _question(title: str, narrative: str) -> str:
    """Return title and narrative on one line; a full stop after the title makes it a sentence."""
    title, narrative = (" ".join(without_entities(text).split()) for text in (title, narrative))
    if not (title and narrative):
        return title or narrative
    return f"{title} {narrative}" if title.endswith(_ENDS_SENTENCE) else f"{title}. {narrative}"
