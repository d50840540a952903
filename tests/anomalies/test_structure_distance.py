from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.anomalies import FittedStructures
from permutopic.anomalies.distance import pair_table
from permutopic.errors import InputError

TOPICS = st.lists(st.integers(0, 4), min_size=1, max_size=8)


def pairs_by_counting(topics, n_topics):
    """Count pairs of units; within one unit both positions are of its topic."""
    table = np.zeros((n_topics, n_topics))
    for i, first in enumerate(topics):
        table[first, first] += 1
        for second in topics[i + 1 :]:
            table[first, second] += 2
    return table / len(topics) ** 2


def structure_distance(first, second):
    """The distance between two documents, written out as in the module."""
    n_topics = int(max(np.max(first), np.max(second))) + 1
    tables = [pairs_by_counting(list(topics), n_topics) for topics in (first, second)]
    shares = [np.bincount(topics, minlength=n_topics) / len(topics) for topics in (first, second)]
    return (np.abs(tables[0] - tables[1]).sum() + np.abs(shares[0] - shares[1]).sum()) / 4


@given(TOPICS)
def test_the_table_of_pairs_is_a_count_of_pairs(topics):
    assert pair_table(topics, 5) == pytest.approx(pairs_by_counting(topics, 5))
    assert pair_table(topics, 5).sum() == pytest.approx(1)


@given(TOPICS, TOPICS, TOPICS)
def test_the_distance_is_a_metric(first, second, third):
    there = structure_distance(first, second)
    assert 0 <= there <= 1 + 1e-12
    assert there == pytest.approx(structure_distance(second, first))
    assert structure_distance(first, first) == 0
    detour = structure_distance(first, third) + structure_distance(third, second)
    assert there <= detour + 1e-12


@given(TOPICS, st.integers(1, 4))
def test_a_document_that_is_longer_all_over_is_the_same(topics, times):
    assert structure_distance(topics, np.repeat(topics, times)) == pytest.approx(0, abs=1e-12)


@given(TOPICS, TOPICS)
def test_documents_without_a_common_topic_are_as_far_apart_as_can_be(first, second):
    assert structure_distance(first, np.array(second) + 5) == pytest.approx(1)


@given(st.permutations(range(5)))
def test_only_the_same_order_is_at_no_distance(order):
    distance = structure_distance(order, range(5))
    assert (distance == 0) == (list(order) == list(range(5)))
    # Every swapped pair of five equal topics moves 2/25 of all pairs, and half of it counts.
    swaps = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    assert distance == pytest.approx(swaps * 2 / 25 / 2)


def test_the_order_counts_and_the_shares_count():
    assert structure_distance([0, 1, 2], [0, 2, 1]) < structure_distance([0, 1, 2], [2, 1, 0])
    assert structure_distance([0, 0, 1], [0, 1]) < structure_distance([0, 0, 0, 1], [0, 1])


@given(st.lists(TOPICS, min_size=1, max_size=6), TOPICS)
def test_many_at_a_time_are_as_distant_as_one_by_one(others, topics):
    known = FittedStructures(["x"] * len(others), [np.array(each) for each in others], 5)
    expected = [structure_distance(each, topics) for each in others]
    assert known.distances(topics) == pytest.approx(expected, abs=1e-6)


def test_distances_in_blocks_are_those_in_one(monkeypatch):
    rng = np.random.default_rng(1)
    documents = [rng.integers(0, 3, 5) for _ in range(20)]
    known = FittedStructures([str(n) for n in range(20)], documents, 3)
    whole = known.distances([0, 1])
    monkeypatch.setattr("permutopic.anomalies.distance._BLOCK", 40)
    assert known.distances([0, 1]).tolist() == whole.tolist()


def test_the_nearest_and_the_farthest_leave_the_document_itself_out():
    documents = [np.array(topics) for topics in ([0, 1], [0, 1], [0, 2], [3, 3])]
    known = FittedStructures(["a", "b", "c", "d"], documents, 4)
    near, far = known.extremes([0, 1], 2, [0])
    assert [(other.number, other.title, other.distance) for other in near] == [
        (1, "b", 0.0),
        (2, "c", pytest.approx(0.625)),
    ]
    assert [other.title for other in far] == ["d", "c"]
    assert [other.title for other in known.extremes([0, 1], 1)[0]] == ["a"]
    assert [len(some) for some in known.extremes([0], 9, [0, 1, 2, 3])] == [0, 0]
    assert known.extremes([0], 0) == ((), ())


def test_among_equally_distant_documents_the_first_come_first():
    documents = [np.array(topics) for topics in ([0], [1], [0], [1], [0], [1])]
    known = FittedStructures(list("abcdef"), documents, 2)
    near, far = known.extremes([0], 2)
    assert [other.number for other in near] == [0, 2]
    assert [other.number for other in far] == [1, 3]


def test_titles_have_to_go_with_documents():
    with pytest.raises(InputError, match="2 titles do not go with 1 documents"):
        FittedStructures(["a", "b"], [np.array([0])], 1)
