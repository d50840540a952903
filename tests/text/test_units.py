from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.documents import Document, Piece, Unit
from permutopic.errors import InputError
from permutopic.text.splitting import count_source_words
from permutopic.text.units import ShortUnitCounts, Units


def document(*parts):
    """Make a document whose source is its units, joined by '|'."""
    units, start = [], 0
    for heading, text in parts:
        units.append(Unit(text, heading, None, (Piece(text, start, start + len(text)),)))
        start += len(text) + 1
    return Document("t", tuple(units), "here", "|".join(text for _, text in parts))


PAGE = document(
    ("A", "One two. Three four five!"), ("A", "Six."), ("B", "Seven eight\nnine ten."), ("B", "–")
)


def found(units, page=PAGE):
    cut = units.cut(page)
    return [(unit.heading, unit.text, page.source[unit.start : unit.end]) for unit in cut.units]


def test_paragraphs_are_as_they_were_read():
    assert Units().cut(PAGE) == PAGE


def test_sentences_and_lines_have_their_offsets():
    assert found(Units("sentence")) == [
        ("A", "One two.", "One two."),
        ("A", "Three four five!", "Three four five!"),
        ("A", "Six.", "Six."),
        ("B", "Seven eight\nnine ten.", "Seven eight\nnine ten."),
        ("B", "–", "–"),
    ]
    assert [text for _, text, _ in found(Units("line"))] == [
        "One two. Three four five!", "Six.", "Seven eight", "nine ten.", "–",
    ]  # fmt: skip


def test_a_section_is_what_stands_under_one_heading():
    assert found(Units("section")) == [
        ("A", "One two. Three four five!\n\nSix.", "One two. Three four five!|Six."),
        ("B", "Seven eight\nnine ten.\n\n–", "Seven eight\nnine ten.|–"),
    ]


def test_windows_cross_paragraphs_and_take_the_heading_of_their_middle():
    assert [(h, " ".join(t.split())) for h, t, _ in found(Units("window", window=4))] == [
        ("A", "One two. Three four"),
        ("A", "five! Six. Seven eight"),
        ("B", "nine ten. –"),
    ]


def test_the_middle_of_a_window_counts_and_not_its_beginning_or_end():
    for parts in ((("B", "a"), ("A", "b c d")), (("A", "a b c"), ("B", "d"))):
        assert [unit.heading for unit in Units("window", window=4).cut(document(*parts)).units] == [
            "A"
        ]


def test_a_unit_of_exactly_as_many_words_as_asked_for_is_not_short():
    page = document(("A", "one two"), ("A", "three"))
    assert [u.text for u in Units(min_words=2, short="drop").cut(page).units] == ["one two"]


def test_a_window_has_a_hundred_words_unless_another_number_is_given():
    cut = Units("window").cut(document(("A", "word " * 249 + "end")))
    assert [len(unit.text.split()) for unit in cut.units] == [100, 100, 50]


def test_another_label_begins_another_section():
    units = (Unit("One.", "A", "x"), Unit("Two.", "A", "x"), Unit("Three.", "A", "y"))
    cut = Units("section").cut(Document("t", units, "here"))
    assert [(unit.text, unit.label) for unit in cut.units] == [
        ("One.\n\nTwo.", "x"),
        ("Three.", "y"),
    ]


def test_a_unit_has_no_source_if_a_part_of_it_has_none():
    page = Document("t", (Unit("One.", "A", None, (Piece("One.", 0, 4),)), Unit("Two.", "A")), "h")
    [unit] = Units("section").cut(page).units
    assert (unit.text, unit.start, unit.end) == ("One.\n\nTwo.", -1, -1)


def test_windows_may_overlap():
    texts = [" ".join(t.split()) for _, t, _ in found(Units("window", window=6, step=3))]
    assert texts == [
        "One two. Three four five! Six.",
        "four five! Six. Seven eight nine",
        "Seven eight nine ten. –",
    ]


def test_short_units_are_merged_under_their_heading():
    counts = ShortUnitCounts()
    page = document(
        ("A", "One."), ("A", "Two three."), ("A", "Four."), ("B", "Five."), ("C", "a b")
    )
    cut = Units(min_words=2).cut(page, counts)
    assert [(unit.heading, unit.text) for unit in cut.units] == [
        ("A", "One.\n\nTwo three.\n\nFour."),
        ("B", "Five."),
        ("C", "a b"),
    ]
    assert counts == ShortUnitCounts(merged=2, dropped=0, kept=1)
    assert page.source[cut.units[0].start : cut.units[0].end] == "One.|Two three.|Four."


def test_short_units_may_be_dropped():
    counts = ShortUnitCounts()
    cut = Units(min_words=2, short="drop").cut(PAGE, counts)
    assert [unit.text for unit in cut.units] == [
        "One two. Three four five!",
        "Seven eight\nnine ten.",
    ]
    assert counts == ShortUnitCounts(merged=0, dropped=2, kept=0)


def test_words_are_counted_where_none_are_written_apart():
    page = document(("A", "我来到北京"), ("A", "是"))
    assert len(Units(min_words=2, short="drop").cut(page).units) == 1


def test_a_window_counts_characters_where_no_spaces_are_written():
    page = document(("A", "我来到北京"), ("B", "清华大学 ok"))
    texts = [unit.text for unit in Units("window", window=4).cut(page).units]
    assert texts == ["我来到北", "京\n\n清华大", "学 ok"]
    assert count_source_words("我来到北京 ok") == 6
    assert count_source_words("Beijing 北京 is a city") == 5


def test_units_without_a_source_are_cut_too():
    page = Document("t", (Unit("One. Two.", "A"), Unit("Three.", "A")), "here")
    for kind in ("sentence", "section", "line", "window"):
        assert all((u.start, u.end) == (-1, -1) for u in Units(kind).cut(page).units)


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.text("ab. \n!", min_size=1).filter(str.strip))),
    st.sampled_from(["paragraph", "sentence", "section", "line", "window"]),
    st.integers(0, 4),
    st.sampled_from(["merge", "drop"]),
)
def test_no_visible_character_is_lost_or_moved(parts, kind, min_words, short):
    page = document(*[(heading, text.strip()) for heading, text in parts])
    counts = ShortUnitCounts()
    cut = Units(kind, window=3, min_words=min_words, short=short).cut(page, counts)
    for unit in cut.units:
        inside = page.source[unit.start : unit.end].replace("|", " ")
        assert unit.text.split() == inside.split()
    if counts.dropped == 0:
        everything = " ".join(unit.text for unit in cut.units).split()
        assert everything == page.source.replace("|", " ").split()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "page"}, "kind is one of paragraph, sentence, section, line, window, not 'page'"),
        ({"short": "keep"}, "short is one of merge, drop"),
        ({"window": 0}, r"window \(in words\) must be a whole number of at least 1"),
        ({"step": 0}, "step"),
        ({"window": 5, "step": 6}, r"step must not be longer than the window \(5\)"),
        ({"min_words": -1}, "min_words must be"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Units(**settings)


def test_settings_come_back_from_plain_values():
    settings = Units("window", window=50, step=25, min_words=3, short="drop")
    assert Units.from_dict(settings.as_dict()) == settings
