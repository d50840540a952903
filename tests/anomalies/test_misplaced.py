from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.anomalies import ExpectedOutline, Thresholds, TopicUsage, canonical_outline
from permutopic.anomalies.misplaced import (
    fewest_moves,
    find_misplaced,
    order_statistics,
    share_in_order,
)
from permutopic.mallows import log_pmf
from permutopic.permutation import inversions_to_order

from audit import all_inversions

ALL = Thresholds(unlikely=1, sure=0)


def usage(rho):
    n_topics = len(rho) + 1
    bags = np.ones((3, n_topics), dtype=np.int64)
    return TopicUsage(tuple("abcdefgh"[:n_topics]), bags, np.array(rho, dtype=float))


def orders(rho):
    for counts in all_inversions(len(rho) + 1):
        inversions = np.array(counts, dtype=np.int64)
        yield inversions_to_order(inversions), float(np.exp(log_pmf(inversions, np.array(rho))))


@given(st.permutations(range(7)), st.lists(st.floats(0, 1), min_size=7, max_size=7))
def test_no_choice_of_fewer_topics_to_move_leaves_the_rest_in_order(entry_of, weights):
    out = fewest_moves(entry_of, weights)
    kept = [slot for index, slot in enumerate(entry_of) if index not in out]
    assert kept == sorted(kept)
    choices = [
        chosen
        for chosen in combinations(range(7), len(kept))
        if [entry_of[i] for i in chosen] == sorted(entry_of[i] for i in chosen)
    ]
    longer = [
        chosen
        for chosen in combinations(range(7), min(len(kept) + 1, 7))
        if [entry_of[i] for i in chosen] == sorted(entry_of[i] for i in chosen)
    ]
    assert len(kept) == 7 or not longer
    weight = sum(weights[index] for index in out)
    best = max(sum(weights) - sum(weights[i] for i in chosen) for chosen in choices)
    assert weight == pytest.approx(best)


def test_a_topic_that_comes_early_is_found_with_its_probability():
    rho = [1.0, 0.5, 1.5, 0.8]
    known = usage(rho)
    document = np.array([4, 4, 0, 1, 3])  # topic 2 is not in it
    (found,) = find_misplaced(document, canonical_outline(known), ALL)
    assert (found.name, found.early, found.passed) == ("e", True, ("a", "b", "d"))
    assert (found.position, found.expected_position, found.first_unit, found.last_unit) == (
        1,
        4,
        1,
        2,
    )
    expected = sum(
        p
        for order, p in orders(rho)
        if all(order.tolist().index(4) < order.tolist().index(x) for x in (0, 1, 3))
    )
    assert found.probability == pytest.approx(expected)


def test_a_topic_that_comes_late_counts_those_it_let_pass_and_more():
    rho = [1.0, 0.5, 1.5, 0.8]
    document = np.array([1, 3, 0, 0, 4])
    (found,) = find_misplaced(document, canonical_outline(usage(rho)), ALL)
    assert (found.name, found.early, found.passed) == ("a", False, ("b", "d"))
    assert (found.position, found.expected_position, found.first_unit, found.last_unit) == (
        3,
        1,
        3,
        4,
    )
    expected = 0.0
    for order, p in orders(rho):
        slots = np.argsort(order)
        expected += p * (sum(slots[x] < slots[0] for x in (1, 3, 4)) >= 2)
    assert found.probability == pytest.approx(expected)


@pytest.mark.parametrize(("rho", "least"), [([3.0, 0.1, 0.1], 0), ([0.1, 3.0, 0.1], 1)])
def test_the_worst_pair_is_the_least_likely_one(rho, least):
    (found,) = find_misplaced(np.array([3, 0, 1, 2]), canonical_outline(usage(rho)), ALL)
    expected = sum(p for order, p in orders(rho) if list(order).index(3) < list(order).index(least))
    assert (found.least_likely, found.pair_probability) == ("abc"[least], pytest.approx(expected))


def test_what_is_likely_is_not_reported():
    document = np.array([1, 0])
    known = usage([0.5])
    probability = np.exp(-0.5) / (1 + np.exp(-0.5))
    less, more = probability - 0.01, probability + 0.01
    assert find_misplaced(document, canonical_outline(known), Thresholds(unlikely=less)) == ()
    (found,) = find_misplaced(document, canonical_outline(known), Thresholds(unlikely=more))
    assert found.probability == pytest.approx(probability)


def test_what_few_samples_have_is_not_reported():
    known, document = canonical_outline(usage([2.0])), np.array([1, 0])
    samples = np.array([[1, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
    thresholds = Thresholds(unlikely=1, sure=0.3)
    (found,) = find_misplaced(document, known, thresholds, samples)
    assert found.certainty == 0.4
    assert find_misplaced(document, known, Thresholds(unlikely=1, sure=0.5), samples) == ()
    exactly = Thresholds(unlikely=found.probability, sure=0.4)
    assert find_misplaced(document, known, exactly, samples) == (found,)


def test_a_sample_without_one_of_two_topics_has_them_in_no_order():
    outline = canonical_outline(usage([1.0, 1.0]))
    only_first, only_second, neither = [2, 0, 2], [2, 2, 1], [2, 2, 2]
    samples = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 1], only_first, only_second, neither])
    assert share_in_order(samples, outline, 0, 1) == pytest.approx(2 / 6)
    assert share_in_order(samples, outline, 1, 0) == pytest.approx(1 / 6)
    twice = np.array([[1, 0, 1]])  # where a topic comes first counts
    assert share_in_order(twice, outline, 1, 0) == 1.0


def test_a_document_in_order_has_nothing_misplaced():
    document = np.array([0, 0, 2, 3])
    outline = canonical_outline(usage([0.1, 0.1, 0.1]))
    assert find_misplaced(document, outline, ALL) == ()
    swaps, expected, out = order_statistics(document, outline)
    assert (swaps, out) == (0, [])
    assert expected > 0


def test_the_mean_number_of_swaps_is_that_of_all_orders_of_the_same_topics():
    rho = [0.3, 1.0, 0.2]
    document = np.array([3, 0, 2])
    swaps, expected, _ = order_statistics(document, canonical_outline(usage(rho)))
    mean = 0.0
    for order, p in orders(rho):
        some = [topic for topic in order if topic != 1]
        mean += p * sum(a > b for a, b in combinations(some, 2))
    assert (swaps, expected) == (2, pytest.approx(mean))


def test_a_template_has_its_own_order_and_the_models_probabilities():
    rho = [1.0, 0.6, 0.4]
    entry_of = np.array([2, 1, 0, 3])  # the template wants c b a d
    outline = ExpectedOutline(("C", "B", "A", "D"), entry_of, usage(rho), all_required=True)
    found = find_misplaced(np.array([0, 2, 1, 3]), outline, ALL)
    assert [(each.name, each.early, each.passed) for each in found] == [("A", True, ("C", "B"))]
    slots = [(np.argsort(order), p) for order, p in orders(rho)]
    expected = sum(p for slot, p in slots if slot[0] < slot[2] and slot[0] < slot[1])
    assert found[0].probability == pytest.approx(expected)


def test_topics_of_no_document_have_no_position():
    rare = TopicUsage(("a", "b", "c"), np.array([[1, 0, 1]] * 4), np.array([1.0]))
    assert find_misplaced(np.array([1, 2, 0]), canonical_outline(rare), ALL)[0].name in {"a", "c"}
    assert order_statistics(np.array([2, 1, 0]), canonical_outline(rare))[0] == 1


def test_where_only_one_order_is_possible_another_is_impossible():
    fixed = canonical_outline(usage([np.inf, np.inf]))
    found = find_misplaced(np.array([2, 0, 1]), fixed, Thresholds())
    assert [(each.name, each.probability) for each in found] == [("c", 0.0)]


def test_a_merged_topic_that_comes_twice_counts_where_it_comes_first():
    (found,) = find_misplaced(np.array([2, 0, 2, 1]), canonical_outline(usage([1.0, 1.0])), ALL)
    assert (found.name, found.first_unit, found.last_unit) == ("c", 1, 1)


def test_the_first_of_several_runs_is_that_of_a_misplaced_topic():
    document = np.array([2, 2, 0, 2, 1, 2])
    (found,) = find_misplaced(document, canonical_outline(usage([1.0, 1.0])), ALL)
    assert (found.name, found.first_unit, found.last_unit) == ("c", 1, 2)
