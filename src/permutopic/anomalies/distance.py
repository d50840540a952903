"""How far two documents are apart in structure.

Take two places of a document at random: which topics stand there, and which comes first? The
answers make up a table of pairs, M[a, b] for topic a before topic b. Topics that take more room
weigh more, and a document does not change when it gets longer all over. The distance is

    ½ · ½ Σ_a |p_a − q_a|  +  ½ · ½ Σ_ab |M_ab − M'_ab|

where p and q are the shares of the topics: half for what is there and how much of it, half for
the order. Both halves are total variations, so it is a metric: from 0 (same topics, same shares,
same order) to 1 (no topic in common), symmetric, and no detour is shorter.
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
"""Numbers that are held at once while distances are computed."""


def pair_table(topics: ArrayLike, n_topics: int) -> NDArray[np.float64]:
    """Give M: (K, K), how often one topic is at the first and one at the second of two places.

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


def structure_distance(first: ArrayLike, second: ArrayLike) -> float:
    """Give the distance between two documents, by the topics of their units.

    >>> structure_distance([0, 0, 1, 1], [0, 1]), structure_distance([0, 1], [1, 0])
    (0.0, 0.25)
    >>> structure_distance([0, 1], [2, 2, 2])
    1.0
    """
    n_topics = int(max(np.max(first), np.max(second))) + 1
    tables = [pair_table(topics, n_topics) for topics in (first, second)]
    shares = [_shares(table) for table in tables]
    return float((np.abs(tables[0] - tables[1]).sum() + np.abs(shares[0] - shares[1]).sum()) / 4)


def _shares(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the topics' shares: of both places, hence half of row and column sums."""
    shares: NDArray[np.float64] = (tables.sum(axis=-1) + tables.sum(axis=-2)) / 2
    return shares


class Structures:
    """Documents to compare others with: many, and one after another.

    Parameters
    ----------
    titles
        What they are called.
    topics
        The topics of each one's units.
    n_topics
        K.

    Examples
    --------
    >>> known = Structures(["a", "b"], [np.array([0, 1]), np.array([1, 0])], 2)
    >>> [other.title for other in known.nearest([1, 0], 1)]
    ['b']
    """

    def __init__(
        self, titles: Sequence[str], topics: Sequence[NDArray[np.int64]], n_topics: int
    ) -> None:
        if len(titles) != len(topics):
            raise InputError(f"{len(titles)} titles do not go with {len(topics)} documents")
        self.titles, self.topics, self.n_topics = tuple(titles), tuple(topics), n_topics
        # Halves of both parts side by side: the distance is the sum of differences.
        self._signatures = np.empty((len(topics), n_topics * (n_topics + 1)), dtype=np.float32)
        for number, each in enumerate(topics):
            self._signatures[number] = self._signature(each)

    def _signature(self, topics: ArrayLike) -> NDArray[np.float64]:
        table = pair_table(topics, self.n_topics)
        return np.append(table.ravel(), _shares(table)) / 4

    def distances(self, topics: ArrayLike) -> NDArray[np.float64]:
        """Give the distance of a document from each of these."""
        mine = self._signature(topics).astype(np.float32)
        step = max(_BLOCK // mine.size, 1)
        blocks = [
            np.abs(self._signatures[first : first + step] - mine).sum(axis=1, dtype=np.float64)
            for first in range(0, len(self.titles), step)
        ]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def nearest(self, topics: ArrayLike, n: int, skip: Sequence[int] = ()) -> tuple[Neighbour, ...]:
        """List the documents most like this one, leaving some out."""
        return self.extremes(topics, n, skip)[0]

    def extremes(
        self, topics: ArrayLike, n: int, skip: Sequence[int] = ()
    ) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        """List the documents most and least like this one; ties go by number."""
        if n == 0:
            return (), ()
        # Two documents alike to six digits are alike: single precision knows no more.
        distances = self.distances(topics).round(6)
        numbers = np.setdiff1d(np.arange(distances.size), np.asarray(skip, dtype=np.int64))
        near = numbers[np.lexsort((numbers, distances[numbers]))][:n]
        far = numbers[np.lexsort((numbers, -distances[numbers]))][:n]
        make = [
            tuple(Neighbour(d, self.titles[d], float(distances[d])) for d in some.tolist())
            for some in (near, far)
        ]
        return make[0], make[1]
