"""Which piece stands before which, and the order that gets most pairs right.

P(a before b) is the mean of two opinions. By topics: how often a's topic stands before b's in the
documents that have both. By places: how probable it is that a's place comes before b's. The order
that is looked for has the greatest sum of P(a before b) over all its pairs a … b: it is the one
whose expected τ (eq. 16) is greatest.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.ordering.places import Places

LARGEST = 3000
"""More bags than this are sorted by how many others each is expected to stand after: the table
of all pairs, and the search on it, grow with the square of their number."""
CLOSE = 1e-9
"""Differences of probabilities and scores that are taken for none."""


def before_by_topics(places: Places) -> NDArray[np.float64]:
    """Compute P(topic of the row before that of the column): (K, K), ½ where nothing is known."""
    seen = places.topic_pairs + 1
    share: NDArray[np.float64] = seen / (seen + seen.T)
    return share


def before(
    first: NDArray[np.float64], second: NDArray[np.float64], places: Places
) -> NDArray[np.float64]:
    """Compute P(a before b) for each a of `first` and b of `second`, both (bags, K, places).

    Two pieces at one place are in either order with probability ½; so are two of one topic.
    """
    by_topic = first.sum(axis=2) @ before_by_topics(places) @ second.sum(axis=2).T
    place = second.sum(axis=1)
    later = place[:, ::-1].cumsum(axis=1)[:, ::-1] - place / 2
    by_place = first.sum(axis=1) @ later.T
    mean: NDArray[np.float64] = (by_topic + by_place) / 2
    return mean


def rank_by_pairs(
    posterior: NDArray[np.float64], sizes: NDArray[np.int64], places: Places
) -> NDArray[np.float64]:
    """Rank bags by the order that gets most pairs right: for each, its mean place in that order.

    `sizes` says how many pieces each bag stands for. Bags that stand side by side and are as
    probable in one order as in the other share a rank.
    """
    pooled = np.tensordot(sizes, posterior, axes=1)[None] / sizes.sum()
    start = np.argsort(-before(posterior, pooled, places)[:, 0], kind="stable")
    if start.size > LARGEST:
        margins = np.array(
            [
                (before(posterior[[a]], posterior[[b]], places) * 2 - 1).item()
                for a, b in pairwise(start)
            ]
        )
        order = start
    else:
        table = before(posterior, posterior, places)
        margin = table - table.T
        order = best_order(margin * np.outer(sizes, sizes), start)
        margins = margin[order[:-1], order[1:]]
    block = np.concatenate([[0], np.cumsum(np.abs(margins) > CLOSE)])
    held = np.bincount(block, weights=sizes[order])
    ranks = np.empty(order.size)
    ranks[order] = (np.cumsum(held) - (held + 1) / 2)[block]
    return ranks


def best_order(margin: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Move one item at a time to where it gains most, until no move gains.

    `margin[a, b]` is what is gained if a stands before b instead of after it. The order that is
    found cannot be bettered by moving one item; where the margins contradict one another, a
    better one may be further away.

    >>> margin = np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]])  # 0 before 1 before 2 before 0
    >>> best_order(margin, np.array([0, 1, 2])).tolist()
    [1, 2, 0]
    """
    order = start.copy()
    moved = True
    while moved:
        moved = False
        for item in start:
            place = int(np.flatnonzero(order == item)[0])
            others = np.delete(order, place)
            # What is gained in each slot, after so many of the others, over the first.
            gains = np.concatenate([[0.0], np.cumsum(margin[others, item])])
            best = int(gains.argmax())
            if gains[best] > gains[place] + CLOSE:
                order = np.insert(others, best, item)
                moved = True
    return order
