"""Compiled code of C99: similarities of units, their local ranks, and the order of the cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def squared_cosines(
    words: NDArray[np.int64], unit_offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.float64]:
    """Compute the squared cosine of the word counts of every two units; 0 for an empty unit.

    Only the order of similarities matters, and squaring keeps it. Squares are ratios of whole
    numbers, so equal similarities are equal to the last bit and count as ties.
    """
    n_units = unit_offsets.size - 1
    products = np.zeros((n_units, n_units))
    counts = np.zeros(n_words)
    for unit in range(n_units):
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            counts[words[token]] += 1.0
        for other in range(unit, n_units):
            product = 0.0
            for token in range(unit_offsets[other], unit_offsets[other + 1]):
                product += counts[words[token]]
            products[unit, other] = product
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            counts[words[token]] = 0.0
    cosines = np.zeros((n_units, n_units))
    for unit in range(n_units):
        for other in range(unit, n_units):
            product = products[unit, other]
            if product > 0.0:
                cosine = product * product / (products[unit, unit] * products[other, other])
                cosines[unit, other] = cosine
                cosines[other, unit] = cosine
    return cosines


@compiled
def local_ranks(values: NDArray[np.float64], radius: int) -> NDArray[np.float64]:
    """Replace each value by the share of its neighbours that are smaller.

    Neighbours are at most `radius` rows and columns away, within the matrix.
    """
    size = values.shape[0]
    ranks = np.zeros((size, size))
    for row in range(size):
        top, bottom = max(row - radius, 0), min(row + radius + 1, size)
        for column in range(row, size):
            left, right = max(column - radius, 0), min(column + radius + 1, size)
            less = 0
            for other_row in range(top, bottom):
                for other_column in range(left, right):
                    if values[other_row, other_column] < values[row, column]:
                        less += 1
            n_neighbours = (bottom - top) * (right - left) - 1
            if n_neighbours > 0:
                ranks[row, column] = less / n_neighbours
                ranks[column, row] = less / n_neighbours
    return ranks


@borrowing
def score_cuts(
    sums: NDArray[np.float64],
    begin: int,
    end: int,
    losses: NDArray[np.float64],
    areas: NDArray[np.float64],
) -> None:
    """Write the ranks and the area that each cut removes from within the segment begin … end−1."""
    for cut in range(begin + 1, end):
        block = sums[cut, end] - sums[begin, end] - sums[cut, cut] + sums[begin, cut]
        losses[cut] = 2.0 * block
        areas[cut] = 2.0 * float(cut - begin) * float(end - cut)


@compiled
def divide(ranks: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cut greedily where the density of all segments becomes greatest.

    The density is the mean rank within segments, Σ ranks / Σ (units of a segment)². The change by
    a cut depends on its segment alone, so only the cuts of the two new segments are scored again.

    Returns the cuts in order (as ends of units, from 1), and the densities with 1, 2, … segments.
    """
    size = ranks.shape[0]
    sums = np.zeros((size + 1, size + 1))
    for row in range(size):
        running = 0.0
        for column in range(size):
            running += ranks[row, column]
            sums[row + 1, column + 1] = sums[row, column + 1] + running
    losses, areas = np.zeros(size + 1), np.zeros(size + 1)
    is_cut = np.zeros(size + 1, np.bool_)
    is_cut[0] = is_cut[size] = True
    order, densities = np.empty(size - 1, np.int64), np.empty(size)
    total, area = sums[size, size], float(size) * float(size)
    densities[0] = total / area
    score_cuts(sums, 0, size, losses, areas)
    for step in range(size - 1):
        best, highest = 0, -1.0
        for cut in range(1, size):
            if not is_cut[cut]:
                density = (total - losses[cut]) / (area - areas[cut])
                if density > highest:
                    best, highest = cut, density
        order[step] = best
        densities[step + 1] = highest
        total -= losses[best]
        area -= areas[best]
        is_cut[best] = True
        begin, end = best - 1, best + 1
        while not is_cut[begin]:
            begin -= 1
        while not is_cut[end]:
            end += 1
        score_cuts(sums, begin, best, losses, areas)
        score_cuts(sums, best, end, losses, areas)
    return order, densities
