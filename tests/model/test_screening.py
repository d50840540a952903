"""The fast look at a document: where it is likely to change, and in which order topics come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracle_inference
from permutopic.model.kernels import screening

from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).screening
flavours = pytest.mark.parametrize("flavour", [screening, uncompiled], ids=["fast", "plain"])


def looked_through(flavour, scores, shares, switch):
    n_units, n_topics = scores.shape
    changes, held = np.full(n_units, np.nan), np.full((n_units, n_topics), np.nan)
    flavour.forward_backward(scores, shares, switch, changes, held)
    return changes, held


@flavours
@pytest.mark.parametrize("spread", [0.0, 2.0, 40.0])
@pytest.mark.parametrize(("n_units", "n_topics"), [(1, 3), (2, 4), (5, 2), (4, 3)])
@pytest.mark.parametrize("switch", [0.01, 0.3, 0.97])
def test_the_chain_is_summed_over_all_its_ways(switch, n_units, n_topics, spread, flavour):
    rng = np.random.default_rng([n_units, n_topics, int(spread)])
    scores = rng.normal(-100, spread, (n_units, n_topics))
    shares = rng.dirichlet(np.ones(n_topics))
    changes, held = looked_through(flavour, scores, shares, switch)
    jumps, topics = oracle_inference.forward_backward(scores, shares, switch)
    assert changes == pytest.approx(jumps, abs=1e-9)
    assert held == pytest.approx(topics, abs=1e-9)


@flavours
def test_a_thousand_units_of_strong_words_lose_nothing(flavour):
    rng = np.random.default_rng(0)
    truth = np.repeat([2, 0, 1, 3], 250)
    scores = rng.normal(-3000, 5, (1000, 4))
    scores[np.arange(1000), truth] += 400
    changes, held = looked_through(flavour, scores, np.array([0.4, 0.4, 0.2 - 1e-9, 1e-9]), 0.01)
    assert held.sum(axis=1) == pytest.approx(np.ones(1000))
    assert held.argmax(axis=1).tolist() == truth.tolist()
    assert np.flatnonzero(changes > 0.5).tolist() == [0, 250, 500, 750]


def chances_of(flavour, changes, wanted):
    cut_probabilities = np.full(changes.size + 1, np.nan)
    flavour.set_cut_probabilities(changes, cut_probabilities, wanted)
    return cut_probabilities


def random_changes(seed, n_units):
    rng = np.random.default_rng(seed)
    changes = rng.beta(0.2, 2.0, n_units) + 1e-5
    changes[0] = 1.0
    return np.minimum(changes, 1.0)


@flavours
@settings(max_examples=60)
@given(seed=st.integers(0, 1000), n_units=st.integers(1, 300), wanted=st.integers(1, 60))
def test_chances_add_up_to_the_wanted_number_and_shut_no_place_out(seed, n_units, wanted, flavour):
    changes = random_changes(seed, n_units)
    cut_probabilities = chances_of(flavour, changes, wanted)
    assert cut_probabilities[0] == cut_probabilities[-1] == 1.0
    inner = cut_probabilities[1:-1]
    if n_units <= wanted:
        assert np.all(inner == 1.0)
        return
    assert inner.sum() == pytest.approx(wanted, rel=1e-6)
    assert np.all(inner <= 1.0)
    assert np.all(inner >= wanted / 4 / n_units)
    by_change = inner[np.argsort(changes[1:])]
    assert np.all(np.diff(by_change) >= 0)  # a likelier place is never looked at less
    above = inner - wanted / 4 / n_units
    free = inner < 1  # beyond the even share, cut_probabilities are in proportion
    assert above[free] * changes[1:][free].sum() == pytest.approx(
        changes[1:][free] * above[free].sum(), rel=1e-6, abs=1e-12
    )


@flavours
def test_sure_places_are_always_cuts_where_there_is_room(flavour):
    changes = np.full(100, 1e-4)
    changes[[0, 17, 60]] = 0.9
    cut_probabilities = chances_of(flavour, changes, 8)
    assert cut_probabilities[17] == cut_probabilities[60] == 1.0
    assert cut_probabilities[1:-1].sum() == pytest.approx(8, rel=1e-6)
    assert cut_probabilities[5] == pytest.approx((8 - 2) / 97)


@flavours
def test_every_place_is_a_cut_where_there_are_no_more_than_wanted(flavour):
    nothing = np.append(1.0, np.zeros(7))
    assert chances_of(flavour, nothing, 8).tolist() == [1.0] * 9


@flavours
def test_a_document_that_never_changes_still_has_a_chance_everywhere(flavour):
    cut_probabilities = chances_of(flavour, np.append(1.0, np.zeros(99)), 8)
    assert cut_probabilities[1:-1].tolist() == [8 / 4 / 100] * 99


def order_of(flavour, held):
    order = np.full(held.shape[1], -1)
    flavour.initial_order(held, order)
    return order.tolist()


@flavours
@settings(max_examples=60)
@given(
    seed=st.integers(0, 1000),
    n_units=st.integers(1, 20),
    n_topics=st.integers(2, 12),
    peaked=st.sampled_from([0.02, 0.2, 5.0]),
)
@example(seed=999, n_units=3, n_topics=3, peaked=0.02)
def test_topics_stand_by_their_mean_place_and_others_behind_the_number_before(
    seed, n_units, n_topics, peaked, flavour
):
    held = np.random.default_rng(seed).dirichlet(np.full(n_topics, peaked), n_units)
    places, before = [], -1.0
    for mine in held.T.tolist():
        mass = moment = 0.0  # in the order of the units: places may be equal but for rounding
        for unit, share in enumerate(mine):
            mass += share
            moment += unit * share
        if mass >= 0.5:
            before = moment / mass
        places.append(before)
    assert order_of(flavour, held) == sorted(range(n_topics), key=places.__getitem__)


@flavours
def test_the_order_is_canonical_where_the_document_says_nothing(flavour):
    assert order_of(flavour, np.full((4, 9), 1 / 9)) == list(range(9))  # too little of any topic
    assert order_of(flavour, np.full((9, 3), 1 / 3)) == [0, 1, 2]  # all of them in the middle


@flavours
def test_a_topic_that_is_not_there_follows_the_next_lower_number(flavour):
    held = np.zeros((6, 5))
    held[:2, 3] = held[2:4, 0] = held[4:, 2] = 1.0
    assert order_of(flavour, held) == [3, 4, 0, 1, 2]
