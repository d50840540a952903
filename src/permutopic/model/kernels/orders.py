"""Orders of topics and their inversion counts, in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@borrowing
def fill_order(order: NDArray[np.int64], inversions: NDArray[np.int64]) -> None:
    """Write the order that the inversion counts encode, inserting topics from the last to 0."""
    n_topics = order.size
    order[0] = n_topics - 1
    for topic in range(n_topics - 2, -1, -1):
        target = inversions[topic]
        for slot in range(n_topics - 1 - topic, target, -1):
            order[slot] = order[slot - 1]
        order[target] = topic


@borrowing
def write_inversions(inversions: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    """Count, for each topic but the last, the greater topics that precede it in the order."""
    for slot in range(order.size):
        topic = order[slot]
        if topic < inversions.size:
            greater = 0
            for earlier in range(slot):
                greater += order[earlier] > topic
            inversions[topic] = greater


@borrowing
def write_topics(
    topics: NDArray[np.int64], order: NDArray[np.int64], bag: NDArray[np.int64]
) -> None:
    """Write the topic of every unit."""
    unit = 0
    for topic in order:
        for _ in range(bag[topic]):
            topics[unit] = topic
            unit += 1


@compiled
def without_topic(order: NDArray[np.int64], topic: int) -> NDArray[np.int64]:
    """Return the order with one topic left out."""
    others = np.empty(order.size - 1, np.int64)
    filled = 0
    for other in order:
        if other != topic:
            others[filled] = other
            filled += 1
    return others


@borrowing
def insert_at(order: NDArray[np.int64], topic: int, others: NDArray[np.int64], gap: int) -> None:
    """Write the order that has `topic` in front of `others[gap]`."""
    order[gap] = topic
    for n in range(others.size):
        order[n if n < gap else n + 1] = others[n]


@borrowing
def log_prior_step(dispersion: NDArray[np.float64], topic: int, passed: int) -> float:
    """Return the change of the Mallows log probability when `topic` moves behind `passed`.

    Behind a greater topic it has one inversion more; behind a lesser one, that one has one fewer.
    """
    return -dispersion[topic] if passed > topic else dispersion[passed]  # type: ignore[no-any-return]


@borrowing
def list_slots(order: NDArray[np.int64], topic: int, slots: NDArray[np.int64]) -> tuple[int, int]:
    """List the slots of the topics that are not less than `topic`.

    Returns how many there are, and at which of them `topic` itself is: its inversion count.
    """
    n_slots, current = 0, 0
    for slot in range(order.size):
        if order[slot] >= topic:
            slots[n_slots] = slot
            n_slots += 1
            if order[slot] == topic:
                current = n_slots - 1
    return n_slots, current


@borrowing
def move_forward(
    order: NDArray[np.int64], topic: int, slots: NDArray[np.int64], current: int, onto: int
) -> None:
    """Move `topic` from `slots[current]` to `slots[onto]`, and those between one slot further."""
    for n in range(current, onto, -1):
        order[slots[n]] = order[slots[n - 1]]
    order[slots[onto]] = topic


@borrowing
def swap_changes_layout(
    order: NDArray[np.int64], bag: NDArray[np.int64], here: int, there: int
) -> bool:
    """Tell whether swapping the topics of two slots moves any unit to another topic.

    Most topics of a document are empty: swapping two of them changes nothing, and an empty one
    can be swapped with a full one unless a full one is between them.
    """
    left_full, right_full = bag[order[here]] > 0, bag[order[there]] > 0
    if left_full == right_full:
        return bool(left_full)
    between = False
    for slot in range(here + 1, there):
        between = between or bag[order[slot]] > 0
    return bool(between)
