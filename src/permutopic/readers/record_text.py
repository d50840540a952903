"""The text of a record: a document in the making, its paragraphs with their places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.documents import Piece, Unit
from permutopic.readers.fields import listed, no_field, take, take_name, typed, wrong_type
from permutopic.readers.plain import split_paragraphs
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from permutopic.readers.settings import Fields

_BETWEEN = "\n\n"


class RecordText:
    """The text of a document in the making, and its units."""

    __slots__ = ("_parts", "length", "units")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.units: list[Unit] = []
        self.length = 0

    @property
    def source(self) -> str:
        """All text, with blank lines between its parts."""
        return _BETWEEN.join(self._parts)

    def add(self, text: str | list[str], heading: str | None, label: str | None) -> None:
        """Add text to divide at blank lines, or a list of paragraphs."""
        if isinstance(text, str) and ("\n" in text or "\r" in text):
            for paragraph in split_paragraphs(text, self._take(text)):
                piece = paragraph.pieces[0]
                self._unit(piece.text, piece.start, heading, label)
        else:
            for each in [text] if isinstance(text, str) else text:
                self._unit(each, self._take(each), heading, label)

    def _take(self, text: str) -> int:
        """Append text to the source and tell where it begins."""
        start = self.length + len(_BETWEEN) if self._parts else 0
        self._parts.append(text)
        self.length = start + len(text)
        return start

    def _unit(self, text: str, start: int, heading: str | None, label: str | None) -> None:
        bare = text.strip()
        if bare:
            if len(bare) < len(text):
                start += len(text) - len(text.lstrip())
            piece = Piece(bare, start, start + len(bare))
            self.units.append(Unit(bare, heading, label, (piece,)))


def add_sections(text: RecordText, sections: Any, fields: Fields, location: str) -> None:
    """Add the sections of a record to its text."""
    for position, item in enumerate(
        typed(sections, list, repr(fields.sections), location), start=1
    ):
        here = f"section {position}"
        section = typed(item, dict, here, location)
        take(section, fields.heading, here, location, fields)
        heading = take_name(section, fields.heading, location, f"the heading of {here}")
        label = take_name(section, fields.label, location, f"the label of {here}")
        paragraphs = take(section, fields.paragraphs, here, location, fields)
        typed(paragraphs, list, f"{fields.paragraphs!r} of {here}", location)
        for each in paragraphs:
            if not isinstance(each, str):
                raise wrong_type(each, "a string", f"a paragraph of {here}", location)
        text.add(paragraphs, heading, label)


def take_flat(
    record: dict[str, Any], fields: Fields, location: str
) -> tuple[str | list[str], str | None, str | None]:
    """Take text, heading and label of a flat record."""
    if fields.text not in record:
        raise _no_text(record, fields, location)
    text = take_text(record, fields, location)
    return (
        text,
        take_name(record, fields.heading, location),
        take_name(record, fields.label, location),
    )


def take_text(record: dict[str, Any], fields: Fields, location: str) -> str | list[str]:
    """Take the text of a record: a string or a list of paragraphs, an empty one for none."""
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
    return ReadError(
        location,
        f"no {fields.text!r}",
        f"the document has neither {fields.text!r} nor {fields.sections!r} (its keys: "
        f"{listed(record)}): name the right one (--text-field, --sections-field)",
    )
