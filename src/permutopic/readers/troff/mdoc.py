"""The mdoc macro language: .Dt, .Sh, .It, .Fl and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.troff.escapes import Argument, replacement
from permutopic.readers.troff.mdoc_words import CALLED, MdocWords

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.troff.page import ManualPage
    from permutopic.readers.troff.parser import RoffLine, RoffParser

STRINGS = {
    "Aq": "'",
    "Ba": "|",
    "Am": "&",
    "Lt": "<",
    "Gt": ">",
    "Le": "≤",
    "Ge": "≥",
    "<=": "≤",
    ">=": "≥",
    "Ne": "≠",
    "Pm": "±",
    "If": "∞",
    "Pi": "π",
    "Na": "NaN",
    "Lq": "“",
    "Rq": "”",
    "lq": "“",
    "rq": "”",
    "q": '"',
    "R": "®",
    "Tm": "™",
}
_CODE = frozenset(("-literal", "-unfilled"))
_DIVIDING = ("Pp", "Lp", "Rs", "Re")
# Of no interest: dates, the system, anchors, fonts, and displays of one line (commands, code).
_SILENT = ("Dd", "Os", "Tg", "Bk", "Ek", "Bf", "Ef", "D1", "Dl")


class Mdoc:
    """Carries out the macros of a page in the mdoc language."""

    def __init__(self, parser: RoffParser, page: ManualPage) -> None:
        self.parser, self.page = parser, page
        self.name = self.section = ""
        self.own_name = ""
        self.n_macros = 0
        self._spaced = True
        self._displays: list[bool] = []
        self._lists: list[bool] = []
        self._macros: dict[str, Callable[[RoffLine], None]] = {
            "Dt": self._title,
            "Sh": lambda line: self._heading(line, 1),
            "Ss": lambda line: self._heading(line, 2),
            "Bl": self._begin_list,
            "It": self._item,
            "Bd": self._begin_display,
            "Sm": self._spacing,
            "Nm": self._own_name,
            "Nd": self._description,
            "In": self._header,
            "Lk": self._link,
            "Fo": self._function,
            "Fc": self._end_function,
            "Rv": self._returns,
            "Ex": self._exits,
            "St": self._standard,
            "An": self._author,
        }
        self._bare: dict[str, Callable[[], None]] = {
            **dict.fromkeys(_DIVIDING, page.divide),
            "El": self._end_list,
            "Ed": self._end_display,
        }

    def call(self, line: RoffLine) -> None:
        """Carry a macro out."""
        name = line.name or ""
        if name in self._macros:
            self.n_macros += 1
            self._macros[name](line)
        elif name in self._bare:
            self.n_macros += 1
            self._bare[name]()
        elif name in _SILENT:
            self.n_macros += 1
        elif name in CALLED:
            self.n_macros += 1
            self._show(line, self._named(line))
        elif name in self.parser.defined:
            definition = self.parser.defined[name]
            if definition.divides:
                self.page.divide()
            if definition.opens or definition.closes:
                self.page.hidden = definition.opens
            if definition.shows:
                self._show(line, self.parser.arguments(line))

    def _named(self, line: RoffLine) -> list[Argument]:
        """Give the arguments of a line with the name of its macro before them."""
        start = self.parser.source.index(line.name or "", line.at)
        own = Argument(start, start + len(line.name or ""), False)
        return [own, *self.parser.arguments(line)]

    def _show(self, line: RoffLine, arguments: list[Argument]) -> None:
        words = MdocWords(self.parser, self.own_name, self._spaced)
        words.take(arguments)
        if words.joins_before:
            self.page.glued = True
        self.page.add_line(words.pieces, line.stop, glued=words.joins_after or not self._spaced)

    def _shown(self, line: RoffLine) -> str:
        words = MdocWords(self.parser, self.own_name)
        words.take(self.parser.arguments(line))
        return "".join(piece.text for piece in words.pieces)

    def _title(self, line: RoffLine) -> None:
        words = [self.parser.plain(argument) for argument in self.parser.arguments(line)[:2]]
        if not self.name:
            self.name, self.section = (*words, "", "")[:2]

    def _heading(self, line: RoffLine, level: int) -> None:
        self._displays.clear()
        self._lists.clear()
        self.page.add_heading(level, self._shown(line))

    def _update_hidden(self) -> None:
        self.page.hidden = any(self._displays[-1:]) or any(self._lists[-1:])

    def _begin_list(self, line: RoffLine) -> None:
        """Open a list; one in columns is a table, and left out like all tables."""
        self.page.divide()
        self._lists.append(self.page.hidden or "-column" in self._flags(line))
        self._update_hidden()

    def _end_list(self) -> None:
        self.page.divide()
        if self._lists:
            self._lists.pop()
        self._update_hidden()

    def _begin_display(self, line: RoffLine) -> None:
        hides = self.page.hidden or not _CODE.isdisjoint(self._flags(line))
        if not hides:
            self.page.divide()
        self._displays.append(hides)
        self._update_hidden()

    def _end_display(self) -> None:
        if self._displays and not self._displays.pop():
            self.page.divide()
        self._update_hidden()

    def _flags(self, line: RoffLine) -> list[str]:
        return [self.parser.plain(argument) for argument in self.parser.arguments(line)[:9]]

    def _item(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        if arguments:
            self.page.add_tag()
            self._show(line, arguments)
        else:
            self.page.divide()

    def _spacing(self, line: RoffLine) -> None:
        words = self._flags(line)
        self._spaced = words[:1] == ["on"] if words else not self._spaced
        self.page.glued = False

    def _own_name(self, line: RoffLine) -> None:
        """Show the page's name; the first time it is said what it is."""
        arguments = self.parser.arguments(line)
        if arguments and not self.own_name:
            self.own_name = self.parser.plain(arguments[0])[:200]
        self._show(line, self._named(line))

    def _description(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        if arguments:
            dash = Piece("– ", line.at, min(line.at + 3, arguments[0].start))
            shown = self.parser.pieces(arguments[0].start, arguments[-1].end)
            self.page.add_line([dash, *shown], line.stop)

    def _header(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        for argument in arguments[:1]:
            shown = self.parser.argument_pieces(argument)
            before = Piece("<", argument.start, argument.start)
            after = Piece(">", argument.end, argument.end)
            self.page.add_line([before, *shown, after], line.stop)

    def _author(self, line: RoffLine) -> None:
        """Show a name; -split and -nosplit only say how names are laid out."""
        if not self.parser.source.startswith("-", line.start):
            self._show(line, self._named(line))

    def _link(self, line: RoffLine) -> None:
        """Show the words of a link, or its address where it has none."""
        arguments = self.parser.arguments(line)
        self._show(line, arguments[1:] or arguments)

    def _function(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)[:1]
        for argument in arguments:
            shown = self.parser.argument_pieces(argument)
            bracket = Piece("(", argument.end, argument.end)
            self.page.add_line([*shown, bracket], line.stop, glued=True)

    def _end_function(self, line: RoffLine) -> None:
        self.page.glued = True
        self.page.add_line([replacement(")", line.at, line.start)], line.stop)
        if self.parser.arguments(line):
            self.page.glued = True
            self._show(line, self.parser.arguments(line))

    def _names(self, line: RoffLine) -> str:
        """Give the names in the arguments, else that of the page."""
        words = [word for word in self._flags(line) if word != "-std"]
        return ", ".join(words) or self.own_name or self.name.lower()

    def _returns(self, line: RoffLine) -> None:
        text = (
            f"On success {self._names(line)}() returns 0; otherwise it returns -1 and the global "
            "variable errno is set to indicate the error."
        )
        self._say(text, line)

    def _exits(self, line: RoffLine) -> None:
        text = f"The {self._names(line)} utility exits 0 on success, and >0 if an error occurs."
        self._say(text, line)

    def _say(self, text: str, line: RoffLine) -> None:
        shown = self.parser.state.charge(text)
        self.page.add_line([replacement(shown, line.at, line.stop)], line.stop)

    def _standard(self, line: RoffLine) -> None:
        """Show the short name of a standard as it is: p1003.1-2008."""
        arguments = self.parser.arguments(line)
        if arguments and self.parser.source[arguments[0].start] == "-":
            arguments[0] = arguments[0]._replace(start=arguments[0].start + 1)
        self._show(line, arguments)
