"""Ordering by pairs: the order with the greatest expected number of pairs in the right order.

P(a before b) is the mean of two estimates. By topics: the share of documents with both topics in
which a's topic precedes b's. By positions: the probability that a's position is before b's. The
order that is searched for has the greatest sum of P(a before b) over its pairs a … b, which is the
greatest expected τ (eq. 16).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.ordering.positions import PositionCounts

MAX_SEARCHED = 3000
"""More distinct pieces are sorted by their expected ranks instead: the table of all pairs, and the
search on it, grow with the square of their number."""
TOLERANCE = 1e-9
"""Smaller differences of probabilities and scores are rounding errors."""


def topic_precedence(positions: PositionCounts) -> NDArray[np.float64]:
    """Compute P(topic of the row before that of the column): (K, K), ½ without any data."""
    counts = positions.topic_pairs + 1
    share: NDArray[np.float64] = counts / (counts + counts.T)
    return share


def piece_precedence(
    first: NDArray[np.float64], second: NDArray[np.float64], positions: PositionCounts
) -> NDArray[np.float64]:
    """Compute P(a before b) for each a of `first` and b of `second`.

    Both are posteriors of shape (pieces, K, 20). Two pieces at one position are in either order
    with probability ½; so are two of one topic.
    """
    by_topic = first.sum(axis=2) @ topic_precedence(positions) @ second.sum(axis=2).T
    position = second.sum(axis=1)
    later = position[:, ::-1].cumsum(axis=1)[:, ::-1] - position / 2
    by_position = first.sum(axis=1) @ later.T
    mean: NDArray[np.float64] = (by_topic + by_position) / 2
    return mean


def rank_by_pairs(
    posterior: NDArray[np.float64], multiplicity: NDArray[np.int64], positions: PositionCounts
) -> NDArray[np.float64]:
    """Compute the rank of each distinct piece in the order that gets most pairs right: (U,).

    `posterior` is (U, K, 20), `multiplicity` the number of pieces that each row stands for. The
    rank of equal pieces is the mean of their ranks. Pieces that are neighbours in the order and
    are as probable in one order as in the other share a rank.
    """
    pooled = np.tensordot(multiplicity, posterior, axes=1)[None] / multiplicity.sum()
    start = np.argsort(-piece_precedence(posterior, pooled, positions)[:, 0], kind="stable")
    if start.size > MAX_SEARCHED:
        margins = np.array(
            [
                (piece_precedence(posterior[[a]], posterior[[b]], positions) * 2 - 1).item()
                for a, b in pairwise(start)
            ]
        )
        order = start
    else:
        table = piece_precedence(posterior, posterior, positions)
        margin = table - table.T
        order = improve_order(margin * np.outer(multiplicity, multiplicity), start)
        margins = margin[order[:-1], order[1:]]
    group = np.concatenate([[0], np.cumsum(np.abs(margins) > TOLERANCE)])
    sizes = np.bincount(group, weights=multiplicity[order])
    ranks = np.empty(order.size)
    ranks[order] = (np.cumsum(sizes) - (sizes + 1) / 2)[group]
    return ranks


def improve_order(margin: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Maximise Σ margin[a, b] over the pairs a … b of an order, by local search.

    Each step moves one item to its best slot, until no move gains. The result is a local optimum:
    no move of one item improves it, but where the margins are not transitive there may be a better
    order.

    >>> margin = np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]])  # 0 before 1 before 2 before 0
    >>> improve_order(margin, np.array([0, 1, 2])).tolist()
    [1, 2, 0]
    """
    order = start.copy()
    moved = True
    while moved:
        moved = False
        for item in start:
            slot = int(np.flatnonzero(order == item)[0])
            others = np.delete(order, slot)
            # Gain of every slot, after so many of the others, over the first slot.
            gains = np.concatenate([[0.0], np.cumsum(margin[others, item])])
            best = int(gains.argmax())
            if gains[best] > gains[slot] + TOLERANCE:
                order = np.insert(others, best, item)
                moved = True
    return order
