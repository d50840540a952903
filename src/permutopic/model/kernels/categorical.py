"""Categorical draws from log weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from permutopic.jit import borrowing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@borrowing
def draw_index(log_weights: NDArray[np.float64], n_values: int, uniform: float) -> int:
    """Draw one of the first `n_values` indices in proportion to exp(log_weights)."""
    highest = log_weights[0]
    for value in range(1, n_values):
        highest = max(highest, log_weights[value])
    total = 0.0
    for value in range(n_values):
        total += math.exp(log_weights[value] - highest)
    threshold = uniform * total
    running = 0.0
    for value in range(n_values):
        running += math.exp(log_weights[value] - highest)
        if running > threshold:
            return value
    return n_values - 1
