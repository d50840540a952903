"""Distance between the structures of two documents.

Draw two positions of a document at random. M[a, b] is the probability that the first one is in
topic a and the second in topic b, p[a] that a position is in topic a. So longer segments weigh
more, and M does not change when all segments grow by the same factor. The distance is

    ½ · ½ Σ_a |p_a − q_a|  +  ½ · ½ Σ_ab |M_ab − M'_ab|

half for the shares of the topics, half for their order. Both halves are total variations, so it is
a metric: 0 for the same topics, shares and order, 1 without a common topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.document_check import Neighbour
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_BLOCK = 1 << 22
"""Numbers that are in memory at once while distances are computed."""


def pair_table(topics: ArrayLike, n_topics: int) -> NDArray[np.float64]:
    """Compute M, given the topic of each unit: (K, K).

    >>> pair_table([0, 1], 2).tolist()
    [[0.25, 0.5], [0.0, 0.25]]
    """
    sequence = np.asarray(topics, dtype=np.int64)
    starts = np.flatnonzero(np.diff(sequence, prepend=-1))
    runs, sizes = sequence[starts], np.diff(starts, append=sequence.size)
    table = np.zeros((n_topics, n_topics))
    so_far = np.zeros(n_topics)
    for topic, size in zip(runs.tolist(), sizes.tolist(), strict=True):
        table[:, topic] += 2 * size * so_far
        table[topic, topic] += size**2
        so_far[topic] += size
    return table / sequence.size**2


class FittedStructures:
    """The structures of the fitted documents, to find those nearest to a document.

    Parameters
    ----------
    titles
        Titles of the fitted documents.
    topics
        For each fitted document, the topic of each unit.
    n_topics
        K.

    Examples
    --------
    >>> fitted = FittedStructures(["a", "b"], [np.array([0, 1]), np.array([1, 0])], 2)
    >>> fitted.distances([1, 0]).tolist()
    [0.25, 0.0]
    """

    def __init__(
        self, titles: Sequence[str], topics: Sequence[NDArray[np.int64]], n_topics: int
    ) -> None:
        if len(titles) != len(topics):
            raise InputError(f"{len(titles)} titles do not go with {len(topics)} documents")
        self.titles, self.n_topics = tuple(titles), n_topics
        # M / 4 and p / 4 side by side: the distance is the sum of absolute differences.
        self._vectors = np.empty((len(topics), n_topics * (n_topics + 1)), dtype=np.float32)
        for number, each in enumerate(topics):
            self._vectors[number] = self._vector(each)

    def _vector(self, topics: ArrayLike) -> NDArray[np.float64]:
        table = pair_table(topics, self.n_topics)
        # Either of the two positions may be in the topic: half of row and column sums.
        shares = (table.sum(axis=1) + table.sum(axis=0)) / 2
        return np.append(table.ravel(), shares) / 4

    def distances(self, topics: ArrayLike) -> NDArray[np.float64]:
        """Compute the distance of a document from each fitted document: (D,)."""
        vector = self._vector(topics).astype(np.float32)
        step = max(_BLOCK // vector.size, 1)
        blocks = [
            np.abs(self._vectors[first : first + step] - vector).sum(axis=1, dtype=np.float64)
            for first in range(0, len(self.titles), step)
        ]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def extremes(
        self, topics: ArrayLike, n: int, skip: Sequence[int] = ()
    ) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        """Return the `n` nearest and `n` farthest documents, without those in `skip`.

        Ties are in the order of the documents.
        """
        if n == 0:
            return (), ()
        # Single precision has no more than six correct digits.
        distances = self.distances(topics).round(6)
        numbers = np.setdiff1d(np.arange(distances.size), np.asarray(skip, dtype=np.int64))
        near = numbers[np.lexsort((numbers, distances[numbers]))][:n]
        far = numbers[np.lexsort((numbers, -distances[numbers]))][:n]
        make = [
            tuple(Neighbour(d, self.titles[d], float(distances[d])) for d in some.tolist())
            for some in (near, far)
        ]
        return make[0], make[1]
