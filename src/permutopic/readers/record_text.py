"""The text of a record: a document in the making, its paragraphs with their places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.documents import Piece, Unit
from permutopic.readers.fields import listed, no_field, take, take_name, typed, wrong_type
from permutopic.readers.notes import ReadError
from permutopic.readers.plain import split_paragraphs

if TYPE_CHECKING:
    from permutopic.readers.settings import Fields

_BETWEEN = "\n\n"


class Text:
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


def add_sections(text: Text, sections: Any, fields: Fields, place: str) -> None:
    """Add the sections of a record to its text."""
    for position, item in enumerate(typed(sections, list, repr(fields.sections), place), start=1):
        here = f"section {position}"
        section = typed(item, dict, here, place)
        take(section, fields.heading, here, place, fields)
        heading = take_name(section, fields.heading, place, f"the heading of {here}")
        label = take_name(section, fields.label, place, f"the label of {here}")
        paragraphs = take(section, fields.paragraphs, here, place, fields)
        typed(paragraphs, list, f"{fields.paragraphs!r} of {here}", place)
        for each in paragraphs:
            if not isinstance(each, str):
                raise wrong_type(each, "a string", f"a paragraph of {here}", place)
        text.add(paragraphs, heading, label)


def take_flat(
    record: dict[str, Any], fields: Fields, place: str
) -> tuple[str | list[str], str | None, str | None]:
    """Take text, heading and label of a flat record."""
    if fields.text not in record:
        raise _no_text(record, fields, place)
    text = take_text(record, fields, place)
    return text, take_name(record, fields.heading, place), take_name(record, fields.label, place)


def take_text(record: dict[str, Any], fields: Fields, place: str) -> str | list[str]:
    """Take the text of a record: a string or a list of paragraphs, an empty one for none."""
    text = record.get(fields.text)
    if isinstance(text, list):
        for position, item in enumerate(text, start=1):
            if not isinstance(item, str):
                what = f"item {position} of {fields.text!r}"
                raise wrong_type(item, "a string", what, place)
    elif text is None:
        return []
    elif not isinstance(text, str):
        raise wrong_type(text, "a string or a list of strings", repr(fields.text), place)
    return text


def _no_text(record: dict[str, Any], fields: Fields, place: str) -> ReadError:
    if fields.document is not None:
        return no_field(place, "the row", fields.text, record, fields)
    return ReadError(
        place,
        f"no {fields.text!r}",
        f"the document has neither {fields.text!r} nor {fields.sections!r} (its keys: "
        f"{listed(record)}): name the right one (--text-field, --sections-field)",
    )
