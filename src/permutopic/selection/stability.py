"""How far fits of the same documents agree: on who shares a topic, and on the topics' order."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.mcmc.convergence import co_occurrence, match_topics, pair_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def order_agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Compare the canonical orders of two fits: Kendall's τ of the topics that they share.

    Both give every unit a topic, numbered in canonical order. Topics are matched one to one so
    that most units agree. A pair of topics weighs as many pairs of units as agree on it: a topic
    that hardly exists in one of the fits hardly counts. So this is the τ of the two orders over
    pairs of units that both fits put into the same two topics. 1: one order, −1: the reverse,
    around 0: orders that have nothing to do with each other; nan if fewer than two topics are
    shared.

    >>> order_agreement(np.array([0, 1, 2]), np.array([2, 1, 0]))
    -1.0
    """
    n_topics = 1 + int(max(first.max(initial=0), second.max(initial=0)))
    together = co_occurrence(first, second, n_topics)
    stands_for = match_topics(together)
    shared = together[np.arange(n_topics), stands_for]
    same_way = np.sign(stands_for[np.newaxis, :] - stands_for[:, np.newaxis])
    # A float: products of counts add up to more than the counts do.
    weights = np.triu(np.outer(shared, shared).astype(np.float64), k=1)
    total = weights.sum()
    return float((weights * same_way).sum() / total) if total > 0 else float("nan")


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
