"""Orders in compiled code, against the definitions tried out on all orders of four topics."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from permutopic.model.kernels import orders

ALL = [np.array(order) for order in permutations(range(4))]


def layout(order, bag):
    return [topic for topic in order for _ in range(bag[topic])]


@pytest.mark.parametrize("order", ALL, ids=lambda order: "".join(map(str, order)))
def test_a_swap_changes_the_layout_if_some_unit_gets_another_topic(order):
    for bag, (here, there) in product(product((0, 2), repeat=4), combinations(range(4), 2)):
        swapped = order.copy()
        swapped[[here, there]] = order[[there, here]]
        changes = layout(order, bag) != layout(swapped, bag)
        told = orders.swap_changes_layout.py_func(order, np.array(bag), here, there)
        assert told is changes, (bag, here, there)


def test_inversions_are_the_greater_topics_before_each_and_give_the_order_back():
    for order in ALL:
        inversions, again = np.empty(3, np.int64), np.empty(4, np.int64)
        orders.write_inversions.py_func(inversions, order)
        places = {topic: slot for slot, topic in enumerate(order.tolist())}
        assert inversions.tolist() == [
            sum(places[other] < places[topic] for other in range(topic + 1, 4))
            for topic in range(3)
        ]
        orders.fill_order.py_func(again, inversions)
        assert again.tolist() == order.tolist()


def test_a_topic_taken_out_goes_into_any_gap():
    for order, topic, gap in product(ALL, range(4), range(4)):
        others = orders.without_topic.py_func(order, topic)
        assert others.tolist() == [other for other in order if other != topic]
        fresh = np.empty(4, np.int64)
        orders.insert_at.py_func(fresh, topic, others, gap)
        assert fresh.tolist() == [*others[:gap], topic, *others[gap:]]


def test_a_step_behind_a_topic_costs_one_inversion_or_gains_one():
    dispersion = np.array([0.5, 1.5, 2.5])

    def log_prior(order):
        return -sum(dispersion[topic] for before, topic in combinations(order, 2) if before > topic)

    for order, slot in product(ALL, range(3)):
        moved = order.copy()
        moved[[slot, slot + 1]] = order[[slot + 1, slot]]
        step = orders.log_prior_step.py_func(dispersion, order[slot], order[slot + 1])
        assert step == pytest.approx(log_prior(moved) - log_prior(order))


def test_a_topic_moves_among_the_slots_of_those_not_less():
    for order, topic in product(ALL, range(4)):
        slots = np.empty(4, np.int64)
        n_slots, current = orders.list_slots.py_func(order, topic, slots)
        expected = [slot for slot, other in enumerate(order) if other >= topic]
        assert slots[:n_slots].tolist() == expected
        assert order[slots[current]] == topic
        moved = order.copy()
        orders.move_forward.py_func(moved, topic, slots, current, 0)
        greater = [other for other in order if other > topic]
        assert moved[expected].tolist() == [topic, *greater]
        lesser = [slot for slot, other in enumerate(order) if other < topic]
        assert moved[lesser].tolist() == order[lesser].tolist()
        moved[expected] = [*greater, topic]
        orders.move_forward.py_func(moved, topic, slots, n_slots - 1, current)
        assert moved.tolist() == order.tolist()
