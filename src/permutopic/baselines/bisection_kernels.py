"""Compiled code of the clustering: vectors of length 1 that move between clusters.

A cluster is represented by its composite S, the sum of its vectors. The criterion I2 is Σ ‖S‖ over
clusters. When a vector x joins, ‖S‖² grows by 2·x·S + 1; when it leaves, by 1 − 2·x·S. So the gain
of a move takes one dot product, over the non-zeros of x.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SparseVectors(NamedTuple):
    """Sparse non-negative vectors of length 1: vector n has entries offsets[n] … offsets[n+1]−1."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]


class Clusters(NamedTuple):
    """K clusters: composites (columns, K), their squared lengths (K,), and numbers of vectors."""

    composites: NDArray[np.float64]
    squares: NDArray[np.float64]
    sizes: NDArray[np.int64]


@borrowing
def recount(vectors: SparseVectors, labels: NDArray[np.int64], clusters: Clusters) -> float:
    """Compute the clusters from the labels, and return I2."""
    clusters.composites[:] = 0.0
    clusters.squares[:] = 0.0
    clusters.sizes[:] = 0
    for n in range(labels.size):
        label = labels[n]
        clusters.sizes[label] += 1
        for entry in range(vectors.offsets[n], vectors.offsets[n + 1]):
            clusters.composites[vectors.columns[entry], label] += vectors.values[entry]
    for column in range(clusters.composites.shape[0]):
        for label in range(clusters.squares.size):
            clusters.squares[label] += clusters.composites[column, label] ** 2
    total = 0.0
    for square in clusters.squares:
        total += math.sqrt(square)
    return total


@compiled
def find_distinct(vectors: SparseVectors, first: int, begin: int, n_columns: int) -> int:
    """Find the first vector that differs from `first`, searching cyclically from `begin`.

    Returns −1 if all are equal.
    """
    dense = np.zeros(n_columns)
    for entry in range(vectors.offsets[first], vectors.offsets[first + 1]):
        dense[vectors.columns[entry]] = vectors.values[entry]
    n_vectors = vectors.offsets.size - 1
    for step in range(n_vectors):
        other = (begin + step) % n_vectors
        similarity = 0.0
        for entry in range(vectors.offsets[other], vectors.offsets[other + 1]):
            similarity += dense[vectors.columns[entry]] * vectors.values[entry]
        if similarity < 1.0 - 1e-12:
            return other
    return -1


@borrowing
def assign_nearest(
    vectors: SparseVectors, first: int, second: int, labels: NDArray[np.int64], clusters: Clusters
) -> None:
    """Label every vector 0 or 1 by which of two vectors is more similar; 0 if both are equally so.

    The composites are overwritten as scratch memory; recount them afterwards.
    """
    clusters.composites[:] = 0.0
    for entry in range(vectors.offsets[first], vectors.offsets[first + 1]):
        clusters.composites[vectors.columns[entry], 0] = vectors.values[entry]
    for entry in range(vectors.offsets[second], vectors.offsets[second + 1]):
        clusters.composites[vectors.columns[entry], 1] = vectors.values[entry]
    for n in range(labels.size):
        difference = 0.0
        for entry in range(vectors.offsets[n], vectors.offsets[n + 1]):
            column = vectors.columns[entry]
            difference += vectors.values[entry] * (
                clusters.composites[column, 1] - clusters.composites[column, 0]
            )
        labels[n] = 1 if difference > 0.0 else 0


@compiled
def refine_once(
    vectors: SparseVectors,
    order: NDArray[np.int64],
    labels: NDArray[np.int64],
    clusters: Clusters,
    min_gain: float,
) -> int:
    """Move each vector, in this order, to the cluster of maximum I2; return the number of moves.

    A move must gain more than `min_gain`, which exceeds the rounding error of the squared lengths:
    these are updated from move to move. The caller recounts them after every pass.
    """
    n_clusters = clusters.squares.size
    products = np.empty(n_clusters)
    moves = 0
    for n in order:
        own = labels[n]
        # The last vector gains nothing by leaving, and its composite would be rounding error.
        if clusters.sizes[own] == 1:
            continue
        products[:] = 0.0
        for entry in range(vectors.offsets[n], vectors.offsets[n + 1]):
            column, value = vectors.columns[entry], vectors.values[entry]
            for label in range(n_clusters):
                products[label] += value * clusters.composites[column, label]
        square = clusters.squares[own]
        loss = math.sqrt(square) - math.sqrt(max(square - 2.0 * products[own] + 1.0, 0.0))
        best, best_gain = own, loss + min_gain
        for label in range(n_clusters):
            square = clusters.squares[label]
            gain = math.sqrt(square + 2.0 * products[label] + 1.0) - math.sqrt(square)
            if label != own and gain > best_gain:
                best, best_gain = label, gain
        if best == own:
            continue
        for entry in range(vectors.offsets[n], vectors.offsets[n + 1]):
            column, value = vectors.columns[entry], vectors.values[entry]
            clusters.composites[column, own] -= value
            clusters.composites[column, best] += value
        clusters.squares[own] += 1.0 - 2.0 * products[own]
        clusters.squares[best] += 1.0 + 2.0 * products[best]
        clusters.sizes[own] -= 1
        clusters.sizes[best] += 1
        labels[n] = best
        moves += 1
    return moves
