"""Compiled code for renumbering topics in the whole corpus at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.log_filters import write_inversions
from permutopic.model.paper.single_draws import choose, fill_order

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def count_precedences(inversions: NDArray[np.int64], earlier: NDArray[np.int64]) -> None:
    """Add up in how many documents topic a stands before topic b: earlier[a, b]."""
    n_topics = earlier.shape[0]
    order = np.empty(n_topics, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        for slot in range(n_topics):
            for later in range(slot + 1, n_topics):
                earlier[order[slot], order[later]] += 1


@compiled
def place_label(
    canon: NDArray[np.int64],
    topic: int,
    earlier: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    uniform: float,
) -> None:
    """Put one topic anywhere in the canonical order, by the Mallows probability of all orders.

    `canon[j]` is the topic that will have number j. Every document keeps its own order of the
    topics; what changes is how many inversions it takes to say it.
    """
    n_topics = canon.size
    others = np.empty(n_topics - 1, np.int64)
    filled = 0
    for place in range(n_topics):
        if canon[place] != topic:
            others[filled] = canon[place]
            filled += 1
    log_weights = np.empty(n_topics)
    for gap in range(n_topics):
        canon[:gap] = others[:gap]
        canon[gap] = topic
        canon[gap + 1 :] = others[gap:]
        cost = 0.0
        for place in range(n_topics - 1):
            total = 0
            for later in range(place + 1, n_topics):
                total += earlier[canon[later], canon[place]]
            cost += dispersion[place] * total
        log_weights[gap] = -cost
    chosen = choose(log_weights, n_topics, uniform)
    canon[:chosen] = others[:chosen]
    canon[chosen] = topic
    canon[chosen + 1 :] = others[chosen:]


@compiled
def renumber_inversions(inversions: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Say the same orders by new numbers of the topics."""
    order = np.empty(numbers.size, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        for slot in range(order.size):
            order[slot] = numbers[order[slot]]
        write_inversions(inversions[document], order)


@compiled
def permute_columns(counts: NDArray[np.int32], canon: NDArray[np.int64]) -> None:
    """Put column `canon[j]` in the place of column j, row by row: the table may be large."""
    row = np.empty(canon.size, counts.dtype)
    for n in range(counts.shape[0]):
        for j in range(canon.size):
            row[j] = counts[n, canon[j]]
        for j in range(canon.size):
            counts[n, j] = row[j]


@compiled
def put_last(inversions: NDArray[np.int64], first: int) -> None:
    """Put all topics from `first` on behind the others, in every document."""
    n_topics = inversions.shape[1] + 1
    order, tidy = np.empty(n_topics, np.int64), np.empty(n_topics, np.int64)
    for document in range(inversions.shape[0]):
        fill_order(order, inversions[document])
        filled = 0
        for topic in order:
            if topic < first:
                tidy[filled] = topic
                filled += 1
        for topic in range(first, n_topics):
            tidy[topic] = topic
        write_inversions(inversions[document], tidy)
