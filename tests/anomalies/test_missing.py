from __future__ import annotations

import numpy as np
import pytest

from permutopic.anomalies import ExpectedOutline, Thresholds, TopicUsage, canonical_outline
from permutopic.anomalies.missing import find_extra, find_missing

BAGS = np.array([[1, 2, 0, 1], [2, 1, 0, 0], [1, 3, 0, 0], [1, 2, 0, 1]])
USAGE = TopicUsage(("a", "b", "c", "d"), BAGS, np.array([1.0, 1.0]))  # nobody has c
OUTLINE = canonical_outline(USAGE)


def names(found):
    return [each.name for each in found]


def test_a_topic_that_most_have_is_missed():
    (found,) = find_missing(np.array([1, 1, 1, 3]), OUTLINE, Thresholds())
    assert (found.topic, found.name, found.share, found.certainty) == (0, "a", 1.0, None)
    assert found.rarefied_share == pytest.approx(OUTLINE.document_shares.rarefied(4)[0])


def test_how_many_are_most_can_be_set():
    document = np.array([0, 1, 1, 1])
    assert names(find_missing(document, OUTLINE, Thresholds(most=0.5))) == ["d"]
    assert find_missing(document, OUTLINE, Thresholds(most=0.51)) == ()
    assert names(find_missing(np.array([1] * 4), OUTLINE, Thresholds(most=0.51))) == ["a"]


def test_nothing_is_missing_that_a_document_is_too_short_for():
    bags = np.full((20, 8), 2)
    outline = canonical_outline(TopicUsage(tuple("abcdefgh"), bags, np.ones(7)))
    assert find_missing(np.array([3]), outline, Thresholds()) == ()
    assert find_missing(np.array([3, 3]), outline, Thresholds()) == ()
    assert len(find_missing(np.array([3] * 16), outline, Thresholds())) == 7


def test_a_topic_of_no_document_is_never_missing():
    assert "c" not in names(find_missing(np.array([0]), OUTLINE, Thresholds(most=0)))


def test_how_sure_a_lack_is_comes_from_samples():
    samples = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 3, 3], [1, 1, 1, 0]])
    document = np.array([1, 1, 1, 1])
    found = find_missing(document, OUTLINE, Thresholds(most=0.1), samples)
    assert [(each.name, each.certainty) for each in found] == [("a", 0.5), ("d", 0.75)]
    found = find_missing(document, OUTLINE, Thresholds(most=0.1, sure=0.6), samples)
    assert names(found) == ["d"]


def test_a_template_wants_all_it_has_whoever_else_has_it():
    entry_of = np.array([1, 0, -1, 0])  # B is made of b and d
    template = ExpectedOutline(("B", "A", "nothing fits"), entry_of, USAGE, all_required=True)
    (found,) = find_missing(np.array([3]), template, Thresholds(most=1))
    assert (found.name, found.topic) == ("A", 0)
    (found,) = find_missing(np.array([0]), template, Thresholds(most=1))
    assert (found.name, found.topic, found.share) == ("B", None, 1.0)
    samples = np.array([[0], [1], [3], [0]])
    assert find_missing(np.array([0]), template, Thresholds(sure=0), samples)[0].certainty == 0.5


def test_a_topic_without_a_slot_is_extra():
    entry_of = np.array([0, 1, -1, -1])
    template = ExpectedOutline(("A", "B"), entry_of, USAGE, all_required=True)
    document = np.array([0, 3, 3, 2, 1])
    found = find_extra(document, template, Thresholds())
    assert [(each.name, each.first_unit, each.last_unit) for each in found] == [
        ("d", 2, 3),
        ("c", 4, 4),
    ]
    samples = np.array([document, [0, 3, 3, 1, 1], [0, 3, 1, 1, 1]])
    assert [
        (e.name, e.certainty) for e in find_extra(document, template, Thresholds(), samples)
    ] == [("d", 1.0)]


def test_a_topic_of_no_fitted_document_is_extra_in_the_models_own_outline():
    assert names(find_extra(np.array([0, 2]), OUTLINE, Thresholds())) == ["c"]
    assert find_extra(np.array([0, 1]), OUTLINE, Thresholds()) == ()
