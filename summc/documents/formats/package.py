"""Read a zip file that holds a document, with a limit on what it unpacks to."""

from __future__ import annotations

import io
import zipfile

from lxml import etree

from summc.errors import InputError

#: More than the text of any real document; a file that unpacks to more is made to exhaust the memory.
MOST_BYTES = 64 * 1024 * 1024

_ENCRYPTED = 1


class Package:
    """The members of a zip file, by name."""

    def __init__(self, data: bytes, place: str) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.place = place
        self.left = MOST_BYTES
        self.names = frozenset(self.archive.namelist())

    def read(self, name: str) -> bytes:
        """Return the data of a member; its stated size is not trusted."""
        member = self.archive.getinfo(name)
        if member.flag_bits & _ENCRYPTED:
            raise InputError(self.place, "encrypted", "save it without a password")
        with self.archive.open(member) as stream:
            data = stream.read(self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            problem = f"unpacks to more than {MOST_BYTES // 1024**2} MB"
            raise InputError(self.place, problem, "split it, or save it as text")
        return data

    def xml(self, name: str) -> etree._Element:
        """Return the tree of a member that is XML."""
        return parse_xml(self.read(name))


def parse_xml(data: bytes) -> etree._Element:
    """Return the tree of an XML file without comments; no entity is resolved and nothing is fetched."""
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
    """Return the name of an element without its namespace, or "" for an unresolved entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """Return an attribute, given by its name without namespace, or ""."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
