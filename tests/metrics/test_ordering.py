from __future__ import annotations

import tracemalloc
from itertools import groupby, permutations, product
from math import comb, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from permutopic.errors import InputError
from permutopic.metrics import kendall_tau
from permutopic.permutation import count_swaps

scores = st.lists(st.integers(0, 3), min_size=2, max_size=6)


def equation_16(order):
    """1 − 2 d(π, σ) / (n choose 2) for an order of the reference's items 0 … n−1."""
    return 1 - 2 * count_swaps(order) / comb(len(order), 2)


def orders_that_sort(scores):
    """All orders of the items by score, with whatever is tied in every order."""
    items = sorted(range(len(scores)), key=lambda item: scores[item])
    ties = [list(group) for _, group in groupby(items, key=lambda item: scores[item])]
    for parts in product(*[permutations(tie) for tie in ties]):
        yield [item for part in parts for item in part]


@given(scores)
def test_tau_is_equation_16_averaged_over_all_orders_of_the_ties(scores):
    taus = [equation_16(order) for order in orders_that_sort(scores)]
    assert kendall_tau(range(len(scores)), scores) == pytest.approx(np.mean(taus))


@given(st.integers(2, 40).flatmap(lambda n: st.tuples(st.permutations(range(n)),
       st.lists(st.integers(0, n), min_size=n, max_size=n))))  # fmt: skip
def test_tau_is_what_counting_pairs_gives(pair):
    places, scores = pair
    n = len(places)
    surplus = sum(
        np.sign(places[j] - places[i]) * np.sign(scores[j] - scores[i])
        for i in range(n)
        for j in range(i)
    )
    assert kendall_tau(places, scores) == surplus / comb(n, 2)


def test_without_ties_it_is_what_scipy_gives():
    random = np.random.default_rng(0)
    for n in (2, 3, 17, 300):
        places, scores = random.permutation(n), random.normal(size=n)
        expected = kendalltau(places, scores).statistic
        assert kendall_tau(places, scores) == pytest.approx(expected)


def test_ties_count_as_pairs_unlike_in_tau_b():
    places, scores = [0, 1, 2, 3], [1, 1, 1, 2]
    assert kendall_tau(places, scores) == 3 / 6
    assert kendalltau(places, scores).statistic > 0.7


def test_the_order_in_which_tied_items_come_changes_nothing():
    # A stable sort by topic would find the reference order inside every topic.
    places, topics = np.arange(6), np.array([0, 0, 0, 1, 1, 1])
    shuffled = np.array([5, 0, 3, 2, 4, 1])
    assert kendall_tau(places, topics) == 9 / 15
    assert kendall_tau(places[shuffled], topics[shuffled]) == 9 / 15


@pytest.mark.parametrize(
    ("scores", "tau"), [([1, 2, 3], 1), ([3, 2, 1], -1), ([5, 5, 5], 0), ([1, 3, 2], 1 / 3)]
)
def test_the_ends_of_the_scale(scores, tau):
    assert kendall_tau([10, 20, 30], scores) == tau


def test_scores_may_be_infinite_and_places_negative():
    assert kendall_tau([-2.5, -1, 7], [-np.inf, 0, np.inf]) == 1
    assert kendall_tau([-2.5, -1, 7], [np.inf, np.inf, np.inf]) == 0


def test_great_whole_numbers_are_told_apart():
    assert kendall_tau([2**60, 2**60 + 1], [2**60 + 1, 2**60]) == -1


def test_one_item_has_no_pair():
    assert isnan(kendall_tau([3], [0.5]))


def test_long_documents_need_little_memory_and_lose_no_pair():
    n = 100_000
    random = np.random.default_rng(1)
    shuffled = random.permutation(n)
    # Blocks of a thousand tied items in the right order: all pairs but those inside a block.
    expected = 1 - 100 * comb(1000, 2) / comb(n, 2)
    tracemalloc.start()
    tau = kendall_tau(shuffled, shuffled // 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tau == expected
    assert peak < 200 * n


@pytest.mark.parametrize(
    ("places", "scores", "message"),
    [
        ([], [], "at least one, not 0 and 0"),
        ([0, 1], [1], "not 2 and 1"),
        ([0, 1, 0], [1, 2, 3], "must be distinct, and two are 0"),
        ([0, 1], [1, float("nan")], "scores must be numbers, and number 1 is nan"),
        ([float("nan"), 1], [1, 2], "reference_positions must be numbers, and number 0 is nan"),
        ([0, 1], ["a", "b"], "scores must be a list of numbers"),
        ([0, 1], [None, 1], "scores must be a list of numbers"),
        ([0, 1], [[1], [2]], "scores must be a list of numbers"),
        ([0, 1], [[1], [2, 3]], "scores must be a list of numbers"),
    ],
)
def test_what_cannot_be_scored_is_refused(places, scores, message):
    with pytest.raises(InputError, match=message):
        kendall_tau(places, scores)
