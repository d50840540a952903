r"""Parser of troff requests: lines, conditions, strings and definitions; macros are yielded.

As for a terminal, `.if n` is true and `.if t` is false. Tables, equations, pictures, comments and
the bodies of definitions are skipped. Macros that a page defines are not expanded, so time is
linear in the source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from permutopic.readers.troff import escapes
from permutopic.readers.troff.characters import special_character
from permutopic.readers.troff.conditions import condition, evaluate
from permutopic.readers.troff.definitions import MacroDefinition, analyse_macro

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.documents import Piece
    from permutopic.readers.troff.escapes import Argument

_NAME = re.compile(r"[^\s\\]*+")
_GAP = re.compile(r"[ \t]*+")
_WIDE_GAP = re.compile(r"(?:[ \t]|\\\r?\n)*+")
_BRACE = re.compile(r"(?:[ \t]|\\\r?\n)*+\\\{(?:[ \t]|\\\r?\n)*+")
_BRACES = re.compile(r'\\(?:(?P<open>\{)|(?P<close>\})|["#][^\n]*|.)', re.DOTALL)
_LINE = re.compile(r'(?:[^\\\n]++|\\\r?\n|\\[^"#\n])*+(?:\\["#][^\n]*+|\\)?')
_SKIPPED = {
    name: re.compile(rf"^[.'][ \t]*{end}\b[^\n]*", re.MULTILINE)
    for name, end in (("TS", "TE"), ("EQ", "EN"), ("PS", "P[EF]"))
}
_PAIR = re.compile(r"\\(\(..|\[[^\]\n]{0,80}\])(\\(?:\(..|\[[^\]\n]{0,80}\])|[^\\])?|[^\\].?")


class RoffLine(NamedTuple):
    """A line of text (`name` is None), or the call of a macro.

    `start` and `end` are the offsets of the text or the arguments, `begin` and `stop` those of the
    whole line without its end-of-line.
    """

    name: str | None
    start: int
    end: int
    begin: int
    stop: int


class RoffParser:
    """Processes the requests in the source of a page and yields text and macros."""

    def __init__(self, source: str, strings: dict[str, str]) -> None:
        self.source = source
        self.state = escapes.RoffState(dict(strings), budget=len(source) + escapes.MAX_LENGTH)
        self.defined: dict[str, MacroDefinition] = {}
        self.included = ""
        self._control = ".'"
        self._at = self._stop = 0
        self._else_branches: list[bool] = []
        self._unclosed: set[str] = set()
        self._requests: dict[str, Callable[[int, int], None]] = {
            "if": self._if,
            "ie": self._ie,
            "el": self._el,
            "while": self._while,
            "nop": self._nop,
            "de": self._define,
            "de1": self._define,
            "am": self._define,
            "am1": self._define,
            "ig": self._ignore,
            "als": self._alias,
            "rm": self._remove,
            "ds": self._string,
            "ds1": self._string,
            "as": self._append,
            "as1": self._append,
            "nr": self._register,
            "tr": self._translate,
            "so": self._include,
            "cc": self._change_control,
            "ec": self._change_escape,
        }

    def lines(self) -> Iterator[RoffLine]:
        """Yield the lines of text and the macro calls of the page."""
        source, size = self.source, len(self.source)
        self._stop = -1
        while self._at < size:
            at = self._at
            if at > self._stop:  # else the rest of a line after a true condition
                self._stop = self._end_of_line(at)
            stop = self._stop
            self._at = stop + 1
            if at < stop and source[at] in self._control:
                line = self._call(at, stop)
                if line is not None:
                    yield line
            else:
                end = escapes.end_of_code(source, at, stop, self.state.escape)
                yield RoffLine(None, at, end, at, stop)

    def arguments(self, line: RoffLine) -> list[Argument]:
        """Return the arguments of a macro call."""
        return escapes.arguments(self.source, line.start, line.end, self.state.escape)

    def pieces(self, start: int, end: int) -> list[Piece]:
        """Return the text that a stretch of source shows."""
        return escapes.line_pieces(self.source, start, end, self.state)

    def argument_pieces(self, argument: Argument) -> list[Piece]:
        """Return the text that an argument shows."""
        return escapes.argument_pieces(self.source, argument, self.state)

    def plain(self, argument: Argument) -> str:
        """Return the text that an argument shows as a string."""
        return "".join(piece.text for piece in self.argument_pieces(argument))

    def joins_next(self, line: RoffLine) -> bool:
        r"""Whether the next line follows without a space: the line ends in \c."""
        return escapes.ends_joined(self.source, line.start, line.end, self.state)

    def _end_of_line(self, at: int) -> int:
        r"""Return the end of a line; a backslash before the newline continues the line."""
        stop = self.source.find("\n", at)
        stop = len(self.source) if stop < 0 else stop
        before = self.source[max(stop - 2, at) : stop]
        if not before.rstrip("\r").endswith("\\") or not self.state.escape:
            return stop
        found = _LINE.match(self.source, at)
        return found.end() if found else stop

    def _call(self, at: int, stop: int) -> RoffLine | None:
        """Execute a request and return None, or return the call of a macro."""
        start = _end(_GAP, self.source, at + 1, stop)
        after = _end(_NAME, self.source, start, stop)
        name = self.source[start:after]
        start = _end(_GAP, self.source, after, stop)
        if name == "do":  # executes the request that follows
            after = _end(_NAME, self.source, start, stop)
            name, start = self.source[start:after], _end(_GAP, self.source, after, stop)
        if name == "eo":
            self.state.escape = ""
        if name in self._requests:
            self._requests[name](start, stop)
            return None
        if name in _SKIPPED and name not in self.defined and self._skip(name, stop):
            return None
        return RoffLine(name, start, stop, at, stop) if name else None

    def _skip(self, name: str, start: int) -> bool:
        """Skip a table, an equation or a picture, if it has an end."""
        if name in self._unclosed:
            return False
        found = _SKIPPED[name].search(self.source, start)
        if found is None:
            self._unclosed.add(name)
            return False
        self._at = found.end() + 1
        return True

    def _if(self, start: int, stop: int) -> None:
        self._branch(*self._evaluate_condition(start, stop), stop)

    def _ie(self, start: int, stop: int) -> None:
        is_true, start = self._evaluate_condition(start, stop)
        self._else_branches.append(not is_true)
        self._branch(is_true, start, stop)

    def _el(self, start: int, stop: int) -> None:
        self._branch(bool(self._else_branches) and self._else_branches.pop(), start, stop)

    def _while(self, start: int, stop: int) -> None:
        self._branch(False, self._evaluate_condition(start, stop)[1], stop)

    def _nop(self, start: int, stop: int) -> None:
        self._branch(True, start, stop)

    def _evaluate_condition(self, start: int, stop: int) -> tuple[bool, int]:
        return condition(self.source, start, stop, self.state, self.defined)

    def _branch(self, is_true: bool, start: int, stop: int) -> None:
        r"""Continue with the body of a condition, or skip it: a line, or all up to \}."""
        brace = _BRACE.match(self.source, start)
        if is_true:
            begin = brace.end() if brace else _end(_WIDE_GAP, self.source, start, stop)
            self._at = begin if begin < stop else max(begin, stop + 1)
            return
        if brace is None:
            return
        depth = 0
        self._at = len(self.source)
        for found in _BRACES.finditer(self.source, start):
            depth += (found["open"] is not None) - (found["close"] is not None)
            if depth == 0:
                stop = self.source.find("\n", found.end())
                self._at = stop + 1 if stop >= 0 else len(self.source)
                break

    def _body(self, end: str, stop: int) -> tuple[int, int]:
        """Return the ends of the body of a definition and of the line that ends it."""
        pattern = re.compile(
            rf"^[.'][ \t]*{re.escape(end or '.')}(?:[ \t\r\\][^\n]*)?$", re.MULTILINE
        )
        found = pattern.search(self.source, stop)
        return (found.start(), found.end() + 1) if found else (len(self.source), len(self.source))

    def _define(self, start: int, stop: int) -> None:
        names = self._words(start, stop)
        body_end, self._at = self._body(names[1] if len(names) > 1 else "", stop)
        if names:
            self.defined[names[0]] = analyse_macro(self.source[stop + 1 : body_end])

    def _ignore(self, start: int, stop: int) -> None:
        names = self._words(start, stop)
        _, self._at = self._body(names[0] if names else "", stop)

    def _alias(self, start: int, stop: int) -> None:
        names = self._words(start, stop)
        if len(names) > 1 and names[1] in self.defined:
            self.defined[names[0]] = self.defined[names[1]]

    def _remove(self, start: int, stop: int) -> None:
        for name in self._words(start, stop):
            self.defined.pop(name, None)

    def _string(self, start: int, stop: int) -> None:
        self._set_string(start, stop, "")

    def _append(self, start: int, stop: int) -> None:
        self._set_string(start, stop, self.state.strings.get(self._first_word(start, stop), ""))

    def _set_string(self, start: int, stop: int, before: str) -> None:
        r"""Define a string by the text it shows; a leading quote preserves blanks."""
        name = self._first_word(start, stop)
        start = _end(_GAP, self.source, start + len(name), stop)
        if start < stop and self.source[start] == '"':
            start += 1
        stop = min(stop, start + escapes.MAX_LENGTH)
        text = self.source[start:stop].replace("\\\\", "\\")
        shown = escapes.line_pieces(text, 0, len(text), self.state)
        shown_text = before + "".join(piece.text for piece in shown)
        if name:
            self.state.strings[name] = shown_text[: escapes.MAX_LENGTH]

    def _register(self, start: int, stop: int) -> None:
        name = self._first_word(start, stop)
        start = _end(_GAP, self.source, start + len(name), stop)
        relative = start < stop and self.source[start] in "+-"
        value, start = evaluate(self.source, start, stop, self.state)
        registers = self.state.registers
        registers[name] = escapes.clamp(value + (registers.get(name, 0) if relative else 0))
        start = _end(_GAP, self.source, start, stop)
        self.state.steps[name] = evaluate(self.source, start, stop, self.state)[0]

    def _translate(self, start: int, stop: int) -> None:
        r"""Record translations of special characters; those of typed ones are ignored."""
        for pair in _PAIR.finditer(self.source, start, stop):
            if pair[1]:
                name, to = escapes.bare_name(pair[1]), pair[2] or " "
                shown = special_character(escapes.bare_name(to[1:])) if to[0] == "\\" else to
                self.state.translated[name] = shown

    def _include(self, start: int, stop: int) -> None:
        self.included = self.included or self._first_word(start, stop)

    def _change_control(self, start: int, stop: int) -> None:
        given = self.source[start:stop].strip()
        self._control = (given[:1] or ".") + "'"

    def _change_escape(self, start: int, stop: int) -> None:
        given = self.source[start:stop].strip()[:1] or "\\"
        # A letter or a blank as the escape character is surely a mistake.
        if given.isascii() and not given.isalnum():
            self.state.escape = given

    def _first_word(self, start: int, stop: int) -> str:
        return self.source[start : _end(_NAME, self.source, start, stop)]

    def _words(self, start: int, stop: int) -> list[str]:
        end = escapes.end_of_code(self.source, start, stop, "\\")
        return self.source[start : min(end, start + 400)].split()


def _end(pattern: re.Pattern[str], source: str, start: int, stop: int) -> int:
    """Return the end of the match of a pattern that also matches the empty string."""
    found = pattern.match(source, start, stop)
    return found.end() if found else start
