"""Documents checked for everything, and the corpus as a whole."""

from __future__ import annotations

import json
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest

from permutopic.anomalies import (
    COLUMNS,
    Habits,
    Limits,
    Passage,
    canonical,
    check_corpus,
    check_structure,
    habits_of,
    make_checker,
    parse_template,
)
from permutopic.errors import InputError

from by_hand import make_inferred

Entry = namedtuple("Entry", "topic name document_share dispersion in_place firmness")
NAMES = ("sea", "hill", "town")
OUTLINE = tuple(
    Entry(topic, name, 1.0, rho, 0.9, word)
    for topic, name, rho, word in zip(
        range(3), NAMES, (3.0, 2.0, None), ("fixed", "loose", None), strict=True
    )
)
ORDERS = [[0, 1, 2]] * 8 + [[2, 0, 1], [0, 1, 1]]
TOPICS = [np.array(order) for order in ORDERS]
TITLES = [f"Place {n}" for n in range(10)]
BAGS = np.array([np.bincount(order, minlength=3) for order in ORDERS])


def checker(**limits):
    return make_checker(OUTLINE, BAGS, [9.0, 9.0], TITLES, TOPICS, Limits(**limits))


def test_a_fitted_document_is_checked_for_structure_alone():
    found = list(checker(unlikely=0.2).check_fitted())
    assert [len(each.findings) for each in found] == [0] * 8 + [1, 1]
    assert [each.kind for each in found[8].findings] == ["misplaced"]
    assert [(each.kind, each.name) for each in found[9].findings] == [("missing", "town")]
    assert {each.passages for each in found} == {None}


def test_a_new_document_is_checked_for_passages_too():
    texts = ["salt " * 30] * 6
    document = make_inferred(texts, [0, 0, 0, 1, 1, 1], n_topics=3)
    strange = replace(document, unknown_words=np.array([0, 0, 40, 0, 0, 0]))
    found = checker(misfit=9, odds=1e6).check(strange)
    assert [(each.kind, each.name) for each in found.findings] == [
        ("missing", "town"),
        ("unknown words", "sea"),
    ]
    assert found.missing[0].certainty == 1.0
    assert found.same == ()


def test_a_document_is_not_compared_with_itself():
    check = checker()
    new = check.check(make_inferred(["x"] * 3, [0, 1, 2], title="Place 3"))
    assert [other.title for other in check.compared(new, 3).nearest] == TITLES[:3]
    seen = make_inferred(["x"] * 3, [0, 1, 2], title="Another title")
    seen = check.check(replace(seen, seen=True, number=1))
    assert [other.title for other in check.compared(seen, 2).nearest] == ["Place 0", "Place 2"]
    *_, last = check.check_fitted()
    assert "Place 9" not in [other.title for other in check.compared(last, 9).nearest]
    assert "Place 9" not in [other.title for other in check.compared(last, 9).farthest]


def test_of_a_document_that_cannot_be_read_nothing_else_is_said():
    whole = make_inferred(["x y"] * 3, [0, 2, 1])
    none = replace(whole, known_words=np.zeros(3, int), unknown_words=np.full(3, 2))
    found = checker(unlikely=1).check(none)
    assert [(each.kind, each.first_unit, each.last_unit) for each in found.findings] == [
        ("unknown words", 1, 3)
    ]
    assert checker(unlikely=1).check(whole).findings != found.findings


def test_against_a_template_its_order_and_entries_count():
    template = parse_template("Town\nSea\nHill\nAir: wind")
    words = (np.full((3, 2), 0.5), np.array([5, 5]), ("a", "b"), str.split)
    held = checker(unlikely=1).against(template, *words)
    first = next(iter(held.check_fitted()))
    assert [(each.kind, each.name) for each in first.findings] == [("misplaced", "Town")]
    assert [each.name for each in held.match.entries if not each.topics] == ["Air"]
    assert [check.swaps for check in held.check_fitted()] == [2] * 8 + [0, 0]


def test_topics_are_said_to_keep_their_place_or_not():
    first, second, third = checker().places
    assert (first.moved, second.moved, third.moved) == (0.0, 0.0, pytest.approx(1 / 9))
    assert first.says() == "sea keeps its place; it moved in 0% of the documents that have it"
    assert second.says().startswith("hill often gives way to later topics; it moved")
    assert third.says() == "town moved in 11% of the documents that have it"


def test_the_corpus_knows_who_strays_and_who_lacks_most():
    check = checker(unlikely=0.2)
    found = check_corpus(check.places, list(check.check_fitted()), 2)
    assert (found.n_documents, found.n_odd) == (10, 2)
    assert [(title, swaps) for title, swaps, _ in found.strays] == [("Place 8", 2)]
    assert found.lacks == (("Place 9", 1),)
    assert json.loads(json.dumps(found.as_dict()))["n_odd"] == 2


def test_the_oddest_document_is_the_one_with_most_surprise():
    habits = Habits(NAMES, np.array([[1, 1, 1]] * 9 + [[1, 0, 1]]), np.array([3.0, 3.0]))
    standard = canonical(habits)
    checks = [
        check_structure(title, topics, standard, Limits(unlikely=0.2))
        for title, topics in (
            ("fine", [0, 1, 2]),
            ("no hill", [0, 0, 2]),
            ("no sea", [1, 1, 2]),
            ("wrong", [1, 0, 2]),
        )
    ]
    assert [each.oddness for each in checks] == [
        0,
        pytest.approx(-np.log(1 - habits.presence.at(3)[1])),
        pytest.approx(-np.log(1e-3)),
        pytest.approx(-np.log(checks[3].misplaced[0].probability)),
    ]


def test_passages_count_where_they_are_more_than_ordinary():
    passage = Passage("no topic", 0, "sea", 1, 1, 0, 9, 30, 0.2, 0.6, None, "x")
    standard = canonical(Habits(NAMES, BAGS, np.array([3.0, 3.0])))
    found = check_structure("x", np.repeat([0, 1, 2], 25), standard)
    few, many = (replace(found, passages=(passage,) * n).oddness for n in (3, 5))
    assert (few, many) == (0, pytest.approx(6))


def test_every_finding_is_a_row_that_a_table_can_hold():
    check = checker(unlikely=0.2)
    found = check.compared(list(check.check_fitted())[8], 1)
    rows = [*found.rows(9), *(place.row() for place in check.places)]
    assert [row["kind"] for row in rows] == ["misplaced", "nearest", "farthest"] + ["place"] * 3
    assert all(set(row) <= set(COLUMNS) for row in rows)
    first = rows[0]
    assert (first["document"], first["title"], first["name"]) == (9, "Place 8", "town")
    assert (first["first_unit"], first["last_unit"], first["certainty"]) == (1, 1, None)
    for row in rows:
        for name, value in row.items():
            assert value is None or isinstance(value, COLUMNS[name] | int), name


def test_a_check_is_plain_values():
    found = checker().compared(next(iter(checker().check_fitted())))
    assert json.loads(json.dumps(found.as_dict()))["title"] == "Place 0"


def test_samples_may_be_none_at_all():
    standard = canonical(habits_of(OUTLINE, BAGS, [9.0, 9.0]))
    none = np.empty((0, 3), dtype=np.int64)
    found = check_structure("x", [0, 1, 1], standard, samples=none)
    assert found.missing[0].certainty is None


def test_where_the_outline_has_no_dispersion_the_models_is_taken():
    bare = [entry._replace(dispersion=None) for entry in OUTLINE]
    assert habits_of(bare, BAGS, [np.inf, 4.0]).dispersion.tolist() == [np.inf, 4.0]
    assert habits_of(OUTLINE, BAGS, [9.0, 9.0]).dispersion.tolist() == [3.0, 2.0]
    unused = BAGS * np.array([1, 0, 1])
    assert habits_of(OUTLINE, unused, [9.0, 9.0]).dispersion.tolist() == [3.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Habits(NAMES, BAGS[:, :2], np.ones(2)), "bags has a row a document and a column"),
        (lambda: Habits(NAMES, BAGS, np.ones(3)), "each topic in use but the last, 2 of them"),
        (lambda: Limits(most=1.5), "most must lie between 0 and 1, not 1.5"),
        (lambda: Limits(odds=-1), "odds must lie between 0 and 1e"),
        (lambda: Limits(words=0), "words must be a whole number of at least 1, not 0"),
        (lambda: Limits(misfit="x"), "misfit must be a finite number, not 'x'"),
    ],
)
def test_what_does_not_go_together_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_limits_are_plain_values():
    assert Limits(words=np.int64(3)).as_dict()["words"] == 3
