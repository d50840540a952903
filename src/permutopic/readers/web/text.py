"""Text of runs of a web page's source, as pieces."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.web.structure import BREAK, CELL, LINK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.readers.web.structure import TextRun

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\ufeff"))
_SPACES = dict.fromkeys(map(ord, "\t\n\f\r"), " ")
# Character references, soft hyphens and byte-order marks; the latter two are invisible and would
# split words. The number of digits is bounded: no valid reference has more.
_REFERENCE = re.compile(
    r"&(?:#(?:[0-9]{1,9}|[xX][0-9A-Fa-f]{1,8});?|[A-Za-z][A-Za-z0-9]{1,31};?)|[\u00ad\ufeff]"
)


def make_pieces(source: str, runs: Iterable[TextRun], *, keep_lines: bool = False) -> list[Piece]:
    """Return the text of runs; ends of lines become spaces unless `keep_lines`.

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
    """Return the text of runs in one line, without links that have only a sign (¶, #)."""
    runs = [run for run in runs if run.kind != LINK or _has_alphanumeric(source, run)]
    return " ".join("".join(piece.text for piece in make_pieces(source, runs)).split())


def _has_alphanumeric(source: str, run: TextRun) -> bool:
    return any(c.isalnum() for piece in make_pieces(source, [run]) for c in piece.text)


def _resolve(source: str, start: int, end: int, spaces: dict[int, str]) -> Iterator[Piece]:
    for reference in _REFERENCE.finditer(source, start, end):
        written = reference.group()
        resolved = html.unescape(written).translate(_INVISIBLE)
        if resolved == written:
            continue
        first, last = reference.span()
        if first > start:
            yield Piece(source[start:first].translate(spaces), start, first)
        if resolved:
            yield Piece(resolved.translate(spaces), first, last)
        start = last
    if end > start:
        yield Piece(source[start:end].translate(spaces), start, end)
