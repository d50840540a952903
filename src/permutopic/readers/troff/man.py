"""The man macro language: .TH, .SH, .TP, .BR and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Piece

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.troff.definitions import MacroDefinition
    from permutopic.readers.troff.escapes import Argument
    from permutopic.readers.troff.page import ManualPage
    from permutopic.readers.troff.parser import RoffLine, RoffParser

STRINGS = {"R": "®", "Tm": "™", "lq": "“", "rq": "”"}
_ALTERNATING = ("BR", "RB", "BI", "IB", "IR", "RI")
_JOINED = ("B", "I", "SM", "SB")
_LINKS = ("URL", "MTO")  # of groff's www macros
_DIVIDING = ("PP", "P", "LP", "HP", "RE", "YS")


class Man:
    """Carries out the macros of a page in the man language."""

    def __init__(self, parser: RoffParser, page: ManualPage) -> None:
        self.parser, self.page = parser, page
        self.name = self.section = ""
        self.n_macros = 0
        self._macros: dict[str, Callable[[RoffLine], None]] = {
            "TH": self._title,
            "SH": lambda line: self._heading(line, 1),
            "SS": lambda line: self._heading(line, 2),
            "Sh": lambda line: self._heading(line, 2),  # in old pages made from Perl's pod
            "IP": self._item,
            "SY": self._synopsis,
            "OP": self._option,
            "UR": self._link,
            "MT": self._link,
            "UE": self._end_link,
            "ME": self._end_link,
            "MR": self._reference,
        }
        self._bare: dict[str, Callable[[], None]] = {
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

    def call(self, line: RoffLine) -> None:
        """Carry a macro out, the page's own where the language has none."""
        name = line.name or ""
        if name in self._macros:
            self.n_macros += 1
            self._macros[name](line)
        elif name in self._bare:
            self.n_macros += 1
            self._bare[name]()
        elif name in self.parser.defined:
            self._own(line, self.parser.defined[name])

    def _title(self, line: RoffLine) -> None:
        words = [self.parser.plain(argument) for argument in self.parser.arguments(line)[:2]]
        if not self.name:
            self.name, self.section = (*words, "", "")[:2]

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
        self._show(self._words(self.parser.arguments(line), glued=True), line)

    def _words(self, arguments: list[Argument], *, glued: bool = False) -> list[Piece]:
        """Read arguments with a blank, or nothing, between them."""
        pieces: list[Piece] = []
        last: Argument | None = None
        for argument in arguments:
            if last is not None and not glued:
                pieces.append(Piece(" ", last.end, argument.start))
            pieces += self.parser.argument_pieces(argument)
            last = argument
        return pieces

    def _show(self, pieces: list[Piece], line: RoffLine) -> None:
        self.page.add_line(pieces, line.stop, glued=self.parser.joins_next(line))

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
        """Show an address only where no words stand for it."""
        arguments = self.parser.arguments(line)
        if arguments and self.parser.source.startswith((".UE", ".ME"), line.stop + 1):
            self._show(self.parser.argument_pieces(arguments[0]), line)

    def _end_link(self, line: RoffLine) -> None:
        """Put the punctuation after a link."""
        arguments = self.parser.arguments(line)
        if arguments:
            self.page.glued = True
            self._show(self._words(arguments), line)

    def _named_link(self, line: RoffLine) -> None:
        """Show the words of a link and what follows, or the address where it has none."""
        arguments = self.parser.arguments(line)
        address, words, rest = arguments[:1], arguments[1:2], arguments[2:3]
        shown = words if words and words[0].end > words[0].start else address
        self._show(self._words([*shown, *rest], glued=True), line)

    def _reference(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        pieces = self._words(arguments[:1])
        for section in arguments[1:2]:
            pieces.append(Piece("(", section.start, section.start))
            pieces += self.parser.argument_pieces(section)
            pieces.append(Piece(")", section.end, section.end))
        self._show(pieces + self._words(arguments[2:3]), line)

    def _own(self, line: RoffLine, definition: MacroDefinition) -> None:
        """Carry out what a macro that the page defines seems to do."""
        if definition.divides:
            self.page.divide()
        if definition.opens or definition.closes:
            self.page.hidden = definition.opens
        if definition.shows:
            arguments = enumerate(self.parser.arguments(line), start=1)
            shown = [argument for number, argument in arguments if number in definition.shows]
            self._show(self._words(shown, glued=definition.glued), line)
