"""Welch's t-test over seeds: whether two methods differ by more than their seeds do.

A test over documents takes two predictions as fixed. The effect of a seed is common to all
documents, so such a test attributes it to the method, even after averaging over seeds. This test
uses only the scores by seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def seed_test(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Compute the two-sided p-value of equal means, from one score per seed.

    A single score is that of a deterministic method, and taken as exact. With a single score on
    both sides there is no variance to compare with, and the result is None.

    >>> round(seed_test([0.66, 0.64, 0.68], [0.41, 0.43, 0.40]), 4)
    0.0001
    >>> round(seed_test([0.66, 0.64, 0.68], [0.63]), 2)
    0.12
    """
    from scipy.stats import ttest_1samp, ttest_ind  # noqa: PLC0415 (slow to import)

    ours, theirs = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    for scores in (ours, theirs):
        if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
            raise InputError(f"scores by seed are finite numbers, one per seed, not {scores!r}")
    if ours.size == theirs.size == 1:
        return None
    # Equal scores count as one: t would take their rounding error for their variance.
    size = max(float(np.abs(ours).max()), float(np.abs(theirs).max()))
    ours, theirs = (s[:1] if np.ptp(s) <= 1e-12 * size else s for s in (ours, theirs))
    if ours.size == theirs.size == 1:
        return 1.0 if abs(float(ours[0] - theirs[0])) <= 1e-12 * size else 0.0
    if theirs.size == 1:
        return float(ttest_1samp(ours, theirs[0]).pvalue)
    if ours.size == 1:
        return float(ttest_1samp(theirs, ours[0]).pvalue)
    return float(ttest_ind(ours, theirs, equal_var=False).pvalue)
