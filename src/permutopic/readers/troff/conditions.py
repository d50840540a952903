"""Conditions of .if and .ie and numeric expressions, as groff evaluates them for a terminal."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from permutopic.readers.troff.escapes import clamp, line_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from permutopic.readers.troff.escapes import RoffState

_LETTER = re.compile(r"([noetv])(?![A-Za-z0-9])")
_KNOWN = re.compile(r"([dr])[ \t]*([^\s\\]{1,80})|[cmFS][ \t]*\S{1,80}")
_TOKEN = re.compile(
    r"""(?P<number>[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})[a-zA-Z]?
      |\\n(?P<register>[-+]?(?:\(..|\[[^\]\n]{0,80}\]|[^(\[\n]))[uimpnvc]?
      |(?P<width>\\w'[^'\n]{0,80}')[uimpnvc]?
      |(?P<operator>[<>=]=?|[-+*/%&:])
      |(?P<bracket>[()])""",
    re.VERBOSE,
)
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a // b if b else 0,
    "%": lambda a, b: a % b if b else 0,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "&": lambda a, b: int(a > 0 and b > 0),
    ":": lambda a, b: int(a > 0 or b > 0),
}


def condition(
    source: str, start: int, end: int, state: RoffState, defined: Collection[str]
) -> tuple[bool, int]:
    r"""Evaluate the condition that begins at `start`; return its value and its end.

    As in nroff, `n` is true and `t` is false. Anything unknown is false.

    >>> from permutopic.readers.troff.escapes import RoffState
    >>> [condition(text, 0, len(text), RoffState(), ())[0]
    ...  for text in ("n", "!n", r"\n(.g", "'a'b'", "(2>1):0")]
    [True, False, True, False, True]
    """
    negated = False
    while start < end and source[start] in " \t!":
        negated ^= source[start] == "!"
        start += 1
    is_true, at = _evaluate_condition(source, start, end, state, defined)
    return is_true != negated, at


def _evaluate_condition(
    source: str, start: int, end: int, state: RoffState, defined: Collection[str]
) -> tuple[bool, int]:
    if letter := _LETTER.match(source, start, end):
        return letter[1] in "no", letter.end()
    if known := _KNOWN.match(source, start, end):
        names = defined if known[1] == "d" else state.registers
        return known[1] is not None and known[2] in names, known.end()
    if start < end and source[start] in "'\"":
        return _same(source, start, end, state)
    value, at = evaluate(source, start, end, state)
    return value > 0, at


def _same(source: str, start: int, end: int, state: RoffState) -> tuple[bool, int]:
    """Evaluate the comparison of two strings, 'one'other'."""
    middle = source.find(source[start], start + 1, end)
    close = source.find(source[start], middle + 1, end) if middle >= 0 else -1
    if close < 0:
        return False, end
    one, other = (
        "".join(piece.text for piece in line_pieces(source, a, b, state))
        for a, b in ((start + 1, middle), (middle + 1, close))
    )
    return one == other, close + 1


def evaluate(source: str, start: int, end: int, state: RoffState) -> tuple[int, int]:
    """Evaluate a numeric expression from left to right, as troff does; return value and end."""
    stack: list[tuple[int, str]] = []
    value, pending = 0, "+"
    while (token := _TOKEN.match(source, start, end)) is not None:
        if token["operator"]:
            pending = token["operator"]
        elif token[0] == "(":
            stack.append((value, pending))
            value, pending = 0, "+"
        elif token[0] == ")":
            if not stack:
                break
            inner = value
            value, pending = stack.pop()
            value = clamp(int(_OPERATORS[pending](value, inner)))
        else:
            value = clamp(int(_OPERATORS[pending](value, _number(token, state))))
        start = token.end()
    return value, start


def _number(token: re.Match[str], state: RoffState) -> int:
    if token["register"]:
        return state.register(token["register"])
    return int(float(token["number"])) if token["number"] else 1
