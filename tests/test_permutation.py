from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.permutation import (
    count_swaps,
    inversions_to_order,
    order_to_inversions,
)

from audit import all_inversions

orders = st.integers(1, 12).flatmap(lambda n: st.permutations(range(n)))


@pytest.mark.parametrize(
    ("order", "inversions"), [((3, 1, 5, 6, 2, 4), (1, 3, 0, 2, 0)), ((2, 4, 3, 1), (3, 0, 1))]
)
def test_the_papers_worked_examples(order, inversions):
    order = np.array(order) - 1  # the paper counts from one
    assert order_to_inversions(order).tolist() == list(inversions)
    assert inversions_to_order(inversions).tolist() == order.tolist()


@given(orders)
def test_inversions_lead_back_to_the_order(order):
    assert inversions_to_order(order_to_inversions(order)).tolist() == order


@given(orders)
def test_inversions_are_what_the_definition_says(order):
    expected = [
        sum(other > item for other in order[: order.index(item)]) for item in range(len(order) - 1)
    ]
    assert order_to_inversions(order).tolist() == expected


@pytest.mark.parametrize("n_items", [1, 2, 3, 4, 5])
def test_every_vector_of_counts_is_one_order(n_items):
    found = {tuple(inversions_to_order(v).tolist()) for v in all_inversions(n_items)}
    assert found == set(itertools.permutations(range(n_items)))


@given(orders)
def test_distance_to_the_canonical_order_is_the_sum_of_inversions(order):
    assert count_swaps(order) == order_to_inversions(order).sum()


@given(orders)
def test_swaps_are_the_pairs_in_the_wrong_order(order):
    wrong = sum(a > b for a, b in itertools.combinations(order, 2))
    assert count_swaps(order) == wrong
    assert count_swaps(item for item in order if item % 2) <= wrong


@pytest.mark.parametrize("order", [[0, 0], [1, 2], [0, 2], [[0, 1]]])
def test_what_is_no_order_is_refused(order):
    with pytest.raises(InputError, match="an order lists each of"):
        order_to_inversions(order)


@pytest.mark.parametrize("inversions", [[-1, 0], [3, 0], [0, 2], [0.9, 0.5]])
def test_counts_out_of_bounds_are_refused(inversions):
    with pytest.raises(InputError, match="inversion counts are whole numbers between"):
        inversions_to_order(inversions)
