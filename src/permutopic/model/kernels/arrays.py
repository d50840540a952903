"""Small operations on arrays as plain loops: numba takes longer to compile numpy's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def indices_of(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the indices at which a mask is true."""
    indices = np.empty(mask.size, np.int64)
    filled = 0
    for n in range(mask.size):
        if mask[n]:
            indices[filled] = n
            filled += 1
    return indices[:filled].copy()


@compiled
def take_integers(values: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return values[indices]."""
    taken = np.empty(indices.size, np.int64)
    for n in range(indices.size):
        taken[n] = values[indices[n]]
    return taken


@compiled
def take_floats(values: NDArray[np.float64], indices: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return values[indices]."""
    taken = np.empty(indices.size)
    for n in range(indices.size):
        taken[n] = values[indices[n]]
    return taken


@compiled
def log_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of each value."""
    logs = np.empty(values.size)
    for n in range(values.size):
        logs[n] = np.log(values[n])
    return logs


@borrowing
def sum_column(matrix: NDArray[np.float64], column: int, first: int, last: int) -> float:
    """Return the sum of the rows first … last − 1 of one column."""
    total = 0.0
    for row in range(first, last):
        total += matrix[row, column]
    return total


@borrowing
def largest_of(values: NDArray[np.float64]) -> float:
    """Return the largest value."""
    highest = values[0]
    for n in range(1, values.size):
        highest = max(highest, values[n])
    return float(highest)


@borrowing
def divide_by(values: NDArray[np.float64], divisor: float) -> None:
    """Divide all values in place."""
    for n in range(values.size):
        values[n] /= divisor


@compiled
def nth_smallest(values: NDArray[np.float64], rank: int) -> float:
    """Return the value that would be at index `rank` if they were sorted (quickselect)."""
    left, low, high = values.copy(), 0, values.size - 1
    while low < high:
        pivot, i, j = left[(low + high) // 2], low, high
        while i <= j:
            while left[i] < pivot:
                i += 1
            while left[j] > pivot:
                j -= 1
            if i <= j:
                swapped = left[i]
                left[i] = left[j]
                left[j] = swapped
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return float(left[rank])
