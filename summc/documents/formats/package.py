"""Read the zip file of a Word document or an e-book, with a limit on the size of its unpacked content."""

from __future__ import annotations

import io
import zipfile

from lxml import etree

from summc.errors import InputError
from summc.system.inputs import MOST_MB, most_bytes

_ENCRYPTED = 1


class Package:
    """An open zip file, whose members (the files in it) are read by name."""

    def __init__(self, data: bytes, place: str) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.place = place
        self.left = most_bytes()
        self.names = frozenset(self.archive.namelist())

    def read(self, name: str) -> bytes:
        """Return the data of a member; raise an error if all members read so far exceed ``most_bytes()``.

        The bytes are counted, because the size that a zip file states may be wrong.
        """
        member = self.archive.getinfo(name)
        if member.flag_bits & _ENCRYPTED:
            raise InputError(self.place, "encrypted", "save it without a password")
        with self.archive.open(member) as stream:
            data = stream.read(self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            problem = f"unpacks to more than {most_bytes() // 1024**2} MB"
            raise InputError(self.place, problem, f"split it, save it as text, or raise {MOST_MB}")
        return data

    def xml(self, name: str) -> etree._Element:
        """Return a member as a tree of XML elements; raise an error of lxml if it is not XML."""
        return parse_xml(self.read(name))


def parse_xml(data: bytes) -> etree._Element:
    """Return an XML file as a tree of elements, without comments.

    For safety, entities are not resolved, and nothing is fetched from the network.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(data, parser)


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace, or "" for a node that is an unresolved entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """Return the value of an attribute, given its name without namespace, or "" if it is missing."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
