"""The parts of a Word file: a zip archive of XML, treated as untrusted.

Only the few parts that are needed are decompressed, each up to a limit whatever size it declares.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from typing import TYPE_CHECKING
from xml.parsers import expat

from permutopic.readers.read_log import ReadError
from permutopic.readers.source import BOMB_RATIO, too_long

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.settings import ReadOptions

    Start = Callable[[str, dict[str, str]], None]
    End = Callable[[str], None]
    Data = Callable[[str], None]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOMB_BYTES = 8 << 20
_CHUNK = 1 << 16
# Namespaces of the transitional and the strict variant of Office Open XML.
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://schemas.openxmlformats.org/package/2006/relationships": "",
}
_OTHERS = {
    "xl/workbook.xml": "an Excel workbook",
    "ppt/presentation.xml": "a PowerPoint presentation",
    "content.xml": "an OpenDocument file",
}


class Package:
    """A Word file as a set of parts."""

    def __init__(self, content: bytes, location: str, options: ReadOptions) -> None:
        self.location = location
        self._options = options
        _check_kind(content, location)
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._infos = {info.filename: info for info in self._archive.infolist()}
        self.main = self.related("", "officeDocument") or "word/document.xml"
        other = next((kind for name, kind in _OTHERS.items() if name in self._infos), None)
        if other:
            raise ReadError(location, "not Word", f"this is {other}: save it as .docx")
        if self.main not in self._infos:
            raise self.not_word("it has no word/document.xml")

    def not_word(self, detail: str) -> ReadError:
        """Make the error for a file that is no Word document."""
        return ReadError(self.location, "not Word", f"not a Word document: {detail}")

    def related(self, part: str, kind: str) -> str | None:
        """Return the name of the part that a part ("" is the package) refers to as `kind`."""
        folder, name = posixpath.split(part)
        found: list[str] = []

        def add(tag: str, attributes: dict[str, str]) -> None:
            if tag == "Relationship" and attributes.get("Type", "").endswith(f"/{kind}"):
                target = posixpath.join(f"/{folder}", attributes.get("Target", ""))
                found.append(posixpath.normpath(target).lstrip("/"))

        self.parse(posixpath.join(folder, "_rels", f"{name}.rels"), add)
        return next((target for target in found if target in self._infos), None)

    def parse(
        self, name: str, start: Start, end: End | None = None, data: Data | None = None
    ) -> None:
        """Parse a part with handlers of its elements and text; a missing part has none."""
        if name not in self._infos:
            return
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = lambda tag, attributes: start(
            _short(tag), {_local(key): value for key, value in attributes.items()}
        )
        if end is not None:
            parser.EndElementHandler = lambda tag: end(_short(tag))
        if data is not None:
            parser.CharacterDataHandler = data
        content = self._unpack(self._infos[name])
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            raise ReadError(
                self.location,
                "damaged",
                f"{name} in it is not whole XML ({error}): is the file cut?",
            ) from None

    def _refuse_doctype(self, *_: object) -> None:
        raise self.not_word("its XML declares a DTD, which Word never does")

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        if info.flag_bits & 1:
            raise _encrypted(self.location)
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise self.not_word(f"{info.filename} in it is packed in a way that Word never does")
        chunks = []
        size = 0
        # In chunks: the size that the archive declares may be wrong.
        with self._archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                if size > max(_BOMB_BYTES, BOMB_RATIO * info.compress_size):
                    raise ReadError(
                        self.location,
                        "bomb",
                        f"{info.filename} in it unpacks to more than {BOMB_RATIO} times its size: "
                        "no document does",
                    )
                if size > self._options.max_bytes:
                    raise too_long(self.location, self._options)
        return b"".join(chunks)


def _check_kind(content: bytes, location: str) -> None:
    """Refuse other files that are often named .docx, with an error that says what they are."""
    if content.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise _encrypted(location)
        raise ReadError(location, "old Word file", "this is an old .doc file: save it as .docx")
    if content.startswith(b"{\\rtf"):
        raise ReadError(location, "not Word", "this is Rich Text: save it as .docx")
    if not content.startswith(b"PK"):
        raise ReadError(
            location, "not Word", "not a .docx file, which is a zip file: is it misnamed?"
        )


def _encrypted(location: str) -> ReadError:
    return ReadError(location, "encrypted", "protected by a password: save it without one")


def _short(tag: str) -> str:
    """Replace the namespace of an element by its prefix; "?" for those that do not matter."""
    space, _, name = tag.rpartition(" ")
    return f"{_PREFIXES.get(space, '?')}{name}"


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
