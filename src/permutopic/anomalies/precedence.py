"""Which items stand before which, under the Generalized Mallows Model: exact probabilities.

An order is built by putting item n−1 down, then n−2, … 0, each behind `inversions[j]` of those that
are there already. The counts are independent, so how far an item is from the front is a Markov
chain over what is put down after it, and which items stand in the first p places is one over what
was put down before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray


def tail_table(dispersion: ArrayLike) -> NDArray[np.float64]:
    """Give (n, n): the probability that more than p greater items stand before item j, at [j, p].

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
    """Give (n, n): the probability that the item of a row stands before that of a column.

    `tails` is the `tail_table`. Orders of a subset of the items are the orders of all with the
    others left out: so the numbers hold whichever items a document has.

    >>> precedence(tail_table([np.log(3)])).round(2).tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """
    n_items = tails.shape[0]
    before = np.zeros((n_items, n_items))
    places = np.zeros((n_items, n_items))  # of each item among those that are there
    for item in range(n_items - 1, -1, -1):
        behind, later = tails[item], slice(item + 1, n_items)
        before[later, item] = places[later] @ behind
        before[item, later] = 1 - before[later, item]
        pushed = places[later] * (1 - behind)
        places[later] *= behind
        places[later, 1:] += pushed[:, :-1]
        places[item] = -np.diff(behind, prepend=1)
    return before


def count_before(
    tails: NDArray[np.float64], item: int, others: Collection[int]
) -> NDArray[np.float64]:
    """Give the distribution of how many of some other items stand before an item.

    Entry c is the probability of c of them, from none to all. What the remaining items do is
    summed over. `tails` is the `tail_table`.

    >>> count_before(tail_table([0.0, 0.0]), 0, [1, 2]).round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    wanted = frozenset(others)
    lesser = _lesser_before(tails, item, wanted)
    greater = _greater_before(tails, item, wanted)
    chances = -np.diff(tails[item], prepend=1)
    total = np.zeros(len(wanted) + 1)
    # Given how many greater items stand before the item, those and the lesser ones are independent.
    for place in range(tails.shape[0] - item):
        total += chances[place] * np.convolve(lesser[place], greater[place])
    return total


def _lesser_before(
    tails: NDArray[np.float64], item: int, others: frozenset[int]
) -> NDArray[np.float64]:
    """Give (n, c): P(c of the lesser others before the item), given its place among the greater."""
    n_counts = sum(other < item for other in others) + 1
    counts = np.zeros((tails.shape[0], n_counts))
    counts[:, 0] = 1
    for lesser in range(item):
        stays = tails[lesser][:, None]  # then the lesser item comes behind ours
        pushed = np.zeros_like(counts)
        pushed[:-1] = _shifted(counts[1:], lesser in others)
        counts = stays * counts + (1 - stays) * pushed
    return counts


def _greater_before(
    tails: NDArray[np.float64], item: int, others: frozenset[int]
) -> NDArray[np.float64]:
    """Give (n, c): P(c of the greater others among the first p of the greater items)."""
    n_items = tails.shape[0]
    counts = np.zeros((n_items, sum(other > item for other in others) + 1))
    counts[0, 0] = 1
    for greater in range(n_items - 1, item, -1):
        outside = np.append(1.0, tails[greater, :-1])[:, None]  # P(inversions ≥ p)
        within = np.zeros_like(counts)
        within[1:] = _shifted(counts[:-1], greater in others)
        counts = outside * counts + (1 - outside) * within
    return counts


def _shifted(counts: NDArray[np.float64], wanted: bool) -> NDArray[np.float64]:
    """Count one more, if the item is one of those to count."""
    if not wanted:
        return counts
    moved = np.zeros_like(counts)
    moved[:, 1:] = counts[:, :-1]
    return moved
