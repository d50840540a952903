"""The Dirichlet compound multinomial with a symmetric prior (eq. 8 and 9 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def log_rising(max_count: int, concentration: float) -> NDArray[np.float64]:
    """Compute log Γ(n + a) / Γ(a) for n = 0 … max_count.

    Counts are integers that repeat: one logΓ for each value, not one for each count.

    >>> np.exp(log_rising(3, 1.0)).round(9).tolist()
    [1.0, 1.0, 2.0, 6.0]
    """
    rising: NDArray[np.float64] = gammaln(np.arange(max_count + 1) + concentration)
    return rising - gammaln(concentration)  # type: ignore[no-any-return]


def log_marginal(counts: ArrayLike, concentration: float) -> NDArray[np.float64]:
    """Compute the log probability of a sequence of draws with these counts, over the last axis.

    The Dirichlet has `concentration` for every outcome. This is the probability of one
    sequence; the multinomial coefficient that would make it one of counts is left out.

    >>> round(float(np.exp(log_marginal([2, 1], 1.0))), 4)  # 1/2 · 2/3 · 1/4
    0.0833
    """
    seen = np.asarray(counts)
    rising = log_rising(int(seen.max(initial=0)), concentration)[seen]
    prior = seen.shape[-1] * concentration
    total = gammaln(prior) - gammaln(seen.sum(axis=-1) + prior)
    log_probability: NDArray[np.float64] = total + rising.sum(axis=-1)
    return log_probability


def log_multinomial_coefficient(counts: ArrayLike) -> NDArray[np.float64]:
    """Compute the log number of sequences that have these counts, over the last axis.

    >>> round(float(np.exp(log_multinomial_coefficient([2, 1, 1]))), 4)
    12.0
    """
    seen = np.asarray(counts)
    total = gammaln(seen.sum(axis=-1) + 1)
    log_sequences: NDArray[np.float64] = total - gammaln(seen + 1).sum(axis=-1)
    return log_sequences


def mean(counts: ArrayLike, concentration: float) -> NDArray[np.float64]:
    """Compute the posterior mean of the Dirichlet (eq. 14 and 15), over the last axis.

    >>> mean([2, 1, 0], 1.0).tolist()
    [0.5, 0.3333333333333333, 0.16666666666666666]
    """
    smoothed = np.asarray(counts) + concentration
    estimate: NDArray[np.float64] = smoothed / smoothed.sum(axis=-1, keepdims=True)
    return estimate


def draw_log_dirichlet(
    concentration: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the logarithms of a Dirichlet vector, without underflow of small components.

    A gamma variable of shape a is one of shape a + 1 times U^(1/a).

    >>> drawn = np.exp(draw_log_dirichlet(np.array([1.0, 2.0]), np.random.default_rng(0)))
    >>> round(float(drawn.sum()), 12)
    1.0
    """
    uniforms = 1.0 - rng.random(concentration.size)
    logs = np.log(rng.gamma(concentration + 1)) + np.log(uniforms) / concentration
    normalised: NDArray[np.float64] = logs - np.logaddexp.reduce(logs)
    return normalised
