"""What a macro that a page defines itself does, told by looking at its body.

Macros are not run: what they show comes from their arguments, in order, and it is enough to know
whether a macro shows them, divides paragraphs, or begins or ends a display.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_CALL = re.compile(r"(?:^|[ \t{])[.'][ \t]*([A-Za-z]{1,9})", re.MULTILINE)
_COMMENT = re.compile(r'\\["#][^\n]*')
_ARGUMENT = re.compile(r"\\\$([1-9*@])")
_DIVIDING = frozenset(re.findall(r"\w+", "PP P LP TP TQ IP HP RS RE SH SS Pp It sp"))
_SHOWING = frozenset(re.findall(r"\w+", "if ie el B I BR RB BI IB IR RI SM SB IP nop"))


class MacroDefinition(NamedTuple):
    """What a macro does: `shows` has the numbers of the arguments that it prints."""

    shows: frozenset[int] = frozenset()
    glued: bool = False
    divides: bool = False
    opens: bool = False
    closes: bool = False


def analyse_macro(body: str) -> MacroDefinition:
    r"""Tell what a macro does from its body.

    >>> analyse_macro(".sp\n.nf\n").opens, analyse_macro("\\fI\\\\$1\\fP\\\\$2\n").shows
    (True, frozenset({1, 2}))
    """
    body = _COMMENT.sub("", body)
    names = set(_CALL.findall(body))
    begins, ends = bool(names & {"nf", "EX"}), bool(names & {"fi", "EE"})
    shows: set[int] = set()
    for line in body.splitlines():
        if not (begins and ends):
            shows |= _shown(line)
    first, _, rest = body.partition("\\$1")
    between = rest.partition("\\$2")[0] if first != body else ""
    return MacroDefinition(
        frozenset(shows),
        glued="\\$2" in rest and not re.search(r"\s", between),
        divides=bool(names & _DIVIDING),
        opens=begins and not ends,
        closes=ends and not begins,
    )


def _shown(line: str) -> set[int]:
    """Give the numbers of the arguments that a line prints."""
    numbers = _ARGUMENT.findall(line)
    if not numbers:
        return set()
    calls = _CALL.findall(line)
    if calls and calls[-1] not in _SHOWING:
        return set()
    if "*" in numbers or "@" in numbers:
        return set(range(1, 10))
    return {1} if calls and calls[-1] == "IP" else {int(number) for number in numbers}
