"""The invariant of every document that a reader makes."""

from __future__ import annotations

from itertools import pairwise


def check(document):
    """Assert that pieces are in the source, in order, without overlap, and spell the text."""
    assert isinstance(document.title, str)
    assert document.location
    last = 0
    for unit in document.units:
        assert unit.text == unit.text.strip()
        assert unit.text == "".join(piece.text for piece in unit.pieces)
        assert unit.text
        for piece in unit.pieces:
            assert last <= piece.start <= piece.end <= len(document.source)
            last = piece.end
            if len(piece.text) == piece.end - piece.start:
                for shown, original in zip(
                    piece.text, document.source[piece.start : piece.end], strict=True
                ):
                    assert shown == original or shown.isspace() or len(piece.text) == 1
        assert (unit.start, unit.end) == (unit.pieces[0].start, unit.pieces[-1].end)
    assert all(a.end <= b.start for a, b in pairwise(document.units))


def traced(unit, source):
    """Return the pieces of a unit, each with its source text where that differs."""
    pairs = [(piece.text, source[piece.start : piece.end]) for piece in unit.pieces]
    return [text if text == there else (text, there) for text, there in pairs]
