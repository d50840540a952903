"""A document as it was read: units in order, each knowing where its text stands in the source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# Text before a title that is not more than a few lines.
_LITTLE = 300


class Piece(NamedTuple):
    """Text that stands for `source[start:end]`.

    If both are equally long they correspond character by character; otherwise (an entity, a
    removed link target) the piece is taken as a whole.
    """

    text: str
    start: int
    end: int


class Heading(NamedTuple):
    """A heading that a reader met; 1 is the highest level."""

    level: int
    text: str


class Paragraph(NamedTuple):
    """A paragraph that a reader met: its text, markup left out, in pieces of the source."""

    pieces: tuple[Piece, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One paragraph (or whatever gets one topic) of a document as it was read.

    `pieces` say where its text stands in the document's source; text that was not read from
    anywhere has none.
    """

    text: str
    heading: str | None = None
    label: str | None = None
    pieces: tuple[Piece, ...] = ()

    @property
    def start(self) -> int:
        """Where the unit begins in its source, in characters; −1 where it has no source."""
        return self.pieces[0].start if self.pieces else -1

    @property
    def end(self) -> int:
        """Where the unit ends in its source, in characters; −1 where it has no source."""
        return max(piece.end for piece in self.pieces) if self.pieces else -1

    def parts(self, spans: Iterable[tuple[int, int]]) -> list[Unit]:
        """Cut every `text[begin:end]` out, each with its own place in the source."""
        begins = _begins(self.pieces)
        return [
            replace(
                self,
                text=self.text[begin:end],
                pieces=cut_pieces(self.pieces, begin, end, begins),
            )
            for begin, end in spans
        ]


@dataclass(frozen=True, slots=True)
class Document:
    """One document as it was read.

    Attributes
    ----------
    title, units
        What it is called, and its units in order.
    location
        Where it was read, for messages about it.
    source
        The text that the units' offsets count in: the whole decoded file, or, where one file
        holds many documents, the document's own text.
    """

    title: str
    units: tuple[Unit, ...]
    location: str
    source: str = ""


def cut_pieces(
    pieces: tuple[Piece, ...], begin: int, end: int, begins: list[int] | None = None
) -> tuple[Piece, ...]:
    """Take characters `begin` to `end` of the text that `pieces` make up.

    `begins` says where each piece's text begins, for those who cut more than once.

    >>> pieces = (Piece("salt ", 0, 5), Piece("&", 5, 10), Piece(" pepper", 10, 17))
    >>> cut_pieces(pieces, 2, 8)
    (Piece(text='lt ', start=2, end=5), Piece(text='&', start=5, end=10), \
Piece(text=' p', start=10, end=12))
    """
    begins = _begins(pieces) if begins is None else begins
    found = []
    for index in range(max(bisect_right(begins, begin) - 1, 0), len(pieces)):
        if begins[index] >= end:
            break
        text, start, stop = pieces[index]
        first, last = max(begin - begins[index], 0), min(end - begins[index], len(text))
        if first < last:
            if len(text) == stop - start:
                start, stop = start + first, start + last
            found.append(Piece(text[first:last], start, stop))
    return tuple(found)


def _begins(pieces: tuple[Piece, ...]) -> list[int]:
    return list(accumulate((len(piece.text) for piece in pieces), initial=0))


def trim_pieces(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Leave out white space at both ends; empty if there is nothing else."""
    whole = tuple(pieces)
    if len(whole) == 1 and whole[0].text and whole[0].text == whole[0].text.strip():
        return whole  # as most are
    whole = tuple(piece for piece in whole if piece.text)
    text = "".join(piece.text for piece in whole)
    begin = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if begin >= end:
        return ()
    return whole if (begin, end) == (0, len(text)) else cut_pieces(whole, begin, end)


def make_document(
    parts: Iterable[Heading | Paragraph],
    *,
    title: str,
    location: str,
    source: str,
    depth: int = 1,
    title_from_heading: bool = True,
    text_before_title: bool = True,
) -> Document:
    """Put headings and paragraphs, in the order they were met, together to a document.

    A single heading of the highest level is the document's title (unless `title_from_heading` is
    false: then `title` stays), if at most a little text stands before it, under no heading: a line
    with a date or a logo. Little is up to 300 characters or less than what follows it, and both
    where no other heading follows it; there may be none if `text_before_title` is false. Of two
    with no text between them, the first names the site or the series, and the second is the title.

    Of the other headings that a paragraph stands under, the one at `depth` is kept, or the deepest
    above it; text before the first has none. A heading without text is none.

    >>> parts = [Heading(1, "Iron"), Paragraph((Piece("A metal.", 8, 16),)),
    ...          Heading(2, "Uses"), Paragraph((Piece("Steel.", 25, 31),))]
    >>> document = make_document(parts, title="iron.md", location="iron.md", source="…")
    >>> document.title, [(unit.text, unit.heading) for unit in document.units]
    ('Iron', [('A metal.', None), ('Steel.', 'Uses')])
    """
    met = _tidied(parts)
    if title_from_heading:
        title = _take_title(met, text_before_title) or title
    path: list[Heading] = []
    units = []
    met.reverse()  # to let go of each part as its unit is made: there may be millions
    while met:
        part = met.pop()
        if isinstance(part, Heading):
            while path and path[-1].level >= part.level:
                path.pop()
            path.append(part)
        else:
            heading = path[min(depth, len(path)) - 1].text if path else None
            text = "".join([piece.text for piece in part.pieces])
            units.append(Unit(text, heading, part.label, part.pieces))
    return Document(" ".join(title.split()), tuple(units), location, source)


def _take_title(parts: list[Heading | Paragraph], text_before_title: bool) -> str | None:
    """Take the heading that is the title, and those before it, out of a document."""
    headings = [(n, part.level) for n, part in enumerate(parts) if isinstance(part, Heading)]
    highest = min((level for _, level in headings), default=0)
    top = [n for n, level in headings if level == highest]
    if not 1 <= len(top) <= 2:
        return None
    first, last = headings[0][0], headings[-1][0]
    title, before = parts[top[-1]], parts[:first]
    if any(isinstance(part, Paragraph) for part in parts[first : top[-1]]):
        return None
    if before and not (text_before_title and _is_little(before, parts[top[-1] :], top[-1] == last)):
        return None
    parts[first : top[-1] + 1] = []
    return title.text if isinstance(title, Heading) else None


def _is_little(
    before: list[Heading | Paragraph], after: list[Heading | Paragraph], is_last: bool
) -> bool:
    """Tell whether so little text stands before a heading that it may be the title."""
    n_before = _n_characters(before)
    is_short, is_less = n_before <= _LITTLE, n_before < _n_characters(after)
    return (is_short and is_less) if is_last else (is_short or is_less)


def _n_characters(parts: list[Heading | Paragraph]) -> int:
    return sum(
        len(piece.text) for part in parts if isinstance(part, Paragraph) for piece in part.pieces
    )


def _tidied(parts: Iterable[Heading | Paragraph]) -> list[Heading | Paragraph]:
    """Bring headings to one line, trim paragraphs, and leave out those without text."""
    kept: list[Heading | Paragraph] = []
    for part in parts:
        if isinstance(part, Heading):
            text = " ".join(part.text.split())
            if text:
                kept.append(Heading(part.level, text))
        else:
            pieces = trim_pieces(part.pieces)
            if pieces:
                kept.append(part if pieces is part.pieces else Paragraph(pieces, part.label))
    return kept
