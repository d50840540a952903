"""How many documents have a topic, and how many would if they were shorter."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Presence:
    """Shares of documents that have each topic.

    Parameters
    ----------
    counts
        (D, K): how many units of each document each topic has.
    sizes
        (D,): how many units each document has; the sums of the rows if it is not given.

    Examples
    --------
    >>> Presence([[1, 3], [2, 2]]).at(1).round(3).tolist()
    [0.375, 0.625]
    """

    def __init__(self, counts: ArrayLike, sizes: ArrayLike | None = None) -> None:
        self.counts = np.asarray(counts, dtype=np.int64)
        self.sizes = self.counts.sum(axis=1) if sizes is None else np.asarray(sizes)
        self._at: dict[int, NDArray[np.float64]] = {}

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """(K,): the share of the documents that have each topic."""
        return np.asarray((self.counts > 0).mean(axis=0))

    def at(self, n_units: int) -> NDArray[np.float64]:
        """Give the share that would have each topic if no document were longer than `n_units`.

        Longer documents are thought cut down to so many of their units, drawn at random without
        replacement: of N units, n of them of the topic, one that is cut down to m lacks it with
        probability C(N−n, m) / C(N, m). (Ecologists call this rarefaction.) It is the plain share
        where all documents are that short, and less for documents too short to have everything.
        """
        n_units = min(n_units, int(self.sizes.max(initial=0)))
        if n_units not in self._at:
            sizes = self.sizes[:, None]
            kept, others = np.minimum(sizes, n_units), sizes - self.counts
            log_lacking = _log_choose(others, kept) - _log_choose(sizes, kept)
            has = np.where(kept > others, 1.0, -np.expm1(log_lacking))
            self._at[n_units] = np.where(self.counts > 0, has, 0.0).mean(axis=0)
        return self._at[n_units]


def _log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute log C(n, k); what it is where k > n does not matter."""
    logs: NDArray[np.float64] = gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)
    return logs
