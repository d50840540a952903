"""Slice sampling on the positive half line (Neal 2003: stepping out, then shrinking)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np


def slice_sample(
    log_density: Callable[[float], float], current: float, width: float, rng: np.random.Generator
) -> float:
    """Draw a positive number by one step that leaves its unimodal density invariant.

    `width` is a guess of the density's extent; it may depend on the density, not on `current`.
    """
    height = log_density(current) + math.log1p(-rng.random())
    offset = width * rng.random()
    left, right = max(current - offset, 0.0), current - offset + width
    while left > 0 and log_density(left) >= height:
        left = max(left - width, 0.0)
    while log_density(right) >= height:
        right += width
    while True:
        proposal = right - (right - left) * rng.random()  # in (left, right]: never 0
        if log_density(proposal) >= height:
            return proposal
        if proposal < current:
            left = proposal
        else:
            right = proposal
