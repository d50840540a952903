"""Bootstrap intervals over documents: the sampling error of a score due to the documents.

Documents are resampled with replacement, and the statistic of the resampled rows is computed, many
times. The predictions stay fixed: the interval does not cover other seeds, nor fits to other
documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from permutopic.checks import check_choice, check_integer, check_real
from permutopic.errors import InputError, Parameter
from permutopic.metrics.by_document import Statistic, check_table, generator, statistics_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

INTERVALS = ("percentile", "bca")
_BLOCK_SIZE = 1 << 18  # numbers in a stack of tables: 2 MiB


class Interval(NamedTuple):
    """A confidence interval of a score at a level."""

    low: float
    high: float
    level: float


def bootstrap_interval(
    rows: ArrayLike,
    statistic: Statistic,
    *,
    level: float = 0.95,
    rounds: int = 9_999,
    method: str = "percentile",
    seed: int | np.random.Generator = 0,
    vectorized: bool = False,
) -> Interval:
    """Compute a bootstrap interval of a statistic over documents.

    Parameters
    ----------
    rows
        Table (documents, columns) with at least two documents: of a single one, all resamples are
        equal, and the interval would have no width.
    statistic
        A function from such a table to a number.
    level
        Nominal coverage of the interval.
    method : {"percentile", "bca"}
        Quantiles of the resampled statistics, or these corrected for bias and skew (Efron 1987),
        which takes one more statistic per document.
    rounds, seed, vectorized
        As for `randomization_test`.

    Notes
    -----
    If all resampled statistics are equal (all rows are equal, say) the interval is that number.
    BCa is undefined if they all lie on one side of the statistic, as for a maximum: an error.

    For the difference of two systems, put their rows side by side, so that both use the same
    resamples: see `docs/metrics.md`.

    Examples
    --------
    >>> interval = bootstrap_interval([[0.2], [0.3], [0.4], [0.3]], lambda rows: rows.mean())
    >>> round(interval.low, 3), round(interval.high, 3), interval.level
    (0.225, 0.375, 0.95)
    """
    rounds = check_integer(rounds, "rounds", 1)
    level = check_real(level, "level", 0, 1)
    if level in {0, 1}:
        raise InputError(
            Parameter("level"), f" must lie between 0 and 1, such as 0.95, not {level:g}"
        )
    check_choice(method, "method", INTERVALS)
    table = check_table(rows, "rows")
    if table.shape[0] < 2:
        raise InputError("an interval over documents needs two documents at least, not 1")
    resampled = _resample(table, statistic, rounds, generator(seed), vectorized)
    levels = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        levels = _bca_levels(levels, resampled, table, statistic, vectorized)
    low, high = np.quantile(resampled, levels)
    return Interval(float(low), float(high), level)


def _resample(
    table: NDArray[np.float64],
    statistic: Statistic,
    rounds: int,
    random: np.random.Generator,
    vectorized: bool,
) -> NDArray[np.float64]:
    """Compute the statistic of `rounds` resamples of the rows of a table."""
    block = max(_BLOCK_SIZE // table.size, 1)
    resampled = np.empty(rounds)
    for begin in range(0, rounds, block):
        size = min(block, rounds - begin), table.shape[0]
        tables = table[random.integers(table.shape[0], size=size)]
        resampled[begin : begin + size[0]] = statistics_of(tables, statistic, vectorized=vectorized)
    return resampled


def _bca_levels(
    levels: NDArray[np.float64],
    resampled: NDArray[np.float64],
    table: NDArray[np.float64],
    statistic: Statistic,
    vectorized: bool,
) -> NDArray[np.float64]:
    """Correct the quantile levels for bias and acceleration (BCa)."""
    [observed] = statistics_of(table[None], statistic, vectorized=vectorized)
    # Of equal values, half count as below.
    below = (np.mean(resampled < observed) + np.mean(resampled <= observed)) / 2
    if below in {0, 1}:
        raise InputError(
            "all resampled statistics lie on one side of the statistic, so bca has no interval: "
            "take ",
            Parameter("method", "percentile"),
        )
    bias = ndtri(below)
    z = bias + ndtri(levels)
    denominator = 1 - _acceleration(table, statistic, vectorized) * z
    # It can reach 0 for a skewed table and a level near 1: then the end is the extreme value.
    corrected: NDArray[np.float64] = ndtr(bias + z / np.maximum(denominator, 1e-300))
    return corrected


def _acceleration(table: NDArray[np.float64], statistic: Statistic, vectorized: bool) -> float:
    """Estimate the acceleration by the jackknife over documents."""
    n_documents = table.shape[0]
    block = max(_BLOCK_SIZE // table.size, 1)
    jackknife = np.empty(n_documents)
    for begin in range(0, n_documents, block):
        left_out = np.arange(begin, min(begin + block, n_documents))[:, None]
        others = np.arange(n_documents - 1)
        tables = table[others + (others >= left_out)]
        jackknife[begin : begin + len(tables)] = statistics_of(
            tables, statistic, vectorized=vectorized
        )
    deviations = jackknife.mean() - jackknife
    squares = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6 * squares**1.5) if squares > 0 else 0.0
