"""What holds for every document that any reader gives."""

from __future__ import annotations

from itertools import pairwise


def check(document):
    """Hold a document to its offsets: in the source, in order, apart, and true to the text."""
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
                for mine, theirs in zip(
                    piece.text, document.source[piece.start : piece.end], strict=True
                ):
                    assert mine == theirs or mine.isspace() or len(piece.text) == 1
        assert (unit.start, unit.end) == (unit.pieces[0].start, unit.pieces[-1].end)
    assert all(a.end <= b.start for a, b in pairwise(document.units))
