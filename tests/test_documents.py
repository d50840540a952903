from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.documents import (
    Heading,
    Paragraph,
    Piece,
    Unit,
    cut_pieces,
    make_document,
    trim_pieces,
)
from permutopic.errors import InputError
from permutopic.extras import needs

from invariant import check

SALT = (Piece("salt ", 0, 5), Piece("&", 5, 10), Piece(" pepper", 10, 17))


def paragraph(text, start=0):
    return Paragraph((Piece(text, start, start + len(text)),))


def made(*parts, **settings):
    return make_document(parts, **{"title": "file", "location": "here", "source": "", **settings})


def outline(document):
    return [(unit.heading, unit.text) for unit in document.units]


def test_a_piece_is_cut_with_its_offsets():
    assert cut_pieces(SALT, 2, 8) == (Piece("lt ", 2, 5), Piece("&", 5, 10), Piece(" p", 10, 12))
    assert cut_pieces(SALT, 5, 6) == (Piece("&", 5, 10),)
    assert cut_pieces(SALT, 0, 13) == SALT
    assert cut_pieces(SALT, 4, 4) == cut_pieces((), 0, 5) == ()
    assert cut_pieces(SALT, 12, 99) == (Piece("r", 16, 17),)


def test_a_replacement_is_cut_as_a_whole():
    long = (Piece("ffi", 3, 4),)
    assert cut_pieces(long, 1, 2) == (Piece("f", 3, 4),)
    assert cut_pieces(long, 1, 3) == (Piece("fi", 3, 4),)


@given(st.lists(st.tuples(st.text(max_size=4), st.integers(0, 6))), st.data())
def test_cuts_are_those_of_the_text_and_lie_in_the_source(parts, data):
    pieces, at = [], 0
    for text, length in parts:
        pieces.append(Piece(text, at, at + length))
        at += length
    whole = "".join(text for text, _ in parts)
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    cut = cut_pieces(tuple(pieces), begin, end)
    assert "".join(piece.text for piece in cut) == whole[begin:end]
    last = 0
    for piece in cut:
        assert piece.text
        assert last <= piece.start <= piece.end <= at
        last = piece.end


def test_white_space_is_trimmed_across_pieces():
    pieces = (
        Piece(" ", 0, 1),
        Piece("", 1, 9),
        Piece("\t a b ", 9, 15),
        Piece("", 15, 20),
    )
    assert trim_pieces(pieces) == (Piece("a b", 11, 14),)
    assert trim_pieces([Piece(" \n", 0, 2), Piece("\u3000", 2, 8)]) == ()
    assert trim_pieces([]) == ()
    kept = (Piece("a", 0, 1),)
    assert trim_pieces(kept) is kept


def test_a_unit_knows_where_it_stands():
    unit = Unit("salt & pepper", "Spices", "s", SALT)
    assert (unit.start, unit.end) == (0, 17)
    first, second = unit.parts([(0, 4), (7, 13)])
    assert (first.text, first.start, first.end) == ("salt", 0, 4)
    assert (second.text, second.start, second.end) == ("pepper", 11, 17)
    assert (second.heading, second.label) == ("Spices", "s")
    bare = Unit("text")
    assert (bare.start, bare.end) == (-1, -1)
    assert bare.parts([(1, 3)]) == [Unit("ex")]


def test_the_only_highest_heading_is_the_title():
    one = made(Heading(2, "Iron"), paragraph("a"), Heading(3, "Uses"), paragraph("b"))
    assert (one.title, outline(one)) == ("Iron", [(None, "a"), ("Uses", "b")])


@pytest.mark.parametrize(
    ("parts", "title", "expected"),
    [
        ((Heading(1, "A"), paragraph("x"), Heading(1, "B"), paragraph("y")), "file", ["A", "B"]),
        ((paragraph("x"), Heading(1, "A"), paragraph("y")), "file", [None, "A"]),
        ((Heading(2, "A"), paragraph("x"), Heading(1, "B"), paragraph("y")), "file", ["A", "B"]),
        ((paragraph(" \n"), Heading(1, "A"), paragraph("y")), "A", [None]),
        ((Heading(1, " "), Heading(2, "A"), paragraph("y")), "A", [None]),
        ((Heading(1, "A"),), "A", []),
        ((Heading(1, "A"), Heading(1, "B"), Heading(1, "C"), paragraph("x")), "file", ["C"]),
        ((), "file", []),
    ],
)
def test_other_headings_are_not(parts, title, expected):
    document = made(*parts)
    assert document.title == title
    assert [unit.heading for unit in document.units] == expected


LINE, LONG = paragraph("2 May, by Ann"), paragraph("Iron rusts. " * 30)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((LINE, Heading(1, "A"), Heading(2, "B"), paragraph("x")), [None, "B"]),
        ((LINE, LINE, Heading(1, "A"), paragraph("x"), Heading(2, "B")), [None, None, None]),
        ((LONG, Heading(1, "A"), LONG, Heading(2, "B"), LINE), [None, None, "B"]),
        ((LINE, Heading(1, "A"), LONG), [None, None]),
        ((LINE, Heading(2, "Site"), Heading(1, "A"), LONG), [None, None]),
    ],
)
def test_a_little_text_may_stand_before_the_title(parts, expected):
    document = made(*parts)
    assert document.title == "A"
    assert [unit.heading for unit in document.units] == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((LONG, Heading(1, "A"), LINE), [None, "A"]),
        ((LONG, Heading(1, "A"), LONG, LONG), [None, "A", "A"]),
        ((LONG, LONG, Heading(1, "A"), LINE, Heading(2, "B"), LONG), [None, None, "A", "A"]),
        ((LINE, Heading(2, "B"), LINE, Heading(1, "A"), LONG), [None, "B", "A"]),
    ],
)
def test_a_heading_after_much_text_or_after_a_section_is_not_the_title(parts, expected):
    document = made(*parts)
    assert document.title == "file"
    assert [unit.heading for unit in document.units] == expected


def test_the_second_of_two_headings_without_text_between_them_is_the_title():
    parts = [Heading(1, "Site"), Heading(2, "All on metals"), Heading(1, "Iron"), paragraph("a")]
    document = made(*parts, Heading(2, "Uses"), paragraph("b"))
    assert (document.title, outline(document)) == ("Iron", [(None, "a"), ("Uses", "b")])


def test_no_text_stands_before_the_title_where_that_is_said():
    parts = [LINE, Heading(1, "A"), Heading(2, "B"), paragraph("x")]
    document = made(*parts, text_before_title=False)
    assert (document.title, outline(document)[1]) == ("file", ("A", "x"))
    assert made(*parts[1:], text_before_title=False).title == "A"


def test_a_title_from_elsewhere_may_stay():
    document = made(Heading(2, "History"), paragraph("x"), title_from_heading=False)
    assert (document.title, outline(document)) == ("file", [("History", "x")])


@pytest.mark.parametrize(
    ("depth", "expected"),
    [(1, ["B", "B", "B", "E"]), (2, ["B", "C", "C", "E"]), (9, ["B", "C", "D", "E"])],
)
def test_the_heading_at_the_depth_asked_for_is_kept_or_the_deepest_above(depth, expected):
    parts = [Heading(1, "A")]
    for level, name in ((2, "B"), (3, "C"), (5, "D"), (2, "E")):
        parts += [Heading(level, name), paragraph(name.lower())]
    assert [unit.heading for unit in made(*parts, depth=depth).units] == expected


def test_headings_and_titles_are_one_line_and_empty_ones_are_none():
    document = made(
        Heading(1, "A\n long\ttitle "), Heading(2, " two\nlines"), paragraph("x"),
        Heading(2, "\n"), paragraph("y"),
    )  # fmt: skip
    assert document.title == "A long title"
    assert outline(document) == [("two lines", "x"), ("two lines", "y")]
    assert made(title="a\nb ").title == "a b"


def test_paragraphs_are_trimmed_and_empty_ones_left_out():
    source = " one \n\n \n\n two"
    document = make_document(
        [paragraph(" one ", 0), paragraph(" ", 7), Paragraph((Piece(" two", 10, 14),), "l")],
        title="t", location="p", source=source,
    )  # fmt: skip
    check(document)
    assert [(u.text, u.start, u.end, u.label) for u in document.units] == [
        ("one", 1, 4, None),
        ("two", 11, 14, "l"),
    ]


def test_a_missing_extra_is_named():
    with pytest.raises(InputError, match=r"^Maps need the extra 'geo': pip install 'permutopic"):
        needs("no_such_module", "geo", "Maps")
    assert needs("json", "none", "nothing").loads("1") == 1


def test_an_extra_that_cannot_be_imported_is_missing(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("raise ImportError('no such library')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"^Maps need the extra 'geo'"):
        needs("half_installed", "geo", "Maps")
