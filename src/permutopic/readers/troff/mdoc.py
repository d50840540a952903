"""The mdoc macro language: .Dt, .Sh, .It, .Fl and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.troff.escapes import Argument, replacement
from permutopic.readers.troff.macros import MacroLanguage
from permutopic.readers.troff.mdoc_words import CALLED, MdocWords

if TYPE_CHECKING:
    from permutopic.readers.troff.definitions import MacroDefinition
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
# Show no prose: dates, the system, anchors, fonts, displays of one line (commands, code).
_SILENT = ("Dd", "Os", "Tg", "Bk", "Ek", "Bf", "Ef", "D1", "Dl")


class Mdoc(MacroLanguage):
    """Executes the macros of a page in the mdoc language.

    `own_name` is the name that the first .Nm gives the page.
    """

    def __init__(self, parser: RoffParser, page: ManualPage) -> None:
        super().__init__(parser, page)
        self.own_name = ""
        self._spaced = True
        self._displays: list[bool] = []
        self._lists: list[bool] = []
        self._macros = {
            **dict.fromkeys(CALLED, self._phrase),
            **dict.fromkeys(_SILENT, lambda _: None),
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
        self._macros_without_arguments = {
            **dict.fromkeys(_DIVIDING, page.divide),
            "El": self._end_list,
            "Ed": self._end_display,
        }

    def _phrase(self, line: RoffLine) -> None:
        """Show a macro that may also be among the arguments of others."""
        self._show(line, self._named(line))

    def _show_defined(self, line: RoffLine, _: MacroDefinition) -> None:
        self._show(line, self.parser.arguments(line))

    def _named(self, line: RoffLine) -> list[Argument]:
        """Return the arguments of a line, preceded by the name of its macro."""
        start = self.parser.source.index(line.name or "", line.begin)
        own = Argument(start, start + len(line.name or ""), False)
        return [own, *self.parser.arguments(line)]

    def _show(self, line: RoffLine, arguments: list[Argument]) -> None:
        words = MdocWords(self.parser, self.own_name, self._spaced)
        words.take(arguments)
        if words.joins_before:
            self.page.joins_next = True
        self.page.add_line(
            words.pieces, line.stop, joins_next=words.joins_after or not self._spaced
        )

    def _shown(self, line: RoffLine) -> str:
        words = MdocWords(self.parser, self.own_name)
        words.take(self.parser.arguments(line))
        return "".join(piece.text for piece in words.pieces)

    def _heading(self, line: RoffLine, level: int) -> None:
        self._displays.clear()
        self._lists.clear()
        self.page.add_heading(level, self._shown(line))

    def _update_hidden(self) -> None:
        self.page.hidden = any(self._displays[-1:]) or any(self._lists[-1:])

    def _begin_list(self, line: RoffLine) -> None:
        """Begin a list; one in columns is a table and left out, as all tables."""
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
        self.page.joins_next = False

    def _own_name(self, line: RoffLine) -> None:
        """Show the page's name; the first .Nm with an argument sets it."""
        arguments = self.parser.arguments(line)
        if arguments and not self.own_name:
            self.own_name = self.parser.plain(arguments[0])[:200]
        self._show(line, self._named(line))

    def _description(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)
        if arguments:
            dash = Piece("– ", line.begin, min(line.begin + 3, arguments[0].start))
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
        """Show a name; -split and -nosplit only affect the layout."""
        if not self.parser.source.startswith("-", line.start):
            self._show(line, self._named(line))

    def _link(self, line: RoffLine) -> None:
        """Show the text of a link, or its address if it has none."""
        arguments = self.parser.arguments(line)
        self._show(line, arguments[1:] or arguments)

    def _function(self, line: RoffLine) -> None:
        arguments = self.parser.arguments(line)[:1]
        for argument in arguments:
            shown = self.parser.argument_pieces(argument)
            bracket = Piece("(", argument.end, argument.end)
            self.page.add_line([*shown, bracket], line.stop, joins_next=True)

    def _end_function(self, line: RoffLine) -> None:
        self.page.joins_next = True
        self.page.add_line([replacement(")", line.begin, line.start)], line.stop)
        if self.parser.arguments(line):
            self.page.joins_next = True
            self._show(line, self.parser.arguments(line))

    def _names(self, line: RoffLine) -> str:
        """Return the names in the arguments, or else that of the page."""
        words = [word for word in self._flags(line) if word != "-std"]
        return ", ".join(words) or self.own_name or self.name.lower()

    def _returns(self, line: RoffLine) -> None:
        text = (
            f"On success {self._names(line)}() returns 0; otherwise it returns -1 and the global "
            "variable errno is set to indicate the error."
        )
        self._show_sentence(text, line)

    def _exits(self, line: RoffLine) -> None:
        text = f"The {self._names(line)} utility exits 0 on success, and >0 if an error occurs."
        self._show_sentence(text, line)

    def _show_sentence(self, text: str, line: RoffLine) -> None:
        shown = self.parser.state.charge(text)
        self.page.add_line([replacement(shown, line.begin, line.stop)], line.stop)

    def _standard(self, line: RoffLine) -> None:
        """Show the abbreviation of a standard without its dash: p1003.1-2008."""
        arguments = self.parser.arguments(line)
        if arguments and self.parser.source[arguments[0].start] == "-":
            arguments[0] = arguments[0]._replace(start=arguments[0].start + 1)
        self._show(line, arguments)
