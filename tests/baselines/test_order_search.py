"""The search for the best order: A* and the beam, against all permutations."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest

from permutopic.baselines.order_search import best_order, make_tables, score_order
from permutopic.baselines.order_search_kernels import bound_rest, bound_set
from permutopic.errors import InputError


def drawn(random, n_pieces, n_states):
    """Pieces from faint to decided; some have states that cannot be."""
    pieces = random.normal(size=(n_pieces, n_states, n_states)) * random.choice([0.3, 2, 10])
    pieces -= 50 * random.random(n_pieces)[:, None, None]
    if random.random() < 0.5:
        pieces[random.random(pieces.shape) < 0.3] = -np.inf
        pieces[:, 0, 0] = -3.0
    transitions = np.log(random.dirichlet(np.full(n_states, 0.5), size=n_states) + 1e-6)
    return pieces, np.log(random.dirichlet(np.ones(n_states)) + 1e-6), transitions


def score_slowly(order, pieces, initial, transitions):
    """Try every first and last state of every piece."""
    best = -np.inf
    for ways in product(product(range(initial.size), repeat=2), repeat=len(order)):
        total = initial[ways[0][0]]
        total += sum(transitions[one[1], two[0]] for one, two in pairwise(ways))
        total += sum(pieces[piece][way] for piece, way in zip(order, ways, strict=True))
        best = max(best, total)
    return best


def score_all(orders, pieces, initial, transitions):
    """Score many orders side by side, by the recursion of one."""
    ends = (initial[None, :, None] + pieces[orders[:, 0]]).max(axis=1)
    for place in range(1, orders.shape[1]):
        entry = (ends[:, :, None] + transitions).max(axis=1)
        ends = (entry[:, :, None] + pieces[orders[:, place]]).max(axis=1)
    return ends.max(axis=1)


@pytest.mark.parametrize("n_pieces", [1, 2, 3])
def test_the_score_of_an_order_is_that_of_its_best_path(n_pieces):
    case = drawn(np.random.default_rng(n_pieces), n_pieces, 2)
    for order in permutations(range(n_pieces)):
        assert score_order(order, *case) == pytest.approx(score_slowly(order, *case))


def test_the_search_finds_the_best_of_all_permutations():
    random = np.random.default_rng(1)
    all_orders = {n: np.array(list(permutations(range(n)))) for n in range(1, 9)}
    beaten = 0
    for number in range(200):
        n_pieces = 8 if number % 10 == 0 else int(random.integers(1, 8))
        case = drawn(random, n_pieces, int(random.integers(1, 6)))
        scores = score_all(all_orders[n_pieces], *case)
        best = scores.max()
        # A narrow beam leaves the work to A*; a wide one lets A* prove what it found.
        for width in (1, 50):
            found = best_order(*case, width=width)
            assert found.exact
            assert found.score == pytest.approx(best, abs=1e-8)
            assert score_order(found.order, *case) == found.score
            if np.sum(scores > best - 1e-6) == 1:
                assert found.order.tolist() == all_orders[n_pieces][scores.argmax()].tolist()
        alone = best_order(*case, width=1, budget=0)
        assert alone.score <= best + 1e-9
        assert sorted(alone.order) == list(range(n_pieces))
        beaten += alone.score < best - 1e-6
    assert beaten > 20  # so A* has had something to do


def test_the_bound_is_never_below_the_best_completion():
    random = np.random.default_rng(2)
    slack = []
    for _ in range(150):
        n_left, n_states = int(random.integers(1, 6)), int(random.integers(1, 5))
        pieces, initial, transitions = drawn(random, n_left + 1, n_states)
        tables = make_tables(pieces, initial, transitions)
        left = np.arange(n_left + 1) < n_left  # the last piece is used up
        entries = np.empty(n_left + 1)
        sums = bound_set(tables, left, entries)
        losses = pieces[:n_left] - pieces[:n_left].max(axis=(1, 2), keepdims=True)
        orders = np.array(list(permutations(range(n_left))))
        for state in range(n_states + 1):
            begin = initial if state == n_states else transitions[state]
            truth = score_all(orders, losses, begin, transitions).max()
            bound = bound_rest(tables, state, left, entries, sums)
            assert bound >= truth - 1e-9
            slack.append(bound - truth)
    assert min(slack) == pytest.approx(0, abs=1e-9)
    assert np.median(slack) < 3  # and is of some use


def test_a_spent_budget_is_told_and_leaves_an_order():
    case = drawn(np.random.default_rng(7), 12, 4)
    found, exact = best_order(*case, budget=3, width=2), best_order(*case)
    assert not found.exact
    assert 0 < found.expanded <= 3
    assert sorted(found.order) == list(range(12))
    assert exact.exact
    assert found.score <= exact.score


def test_a_wide_enough_beam_is_exact():
    random = np.random.default_rng(3)
    for _ in range(20):
        case = drawn(random, 5, 3)
        scores = score_all(np.array(list(permutations(range(5)))), *case)
        assert best_order(*case, width=2000, budget=0).score == pytest.approx(scores.max())


def test_more_pieces_than_bits_are_left_to_the_beam():
    case = drawn(np.random.default_rng(4), 65, 2)
    found = best_order(*case, width=5)
    assert not found.exact
    assert found.expanded == 0
    assert sorted(found.order) == list(range(65))


def test_the_hash_table_and_the_heap_grow():
    pieces, initial, transitions = drawn(np.random.default_rng(11), 13, 3)
    pieces = np.random.default_rng(12).normal(size=pieces.shape) * 0.01  # hardly any guidance
    wide = best_order(pieces, initial, transitions, width=500)
    narrow = best_order(pieces, initial, transitions, width=1)
    assert narrow.exact
    assert narrow.expanded > 2000
    assert narrow.score == pytest.approx(wide.score, abs=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pieces": np.zeros((2, 3, 2))}, r"shape \(pieces, 2, 2\) for 2 states"),
        ({"pieces": np.zeros((0, 2, 2))}, "one piece at least"),
        ({"pieces": np.full((1, 2, 2), -np.inf)}, "piece 0 has the best score -inf"),
        ({"transitions": np.zeros((2, 3))}, r"transitions must be \(2, 2\)"),
        ({"initial": np.array([0, -np.inf])}, "must be finite"),
        ({"budget": -1}, "budget must be a whole number"),
        ({"width": 0}, "width must be a whole number"),
    ],
)
def test_wrong_input_is_refused(change, message):
    right = {"pieces": np.zeros((2, 2, 2)), "initial": np.zeros(2), "transitions": np.zeros((2, 2))}
    with pytest.raises(InputError, match=message):
        best_order(**(right | change))
