from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.anomalies import Habits, Limits, Standard, canonical
from permutopic.anomalies.places import count_swaps, find_misplaced, moved
from permutopic.mallows import log_pmf
from permutopic.permutation import all_inversions, inversions_to_order

ALL = Limits(unlikely=1, sure=0)


def habits(rho):
    n_topics = len(rho) + 1
    bags = np.ones((3, n_topics), dtype=np.int64)
    return Habits(tuple("abcdefgh"[:n_topics]), bags, np.array(rho, dtype=float))


def orders(rho):
    for counts in all_inversions(len(rho) + 1):
        inversions = np.array(counts, dtype=np.int64)
        yield inversions_to_order(inversions), float(np.exp(log_pmf(inversions, np.array(rho))))


@given(st.permutations(range(7)), st.lists(st.floats(0, 1), min_size=7, max_size=7))
def test_no_choice_of_fewer_topics_to_move_leaves_the_rest_in_order(slots, restless):
    out = moved(slots, restless)
    kept = [slot for index, slot in enumerate(slots) if index not in out]
    assert kept == sorted(kept)
    choices = [
        chosen
        for chosen in combinations(range(7), len(kept))
        if [slots[i] for i in chosen] == sorted(slots[i] for i in chosen)
    ]
    longer = [
        chosen
        for chosen in combinations(range(7), min(len(kept) + 1, 7))
        if [slots[i] for i in chosen] == sorted(slots[i] for i in chosen)
    ]
    assert len(kept) == 7 or not longer
    unrest = sum(restless[index] for index in out)
    best = max(sum(restless) - sum(restless[i] for i in chosen) for chosen in choices)
    assert unrest == pytest.approx(best)


def test_a_topic_that_comes_early_is_found_with_its_probability():
    rho = [1.0, 0.5, 1.5, 0.8]
    known = habits(rho)
    document = np.array([4, 4, 0, 1, 3])  # topic 2 is not in it
    (found,) = find_misplaced(document, canonical(known), ALL)
    assert (found.name, found.early, found.past) == ("e", True, ("a", "b", "d"))
    assert (found.place, found.usual, found.first_unit, found.last_unit) == (1, 4, 1, 2)
    expected = sum(
        p
        for order, p in orders(rho)
        if all(order.tolist().index(4) < order.tolist().index(x) for x in (0, 1, 3))
    )
    assert found.probability == pytest.approx(expected)


def test_a_topic_that_comes_late_counts_those_it_let_pass_and_more():
    rho = [1.0, 0.5, 1.5, 0.8]
    document = np.array([1, 3, 0, 0, 4])
    (found,) = find_misplaced(document, canonical(habits(rho)), ALL)
    assert (found.name, found.early, found.past) == ("a", False, ("b", "d"))
    assert (found.place, found.usual, found.first_unit, found.last_unit) == (3, 1, 3, 4)
    expected = 0.0
    for order, p in orders(rho):
        places = np.argsort(order)
        expected += p * (sum(places[x] < places[0] for x in (1, 3, 4)) >= 2)
    assert found.probability == pytest.approx(expected)


def test_the_worst_pair_is_the_least_likely_one():
    rho = [3.0, 0.1, 0.1]
    (found,) = find_misplaced(np.array([3, 0, 1, 2]), canonical(habits(rho)), ALL)
    expected = sum(p for order, p in orders(rho) if list(order).index(3) < list(order).index(0))
    assert (found.worst, found.pair_probability) == ("a", pytest.approx(expected))


def test_what_is_likely_is_not_reported():
    document = np.array([1, 0])
    known = habits([0.5])
    probability = np.exp(-0.5) / (1 + np.exp(-0.5))
    less, more = probability - 0.01, probability + 0.01
    assert find_misplaced(document, canonical(known), Limits(unlikely=less)) == ()
    (found,) = find_misplaced(document, canonical(known), Limits(unlikely=more))
    assert found.probability == pytest.approx(probability)


def test_what_few_samples_have_is_not_reported():
    known, document = canonical(habits([2.0])), np.array([1, 0])
    samples = np.array([[1, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
    limits = Limits(unlikely=1, sure=0.3)
    (found,) = find_misplaced(document, known, limits, samples)
    assert found.certainty == 0.4
    assert find_misplaced(document, known, Limits(unlikely=1, sure=0.5), samples) == ()


def test_a_document_in_order_has_nothing_misplaced():
    document = np.array([0, 0, 2, 3])
    standard = canonical(habits([0.1, 0.1, 0.1]))
    assert find_misplaced(document, standard, ALL) == ()
    swaps, expected, out = count_swaps(document, standard)
    assert (swaps, out) == (0, [])
    assert expected > 0


def test_the_mean_number_of_swaps_is_that_of_all_orders_of_the_same_topics():
    rho = [0.3, 1.0, 0.2]
    document = np.array([3, 0, 2])
    swaps, expected, _ = count_swaps(document, canonical(habits(rho)))
    mean = 0.0
    for order, p in orders(rho):
        some = [topic for topic in order if topic != 1]
        mean += p * sum(a > b for a, b in combinations(some, 2))
    assert (swaps, expected) == (2, pytest.approx(mean))


def test_a_template_has_its_own_order_and_the_models_probabilities():
    rho = [1.0, 0.6, 0.4]
    slots = np.array([2, 1, 0, 3])  # the template wants c b a d
    standard = Standard(("C", "B", "A", "D"), slots, habits(rho), all_wanted=True)
    found = find_misplaced(np.array([0, 2, 1, 3]), standard, ALL)
    assert [(each.name, each.early, each.past) for each in found] == [("A", True, ("C", "B"))]
    places = [(np.argsort(order), p) for order, p in orders(rho)]
    expected = sum(p for place, p in places if place[0] < place[2] and place[0] < place[1])
    assert found[0].probability == pytest.approx(expected)


def test_topics_that_no_document_has_have_no_place():
    rare = Habits(("a", "b", "c"), np.array([[1, 0, 1]] * 4), np.array([1.0]))
    assert find_misplaced(np.array([1, 2, 0]), canonical(rare), ALL)[0].name in {"a", "c"}
    assert count_swaps(np.array([2, 1, 0]), canonical(rare))[0] == 1


def test_where_only_one_order_is_possible_another_is_impossible():
    fixed = canonical(habits([np.inf, np.inf]))
    found = find_misplaced(np.array([2, 0, 1]), fixed, Limits())
    assert [(each.name, each.probability) for each in found] == [("c", 0.0)]


def test_a_merged_topic_that_comes_twice_counts_where_it_comes_first():
    (found,) = find_misplaced(np.array([2, 0, 2, 1]), canonical(habits([1.0, 1.0])), ALL)
    assert (found.name, found.first_unit, found.last_unit) == ("c", 1, 1)
