"""Kendall's τ of a proposed order (eq. 16), in expectation over random tie breaking.

Sorting by topic leaves units of one topic tied. Breaking ties by the input order would be
independent of the method, and a stable sort of units given in their reference order would score too
high. So ties are not broken: a tied pair is concordant in half of all tie orders and discordant in
the other half, and counts 0.

This is neither τ-b nor τ-c, whose denominators leave tied pairs out: with these, a method that ties
nearly everything and gets the single remaining pair right scores 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def kendall_tau(reference_positions: ArrayLike, scores: ArrayLike) -> float:
    """Compute Kendall's τ between the order of items by `scores` and their reference order.

    Parameters
    ----------
    reference_positions
        The position of each item in the reference; all distinct.
    scores
        Sort keys of the items, ascending. Equal scores are ties.

    Returns
    -------
    float
        (concordant − discordant pairs) / all pairs: 1 for the reference order, −1 for its
        reverse, 0 on average for a random order, and 0 if all scores are equal. nan for a single
        item, which has no pair.

    Examples
    --------
    >>> kendall_tau([0, 1, 2, 3], [0.1, 0.2, 0.9, 0.3])
    0.6666666666666666
    >>> kendall_tau([0, 1, 2, 3], [1, 1, 2, 2])  # four pairs right, two tied
    0.6666666666666666
    """
    positions = _check_numbers(reference_positions, "reference_positions")
    values = _check_numbers(scores, "scores")
    if positions.size != values.size or positions.size == 0:
        raise InputError(
            "as many ",
            Parameter("reference_positions"),
            " as ",
            Parameter("scores"),
            f" are needed, at least one, not {positions.size} and {values.size}",
        )
    order = np.argsort(positions)
    sorted_positions = positions[order]
    tied = np.flatnonzero(sorted_positions[1:] == sorted_positions[:-1])
    if tied.size:
        raise InputError(
            Parameter("reference_positions"),
            f" must be distinct, and two are {sorted_positions[tied[0]]}",
        )
    if positions.size == 1:
        return float("nan")
    n_pairs = positions.size * (positions.size - 1) // 2
    return _concordant_minus_discordant(values[order]) / n_pairs


def _concordant_minus_discordant(values: NDArray[Any]) -> int:
    """Count the pairs i < j with values[i] < values[j], less those with values[i] > values[j].

    Two ranks compare as the highest bit in which they differ. So for every bit, items that agree in
    all higher bits form a group, whose pairs contribute Σ (bit_j − bit_i); in it, item p of g
    occurs p times as j and g − 1 − p times as i. Memory is linear; time is one sort per bit.
    """
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int64)
    surplus = 0
    for bit in range(int(ranks.max()).bit_length()):
        groups = ranks >> (bit + 1)
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        firsts = np.cumsum(sizes) - sizes
        groups = groups[order]
        position = np.arange(ranks.size) - firsts[groups]
        bits = (ranks[order] >> bit) & 1
        surplus += int(np.sum(bits * (2 * position - (sizes[groups] - 1))))
    return surplus


def _check_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(Parameter(name), " must be a list of numbers, not of lists") from None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise InputError(
            Parameter(name),
            f" must be a list of numbers, not of shape {array.shape} and type {array.dtype}",
        )
    if np.isnan(array).any():
        raise InputError(
            Parameter(name), f" must be numbers, and number {np.argmax(np.isnan(array))} is nan"
        )
    return array
