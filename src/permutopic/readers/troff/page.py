"""Collects what a manual page shows: headings, and paragraphs as pieces of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Heading, Paragraph, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable

_BULLETS = " \t\n•·●○◦▪‣"


class ManualPage:
    """The parts of a page so far, and the paragraph that is being collected.

    While `hidden` (in code and other displays) no text is taken.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts: list[Heading | Paragraph] = []
        self.hidden = False
        self.glued = False
        self._pieces: list[Piece] = []
        self._stop = 0  # where the last line that gave text ended
        self._n_lines = 0
        self._tag = -1  # the piece that an awaited tag begins with
        self._is_tag = False  # there is nothing but tags so far
        self._is_lead = False  # there is nothing but a line that the indented text belongs to
        self._heading = 0

    def add_line(self, pieces: list[Piece], stop: int, *, glued: bool = False) -> None:
        """Take what a line shows; it ends at `stop`, and with `glued` the next one goes on in it.

        It makes the heading, if one is awaited; else it goes to the paragraph.
        """
        if not pieces or (self.hidden and not self._heading):
            return
        if self._heading:
            self.add_heading(self._heading, "".join(piece.text for piece in pieces))
            return
        if self._pieces and not self.glued:
            self._pieces.append(Piece("\n", self._stop, self._stop + 1))
        if not self.glued:
            self._n_lines += 1
            self._is_tag = self._is_lead = False
        self._pieces += pieces
        self._stop, self.glued = stop, glued
        if self._tag >= 0 and not glued:
            self._end_tag()

    def _end_tag(self) -> None:
        """Leave a tag out that is but a mark (a bullet, a dash); else await its text."""
        text = "".join(piece.text for piece in self._pieces[self._tag :]).strip()
        self._is_tag = text != "o" and any(map(str.isalnum, text))
        if not self._is_tag:
            del self._pieces[self._tag :]
        self._tag = -1

    def add_tag(self) -> None:
        """Begin a paragraph with a tag, the next line; tags in a row are those of one paragraph."""
        if not self._is_tag:
            self.divide()
        self._tag = len(self._pieces)

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section; with an empty text its heading is the next line."""
        self.divide()
        self.hidden = False
        text = " ".join(text.split())
        self._heading = 0 if text else level
        if text:
            self.parts.append(Heading(level, text))

    def indent(self) -> None:
        """Go in: what is indented under a single line belongs to that line."""
        self._is_lead = bool(self._pieces) and (self._is_tag or self._n_lines == 1)
        self._is_tag = False
        if not self._is_lead:
            self.divide()

    def space(self) -> None:
        """Leave a blank line, which divides paragraphs, but not a tag from what it introduces."""
        if not (self._is_tag or self._is_lead or self.hidden):
            self.divide()

    def hide(self) -> None:
        """Begin a display."""
        self.hidden = True

    def show(self) -> None:
        """End a display."""
        self.hidden = False

    def divide(self) -> None:
        """End the paragraph."""
        if self._pieces:
            self.parts.append(Paragraph(tuple(_merged(_without_bullet(self._pieces)))))
            self._pieces = []
        self._n_lines = self._heading = 0
        self._tag = -1
        self._is_tag = self._is_lead = self.glued = False


def _without_bullet(pieces: list[Piece]) -> list[Piece]:
    """Leave a bullet at the beginning out."""
    n_left_out = 0
    while n_left_out < len(pieces) and not pieces[n_left_out].text.strip(_BULLETS):
        n_left_out += 1
    return pieces[n_left_out:]


def _merged(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Put neighbours together where text and source go on side by side."""
    texts: list[str] = []
    start = end = 0
    for piece in pieces:
        verbatim = len(piece.text) == piece.end - piece.start
        if texts and verbatim and piece.start == end:
            texts.append(piece.text)
            end = piece.end
            continue
        if texts:
            yield Piece("".join(texts), start, end)
            texts = []
        if verbatim:
            texts, start, end = [piece.text], piece.start, piece.end
        else:
            yield piece
    if texts:
        yield Piece("".join(texts), start, end)
