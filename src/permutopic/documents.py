"""Documents as they were read: units in order, with the offsets of their text in the source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Maximum number of characters of short text before a title: a few lines.
_MAX_SHORT_TEXT = 300


class Piece(NamedTuple):
    """The text of `source[start:end]`.

    If both have the same length they correspond character by character. Otherwise (a character
    reference, an escape) only the ends of the piece correspond.
    """

    text: str
    start: int
    end: int


class Heading(NamedTuple):
    """A heading found by a reader; 1 is the highest level."""

    level: int
    text: str


class Paragraph(NamedTuple):
    """A paragraph found by a reader: its text without markup, as pieces of the source."""

    pieces: tuple[Piece, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One paragraph (or sentence, window, …), which is given one topic.

    `pieces` map its text to the document's source; text without a source has none.
    """

    text: str
    heading: str | None = None
    label: str | None = None
    pieces: tuple[Piece, ...] = ()

    @property
    def start(self) -> int:
        """Offset of the beginning in the source, in characters; −1 without a source."""
        return self.pieces[0].start if self.pieces else -1

    @property
    def end(self) -> int:
        """Offset of the end in the source, in characters; −1 without a source."""
        return max(piece.end for piece in self.pieces) if self.pieces else -1

    def parts(self, spans: Iterable[tuple[int, int]]) -> list[Unit]:
        """Return a unit for each `text[begin:end]`, with its own offsets in the source."""
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
        The title, and the units in order.
    location
        The file, and the line or record in it, for messages.
    source
        The text that offsets refer to: the whole decoded file, or the document's own text if the
        file has many documents.
    """

    title: str
    units: tuple[Unit, ...]
    location: str
    source: str = ""


def cut_pieces(
    pieces: tuple[Piece, ...], begin: int, end: int, begins: list[int] | None = None
) -> tuple[Piece, ...]:
    """Return pieces for the characters `begin` to `end` of the text of `pieces`.

    `begins` are the offsets of the pieces in that text; give them to cut more than once.

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
    """Remove white space at both ends of the text of pieces; empty if there is nothing else."""
    kept = tuple(pieces)
    if len(kept) == 1 and kept[0].text and kept[0].text == kept[0].text.strip():
        return kept  # fast path: most paragraphs
    kept = tuple(piece for piece in kept if piece.text)
    text = "".join(piece.text for piece in kept)
    begin = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if begin >= end:
        return ()
    return kept if (begin, end) == (0, len(text)) else cut_pieces(kept, begin, end)


def join_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join adjacent pieces that correspond to the source character by character.

    >>> list(join_pieces([Piece("salt", 0, 4), Piece(" ", 4, 5), Piece("&", 5, 10)]))
    [Piece(text='salt ', start=0, end=5), Piece(text='&', start=5, end=10)]
    """
    texts: list[str] = []
    begin = end = 0
    for piece in pieces:
        is_verbatim = len(piece.text) == piece.end - piece.start
        if texts and not (is_verbatim and piece.start == end):
            yield Piece("".join(texts), begin, end)
            texts = []
        if not is_verbatim:
            yield piece
            continue
        if not texts:
            begin = piece.start
        texts.append(piece.text)
        end = piece.end
    if texts:
        yield Piece("".join(texts), begin, end)


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
    """Make a document of headings and paragraphs in the order of the source.

    A single heading of the highest level becomes the title (unless `title_from_heading` is false:
    then `title` is used), if only short text precedes it, such as a date or a logo, and no other
    heading. Short is up to 300 characters, or less than the text after it; both are required if no
    other heading follows. With `text_before_title` false no text may precede it. Of two headings
    with no text between them, the first names the site or the series, and the second is the title.

    Of the other headings above a paragraph, the one at `depth` is kept, or the deepest if there are
    fewer; text before the first heading has none. A heading without text is ignored.

    >>> parts = [Heading(1, "Iron"), Paragraph((Piece("A metal.", 8, 16),)),
    ...          Heading(2, "Uses"), Paragraph((Piece("Steel.", 25, 31),))]
    >>> document = make_document(parts, title="iron.md", location="iron.md", source="…")
    >>> document.title, [(unit.text, unit.heading) for unit in document.units]
    ('Iron', [('A metal.', None), ('Steel.', 'Uses')])
    """
    remaining = _normalise(parts)
    if title_from_heading:
        title = _take_title(remaining, text_before_title) or title
    path: list[Heading] = []
    units = []
    # Popped from the end, each part is freed when its unit is made: there may be millions.
    remaining.reverse()
    while remaining:
        part = remaining.pop()
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
    """Remove the heading that is the title, and those before it; return its text, or None."""
    headings = [(n, part.level) for n, part in enumerate(parts) if isinstance(part, Heading)]
    highest = min((level for _, level in headings), default=0)
    top = [n for n, level in headings if level == highest]
    if not 1 <= len(top) <= 2:
        return None
    first, last = headings[0][0], headings[-1][0]
    title, before = parts[top[-1]], parts[:first]
    if any(isinstance(part, Paragraph) for part in parts[first : top[-1]]):
        return None
    if before and not (text_before_title and _is_short(before, parts[top[-1] :], top[-1] == last)):
        return None
    parts[first : top[-1] + 1] = []
    return title.text if isinstance(title, Heading) else None


def _is_short(
    before: list[Heading | Paragraph], after: list[Heading | Paragraph], is_last: bool
) -> bool:
    """Whether the text before a heading is short enough for the heading to be the title."""
    n_before = _n_characters(before)
    is_short, is_less = n_before <= _MAX_SHORT_TEXT, n_before < _n_characters(after)
    return (is_short and is_less) if is_last else (is_short or is_less)


def _n_characters(parts: list[Heading | Paragraph]) -> int:
    return sum(
        len(piece.text) for part in parts if isinstance(part, Paragraph) for piece in part.pieces
    )


def _normalise(parts: Iterable[Heading | Paragraph]) -> list[Heading | Paragraph]:
    """Put headings on one line, trim paragraphs, and drop those without text."""
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
