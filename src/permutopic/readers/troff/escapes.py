r"""Text that a stretch of troff source shows: escapes (\fB, \(em, \*(lq) and quoted arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from permutopic.documents import Piece
from permutopic.readers.troff.characters import character, special_character

if TYPE_CHECKING:
    from collections.abc import Iterator

# Maximum length of the argument of an escape, and of a string.
_MAX_ARGUMENT, MAX_LENGTH = 200, 2000
_DELIMITED = "ABCDHLNRSXZbhlovwx"
_NAME = r"(?:\(..|\[[^\]\n]{0,80}\]|[^(\[\n])"
_POSITIVE_MOTION = re.compile(r"\|?\+?\.?0*[1-9]|\\w")


class Argument(NamedTuple):
    """Offsets of an argument of a macro, without its quotes."""

    start: int
    end: int
    quoted: bool


@dataclass
class RoffState:
    """Strings, registers and translations that a page has defined so far.

    `strings` are plain text: their escapes are resolved where they are defined, so no string can
    grow without bound or contain itself. `budget` is how many characters of them may still be
    shown.
    """

    strings: dict[str, str] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=lambda: {".g": 1, ".x": 1, ".y": 23})
    steps: dict[str, int] = field(default_factory=dict)
    translated: dict[str, str] = field(default_factory=dict)
    escape: str = "\\"
    budget: int = MAX_LENGTH

    def string(self, reference: str) -> str:
        r"""Return the string of a reference, the part of \*(xx after \*."""
        return self.charge(self.strings.get(bare_name(reference), ""))

    def charge(self, text: str) -> str:
        """Return expanded text and reduce the budget by its length; "" if that is exceeded."""
        self.budget -= len(text)
        return text if self.budget >= 0 else ""

    def register(self, reference: str) -> int:
        r"""Return the register of a reference, the part after \n; + or − increments it first."""
        sign = reference[:1] if reference[:1] in ("+", "-") else ""
        name = bare_name(reference[len(sign) :])
        if sign:
            step = self.steps.get(name, 0) * (1 if sign == "+" else -1)
            self.registers[name] = clamp(self.registers.get(name, 0) + step)
        return self.registers.get(name, 0)


def clamp(value: int) -> int:
    """Limit a number to the range of troff's."""
    return max(min(value, 2**31), -(2**31))


def bare_name(reference: str) -> str:
    """Return the name in a reference (xx, [xx] or x.

    >>> bare_name("(lq"), bare_name("[lq]"), bare_name("R")
    ('lq', 'lq', 'R')
    """
    if reference[:1] == "(":
        return reference[1:]
    return reference[1:-1] if reference[:1] == "[" else reference


@cache
def _escape_pattern(escape: str) -> re.Pattern[str]:
    escaped = re.escape(escape)
    return re.compile(
        rf"""{escaped}(?:
          (?P<mute>[fFgkmMVY](?:{escaped}\*{_NAME}|{_NAME})
            |s(?:[-+]?\(..|\([-+]..|[-+]?\[[^\]\n]{{0,20}}\]|[-+]?'[^'\n]{{0,20}}'
                |[-+]\d|[123]\d|\d)?
            |\${_NAME} |O\d? |[&)%:/,|^!?acdpruzE{{}}\n] |\r\n)
         |(?P<blank>[ ~0t])
         |(?P<string>\*{_NAME})
         |(?P<register>n[-+]?{_NAME})
         |(?P<name>\(..|\[[^\]\n]{{0,80}}\])
         |(?P<delimited>[{_DELIMITED}][^\sA-Za-z0-9{escaped}])
         |(?P<comment>["#])
         |(?P<typed>.))""",
        re.VERBOSE,
    )


@cache
def _argument_pattern(escape: str) -> re.Pattern[str]:
    escaped = re.escape(escape)
    return re.compile(
        rf'(?:[ ]|{escaped}\r?\n)*+(?:"(?P<quoted>(?:[^"{escaped}]++|""|{escaped}.)*+)"?'
        rf"|(?P<word>(?:[^ {escaped}]++|{escaped}.)++))",
        re.DOTALL,
    )


@cache
def _uncommented(escape: str) -> re.Pattern[str]:
    escaped = re.escape(escape)
    return re.compile(rf'(?:[^{escaped}]++|{escaped}[^"#])*+', re.DOTALL)


def end_of_code(source: str, start: int, end: int, escape: str) -> int:
    r"""Return the end of a stretch without trailing white space and a \" comment."""
    if escape and (
        source.find(f'{escape}"', start, end) >= 0 or source.find(f"{escape}#", start, end) >= 0
    ):
        found = _uncommented(escape).match(source, start, end)
        end = found.end() if found else end
    while end > start and source[end - 1] in " \t\r":
        end -= 1
    return end


def arguments(source: str, start: int, end: int, escape: str) -> list[Argument]:
    r"""Split the arguments of a macro; in quotes, "" is one quote.

    >>> source = 'BI "int " x ", char" y\\ z'
    >>> [source[a.start : a.end] for a in arguments(source, 3, len(source), "\\")]
    ['int ', 'x', ', char', 'y\\ z']
    """
    end = end_of_code(source, start, end, escape)
    if not escape:
        escape = "\0"  # occurs in no source
    found = []
    for match in _argument_pattern(escape).finditer(source, start, end):
        group = match.lastgroup or "word"
        found.append(Argument(match.start(group), match.end(group), group == "quoted"))
    return found


def argument_pieces(source: str, argument: Argument, state: RoffState) -> list[Piece]:
    """Return the text that an argument shows."""
    start, end, quoted = argument
    if not quoted or source.find('""', start, end) < 0:
        return line_pieces(source, start, end, state)
    found = []
    while (at := source.find('""', start, end)) >= 0:
        found += line_pieces(source, start, at, state)
        found.append(Piece('"', at, at + 2))
        start = at + 2
    return found + line_pieces(source, start, end, state)


def line_pieces(source: str, start: int, end: int, state: RoffState) -> list[Piece]:
    r"""Return the text that a stretch of source shows, up to a comment.

    >>> [piece.text for piece in line_pieces(r"the \fBls\fP \*(lq", 0, 18, RoffState({"lq": "“"}))]
    ['the ', 'ls', ' ', '“']
    """
    escape = state.escape
    if not escape or source.find(escape, start, end) < 0:
        return [Piece(source[start:end], start, end)] if end > start else []
    return list(_escaped(source, start, end, state))


def ends_joined(source: str, start: int, end: int, state: RoffState) -> bool:
    r"""Whether a line ends in \c, so that the next one follows without a space."""
    escape = state.escape
    if not escape or source.find(f"{escape}c", start, end) < 0:
        return False
    found = [match.end() for match in _escape_pattern(escape).finditer(source, start, end)]
    return found[-1:] == [end] and source.endswith(f"{escape}c", start, end)


def _escaped(source: str, start: int, end: int, state: RoffState) -> Iterator[Piece]:
    pattern = _escape_pattern(state.escape)
    while (match := pattern.search(source, start, end)) is not None:
        if match.start() > start:
            yield Piece(source[start : match.start()], start, match.start())
        if match.lastgroup == "comment":
            return
        start = match.end()
        if match.lastgroup == "mute":
            continue
        if match.lastgroup == "delimited":
            start, text = _delimited(source, match, end, state)
        else:
            text = _shown(match, state)
        if text:
            yield replacement(text, match.start(), start)
    if end > start and source[end - 1] == state.escape:  # without effect at the end
        end -= 1
    if end > start:
        yield Piece(source[start:end], start, end)


def replacement(text: str, start: int, end: int) -> Piece:
    """Make a piece of another length than its span, so that it is not taken as verbatim."""
    return Piece(text, start, end - 1 if len(text) == end - start > 1 else end)


def _shown(match: re.Match[str], state: RoffState) -> str:
    kind, text = match.lastgroup, match[0][1:]
    if kind == "blank":
        return " "
    if kind == "string":
        return state.string(text[1:])
    if kind == "register":
        return str(state.register(text[1:]))
    if kind == "name":
        name = bare_name(text)
        return state.translated.get(name) or special_character(name)
    return state.escape if text == "e" else text


def _delimited(source: str, match: re.Match[str], end: int, state: RoffState) -> tuple[int, str]:
    """Parse an escape with an argument between quotes; return its end and its text."""
    begin = match.end()
    close = _closing(source, begin, min(begin + _MAX_ARGUMENT, end), state.escape)
    if close < 0:
        return begin, ""
    kind, argument = match[0][1], source[begin:close]
    text = ""
    if kind == "h":
        text = " " if _POSITIVE_MOTION.match(argument) else ""
    elif kind == "C":
        text = special_character(argument)
    elif kind == "N":
        text = character(int(argument)) if re.fullmatch(r"[0-9]{1,7}", argument) else ""
    elif kind == "o" and state.escape not in argument:
        text = argument[:1]
    return close + 1, text


def _closing(source: str, begin: int, end: int, escape: str) -> int:
    """Return the offset of the quote that closes an argument with nested escapes; −1 if none."""
    closing_quotes = [source[begin - 1]]
    at = begin
    while at < end:
        current = source[at]
        if current == closing_quotes[-1]:
            closing_quotes.pop()
            if not closing_quotes:
                return at
        elif current == escape and at + 2 < end:
            at += 1
            if source[at] in _DELIMITED and not (source[at + 1].isalnum() or source[at + 1] == " "):
                at += 1
                closing_quotes.append(source[at])
        at += 1
    return -1
