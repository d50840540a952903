"""Exact probabilities of precedence between items under the Generalized Mallows Model.

An order is built by inserting item n−1, then n−2, … 0, each after `inversions[j]` of the items
inserted before. The inversion counts are independent, so that the slot of an item is a Markov chain
over the items inserted after it, and the set of items in the first p slots is one over those
inserted before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray


def tail_table(dispersion: ArrayLike) -> NDArray[np.float64]:
    """Compute P(more than p greater items precede item j) at [j, p]: (n, n).

    >>> tail_table([np.log(3)]).round(2).tolist()
    [[0.25, 0.0], [0.0, 0.0]]
    """
    rho = np.asarray(dispersion, dtype=np.float64)
    n_items = rho.size + 1
    tails = np.zeros((n_items, n_items))
    for item in range(n_items - 1):
        steps = np.arange(n_items - item)
        weights = np.exp(-np.where(steps == 0, 0.0, rho[item]) * steps)
        tails[item, : steps.size - 1] = weights[:0:-1].cumsum()[::-1] / weights.sum()
    return tails


def precedence(tails: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the probability that the item of the row precedes that of the column: (n, n).

    `tails` is the `tail_table`. Orders of a subset of the items are the orders of all items with
    the others left out, so that the probabilities hold whichever items a document has.

    >>> precedence(tail_table([np.log(3)])).round(2).tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """
    n_items = tails.shape[0]
    before = np.zeros((n_items, n_items))
    slots = np.zeros((n_items, n_items))  # distribution of each inserted item's slot
    for item in range(n_items - 1, -1, -1):
        after, later = tails[item], slice(item + 1, n_items)
        before[later, item] = slots[later] @ after
        before[item, later] = 1 - before[later, item]
        shifted = slots[later] * (1 - after)
        slots[later] *= after
        slots[later, 1:] += shifted[:, :-1]
        slots[item] = -np.diff(after, prepend=1)
    return before


def count_before(
    tails: NDArray[np.float64], item: int, others: Collection[int]
) -> NDArray[np.float64]:
    """Compute the distribution of the number of some other items that precede an item.

    Entry c is the probability of c of them, c from 0 to all. The remaining items are summed out.
    `tails` is the `tail_table`.

    >>> count_before(tail_table([0.0, 0.0]), 0, [1, 2]).round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    counted = frozenset(others)
    lesser = _lesser_before(tails, item, counted)
    greater = _greater_before(tails, item, counted)
    probabilities = -np.diff(tails[item], prepend=1)
    total = np.zeros(len(counted) + 1)
    # Given the number of greater items before the item, those and the lesser ones are independent.
    for slot in range(tails.shape[0] - item):
        total += probabilities[slot] * np.convolve(lesser[slot], greater[slot])
    return total


def _lesser_before(
    tails: NDArray[np.float64], item: int, others: frozenset[int]
) -> NDArray[np.float64]:
    """Compute P(c of the lesser others precede the item | its slot among the greater): (n, c)."""
    n_counts = sum(other < item for other in others) + 1
    counts = np.zeros((tails.shape[0], n_counts))
    counts[:, 0] = 1
    for lesser in range(item):
        after = tails[lesser][:, None]  # P(the lesser item is inserted after the item)
        shifted = np.zeros_like(counts)
        shifted[:-1] = _count_one(counts[1:], lesser in others)
        counts = after * counts + (1 - after) * shifted
    return counts


def _greater_before(
    tails: NDArray[np.float64], item: int, others: frozenset[int]
) -> NDArray[np.float64]:
    """Compute P(c of the greater others among the first p of the greater items): (n, c)."""
    n_items = tails.shape[0]
    counts = np.zeros((n_items, sum(other > item for other in others) + 1))
    counts[0, 0] = 1
    for greater in range(n_items - 1, item, -1):
        outside = np.append(1.0, tails[greater, :-1])[:, None]  # P(inversions ≥ p)
        within = np.zeros_like(counts)
        within[1:] = _count_one(counts[:-1], greater in others)
        counts = outside * counts + (1 - outside) * within
    return counts


def _count_one(counts: NDArray[np.float64], counted: bool) -> NDArray[np.float64]:
    """Shift a distribution of counts by one, if the item is one of those to count."""
    if not counted:
        return counts
    shifted = np.zeros_like(counts)
    shifted[:, 1:] = counts[:, :-1]
    return shifted
