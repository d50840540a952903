"""Share of the documents that have a topic, and its rarefaction to shorter documents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class DocumentShares:
    """Shares of the documents that have each topic.

    Parameters
    ----------
    counts
        (D, K): number of units of each topic in each document.
    sizes
        (D,): number of units of each document; the sums of the rows by default.

    Examples
    --------
    >>> DocumentShares([[1, 3], [2, 2]]).rarefied(1).round(3).tolist()
    [0.375, 0.625]
    """

    def __init__(self, counts: ArrayLike, sizes: ArrayLike | None = None) -> None:
        self.counts = np.asarray(counts, dtype=np.int64)
        self.sizes = self.counts.sum(axis=1) if sizes is None else np.asarray(sizes)
        self._rarefied: dict[int, NDArray[np.float64]] = {}

    @cached_property
    def observed(self) -> NDArray[np.float64]:
        """(K,): the share of the documents that have each topic."""
        return np.asarray((self.counts > 0).mean(axis=0))

    def rarefied(self, n_units: int) -> NDArray[np.float64]:
        """Compute the expected share with each topic if no document had more than `n_units`: (K,).

        Longer documents are cut down to `n_units` of their units, drawn at random without
        replacement: a document of N units, n of them of the topic, that is cut down to m lacks it
        with probability C(N−n, m) / C(N, m). Ecologists call this rarefaction. It is the observed
        share where all documents are that short.
        """
        n_units = min(n_units, int(self.sizes.max(initial=0)))
        if n_units not in self._rarefied:
            sizes = self.sizes[:, None]
            kept, others = np.minimum(sizes, n_units), sizes - self.counts
            log_lacking = _log_choose(others, kept) - _log_choose(sizes, kept)
            has = np.where(kept > others, 1.0, -np.expm1(log_lacking))
            self._rarefied[n_units] = np.where(self.counts > 0, has, 0.0).mean(axis=0)
        return self._rarefied[n_units]


def _log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute log C(n, k); arbitrary but finite where k > n."""
    logs: NDArray[np.float64] = gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)
    return logs
