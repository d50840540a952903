"""Agreement of fits to the same documents: on the partition of units and the order of topics."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.mcmc.convergence import co_occurrence, match_topics, pair_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def order_agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Compute a weighted Kendall's τ between the canonical orders of two fits.

    The arguments are the topics of units (units,), numbered in canonical order. Topics are matched
    one to one to maximise the number of agreeing units. The weight of a pair of topics is the
    product of their agreeing units, so this is τ over the pairs of units that both fits put into
    the same two topics. 1: equal orders, −1: reversed, about 0: unrelated; nan if fewer than two
    topics are shared.

    >>> order_agreement(np.array([0, 1, 2]), np.array([2, 1, 0]))
    -1.0
    """
    n_topics = 1 + int(max(first.max(initial=0), second.max(initial=0)))
    contingency = co_occurrence(first, second, n_topics)
    matching = match_topics(contingency)
    shared = contingency[np.arange(n_topics), matching]
    concordance = np.sign(matching[np.newaxis, :] - matching[:, np.newaxis])
    # Floats, because the sum of products of counts may overflow.
    weights = np.triu(np.outer(shared, shared).astype(np.float64), k=1)
    total = weights.sum()
    return float((weights * concordance).sum() / total) if total > 0 else float("nan")


def mean_agreement(fits: Sequence[NDArray[np.int64]]) -> tuple[float, float]:
    """Average `pair_agreement` and `order_agreement` over all pairs of fits; nan for one fit.

    >>> mean_agreement([np.array([0, 0, 1]), np.array([1, 1, 0])])
    (1.0, -1.0)
    """
    pairs = list(combinations(fits, 2))
    if not pairs:
        return float("nan"), float("nan")
    shared = float(np.mean([pair_agreement(a, b) for a, b in pairs]))
    orders = [tau for tau in (order_agreement(a, b) for a, b in pairs) if not np.isnan(tau)]
    return shared, float(np.mean(orders)) if orders else float("nan")
