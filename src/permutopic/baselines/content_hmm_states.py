"""First states of the HMM content model: units in clusters, by the pairs of words they share.

Complete-link clustering by the cosine of counts of pairs. Two clusters are as far apart as their
least similar units; where some unit of one shares no pair with some unit of the other the distance
is 1, and all such mergers are the same to complete link. On paragraphs that point comes early
(hundreds of clusters are left), and going on means merging at random, mostly into one large
cluster. So we stop there, or earlier, where one more merger would leave fewer clusters of enough
units than are asked for. The largest clusters are the states; all other units are the insertion
state's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.results.prediction import number_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 8_000
"""Units that are clustered at most: their distances take four bytes times the square of this."""
_BLOCK = 500


def histories_of(
    words: NDArray[np.integer], unit_offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.int64]:
    """Give the word before each token, and `n_words` before a unit's first.

    >>> histories_of(np.array([4, 2, 4, 1]), np.array([0, 3, 3, 4]), 5).tolist()
    [5, 4, 2, 5]
    """
    histories = np.roll(words, 1).astype(np.int64)
    histories[unit_offsets[:-1][np.diff(unit_offsets) > 0]] = n_words
    return histories


def first_states(
    token_pairs: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    n_clusters: int,
    smallest: int,
    most: int = MOST,
) -> tuple[NDArray[np.int64], int]:
    """Put units into states: the largest clusters, larger ones first, then the insertion state.

    Parameters
    ----------
    token_pairs
        A number for each token and the word before it.
    n_clusters
        States to make, at most, besides the insertion state.
    smallest
        Units that a cluster must have to be a state.
    most
        If there are more units, this many are clustered, at equal distances from the first to the
        last; the others begin in the insertion state.

    Returns
    -------
    tuple
        The state of each unit, and the number of the insertion state, which may have no unit.

    Examples
    --------
    >>> pairs, offsets = np.array([0, 1, 0, 2, 3, 3]), np.array([0, 2, 4, 5, 6])
    >>> first_states(pairs, offsets, 2, 2)
    (array([0, 0, 1, 1]), 2)
    >>> first_states(pairs, offsets, 1, 2)
    (array([0, 0, 1, 1]), 1)
    """
    units = np.flatnonzero(np.diff(unit_offsets))
    if units.size > most:
        units = units[np.arange(most) * units.size // most]
    distances = _distances(token_pairs, unit_offsets, units)
    labels = _clusters(distances, units.size, n_clusters, smallest)
    sizes = np.bincount(labels)
    chosen = [c for c in np.argsort(-sizes, kind="stable")[:n_clusters] if sizes[c] >= smallest]
    states = np.full(unit_offsets.size - 1, len(chosen), dtype=np.int64)
    for state, cluster in enumerate(chosen):
        states[units[labels == cluster]] = state
    return states, len(chosen)


def _distances(
    token_pairs: NDArray[np.int64], unit_offsets: NDArray[np.int64], units: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Compute 1 − cosine of all two units, in the order of scipy's condensed matrices."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    table = csr_array(
        (np.ones(token_pairs.size), token_pairs, unit_offsets),
        shape=(unit_offsets.size - 1, int(token_pairs.max()) + 1),
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
    """Merge while clusters share something and enough of them are large; number them as they come.

    Where there are never so many large ones, it goes on to where there are most.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 (slow to import)

    if n_units == 1:
        return np.zeros(1, dtype=np.int64)
    mergers = linkage(distances, "complete")
    large = _large_clusters(mergers[mergers[:, 2] < 1], n_units, smallest)
    wanted = min(n_clusters, int(large.max()))
    n_mergers = int(np.flatnonzero(large >= wanted)[-1])
    home = np.arange(n_units + n_mergers)
    for made in range(n_mergers - 1, -1, -1):  # from the last merger down, so merge_map are final
        home[mergers[made, :2].astype(np.int64)] = home[n_units + made]
    return number_labels(home[:n_units])


def _large_clusters(mergers: NDArray[np.float64], n_units: int, smallest: int) -> NDArray[np.int64]:
    """Count the clusters of at least `smallest` units before, and after each merger.

    >>> _large_clusters(np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.3, 4]]), 4, 2).tolist()
    [0, 1, 2, 1]
    """
    sizes = np.concatenate([np.ones(n_units), mergers[:, 3]])
    parts = sizes[mergers[:, :2].astype(np.int64)] >= smallest
    changes = (mergers[:, 3] >= smallest).astype(np.int64) - parts.sum(axis=1)
    before = n_units if smallest <= 1 else 0
    return before + np.concatenate([[0], np.cumsum(changes)])
