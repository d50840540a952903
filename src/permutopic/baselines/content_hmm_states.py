"""Initial states of the HMM content model: complete-link clusters of units by their bigrams.

The distance of two units is 1 − cosine of their bigram counts; that of two clusters is the largest
distance of their units. It is 1 as soon as two of their units share no bigram, and complete link
cannot distinguish such merges. On paragraphs this happens early (with hundreds of clusters), and
further merges would be arbitrary, mostly into one large cluster. So merging stops there, or earlier
if one more merge would leave fewer large clusters than requested. The largest clusters are the
states; all other units are assigned to the insertion state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.results.prediction import number_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CLUSTERED_UNITS = 8_000
"""Maximum number of clustered units: their distances take 4 n² bytes."""
_BLOCK = 500


def histories_of(
    words: NDArray[np.integer], unit_offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.int64]:
    """Return the word before each token; `n_words` for the first token of a unit.

    >>> histories_of(np.array([4, 2, 4, 1]), np.array([0, 3, 3, 4]), 5).tolist()
    [5, 4, 2, 5]
    """
    histories = np.roll(words, 1).astype(np.int64)
    histories[unit_offsets[:-1][np.diff(unit_offsets) > 0]] = n_words
    return histories


def initial_states(
    token_bigrams: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    n_clusters: int,
    smallest: int,
    max_units: int = MAX_CLUSTERED_UNITS,
) -> tuple[NDArray[np.int64], int]:
    """Assign units to states: the largest clusters by decreasing size, then the insertion state.

    Parameters
    ----------
    token_bigrams
        The bigram of each token.
    n_clusters
        Maximum number of states besides the insertion state.
    smallest
        Minimum number of units of a cluster that becomes a state.
    max_units
        If there are more units, an evenly spaced sample of this size is clustered; the others
        start in the insertion state.

    Returns
    -------
    tuple
        The state of each unit, and the index of the insertion state, which may have no unit.

    Examples
    --------
    >>> bigrams, offsets = np.array([0, 1, 0, 2, 3, 3]), np.array([0, 2, 4, 5, 6])
    >>> initial_states(bigrams, offsets, 2, 2)
    (array([0, 0, 1, 1]), 2)
    >>> initial_states(bigrams, offsets, 1, 2)
    (array([0, 0, 1, 1]), 1)
    """
    units = np.flatnonzero(np.diff(unit_offsets))
    if units.size > max_units:
        units = units[np.arange(max_units) * units.size // max_units]
    distances = _distances(token_bigrams, unit_offsets, units)
    labels = _clusters(distances, units.size, n_clusters, smallest)
    sizes = np.bincount(labels)
    chosen = [c for c in np.argsort(-sizes, kind="stable")[:n_clusters] if sizes[c] >= smallest]
    states = np.full(unit_offsets.size - 1, len(chosen), dtype=np.int64)
    for state, cluster in enumerate(chosen):
        states[units[labels == cluster]] = state
    return states, len(chosen)


def _distances(
    token_bigrams: NDArray[np.int64], unit_offsets: NDArray[np.int64], units: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Compute 1 − cosine of every two units, as a condensed distance matrix of scipy."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    table = csr_array(
        (np.ones(token_bigrams.size), token_bigrams, unit_offsets),
        shape=(unit_offsets.size - 1, int(token_bigrams.max()) + 1),
    )[units]
    table.sum_duplicates()
    lengths = np.sqrt(np.asarray(table.power(2).sum(axis=1)).ravel())
    table.data /= np.repeat(lengths, np.diff(table.indptr))
    distances = np.empty(units.size * (units.size - 1) // 2)
    filled = 0
    for begin in range(0, units.size, _BLOCK):
        block = (table[begin : begin + _BLOCK] @ table.T).toarray()
        for row, cosines in enumerate(block, begin):
            after = cosines[row + 1 :]
            distances[filled : filled + after.size] = np.maximum(1 - after, 0)
            filled += after.size
    return distances


def _clusters(
    distances: NDArray[np.float64], n_units: int, n_clusters: int, smallest: int
) -> NDArray[np.int64]:
    """Merge while distances are below 1 and `n_clusters` large clusters remain; return labels.

    If there are never that many large clusters, merge up to where there are most.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 (slow to import)

    if n_units == 1:
        return np.zeros(1, dtype=np.int64)
    merges = linkage(distances, "complete")
    large = _large_clusters(merges[merges[:, 2] < 1], n_units, smallest)
    target = min(n_clusters, int(large.max()))
    n_merges = int(np.flatnonzero(large >= target)[-1])
    cluster_of = np.arange(n_units + n_merges)
    for made in range(n_merges - 1, -1, -1):  # backwards, so that parents are final
        cluster_of[merges[made, :2].astype(np.int64)] = cluster_of[n_units + made]
    return number_labels(cluster_of[:n_units])


def _large_clusters(merges: NDArray[np.float64], n_units: int, smallest: int) -> NDArray[np.int64]:
    """Count the clusters of at least `smallest` units before, and after each merge.

    >>> _large_clusters(np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.3, 4]]), 4, 2).tolist()
    [0, 1, 2, 1]
    """
    sizes = np.concatenate([np.ones(n_units), merges[:, 3]])
    parts = sizes[merges[:, :2].astype(np.int64)] >= smallest
    changes = (merges[:, 3] >= smallest).astype(np.int64) - parts.sum(axis=1)
    before = n_units if smallest <= 1 else 0
    return before + np.concatenate([[0], np.cumsum(changes)])
