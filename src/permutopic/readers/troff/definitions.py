"""Effects of macros that a page defines, inferred from their bodies.

Macros are not expanded: the text they show comes from their arguments, in order. So it is enough
to know which arguments a macro shows, and whether it ends a paragraph, or begins or ends a display.
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
    """Effects of a macro; `shown_arguments` are the numbers, from 1, of those it prints.

    `joined` is whether no space is between the first two.
    """

    shown_arguments: frozenset[int] = frozenset()
    joined: bool = False
    ends_paragraph: bool = False
    begins_display: bool = False
    ends_display: bool = False


def analyse_macro(body: str) -> MacroDefinition:
    r"""Infer the effects of a macro from its body.

    >>> analyse_macro(".sp\n.nf\n").begins_display
    True
    >>> analyse_macro("\\fI\\\\$1\\fP\\\\$2\n").shown_arguments
    frozenset({1, 2})
    """
    body = _COMMENT.sub("", body)
    names = set(_CALL.findall(body))
    begins, ends = bool(names & {"nf", "EX"}), bool(names & {"fi", "EE"})
    shown_arguments: set[int] = set()
    for line in body.splitlines():
        if not (begins and ends):
            shown_arguments |= _shown(line)
    first, _, rest = body.partition("\\$1")
    between = rest.partition("\\$2")[0] if first != body else ""
    return MacroDefinition(
        frozenset(shown_arguments),
        joined="\\$2" in rest and not re.search(r"\s", between),
        ends_paragraph=bool(names & _DIVIDING),
        begins_display=begins and not ends,
        ends_display=ends and not begins,
    )


def _shown(line: str) -> set[int]:
    """Return the numbers of the arguments that a line prints."""
    numbers = _ARGUMENT.findall(line)
    if not numbers:
        return set()
    calls = _CALL.findall(line)
    if calls and calls[-1] not in _SHOWING:
        return set()
    if "*" in numbers or "@" in numbers:
        return set(range(1, 10))
    return {1} if calls and calls[-1] == "IP" else {int(number) for number in numbers}
