"""Headings and paragraphs of a manual page, collected line by line."""

from __future__ import annotations

from permutopic.documents import Heading, Paragraph, Piece, join_pieces

_BULLETS = " \t\n•·●○◦▪‣"


class ManualPage:
    """The parts of a page so far, and the current paragraph.

    While `hidden` (in code and other displays), text is ignored. If `joins_next`, the next line
    follows without a newline.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts: list[Heading | Paragraph] = []
        self.hidden = False
        self.joins_next = False
        self._pieces: list[Piece] = []
        self._stop = 0  # end of the last line with text
        self._n_lines = 0
        self._tag = -1  # index of the first piece of a tag that is not complete
        self._is_tag = False  # the paragraph has only tags so far
        self._is_lead = False  # the paragraph has only one line, which introduces indented text
        self._heading = 0

    def add_line(self, pieces: list[Piece], stop: int, *, joins_next: bool = False) -> None:
        """Add the text of a line, which ends at `stop`, to the paragraph, or to a begun heading."""
        if not pieces or (self.hidden and not self._heading):
            return
        if self._heading:
            self.add_heading(self._heading, "".join(piece.text for piece in pieces))
            return
        if self._pieces and not self.joins_next:
            self._pieces.append(Piece("\n", self._stop, self._stop + 1))
        if not self.joins_next:
            self._n_lines += 1
            self._is_tag = self._is_lead = False
        self._pieces += pieces
        self._stop, self.joins_next = stop, joins_next
        if self._tag >= 0 and not joins_next:
            self._end_tag()

    def _end_tag(self) -> None:
        """End a tag; one that is only a bullet or a dash is dropped."""
        text = "".join(piece.text for piece in self._pieces[self._tag :]).strip()
        self._is_tag = text != "o" and any(map(str.isalnum, text))
        if not self._is_tag:
            del self._pieces[self._tag :]
        self._tag = -1

    def add_tag(self) -> None:
        """Begin a paragraph with a tag, the next line; consecutive tags are in one paragraph."""
        if not self._is_tag:
            self.divide()
        self._tag = len(self._pieces)

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section; if the text is empty, its heading is the next line."""
        self.divide()
        self.hidden = False
        text = " ".join(text.split())
        self._heading = 0 if text else level
        if text:
            self.parts.append(Heading(level, text))

    def indent(self) -> None:
        """Increase the indentation: text indented under a single line is in its paragraph."""
        self._is_lead = bool(self._pieces) and (self._is_tag or self._n_lines == 1)
        self._is_tag = False
        if not self._is_lead:
            self.divide()

    def space(self) -> None:
        """Add a blank line, which ends the paragraph, unless it has only a tag."""
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
            self.parts.append(Paragraph(tuple(join_pieces(_without_bullet(self._pieces)))))
            self._pieces = []
        self._n_lines = self._heading = 0
        self._tag = -1
        self._is_tag = self._is_lead = self.joins_next = False


def _without_bullet(pieces: list[Piece]) -> list[Piece]:
    """Drop a bullet at the beginning."""
    n_left_out = 0
    while n_left_out < len(pieces) and not pieces[n_left_out].text.strip(_BULLETS):
        n_left_out += 1
    return pieces[n_left_out:]
