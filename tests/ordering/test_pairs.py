"""Which piece before which, and the order that gets most pairs right."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from permutopic.ordering import pairs
from permutopic.ordering.pairs import improve_order, piece_precedence, rank_by_pairs
from permutopic.ordering.positions import N_POSITIONS, PositionCounts


def counts_with(topic_pairs):
    topic_pairs = np.array(topic_pairs, dtype=np.int64)
    return PositionCounts(
        np.ones((1, N_POSITIONS), dtype=np.int32),
        np.ones((len(topic_pairs), N_POSITIONS), dtype=np.int64),
        topic_pairs,
    )


TOPICS = counts_with([[0, 5, 8], [1, 0, 2], [0, 3, 0]])


def posteriors(n_pieces, n_topics, seed):
    rng = np.random.default_rng(seed)
    found = rng.dirichlet(np.full(n_topics * N_POSITIONS, 0.05), n_pieces)
    return found.reshape(n_pieces, n_topics, N_POSITIONS)


def certain(topic, position, n_topics=3):
    found = np.zeros((n_topics, N_POSITIONS))
    found[topic, position] = 1
    return found


def before_plainly(first, second, topic_pairs):
    by_topic = by_position = 0.0
    for k in range(first.shape[0]):
        for m in range(first.shape[0]):
            seen, other = topic_pairs[k][m] + 1, topic_pairs[m][k] + 1
            by_topic += first[k].sum() * second[m].sum() * seen / (seen + other)
    for x in range(N_POSITIONS):
        for y in range(N_POSITIONS):
            chance = 1.0 if x < y else 0.5 if x == y else 0.0
            by_position += first[:, x].sum() * second[:, y].sum() * chance
    return (by_topic + by_position) / 2


def test_two_estimates_are_averaged():
    found = posteriors(4, 3, 0)
    table = piece_precedence(found, found, TOPICS)
    for a in range(4):
        for b in range(4):
            expected = before_plainly(found[a], found[b], TOPICS.topic_pairs)
            assert table[a, b] == pytest.approx(expected)


def test_one_of_two_pieces_stands_before_the_other():
    found = posteriors(5, 3, 1)
    table = piece_precedence(found, found, TOPICS)
    assert table + table.T == pytest.approx(np.ones((5, 5)))


def total(margin, order):
    return sum(margin[a, b] for n, a in enumerate(order) for b in order[n + 1 :])


@given(st.integers(1, 7), st.integers(0, 10**6))
@settings(max_examples=60)
def test_where_pairs_agree_the_best_of_all_orders_is_found(n_items, seed):
    rng = np.random.default_rng(seed)
    worth = rng.permutation(n_items) + rng.random(n_items) / 2
    margin = worth[:, None] - worth
    found = improve_order(margin, rng.permutation(n_items))
    assert found.tolist() == np.argsort(-worth).tolist()
    best = max(total(margin, order) for order in permutations(range(n_items)))
    assert total(margin, found) == pytest.approx(best)


@given(st.integers(2, 7), st.integers(0, 10**6))
@settings(max_examples=60)
def test_where_pairs_contradict_no_single_move_betters_the_order(n_items, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_items, n_items))
    margin = table - table.T
    start = rng.permutation(n_items)
    found = improve_order(margin, start)
    assert sorted(found) == list(range(n_items))
    reached = total(margin, found)
    assert reached >= total(margin, start) - 1e-9
    for position in range(n_items):
        rest = np.delete(found, position)
        for slot in range(n_items):
            moved = np.insert(rest, slot, found[position])
            assert total(margin, moved) <= reached + 1e-6


@given(st.integers(2, 6), st.integers(0, 10**6))
@settings(max_examples=40)
def test_of_posteriors_the_order_with_the_greatest_expected_tau_is_found(n_pieces, seed):
    found = posteriors(n_pieces, 3, seed)
    ranks = rank_by_pairs(found, np.ones(n_pieces, dtype=np.int64), TOPICS)
    table = piece_precedence(found, found, TOPICS)
    sums = [total(table, order) for order in permutations(range(n_pieces))]
    assert total(table, np.argsort(ranks).tolist()) == pytest.approx(max(sums))


def test_ranks_count_pieces_not_distinct_ones():
    found = np.array([certain(0, 15), certain(0, 1), certain(0, 8)])
    ranks = rank_by_pairs(found, np.array([1, 3, 2]), TOPICS)
    assert ranks.tolist() == [5.0, 1.0, 3.5]


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_two_equal_pieces_are_one_of_multiplicity_two(seed):
    found = posteriors(4, 3, seed)
    once = rank_by_pairs(found, np.array([1, 2, 1, 1]), TOPICS)
    twice = rank_by_pairs(found[[0, 1, 1, 2, 3]], np.ones(5, dtype=np.int64), TOPICS)
    assert twice.tolist() == once[[0, 1, 1, 2, 3]].tolist()


def test_in_a_contradiction_many_pieces_outweigh_few():
    # Nearly always 0 before 1 and 1 before 2, and a little more often than not 2 before 0.
    ring = counts_with([[0, 50, 4], [0, 0, 50], [5, 0, 0]])
    found = np.array([certain(topic, 9) for topic in range(3)])
    assert rank_by_pairs(found, np.array([1, 1, 1]), ring).tolist() == [0, 1, 2]
    many = rank_by_pairs(found, np.array([100, 1, 100]), ring)
    assert many[2] < many[0]


def test_what_is_as_probable_either_way_shares_a_rank():
    found = np.array([certain(0, 9), certain(1, 9), certain(0, 2), certain(0, 9)])
    even = counts_with([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    assert rank_by_pairs(found, np.ones(4, dtype=np.int64), even).tolist() == [2, 2, 0, 2]


def test_a_great_many_are_sorted_by_how_many_each_stands_after(monkeypatch):
    found = posteriors(8, 3, 5)
    sizes = np.array([1, 2, 1, 1, 3, 1, 1, 1])
    monkeypatch.setattr(pairs, "MAX_SEARCHED", 7)
    ranks = rank_by_pairs(found, sizes, TOPICS)
    ahead = (piece_precedence(found, found, TOPICS) @ sizes).tolist()
    assert np.argsort(ranks).tolist() == sorted(range(8), key=lambda piece: -ahead[piece])
    assert ranks @ sizes == pytest.approx(np.arange(sizes.sum()).sum())


def test_of_a_great_many_too_those_as_probable_either_way_share_a_rank(monkeypatch):
    monkeypatch.setattr(pairs, "MAX_SEARCHED", 2)
    found = np.array([certain(0, 9), certain(0, 2), certain(0, 9)])
    assert rank_by_pairs(found, np.ones(3, dtype=np.int64), TOPICS).tolist() == [1.5, 0, 1.5]


@given(arrays(np.float64, (1, 3, N_POSITIONS), elements=st.floats(0.01, 1)))
@settings(max_examples=10)
def test_one_piece_has_the_only_rank(found):
    assert rank_by_pairs(found / found.sum(), np.array([1]), TOPICS).tolist() == [0.0]
