"""Eight numbers side by side, as one vector: loops over them, written out.

LLVM's loop vectoriser leaves accumulators in memory; written out as tuples they stay in a register.
Indices are unsigned, so that no negative one has to be looked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lanes = tuple[float, float, float, float, float, float, float, float]

LANES = 8
ZEROS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# Unsigned like the index that they are added to: with a signed one the sum would be a float.
_0, _1, _2, _3, _4, _5, _6, _7 = (np.uint64(n) for n in range(LANES))


@borrowing
def load_lanes(values: NDArray[np.float64], at: np.uint64) -> Lanes:
    """Load eight values."""
    return (
        values[at + _0],
        values[at + _1],
        values[at + _2],
        values[at + _3],
        values[at + _4],
        values[at + _5],
        values[at + _6],
        values[at + _7],
    )


@borrowing
def load_counts(counts: NDArray[np.int32], at: np.uint64, added: float) -> Lanes:
    """Load eight counts + `added`."""
    return (
        counts[at + _0] + added,
        counts[at + _1] + added,
        counts[at + _2] + added,
        counts[at + _3] + added,
        counts[at + _4] + added,
        counts[at + _5] + added,
        counts[at + _6] + added,
        counts[at + _7] + added,
    )


@borrowing
def store_lanes(values: NDArray[np.float64], at: np.uint64, lanes: Lanes) -> None:
    """Store eight values."""
    values[at + _0] = lanes[0]
    values[at + _1] = lanes[1]
    values[at + _2] = lanes[2]
    values[at + _3] = lanes[3]
    values[at + _4] = lanes[4]
    values[at + _5] = lanes[5]
    values[at + _6] = lanes[6]
    values[at + _7] = lanes[7]


@borrowing
def multiply_lanes(
    products: Lanes, values: NDArray[np.float64], at: np.uint64, added: float
) -> Lanes:
    """Multiply eight products by values + `added`."""
    return (
        products[0] * (values[at + _0] + added),
        products[1] * (values[at + _1] + added),
        products[2] * (values[at + _2] + added),
        products[3] * (values[at + _3] + added),
        products[4] * (values[at + _4] + added),
        products[5] * (values[at + _5] + added),
        products[6] * (values[at + _6] + added),
        products[7] * (values[at + _7] + added),
    )


@borrowing
def add_lanes(sums: Lanes, values: NDArray[np.float64], at: np.uint64, factor: float) -> Lanes:
    """Add `factor` × values to eight sums."""
    return (
        sums[0] + factor * values[at + _0],
        sums[1] + factor * values[at + _1],
        sums[2] + factor * values[at + _2],
        sums[3] + factor * values[at + _3],
        sums[4] + factor * values[at + _4],
        sums[5] + factor * values[at + _5],
        sums[6] + factor * values[at + _6],
        sums[7] + factor * values[at + _7],
    )
