"""Giving topics other numbers in the whole corpus at once, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.categorical import draw_index
from permutopic.model.kernels.orders import (
    fill_order,
    insert_at,
    without_topic,
    write_inversions,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def count_precedences(inversions: NDArray[np.int64], earlier: NDArray[np.int64]) -> None:
    """Count in how many documents topic a precedes topic b: earlier[a, b]."""
    n_topics = earlier.shape[0]
    order = np.empty(n_topics, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        for slot in range(n_topics):
            for later in range(slot + 1, n_topics):
                earlier[order[slot], order[later]] += 1


@compiled
def place_topic_label(
    canonical: NDArray[np.int64],
    topic: int,
    totals: NDArray[np.int64],
    earlier: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    uniform: float,
) -> None:
    """Draw the position of one topic in the canonical order, by the probability of all orders.

    `canonical[j]` is the topic that will have number j. Every document keeps its own order of the
    topics; its inversion counts change, and `totals`, their sums over the documents, by topic. A
    topic in front of this one counts it where a document has this one earlier; behind it, it has
    the next number, and so the next ρ. So sums from both ends give the costs of all gaps in O(K).
    """
    n_topics = canonical.size
    others = without_topic(canonical, topic)
    for number in range(n_topics):
        if canonical[number] == topic:
            break
        totals[canonical[number]] -= earlier[topic, canonical[number]]
    before, log_weights = np.zeros(n_topics), np.empty(n_topics)
    for gap in range(n_topics - 1):
        total = totals[others[gap]] + earlier[topic, others[gap]]
        before[gap + 1] = before[gap] + dispersion[gap] * total
    log_weights[n_topics - 1] = -before[n_topics - 1]
    behind, own = 0.0, 0
    for gap in range(n_topics - 2, -1, -1):
        own += earlier[others[gap], topic]
        if gap < n_topics - 2:
            behind += dispersion[gap + 1] * totals[others[gap]]
        cost = before[gap] + dispersion[gap] * own + behind
        log_weights[gap] = -cost
    drawn = draw_index(log_weights, n_topics, uniform)
    insert_at(canonical, topic, others, drawn)
    totals[topic] = 0
    for gap in range(n_topics - 1):
        if gap < drawn:
            totals[others[gap]] += earlier[topic, others[gap]]
        else:
            totals[topic] += earlier[others[gap], topic]


@compiled
def relabel_inversions(inversions: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Rewrite the inversion counts of the same orders for new numbers of the topics."""
    order = np.empty(numbers.size, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        for slot in range(order.size):
            order[slot] = numbers[order[slot]]
        write_inversions(inversions[document], order)


@compiled
def permute_columns(counts: NDArray[np.int32], canonical: NDArray[np.int64]) -> None:
    """Make column `canonical[j]` column j, row by row: the table may be large."""
    row = np.empty(canonical.size, counts.dtype)
    for n in range(counts.shape[0]):
        for j in range(canonical.size):
            row[j] = counts[n, canonical[j]]
        for j in range(canonical.size):
            counts[n, j] = row[j]


@compiled
def move_last(inversions: NDArray[np.int64], first: int) -> None:
    """Move the topics from `first` on behind all others, in every document."""
    n_topics = inversions.shape[1] + 1
    order, moved = np.empty(n_topics, np.int64), np.empty(n_topics, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        filled = 0
        for topic in order:
            if topic < first:
                moved[filled] = topic
                filled += 1
        for topic in range(first, n_topics):
            moved[topic] = topic
        write_inversions(inversions[document], moved)
