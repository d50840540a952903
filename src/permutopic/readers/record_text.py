"""The text and units of a document that is made of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.documents import Piece, Unit
from permutopic.errors import Message, Parameter
from permutopic.readers.fields import check_type, listed, no_field, take, take_name, wrong_type
from permutopic.readers.plain import split_paragraphs
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from permutopic.readers.settings import Fields

_SEPARATOR = "\n\n"


class RecordText:
    """Accumulates the text of a document and its units, with offsets into the text."""

    __slots__ = ("_parts", "length", "units")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.units: list[Unit] = []
        self.length = 0

    @property
    def source(self) -> str:
        """All text, with blank lines between its parts."""
        return _SEPARATOR.join(self._parts)

    def add(self, text: str | list[str], heading: str | None, label: str | None) -> None:
        """Add text, which is split at blank lines, or a list of paragraphs."""
        if isinstance(text, str) and ("\n" in text or "\r" in text):
            for paragraph in split_paragraphs(text, self._append(text)):
                piece = paragraph.pieces[0]
                self._add_unit(piece.text, piece.start, heading, label)
        else:
            for each in [text] if isinstance(text, str) else text:
                self._add_unit(each, self._append(each), heading, label)

    def _append(self, text: str) -> int:
        """Append text to the source and return its offset."""
        start = self.length + len(_SEPARATOR) if self._parts else 0
        self._parts.append(text)
        self.length = start + len(text)
        return start

    def _add_unit(self, text: str, start: int, heading: str | None, label: str | None) -> None:
        bare = text.strip()
        if bare:
            if len(bare) < len(text):
                start += len(text) - len(text.lstrip())
            piece = Piece(bare, start, start + len(bare))
            self.units.append(Unit(bare, heading, label, (piece,)))


def add_sections(text: RecordText, sections: Any, fields: Fields, location: str) -> None:
    """Add the sections of a record to its text."""
    for position, item in enumerate(
        check_type(sections, list, repr(fields.sections), location), start=1
    ):
        owner = f"section {position}"
        section = check_type(item, dict, owner, location)
        take(section, fields.heading, owner, location, fields)
        heading = take_name(section, fields.heading, location, f"the heading of {owner}")
        label = take_name(section, fields.label, location, f"the label of {owner}")
        paragraphs = take(section, fields.paragraphs, owner, location, fields)
        check_type(paragraphs, list, f"{fields.paragraphs!r} of {owner}", location)
        for each in paragraphs:
            if not isinstance(each, str):
                raise wrong_type(each, "a string", f"a paragraph of {owner}", location)
        text.add(paragraphs, heading, label)


def take_flat(
    record: dict[str, Any], fields: Fields, location: str
) -> tuple[str | list[str], str | None, str | None]:
    """Return text, heading and label of a flat record."""
    if fields.text not in record:
        raise _no_text(record, fields, location)
    text = take_text(record, fields, location)
    return (
        text,
        take_name(record, fields.heading, location),
        take_name(record, fields.label, location),
    )


def take_text(record: dict[str, Any], fields: Fields, location: str) -> str | list[str]:
    """Return the text of a record: a string or a list of paragraphs; an empty list if null."""
    text = record.get(fields.text)
    if isinstance(text, list):
        for position, item in enumerate(text, start=1):
            if not isinstance(item, str):
                what = f"item {position} of {fields.text!r}"
                raise wrong_type(item, "a string", what, location)
    elif text is None:
        return []
    elif not isinstance(text, str):
        raise wrong_type(text, "a string or a list of strings", repr(fields.text), location)
    return text


def _no_text(record: dict[str, Any], fields: Fields, location: str) -> ReadError:
    if fields.document is not None:
        return no_field(location, "the row", fields.text, record, fields)
    detail = Message(
        f"the document has neither {fields.text!r} nor {fields.sections!r} (its keys: "
        f"{listed(record)}): name the right one (",
        Parameter("fields.text"),
        ", ",
        Parameter("fields.sections"),
        ")",
    )
    return ReadError(location, f"no {fields.text!r}", detail)
