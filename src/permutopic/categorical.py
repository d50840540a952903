"""Draws from a finite distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def draw_categories(weights: ArrayLike, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw numbers 0, 1, … in proportion to their weights, by inverting the distribution.

    >>> draw_categories([0.0, 2.0, 0.0], 4, np.random.default_rng(0)).tolist()
    [1, 1, 1, 1]
    """
    cumulative = np.cumsum(np.asarray(weights, dtype=np.float64))
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.asarray(np.minimum(drawn, cumulative.size - 1), dtype=np.int64)
