"""C99's three tables, compiled: similarities of units, their ranks, and the order of the cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def square_cosines(
    tokens: NDArray[np.int64], offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.float64]:
    """Compute the squared cosine of the word counts of every two units; 0 for a wordless one.

    Only the order of similarities matters, and squares have the same. They are ratios of whole
    numbers, so that equal similarities are equal to the last bit and count as ties.
    """
    n_units = offsets.size - 1
    products = np.zeros((n_units, n_units))
    counts = np.zeros(n_words)
    for unit in range(n_units):
        for token in range(offsets[unit], offsets[unit + 1]):
            counts[tokens[token]] += 1.0
        for other in range(unit, n_units):
            product = 0.0
            for token in range(offsets[other], offsets[other + 1]):
                product += counts[tokens[token]]
            products[unit, other] = product
        for token in range(offsets[unit], offsets[unit + 1]):
            counts[tokens[token]] = 0.0
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
def local_ranks(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Put in the place of each value the share of its neighbours that are less.

    Neighbours are those up to `reach` rows and columns away, as far as there are any.
    """
    size = values.shape[0]
    ranks = np.zeros((size, size))
    for row in range(size):
        top, bottom = max(row - reach, 0), min(row + reach + 1, size)
        for column in range(row, size):
            left, right = max(column - reach, 0), min(column + reach + 1, size)
            less = 0
            for near in range(top, bottom):
                for beside in range(left, right):
                    if values[near, beside] < values[row, column]:
                        less += 1
            around = (bottom - top) * (right - left) - 1
            if around > 0:
                ranks[row, column] = less / around
                ranks[column, row] = less / around
    return ranks


@compiled
def weigh_cuts(
    sums: NDArray[np.float64],
    begin: int,
    end: int,
    losses: NDArray[np.float64],
    areas: NDArray[np.float64],
) -> None:
    """Say what each cut of the segment begin … end−1 would lose: the ranks between its sides."""
    for cut in range(begin + 1, end):
        block = sums[cut, end] - sums[begin, end] - sums[cut, cut] + sums[begin, cut]
        losses[cut] = 2.0 * block
        areas[cut] = 2.0 * float(cut - begin) * float(end - cut)


@compiled
def divide(ranks: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cut again and again where the inside density of all segments becomes greatest.

    The density is the sum of the ranks within segments (units × units) over their number. What a
    cut loses depends on its segment alone, so a step weighs anew only the cuts of two segments.

    Gives the cuts in order (as ends of units, from 1), and the densities with 1, 2, … segments.
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
    weigh_cuts(sums, 0, size, losses, areas)
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
        weigh_cuts(sums, begin, best, losses, areas)
        weigh_cuts(sums, best, end, losses, areas)
    return order, densities
