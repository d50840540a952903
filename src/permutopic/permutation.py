"""Permutations and their inversion counts (section 3.3.1 of the paper), counted from zero.

An *order* is a permutation of the items 0 … K−1. Its *inversions* (v in eq. 3) are K−1 counts:
`inversions[j]` items greater than j precede j, so 0 ≤ inversions[j] ≤ K−1−j. Each vector
within these bounds belongs to exactly one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


def order_to_inversions(order: ArrayLike) -> NDArray[np.int64]:
    """Count, for each item but the last, the greater items that precede it.

    >>> order_to_inversions([2, 0, 4, 5, 1, 3])
    array([1, 3, 0, 2, 0])
    """
    items = _checked(order)
    position = np.argsort(items)
    later_items_first = position[None, :] < position[:, None]
    counts: NDArray[np.int64] = np.triu(later_items_first, k=1).sum(axis=1)
    return counts[: max(items.size - 1, 0)]


def _checked(order: ArrayLike) -> NDArray[np.int64]:
    items = np.asarray(order)
    if items.ndim != 1 or not np.array_equal(np.sort(items), np.arange(items.size)):
        raise InputError(
            f"an order lists each of 0 … {items.size - 1} once, and {items.tolist()} does not"
        )
    return items.astype(np.int64)


def inversions_to_order(inversions: ArrayLike) -> NDArray[np.int64]:
    """Build the one order that has these inversion counts (Compute-π, corrected).

    >>> inversions_to_order([1, 3, 0, 2, 0])
    array([2, 0, 4, 5, 1, 3])
    """
    counts = np.asarray(inversions)
    n_items = counts.size + 1
    whole = np.issubdtype(counts.dtype, np.integer) or counts.size == 0
    if (
        counts.ndim != 1
        or not whole
        or np.any(counts < 0)
        or np.any(counts > np.arange(n_items - 1, 0, -1))
    ):
        raise InputError(
            f"inversion counts are whole numbers between 0 and {list(range(n_items - 1, 0, -1))}, "
            f"and {counts.tolist()} do not"
        )
    order = [n_items - 1]
    for item in range(n_items - 2, -1, -1):
        order.insert(int(counts[item]), item)
    return np.array(order)


def count_swaps(items: Iterable[int]) -> int:
    """Count the pairs of different items that are not in increasing order.

    It is the Kendall distance to the sorted order: the swaps of neighbours that sort the items.

    >>> count_swaps([2, 0, 1])
    2
    """
    seen: list[int] = []
    swaps = 0
    for item in items:
        swaps += sum(earlier > item for earlier in seen)
        seen.append(item)
    return swaps
