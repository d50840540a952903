from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers.plain import read, split_paragraphs
from permutopic.readers.source import Source
from permutopic.text.units import Units

from invariant import check


def read_bytes(content, **settings):
    source = Source(None, "a.txt", "a", io.BytesIO(content))
    [document] = read(source, ReadOptions(**settings), ReadLog())
    check(document)
    return document


def offsets(text):
    return [(unit.text, unit.start, unit.end) for unit in read_bytes(text.encode()).units]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_divide_and_single_ends_of_lines_do_not(end):
    width = len(end)
    text = f"One{end}two.{end}{end}Three.{end} \t{end}{end}Four"
    first, second = 7 + width, 7 + 3 * width
    assert offsets(text) == [
        (f"One{end}two.", 0, first),
        ("Three.", second, second + 6),
        ("Four", second + 8 + 3 * width, second + 12 + 3 * width),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb", ["a\r\nb"]),
        ("a\r\n\r\nb", ["a", "b"]),
        ("a\n\rb", ["a", "b"]),
        ("a\r\rb", ["a", "b"]),
        ("a\r\n\nb", ["a", "b"]),
        ("a\n\fb", ["a\n\fb"]),
        ("a\n\f\nb", ["a", "b"]),
        ("a\n\u3000\nb", ["a", "b"]),
        ("a\n\xa0\u2003\x0b\nb", ["a", "b"]),
        ("\n\n a \n\n\n\n b\n\n", ["a", "b"]),
        ("\ufeffa", ["\ufeffa"]),
        ("a b", ["a b"]),
        ("", []),
        (" ", []),
        ("\n\n\r\n \f \r", []),
    ],
)
def test_paragraphs_are_what_blank_lines_divide(text, expected):
    [*parts] = split_paragraphs(text)
    texts = ["".join(piece.text for piece in part.pieces).strip() for part in parts]
    assert [text for text in texts if text] == expected


def test_paragraphs_have_no_headings_and_the_title_is_the_files():
    document = read_bytes("# Größe\r\n\r\nText 😀 here.".encode())
    assert (document.title, document.location) == ("a", "a.txt")
    assert document.source == "# Größe\r\n\r\nText 😀 here."
    assert [(u.text, u.heading, u.start, u.end) for u in document.units] == [
        ("# Größe", None, 0, 7),
        ("Text 😀 here.", None, 11, 23),
    ]


def test_offsets_count_from_where_the_text_stands():
    [first, second] = split_paragraphs("a\n\nb", offset=10)
    assert (first.pieces[0].start, second.pieces[0].start) == (10, 13)


def test_a_mark_is_no_part_of_the_text():
    assert offsets("\ufeffOne.") == [("One.", 0, 4)]


def test_lines_may_be_units_whatever_ends_them():
    document = Units("line").cut(read_bytes(b"one\r\ntwo\rthree\n four \r\n\r\nfive"))
    assert [(u.text, u.start, u.end) for u in document.units] == [
        ("one", 0, 3), ("two", 5, 8), ("three", 9, 14), ("four", 16, 20), ("five", 25, 29),
    ]  # fmt: skip


def test_nul_and_other_encodings_are_refused():
    with pytest.raises(ReadError, match="character 1 is NUL"):
        read_bytes(b"a\0b")
    with pytest.raises(ReadError, match=r"byte 0 \(0xff\) in line 1 is not UTF-8"):
        read_bytes(b"\xff")
    assert read_bytes(b"caf\xe9", encoding="latin-1").units[0].text == "café"


TEXT = st.text(st.sampled_from("ab .\n\r\t\f\x0b\x85\u2028\u3000é😀"), max_size=30)


@given(
    st.one_of(st.binary(max_size=50), TEXT.map(str.encode), TEXT.map(lambda t: t.encode("utf-16")))
)
@example(b"\r\n" * 1000)
def test_any_bytes_are_a_document_or_an_error(content):
    try:
        document = read_bytes(content)
    except ReadError:
        return
    everything = " ".join(unit.text for unit in document.units)
    assert everything.split() == document.source.split()
    for unit in document.units:
        assert unit.text == document.source[unit.start : unit.end]


@pytest.mark.parametrize("text", ["\n" + " " * 200_000, "\n \r" * 100_000, "a\n " * 100_000])
def test_white_space_without_end_is_gone_through_once(text):
    assert len(list(split_paragraphs(text))) <= 2


def test_offsets_count_from_where_the_text_stands_in_its_source():
    found = [paragraph.pieces for paragraph in split_paragraphs("One.\n\nTwo.", 100)]
    assert found == [(("One.", 100, 104),), (("Two.", 106, 110),)]
