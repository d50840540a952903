"""Outlines compared: matched whatever their numbers, and their orders held against each other."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.model.mcmc.convergence import pair_agreement
from permutopic.selection.stability import mean_agreement, order_agreement

FITS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25).map(
    lambda pairs: np.array(pairs, dtype=np.int64).T
)


def slow_order_agreement(first, second):
    """τ over pairs of units, for each of the best ways to match topics, tried one by one."""
    best, values = -1, set()
    for stands_for in permutations(range(4)):
        agree = [n for n in range(first.size) if stands_for[first[n]] == second[n]]
        if len(agree) < best:
            continue
        values = values if len(agree) == best else set()
        best = len(agree)
        signs = [
            np.sign(first[a] - first[b]) * np.sign(second[a] - second[b])
            for a, b in combinations(agree, 2)
            if first[a] != first[b]
        ]
        values.add(float(np.mean(signs)) if signs else float("nan"))
    return values


@given(FITS)
def test_orders_agree_as_pairs_of_units_do(fits):
    found = order_agreement(*fits)
    assert any(np.isclose(found, each, equal_nan=True) for each in slow_order_agreement(*fits))


def test_the_same_order_the_reverse_and_one_swap():
    topics = np.array([0, 1, 2, 3])
    assert order_agreement(topics, topics) == 1
    assert order_agreement(topics, 3 - topics) == -1
    assert order_agreement(topics, np.array([1, 0, 2, 3])) == pytest.approx(4 / 6)


def test_a_topic_that_hardly_exists_hardly_counts():
    first = np.array([0] * 50 + [1] * 50 + [2])
    second = np.array([1] * 50 + [2] * 50 + [0])
    assert order_agreement(first, second) > 0.9


def test_one_shared_topic_has_no_order():
    assert np.isnan(order_agreement(np.array([0, 0]), np.array([2, 2])))


def test_the_mean_is_over_pairs_of_fits():
    generator = np.random.default_rng(0)
    fits = [generator.integers(0, 4, 60) for _ in range(3)]
    shared, order = mean_agreement(fits)
    pairs = list(combinations(fits, 2))
    assert shared == pytest.approx(np.mean([pair_agreement(a, b) for a, b in pairs]))
    assert order == pytest.approx(np.mean([order_agreement(a, b) for a, b in pairs]))


def test_where_nothing_can_be_compared_it_is_nan():
    one = np.array([0, 1])
    assert np.isnan(mean_agreement([one])).all()
    shared, order = mean_agreement([np.array([0, 0]), np.array([1, 1])])
    assert (shared, np.isnan(order)) == (1.0, True)
