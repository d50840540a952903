from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.anomalies.precedence import count_before, precedence, tail_table
from permutopic.mallows import draw_inversions, log_pmf
from permutopic.permutation import inversions_to_order

from audit import all_inversions

RHOS = st.lists(st.sampled_from([0.0, 0.1, 0.7, 2.0, 30.0, np.inf]), min_size=0, max_size=4)


def all_orders(rho):
    """Every order of the items as slots, with its probability."""
    for counts in all_inversions(len(rho) + 1):
        inversions = np.array(counts, dtype=np.int64)
        probability = float(np.exp(log_pmf(inversions, np.array(rho))))
        yield np.argsort(inversions_to_order(inversions)), probability


@given(RHOS)
def test_who_stands_before_whom_is_what_enumeration_says(rho):
    expected = sum(p * (slots[:, None] < slots[None, :]) for slots, p in all_orders(rho))
    assert precedence(tail_table(rho)) == pytest.approx(expected, abs=1e-12)


@given(RHOS, st.data())
def test_how_many_stand_before_an_item_is_what_enumeration_says(rho, data):
    items = range(len(rho) + 1)
    item = data.draw(st.sampled_from(items))
    others = sorted(data.draw(st.sets(st.sampled_from(items))) - {item})
    expected = np.zeros(len(others) + 1)
    for slots, probability in all_orders(rho):
        expected[int((slots[others] < slots[item]).sum())] += probability
    assert count_before(tail_table(rho), item, others) == pytest.approx(expected, abs=1e-12)


@pytest.mark.statistical
def test_many_items_stand_as_in_draws():
    rng = np.random.default_rng(5)
    rho = rng.exponential(0.5, 29)
    n_draws = 4000
    drawn = draw_inversions(rho, rng, n_draws)
    slots = np.array([np.argsort(inversions_to_order(counts)) for counts in drawn])
    exact = precedence(tail_table(rho))
    share = (slots[:, :, None] < slots[:, None, :]).mean(axis=0)
    error = np.sqrt(exact * (1 - exact) / n_draws) + 1 / n_draws
    assert np.abs(share - exact).max() < 5 * error.max()
    assert (np.abs(share - exact) < 4.5 * error).all()
    others = [0, 3, 12, 20, 28]
    counts = (slots[:, others] < slots[:, [11]]).sum(axis=1)
    shares = np.bincount(counts, minlength=6) / n_draws
    assert shares == pytest.approx(count_before(tail_table(rho), 11, others), abs=0.03)


def test_one_item_has_nobody_before_it():
    assert precedence(tail_table([])).tolist() == [[0.0]]
    assert count_before(tail_table([]), 0, []).tolist() == [1.0]


def test_a_single_pair_is_a_matter_of_its_distribution():
    tails = tail_table([0.4, 1.1, 0.2, 0.9])
    for first, second in [(0, 3), (2, 1), (4, 0)]:
        alone = count_before(tails, second, [first])
        assert alone[1] == pytest.approx(precedence(tails)[first, second])
