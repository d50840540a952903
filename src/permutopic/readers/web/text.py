"""From stretches of a web page's source to the text they stand for, in pieces."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.web.structure import BREAK, CELL, LINK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.readers.web.structure import TextRun

_UNSEEN = dict.fromkeys(map(ord, "\u00ad\ufeff"))
_SPACES = dict.fromkeys(map(ord, "\t\n\f\r"), " ")
# Character references, and what is not seen but would cut words in two: soft hyphens and marks of
# byte order. No reference has more digits, and longer numbers are not for anyone to compute.
_REFERENCE = re.compile(
    r"&(?:#(?:[0-9]{1,9}|[xX][0-9A-Fa-f]{1,8});?|[A-Za-z][A-Za-z0-9]{1,31};?)|[\u00ad\ufeff]"
)


def make_pieces(source: str, runs: Iterable[TextRun], *, keep_lines: bool = False) -> list[Piece]:
    """Give the text of runs; ends of lines are spaces unless kept.

    >>> from permutopic.readers.web.structure import TextRun
    >>> make_pieces("a&lt;b", [TextRun(0, 6, "text")])
    [Piece(text='a', start=0, end=1), Piece(text='<', start=1, end=5), \
Piece(text='b', start=5, end=6)]
    """
    pieces: list[Piece] = []
    for start, end, kind in runs:
        if kind == BREAK:
            pieces.append(Piece("\n", start, end))
        elif kind == CELL:
            pieces.append(Piece("\t", start, end))
        else:
            pieces.extend(_resolve(source, start, end, {} if keep_lines else _SPACES))
    return pieces


def plain_text(source: str, runs: Iterable[TextRun]) -> str:
    """Give the text of runs in one line, without the signs (¶, #) that only link to themselves."""
    runs = [run for run in runs if run.kind != LINK or _says_something(source, run)]
    return " ".join("".join(piece.text for piece in make_pieces(source, runs)).split())


def _says_something(source: str, run: TextRun) -> bool:
    return any(c.isalnum() for piece in make_pieces(source, [run]) for c in piece.text)


def _resolve(source: str, start: int, end: int, spaces: dict[int, str]) -> Iterator[Piece]:
    for reference in _REFERENCE.finditer(source, start, end):
        written = reference.group()
        meant = html.unescape(written).translate(_UNSEEN)
        if meant == written:
            continue
        first, last = reference.span()
        if first > start:
            yield Piece(source[start:first].translate(spaces), start, first)
        if meant:
            yield Piece(meant.translate(spaces), first, last)
        start = last
    if end > start:
        yield Piece(source[start:end].translate(spaces), start, end)
