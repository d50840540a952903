"""Documents checked for all kinds of findings, the report and its table."""

from __future__ import annotations

import json
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest

from permutopic.anomalies import (
    FINDING_COLUMNS,
    Thresholds,
    TopicUsage,
    UnusualPassage,
    canonical_outline,
    check_structure,
    make_checker,
    parse_template,
    summarize_checks,
)
from permutopic.anomalies.check_report import CheckReport
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


def checker(**thresholds):
    return make_checker(OUTLINE, BAGS, [9.0, 9.0], TITLES, TOPICS, Thresholds(**thresholds))


def test_a_fitted_document_is_checked_for_structure_alone():
    found = list(checker(unlikely=0.2).check_fitted())
    assert [len(each.findings) for each in found] == [0] * 8 + [1, 1]
    assert [each.kind for each in found[8].findings] == ["misplaced"]
    assert [(each.kind, each.name) for each in found[9].findings] == [("missing", "town")]
    assert {each.passages for each in found} == {None}


def test_a_new_document_is_checked_for_passages_too():
    texts = ["salt " * 30] * 6
    document = make_inferred(texts, [0, 0, 0, 1, 1, 1], n_topics=3)
    unusual = replace(document, unknown_words=np.array([0, 0, 40, 0, 0, 0]))
    found = checker(misfit=9, odds=1e6).check(unusual)
    assert [(each.kind, each.name) for each in found.findings] == [
        ("missing", "town"),
        ("unknown words", "sea"),
    ]
    assert found.missing[0].certainty == 1.0
    assert found.fitted_number == -1


def test_thresholds_samples_and_location_of_a_new_document_count():
    swapped = make_inferred(["x"] * 3, [2, 0, 1], title="Rome")
    assert checker(unlikely=0.001).check(swapped).findings == ()
    found = checker(unlikely=0.2).check(swapped)
    assert [(each.kind, each.name, each.certainty) for each in found.findings] == [
        ("misplaced", "town", 1.0)
    ]
    assert (found.title, found.location, found.topics) == ("Rome", "Rome.txt", (2, 0, 1))
    unsure = replace(swapped, samples=np.array([[2, 0, 1], [0, 1, 2], [0, 1, 2]]))
    assert checker(unlikely=0.2).check(unsure).findings == ()


def test_a_document_is_not_compared_with_itself():
    check = checker()
    new = check.check(make_inferred(["x"] * 3, [0, 1, 2], title="Place 3"))
    assert [other.title for other in check.with_neighbours(new, 3).nearest] == TITLES[:3]
    seen = make_inferred(["x"] * 3, [0, 1, 2], title="Another title")
    seen = check.check(replace(seen, seen=True, number=1))
    assert [other.title for other in check.with_neighbours(seen, 2).nearest] == [
        "Place 0",
        "Place 2",
    ]
    *_, last = check.check_fitted()
    assert "Place 9" not in [other.title for other in check.with_neighbours(last, 9).nearest]
    assert "Place 9" not in [other.title for other in check.with_neighbours(last, 9).farthest]


def test_a_document_of_unknown_words_has_no_other_finding():
    whole = make_inferred(["x y"] * 3, [0, 2, 1])
    none = replace(whole, known_words=np.zeros(3, int), unknown_words=np.full(3, 2))
    found = checker(unlikely=1).check(none)
    assert [(each.kind, each.first_unit, each.last_unit) for each in found.findings] == [
        ("unknown words", 1, 3)
    ]
    assert (found.passages[0].score, found.passages[0].words) == (1.0, 6)
    half = replace(none, known_words=np.array([2, 2, 0]), unknown_words=np.array([0, 2, 2]))
    (passage,) = checker(unlikely=1).check(half).passages
    assert (passage.score, passage.unknown, passage.words) == (0.5, 0.5, 8)
    less = checker(unlikely=1, unknown=0.51, words=9).check(half)
    assert "unknown words" not in {each.kind for each in less.findings}
    assert checker(unlikely=1).check(whole).findings != found.findings


def test_against_a_template_its_order_and_entries_count():
    template = parse_template("Town\nSea\nHill\nAir: wind")
    words = (np.full((3, 2), 0.5), np.array([5, 5]), ("a", "b"), str.split)
    held = checker(unlikely=1).with_template(template, *words)
    first = next(iter(held.check_fitted()))
    assert [(each.kind, each.name) for each in first.findings] == [("misplaced", "Town")]
    assert [each.name for each in held.match.entries if not each.topics] == ["Air"]
    assert [check.swaps for check in held.check_fitted()] == [2] * 8 + [0, 0]


def test_topics_are_described_by_how_firmly_they_keep_their_position():
    first, second, third = checker().positions
    assert (first.moved, second.moved, third.moved) == (0.0, 0.0, pytest.approx(1 / 9))
    assert first.describe() == "sea keeps its place; it moved in 0% of the documents that have it"
    assert second.describe().startswith("hill often gives way to later topics; it moved")
    assert third.describe() == "town moved in 11% of the documents that have it"
    assert replace(third, name="hall, inn").describe().startswith("“hall, inn” moved in 11%")
    assert (second.document_share, second.dispersion, second.in_place) == (1.0, 2.0, 0.9)
    assert second.row() == {
        "kind": "place", "topic": 1, "name": "hill", "probability": 0.0, "score": 2.0,
        "says": second.describe(),
    }  # fmt: skip


def test_the_summary_has_the_documents_with_most_swaps_and_most_missing_topics():
    check = checker(unlikely=0.2)
    found = summarize_checks(check.positions, list(check.check_fitted()), 2)
    assert (found.n_documents, found.n_anomalous) == (10, 2)
    assert [(title, swaps) for title, swaps, _ in found.most_swaps] == [("Place 8", 2)]
    assert found.most_missing == (("Place 9", 1),)


def test_the_anomaly_score_is_the_surprisal_of_the_findings():
    usage = TopicUsage(NAMES, np.array([[1, 1, 1]] * 9 + [[1, 0, 1]]), np.array([3.0, 3.0]))
    outline = canonical_outline(usage)
    checks = [
        check_structure(title, topics, outline, Thresholds(unlikely=0.2))
        for title, topics in (
            ("fine", [0, 1, 2]),
            ("no hill", [0, 0, 2]),
            ("no sea", [1, 1, 2]),
            ("wrong", [1, 0, 2]),
        )
    ]
    assert [each.anomaly_score for each in checks] == [
        0,
        pytest.approx(-np.log(1 - usage.document_shares.rarefied(3)[1])),
        pytest.approx(-np.log(1e-3)),
        pytest.approx(-np.log(checks[3].misplaced[0].probability)),
    ]


def test_those_that_deviate_most_come_first_and_no_more_than_asked_for():
    outline = canonical_outline(TopicUsage(NAMES, np.ones((9, 3), dtype=int), np.array([3.0, 3.0])))
    topics = {"none": [0, 1, 2], "one": [0, 2, 1], "three": [2, 1, 0], "two": [2, 0, 1]}
    topics |= {"lacks two": [1] * 9, "lacks one": [1, 2] * 5, "lacks two more": [2] * 9}
    topics |= {"one of two": [1, 0]}  # fewer are expected of two topics
    checks = [check_structure(title, order, outline) for title, order in topics.items()]
    found = summarize_checks((), checks)
    assert [(title, swaps) for title, swaps, _ in found.most_swaps] == [
        ("three", 3), ("two", 2), ("one of two", 1)
    ]  # fmt: skip
    assert found.most_swaps[0][2] == pytest.approx(checks[0].expected_swaps)
    assert found.most_missing == (("lacks two", 2), ("lacks two more", 2), ("lacks one", 1))
    assert CheckReport(checks, checker()).summary().most_swaps == found.most_swaps
    fewer = summarize_checks((), checks, 1)
    assert (len(fewer.most_swaps), len(fewer.most_missing)) == (1, 1)


def test_an_extra_topic_counts_by_how_sure_it_is():
    outline = canonical_outline(TopicUsage(NAMES, np.array([[1, 1, 0]] * 9), np.array([3.0])))
    document, samples = [0, 1, 2], np.array([[0, 1, 2]] * 4 + [[0, 1, 1]])
    without, with_samples = (
        check_structure("x", document, outline, samples=some).anomaly_score
        for some in (None, samples)
    )
    assert without == pytest.approx(-np.log(0.5))
    assert with_samples == pytest.approx(-np.log(1 - 0.8))


def test_passages_count_where_they_are_more_than_ordinary():
    passage = UnusualPassage("no topic", 0, "sea", 1, 1, 0, 9, 30, 0.2, 0.6, None, "x")
    outline = canonical_outline(TopicUsage(NAMES, BAGS, np.array([3.0, 3.0])))
    found = check_structure("x", np.repeat([0, 1, 2], 25), outline)
    few, many = (replace(found, passages=(passage,) * n).anomaly_score for n in (3, 5))
    assert (few, many) == (0, pytest.approx(6))


def test_every_finding_is_a_row_that_a_table_can_hold():
    check = checker(unlikely=0.2)
    found = check.with_neighbours(list(check.check_fitted())[8], 1)
    rows = [*found.rows(9), *(position.row() for position in check.positions)]
    assert [row["kind"] for row in rows] == ["misplaced", "nearest", "farthest"] + ["place"] * 3
    assert all(set(row) <= set(FINDING_COLUMNS) for row in rows)
    first = rows[0]
    assert (first["document"], first["title"], first["name"]) == (9, "Place 8", "town")
    assert (first["first_unit"], first["last_unit"], first["certainty"]) == (1, 1, None)
    for row in rows:
        for name, value in row.items():
            kind = FINDING_COLUMNS[name]
            kind = list if kind == list[str] else kind | int
            assert value is None or isinstance(value, kind), name


def test_a_report_is_a_sequence_with_a_table_and_a_summary():
    check = checker(unlikely=0.2)
    report = check.report(nearest=1)
    checks = [check.with_neighbours(each, 1) for each in check.check_fitted()]
    assert list(report) == checks
    assert (len(report), report[8], report[-1]) == (10, checks[8], checks[9])
    assert report[8:] == tuple(checks[8:])
    assert repr(report) == "<CheckReport: 2 of 10 documents have findings>"
    rows = [row for number, each in enumerate(checks, 1) for row in each.rows(number)]
    rows += [position.row() for position in check.positions]
    assert list(report.table()) == rows == list(check.table(nearest=1))
    assert report.summary() == summarize_checks(check.positions, checks)
    assert list(report) == list(report)


def test_the_table_ends_with_the_rows_of_a_template():
    words = (np.full((3, 2), 0.5), np.array([5, 5]), ("a", "b"), str.split)
    held = checker().with_template(parse_template("Sea\nAir: wind"), *words)
    kinds = [row["kind"] for row in held.report([], nearest=0).table()]
    assert kinds == ["place"] * 3 + ["no topic fits"] + ["not in template"] * 2


def test_documents_are_checked_one_by_one_at_every_pass_over_a_table():
    n_made = 0

    def documents():
        nonlocal n_made
        for _ in range(3):
            n_made += 1
            yield make_inferred(["x"] * 2, [0, 1], n_topics=3)

    table = checker().table(documents, nearest=1)
    assert n_made == 0
    rows = iter(table)
    assert (next(rows)["document"], n_made) == (1, 1)
    first, second = list(table), list(table)
    assert first == second
    assert {row.get("document") for row in first} == {1, 2, 3, None}
    with pytest.raises(InputError, match="nearest must be a whole number of at least 0, not -1"):
        checker().report(nearest=-1)


def test_samples_may_be_none_at_all():
    outline = canonical_outline(TopicUsage.from_outline(OUTLINE, BAGS, [9.0, 9.0]))
    none = np.empty((0, 3), dtype=np.int64)
    found = check_structure("x", [0, 1, 1], outline, samples=none)
    assert found.missing[0].certainty is None


def test_where_the_outline_has_no_dispersion_the_models_is_taken():
    bare = [entry._replace(dispersion=None) for entry in OUTLINE]
    assert TopicUsage.from_outline(bare, BAGS, [np.inf, 4.0]).dispersion.tolist() == [np.inf, 4.0]
    assert TopicUsage.from_outline(OUTLINE, BAGS, [9.0, 9.0]).dispersion.tolist() == [3.0, 2.0]
    unused = BAGS * np.array([1, 0, 1])
    assert TopicUsage.from_outline(OUTLINE, unused, [9.0, 9.0]).dispersion.tolist() == [3.0]


def test_where_no_topic_is_in_use_none_precedes_another():
    unused = TopicUsage(("a", "b"), np.zeros((3, 2), dtype=int), np.zeros(0))
    assert (unused.used.tolist(), unused.ranks.tolist()) == ([], [-1, -1])
    assert unused.precedence.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: TopicUsage(NAMES, BAGS[:, :2], np.ones(2)),
            "bags has a row a document and a column",
        ),
        (lambda: TopicUsage(NAMES, BAGS, np.ones(3)), "each topic in use but the last, 2 of them"),
        (lambda: Thresholds(most=1.5), "most must lie between 0 and 1, not 1.5"),
        (lambda: Thresholds(odds=-1), "odds must lie between 0 and 1e"),
        (lambda: Thresholds(words=0), "words must be a whole number of at least 1, not 0"),
        (lambda: Thresholds(misfit="x"), "misfit must be a finite number, not 'x'"),
    ],
)
def test_what_does_not_go_together_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_three_neighbours_are_named_unless_another_number_is_asked_for():
    check = checker()
    first = next(iter(check.check_fitted()))
    for found in (check.with_neighbours(first), check.report()[0]):
        assert (len(found.nearest), len(found.farthest)) == (3, 3)
    rows = [row["kind"] for row in check.table() if row.get("document") == 1]
    assert rows == ["nearest"] * 3 + ["farthest"] * 3


def test_thresholds_are_those_of_the_documentation():
    assert vars(Thresholds()) == {
        "most": 0.5, "unlikely": 0.02, "sure": 0.5, "misfit": 0.5, "odds": 20.0, "rate": 0.5,
        "unknown": 0.5, "words": 20,
    }  # fmt: skip
    for name in ("most", "unlikely", "sure", "unknown"):
        for bound in (0, 1):
            assert getattr(Thresholds(**{name: bound}), name) == bound
        with pytest.raises(InputError, match=f"{name} must lie between 0 and 1"):
            Thresholds(**{name: 1.01})


def test_thresholds_are_plain_values():
    assert json.dumps(vars(Thresholds(words=np.int64(3)))).endswith('"words": 3}')
