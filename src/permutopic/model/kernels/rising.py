"""The sum of a table of logarithms over a table of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.jit import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@compiled
def sum_over_counts(table: NDArray[np.float64], counts: NDArray[np.int32]) -> float:
    """Sum up `table[count]` over all counts, in four sums.

    One sum would wait for each addition before it can begin the next.
    """
    flat, first, second, third, fourth = counts.reshape(counts.size), 0.0, 0.0, 0.0, 0.0
    whole = flat.size // 4 * 4
    for n in range(0, whole, 4):
        first += table[flat[n]]
        second += table[flat[n + 1]]
        third += table[flat[n + 2]]
        fourth += table[flat[n + 3]]
    for n in range(whole, flat.size):
        first += table[flat[n]]
    return (first + second) + (third + fourth)
