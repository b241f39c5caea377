"""Read plain text: people talk in it, or a program logged it, or it is prose."""

from __future__ import annotations

from summc.documents.log_files import log_lines
from summc.documents.paragraphs import plain_blocks
from summc.documents.places import CUES, located
from summc.documents.raw import Content, RawDocument
from summc.documents.talk import talk_in


def plain_content(text: str) -> Content:
    """Return the blocks of a plain text, with the speaker of each if people talk in it."""
    talk = talk_in(text)
    if log := log_lines(text, is_talk=talk is not None):
        return located(Content(log, knows_headings=True), text)
    content = talk or Content(plain_blocks(text))
    return located(content, text, CUES if talk and "-->" in text else None)


def plain_document(id_: str, text: str, place: str) -> RawDocument:
    """Return the document in a plain text; the messages of a thread become one document."""
    content = plain_content(text)
    blocks = [block for part in (content, *content.parts) for block in part.blocks]
    return RawDocument(id_, blocks, place, knows_headings=content.knows_headings)
