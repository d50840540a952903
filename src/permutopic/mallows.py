"""The Generalized Mallows Model over orders (section 3.3 of the paper).

An order's inversion counts are independent: count j takes one of m = K−j values 0 … m−1
(j from zero) with probability exp(−ρ_j v) / ψ_m(ρ_j). A large `dispersion` ρ_j keeps item j in
its position; at ρ_j = 0 all positions are equally likely, at ρ_j = ∞ only the first is possible.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.categorical import draw_categories
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def n_values(n_items: int) -> NDArray[np.int64]:
    """Return the number of values that each inversion count can take: K, K−1, … 2."""
    return np.arange(n_items, 1, -1)


def log_normalizer(dispersion: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Compute log ψ (eq. 2): the log of the sum of exp(−ρ v) over v = 0 … values−1.

    >>> np.exp(log_normalizer([0.0, 500.0], 4)).round(9).tolist()
    [4.0, 1.0]
    """
    rho, m = np.asarray(dispersion, dtype=np.float64), np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.expm1(-m * rho) / np.expm1(-rho)
    return np.log(np.where(rho == 0, m, ratio))


def _excess(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute 1/(eˣ−1) − 1/x + 1/2, by its series where the difference would cancel."""
    small = np.minimum(x, 0.1)
    series = small / 12 - small**3 / 720 + small**5 / 30240 - small**7 / 1209600
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        direct = 1 / np.expm1(x) - 1 / x + 0.5
    return np.where(x < 0.1, series, direct)


def mean_inversions(dispersion: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Compute the mean inversion count (eq. 5), from (values−1)/2 at ρ = 0 down to 0.

    >>> mean_inversions(0.0, 5).item()
    2.0
    """
    rho, m = np.asarray(dispersion, dtype=np.float64), np.asarray(values, dtype=np.float64)
    rho, m = np.broadcast_arrays(rho, m)
    low = np.minimum(rho, 1)
    near = (m - 1) / 2 + _excess(low) - m * _excess(m * low)
    # Far from zero the terms of `near` cancel instead; there eq. 5 is exact as printed.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = 1 / np.expm1(rho) - m / np.expm1(m * rho)
    return np.where(rho < 1, near, far)


def _cost(dispersion: ArrayLike, inversions: ArrayLike) -> NDArray[np.float64]:
    """Compute ρ v, which is 0 at v = 0 even where ρ is infinite."""
    rho, counts = np.broadcast_arrays(dispersion, inversions)
    cost: NDArray[np.float64] = np.where(counts == 0, 0.0, rho) * counts
    return cost


def log_pmf(inversions: ArrayLike, dispersion: ArrayLike) -> NDArray[np.float64]:
    """Compute the log probability of inversion counts (eq. 1), over the last axis.

    Counts that no order has get −∞.

    >>> round(float(np.exp(log_pmf([0, 0], [1.0, 1.0]))), 4)
    0.4863
    """
    counts = np.asarray(inversions)
    rho = np.asarray(dispersion, dtype=np.float64)
    m = n_values(counts.shape[-1] + 1)
    possible = ((counts >= 0) & (counts < m)).all(axis=-1)
    total = (-_cost(rho, counts) - log_normalizer(rho, m)).sum(axis=-1)
    log_probability: NDArray[np.float64] = np.where(possible, total, -np.inf)
    return log_probability


def draw_inversions(
    dispersion: ArrayLike, rng: np.random.Generator, size: int = 1
) -> NDArray[np.int64]:
    """Draw inversion counts exactly, by inverting the distribution of each: (size, K−1)."""
    rho = np.asarray(dispersion, dtype=np.float64)
    counts = np.empty((size, rho.size), dtype=np.int64)
    for j, m in enumerate(n_values(rho.size + 1)):
        counts[:, j] = draw_categories(np.exp(-_cost(rho[j], np.arange(m))), size, rng)
    return counts


def log_prior(
    dispersion: ArrayLike, values: ArrayLike, prior_mean: ArrayLike, strength: float
) -> NDArray[np.float64]:
    """Compute the conjugate prior's log density (eq. 4), up to a constant.

    `strength` (ν0) earlier orders with `prior_mean` (v_j0) inversions each are taken as seen.
    The conditional of ρ_j given orders (eq. 12) has the same form.
    """
    rho = np.asarray(dispersion, dtype=np.float64)
    density: NDArray[np.float64] = -rho * np.asarray(prior_mean) - log_normalizer(rho, values)
    return strength * density


def log_prior_of_float(values: int, mean: float, strength: float) -> Callable[[float], float]:
    """Return `log_prior` as a function of one plain positive float, for frequent calls."""

    def log_density(rho: float) -> float:
        normalizer = math.log(math.expm1(-values * rho) / math.expm1(-rho))
        return -strength * (rho * mean + normalizer)

    return log_density


def draw_dispersion(
    values: int, mean: float, strength: float, rng: np.random.Generator, size: int = 1
) -> NDArray[np.float64]:
    """Draw ρ_j independently from the density of `log_prior`, by numerical inversion.

    The distribution function is inverted to a resolution of 1e-11 (UNU.RAN's PINV in scipy);
    a chain that has to stay exact uses slice sampling instead.
    """
    from scipy.stats.sampling import NumericalInversePolynomial  # noqa: PLC0415

    if not (strength > 0 and 0 < mean < values - 1):
        raise InputError(
            f"the density of a dispersion needs a strength above 0 and a mean between 0 and "
            f"{values - 1}, not {strength!r} and {mean!r}"
        )
    mode = mode_of_dispersion(values, mean)
    peak = float(log_prior(mode, values, mean, strength))
    # In units of the tail's own length, 1/(ν0 v_j0), the density is of order one.
    unit = 1 / (strength * mean)

    class Density:
        def pdf(self, x: float) -> float:
            return float(np.exp(log_prior(x * unit, values, mean, strength) - peak))

    inverse = NumericalInversePolynomial(
        Density(), domain=(0, np.inf), center=mode / unit, u_resolution=1e-11, random_state=rng
    )
    drawn: NDArray[np.float64] = inverse.rvs(size) * unit
    return np.maximum(drawn, np.finfo(float).tiny)


def mode_of_dispersion(values: int, mean: float) -> float:
    """Find the ρ ≥ 0 whose mean inversion count is `mean`: the peak of eq. 4."""
    from scipy.optimize import brentq  # noqa: PLC0415

    if mean >= (values - 1) / 2:
        return 0.0
    upper = 1.0
    while mean_inversions(upper, values) > mean:
        upper *= 2
    return float(brentq(lambda rho: float(mean_inversions(rho, values)) - mean, 0.0, upper))
