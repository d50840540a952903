"""The man macro language: .TH, .SH, .TP, .BR and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.troff.macros import MacroLanguage

if TYPE_CHECKING:
    from permutopic.readers.troff.definitions import MacroDefinition
    from permutopic.readers.troff.escapes import Argument
    from permutopic.readers.troff.page import ManualPage
    from permutopic.readers.troff.parser import RoffLine, RoffParser

STRINGS = {"R": "®", "Tm": "™", "lq": "“", "rq": "”"}
_ALTERNATING = ("BR", "RB", "BI", "IB", "IR", "RI")
_JOINED = ("B", "I", "SM", "SB")
_LINKS = ("URL", "MTO")  # of groff's www macros
_DIVIDING = ("PP", "P", "LP", "HP", "RE", "YS")


class Man(MacroLanguage):
    """Executes the macros of a page in the man language."""

    def __init__(self, parser: RoffParser, page: ManualPage) -> None:
        super().__init__(parser, page)
        self._macros = {
            "TH": self._title,
            "SH": lambda line: self._heading(line, 1),
            "SS": lambda line: self._heading(line, 2),
            "Sh": lambda line: self._heading(line, 2),  # of old versions of Pod::Man
            "IP": self._item,
            "SY": self._synopsis,
            "OP": self._option,
            "UR": self._link,
            "MT": self._link,
            "UE": self._end_link,
            "ME": self._end_link,
            "MR": self._reference,
        }
        self._macros_without_arguments = {
            **dict.fromkeys(_DIVIDING, page.divide),
            "RS": page.indent,
            "TP": page.add_tag,
            "TQ": page.add_tag,
            "EX": page.hide,
            "EE": page.show,
        }
        self._macros |= dict.fromkeys(_ALTERNATING, self._alternating)
        self._macros |= dict.fromkeys(_JOINED, self._joined)
        self._macros |= dict.fromkeys(_LINKS, self._named_link)

    def _heading(self, line: RoffLine, level: int) -> None:
        arguments = self.parser.arguments(line)
        self.page.add_heading(level, " ".join(map(self.parser.plain, arguments)))

    def _item(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)[:1]
        tag = self.parser.argument_pieces(arguments[0]) if arguments else []
        if any(piece.text.strip() for piece in tag):
            self.page.add_tag()
            self.page.add_line(tag, line.stop)
        else:
            self.page.divide()

    def _joined(self, line: RoffLine) -> None:
        self._show(self._words(self.parser.arguments(line)), line)

    def _alternating(self, line: RoffLine) -> None:
        self._show(self._words(self.parser.arguments(line), joined=True), line)

    def _words(self, arguments: list[Argument], *, joined: bool = False) -> list[Piece]:
        """Return the pieces of arguments with a blank, or nothing if `joined`, between them."""
        pieces: list[Piece] = []
        last: Argument | None = None
        for argument in arguments:
            if last is not None and not joined:
                pieces.append(Piece(" ", last.end, argument.start))
            pieces += self.parser.argument_pieces(argument)
            last = argument
        return pieces

    def _show(self, pieces: list[Piece], line: RoffLine) -> None:
        self.page.add_line(pieces, line.stop, joins_next=self.parser.joins_next(line))

    def _synopsis(self, line: RoffLine) -> None:
        self.page.divide()
        self._joined(line)

    def _option(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        if arguments:
            words = self._words(arguments)
            begin, end = arguments[0].start, arguments[-1].end
            self._show([Piece("[", begin, begin), *words, Piece("]", end, end)], line)

    def _link(self, line: RoffLine) -> None:
        """Show the address of a link only if the link has no text."""
        arguments = self.parser.arguments(line)
        if arguments and self.parser.source.startswith((".UE", ".ME"), line.stop + 1):
            self._show(self.parser.argument_pieces(arguments[0]), line)

    def _end_link(self, line: RoffLine) -> None:
        """Add the punctuation after a link."""
        arguments = self.parser.arguments(line)
        if arguments:
            self.page.joins_next = True
            self._show(self._words(arguments), line)

    def _named_link(self, line: RoffLine) -> None:
        """Show the text of a link, or its address if it has none, and what follows."""
        arguments = self.parser.arguments(line)
        address, words, rest = arguments[:1], arguments[1:2], arguments[2:3]
        shown = words if words and words[0].end > words[0].start else address
        self._show(self._words([*shown, *rest], joined=True), line)

    def _reference(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        pieces = self._words(arguments[:1])
        for section in arguments[1:2]:
            pieces.append(Piece("(", section.start, section.start))
            pieces += self.parser.argument_pieces(section)
            pieces.append(Piece(")", section.end, section.end))
        self._show(pieces + self._words(arguments[2:3]), line)

    def _show_defined(self, line: RoffLine, definition: MacroDefinition, /) -> None:
        arguments = enumerate(self.parser.arguments(line), start=1)
        shown = [argument for n, argument in arguments if n in definition.shown_arguments]
        self._show(self._words(shown, joined=definition.joined), line)
