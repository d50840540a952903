"""Kendall's τ of a proposed order (eq. 16), in expectation over the orders of what is tied.

Sorting by topic leaves units of one topic tied. Whatever breaks the ties (the order in which the
units came, say) has nothing to do with the method, and a stable sort of units that came in their
reference order scores it too high. So ties are not broken: a tied pair is right in half of all tie
orders and wrong in the other half, and counts 0.

This is neither τ-b nor τ-c, which divide by less where there are ties: there, a method that ties
nearly everything and gets the one pair right that is left scores 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def kendall_tau(reference_positions: ArrayLike, scores: ArrayLike) -> float:
    """Compare the order that `scores` sort items into with their order in the reference.

    Parameters
    ----------
    reference_positions
        Where each item stands in the reference; no two at one place.
    scores
        What the items are sorted by, the least first. Equal scores are ties.

    Returns
    -------
    float
        (concordant − discordant pairs) / all pairs: 1 for the reference's order, −1 for its
        reverse, 0 on average for a random order and always if all scores are equal. nan for a
        single item: it has no pair, so no order is right or wrong.

    Examples
    --------
    >>> kendall_tau([0, 1, 2, 3], [0.1, 0.2, 0.9, 0.3])
    0.6666666666666666
    >>> kendall_tau([0, 1, 2, 3], [1, 1, 2, 2])  # four pairs right, two tied
    0.6666666666666666
    """
    places = _checked(reference_positions, "reference positions")
    given = _checked(scores, "scores")
    if places.size != given.size or places.size == 0:
        raise InputError(
            f"as many reference positions as scores are needed, at least one, "
            f"not {places.size} and {given.size}"
        )
    order = np.argsort(places)
    sorted_places = places[order]
    tied = np.flatnonzero(sorted_places[1:] == sorted_places[:-1])
    if tied.size:
        raise InputError(
            f"the reference must give each item a place of its own, and two are at "
            f"{sorted_places[tied[0]]}"
        )
    if places.size == 1:
        return float("nan")
    n_pairs = places.size * (places.size - 1) // 2
    return _rises_less_falls(given[order]) / n_pairs


def _rises_less_falls(values: NDArray[Any]) -> int:
    """Count the pairs i < j with values[i] < values[j], less those with values[i] > values[j].

    Two ranks compare as the highest bit in which they differ. So for every bit, items that agree in
    all higher ones make a group, and its pairs give Σ (bit_j − bit_i), where the item that is p-th
    of g comes p times as a j and g − 1 − p times as an i. All in whole numbers; the memory is
    linear, and the time a sort for each bit.
    """
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int64)
    surplus = 0
    for bit in range(int(ranks.max()).bit_length()):
        groups = ranks >> (bit + 1)
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        firsts = np.cumsum(sizes) - sizes
        groups = groups[order]
        place = np.arange(ranks.size) - firsts[groups]
        bits = (ranks[order] >> bit) & 1
        surplus += int(np.sum(bits * (2 * place - (sizes[groups] - 1))))
    return surplus


def _checked(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be a list of numbers, not of lists") from None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise InputError(
            f"{name} must be a list of numbers, not of shape {array.shape} and type {array.dtype}"
        )
    if np.isnan(array).any():
        raise InputError(f"{name} must be numbers, and number {np.argmax(np.isnan(array))} is nan")
    return array
