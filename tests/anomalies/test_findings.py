"""Findings in sentences, and names and numbers as sentences have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from permutopic.anomalies.findings import Extra, Misplaced, Missing, UnusualPassage
from permutopic.anomalies.formatting import format_probability, join_names

PASSAGE = UnusualPassage(
    "no topic", 0, "sea, salt", 2, 2, 10, 19, 30, 0.25, 0.6, "Town: hall", "salt  and\nice"
)


@pytest.mark.parametrize(
    ("share", "rarefied", "told"),
    [(0.25, 0.15, " (15% if none were longer than this one)"), (0.25, 0.16, "")],
)
def test_the_share_among_shorter_documents_is_told_where_it_is_a_tenth_less(share, rarefied, told):
    missing = Missing(2, "Uses", share, rarefied, None)
    assert missing.describe() == f"has no Uses: 25% of the documents have it{told}"
    assert missing.probability == pytest.approx(1 - rarefied)


@pytest.mark.parametrize(
    ("kind", "last_unit", "sentence"),
    [
        ("no topic", 2, "unit 2 fits no topic (25% of the words unknown)"),
        ("no topic", 4, "units 2–4 fit no topic (25% of the words unknown)"),
        ("unknown words", 2, "unit 2: 25% of the words are unknown to the model"),
        ("other topic", 2, "unit 2 reads like “Town: hall” and is in “sea, salt”"),
        ("other topic", 3, "units 2–3 read like “Town: hall” and are in “sea, salt”"),
    ],
)
def test_a_passage_is_described_by_its_kind_and_its_first_words(kind, last_unit, sentence):
    found = replace(PASSAGE, kind=kind, last_unit=last_unit)
    assert found.describe() == f"{sentence}: “salt and ice”"
    assert replace(found, text="").describe() == sentence


def test_sixty_characters_of_a_passage_are_quoted():
    for text, quoted in (
        ("x" * 60, "x" * 60),
        ("x" * 61, f"{'x' * 60} …"),
        (f"{'x' * 59} yy", f"{'x' * 59} …"),
    ):
        assert replace(PASSAGE, text=text).describe().endswith(f": “{quoted}”")


@pytest.mark.parametrize(("early", "side"), [(True, "before"), (False, "after")])
def test_a_misplaced_topic_is_described_by_those_it_has_passed(early, side):
    found = Misplaced(2, "c", 1, 1, early, ("a", "b"), 1, 3, 0.034, "a", 0.1, None)
    extent = "early" if early else "late"
    assert found.describe() == (
        f"c stands {side} a and b: 3.4% of documents with these topics have it that {extent}"
    )


def test_a_finding_has_the_columns_of_its_kind():
    extra = Extra(3, "d, e", 2, 5, 0.5, 0.75)
    assert extra.describe() == "has “d, e”, which has no place here"
    assert extra.row() == {
        "topic": 3, "name": "d, e", "first_unit": 2, "last_unit": 5, "certainty": 0.75
    }  # fmt: skip
    assert Missing(2, "Uses", 0.9, 0.75, 0.5).row() == {
        "topic": 2, "name": "Uses", "probability": 0.25, "certainty": 0.5
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (("a",), "a"),
        (("a", "b: c"), "a and “b: c”"),
        (("a", "b", "c", "d"), "a, b, c and d"),
        (("a", "b", "c", "d", "e"), "a, b, c and 2 others"),
    ],
)
def test_up_to_four_names_are_all_listed(names, joined):
    assert join_names(names) == joined


def test_the_least_probability_that_has_digits_is_a_hundredth_of_a_percent():
    assert [format_probability(p) for p in (1e-4, 0.99e-4)] == ["0.01%", "fewer than 0.01%"]
