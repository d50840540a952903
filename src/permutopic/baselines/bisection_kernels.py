"""The compiled code of the clustering rival: unit vectors that move between clusters.

A cluster is known by its composite, the sum of its vectors. The criterion I2 is the sum of the
composites' lengths. When x, of length 1, joins a cluster with composite S, ‖S‖² grows by
2·x·S + 1; when it leaves, by 1 − 2·x·S. So one dot product, over the words of x alone, tells what
a move is worth.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Vectors(NamedTuple):
    """Sparse vectors of length 1, none negative: vector n is `starts[n]` … `starts[n + 1]`."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]


class Clusters(NamedTuple):
    """What each of K clusters holds: its composite (a column), the square of its length, units."""

    composites: NDArray[np.float64]
    squares: NDArray[np.float64]
    sizes: NDArray[np.int64]


@compiled
def recount(vectors: Vectors, labels: NDArray[np.int64], clusters: Clusters) -> float:
    """Sum the clusters up from nothing, and give their I2."""
    clusters.composites[:] = 0.0
    clusters.squares[:] = 0.0
    clusters.sizes[:] = 0
    for n in range(labels.size):
        label = labels[n]
        clusters.sizes[label] += 1
        for place in range(vectors.starts[n], vectors.starts[n + 1]):
            clusters.composites[vectors.columns[place], label] += vectors.values[place]
    for column in range(clusters.composites.shape[0]):
        for label in range(clusters.squares.size):
            clusters.squares[label] += clusters.composites[column, label] ** 2
    total = 0.0
    for square in clusters.squares:
        total += math.sqrt(square)
    return total


@compiled
def find_other(vectors: Vectors, first: int, begin: int, n_columns: int) -> int:
    """Find the next vector from `begin` on, round and round, that is not the same as `first`.

    Gives −1 where all are the same.
    """
    dense = np.zeros(n_columns)
    for place in range(vectors.starts[first], vectors.starts[first + 1]):
        dense[vectors.columns[place]] = vectors.values[place]
    n_vectors = vectors.starts.size - 1
    for step in range(n_vectors):
        other = (begin + step) % n_vectors
        likeness = 0.0
        for place in range(vectors.starts[other], vectors.starts[other + 1]):
            likeness += dense[vectors.columns[place]] * vectors.values[place]
        if likeness < 1.0 - 1e-12:
            return other
    return -1


@compiled
def join_nearer(
    vectors: Vectors, first: int, second: int, labels: NDArray[np.int64], clusters: Clusters
) -> None:
    """Label every vector 0 or 1 by which of two vectors it is nearer to; 0 if there is no telling.

    The composites serve as room; recount them afterwards.
    """
    clusters.composites[:] = 0.0
    for place in range(vectors.starts[first], vectors.starts[first + 1]):
        clusters.composites[vectors.columns[place], 0] = vectors.values[place]
    for place in range(vectors.starts[second], vectors.starts[second + 1]):
        clusters.composites[vectors.columns[place], 1] = vectors.values[place]
    for n in range(labels.size):
        nearer = 0.0
        for place in range(vectors.starts[n], vectors.starts[n + 1]):
            column = vectors.columns[place]
            nearer += vectors.values[place] * (
                clusters.composites[column, 1] - clusters.composites[column, 0]
            )
        labels[n] = 1 if nearer > 0.0 else 0


@compiled
def refine_once(
    vectors: Vectors,
    order: NDArray[np.int64],
    labels: NDArray[np.int64],
    clusters: Clusters,
    least_gain: float,
) -> int:
    """Visit vectors in this order, move each to where I2 gains most, and count the moves.

    A move has to gain more than `least_gain`, which is above what rounding can feign: the squares
    are carried along from move to move. So the caller recounts after every pass.
    """
    n_clusters = clusters.squares.size
    products = np.empty(n_clusters)
    moves = 0
    for n in order:
        own = labels[n]
        # The last one could gain nothing by leaving, but what is left of its composite is rounding.
        if clusters.sizes[own] == 1:
            continue
        products[:] = 0.0
        for place in range(vectors.starts[n], vectors.starts[n + 1]):
            column, value = vectors.columns[place], vectors.values[place]
            for label in range(n_clusters):
                products[label] += value * clusters.composites[column, label]
        square = clusters.squares[own]
        loss = math.sqrt(square) - math.sqrt(max(square - 2.0 * products[own] + 1.0, 0.0))
        best, best_gain = own, loss + least_gain
        for label in range(n_clusters):
            square = clusters.squares[label]
            gain = math.sqrt(square + 2.0 * products[label] + 1.0) - math.sqrt(square)
            if label != own and gain > best_gain:
                best, best_gain = label, gain
        if best == own:
            continue
        for place in range(vectors.starts[n], vectors.starts[n + 1]):
            column, value = vectors.columns[place], vectors.values[place]
            clusters.composites[column, own] -= value
            clusters.composites[column, best] += value
        clusters.squares[own] += 1.0 - 2.0 * products[own]
        clusters.squares[best] += 1.0 + 2.0 * products[best]
        clusters.sizes[own] -= 1
        clusters.sizes[best] += 1
        labels[n] = best
        moves += 1
    return moves
