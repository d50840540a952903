"""Bootstrap intervals over documents: how far a score would move with other documents.

Documents are drawn from those there are, as many as there are, with replacement, and the statistic
of the drawn rows is computed, many times. What a system learned stays as it is: the interval says
nothing of other seeds, nor of a fit to other documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from permutopic.checks import check_integer, check_real
from permutopic.errors import InputError
from permutopic.metrics.by_document import Statistic, checked_rows, generator, statistics_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

INTERVALS = ("percentile", "bca")
_CELLS = 1 << 18  # numbers in a stack of tables: 2 MiB


class Interval(NamedTuple):
    """Where a score lies, by the level's share of all bootstrap draws."""

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
        Table (documents, columns), two documents or more: drawn from a single one, every table
        is the same, and the interval would claim certainty.
    statistic
        From such a table to a number.
    level
        Share of intervals that should hold the true value.
    method : {"percentile", "bca"}
        Quantiles of the draws, or those quantiles corrected for bias and skew (Efron 1987), which
        costs a statistic more for each document.
    rounds, seed, vectorized
        As for `randomization_test`.

    Notes
    -----
    Where all draws agree (all rows are equal, say) the interval is that one number. BCa has no
    answer if all draws lie on one side of the statistic, as they may for a maximum: refused.

    For the difference of two systems, put their rows side by side, so that a document drawn is
    drawn for both: `docs/metrics.md` shows it.

    Examples
    --------
    >>> interval = bootstrap_interval([[0.2], [0.3], [0.4], [0.3]], lambda rows: rows.mean())
    >>> round(interval.low, 3), round(interval.high, 3), interval.level
    (0.225, 0.375, 0.95)
    """
    rounds = check_integer(rounds, "rounds", 1)
    level = check_real(level, "level", 0, 1)
    if level in {0, 1}:
        raise InputError(f"level must lie between 0 and 1, such as 0.95, not {level:g}")
    if method not in INTERVALS:
        raise InputError(f"the interval is one of {', '.join(INTERVALS)}, not {method!r}")
    table = checked_rows(rows, "the rows")
    if table.shape[0] < 2:
        raise InputError("an interval over documents needs two documents at least, not 1")
    drawn = _draw(table, statistic, rounds, generator(seed), vectorized)
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        ends = _corrected(ends, drawn, table, statistic, vectorized)
    low, high = np.quantile(drawn, ends)
    return Interval(float(low), float(high), level)


def _draw(
    table: NDArray[np.float64],
    statistic: Statistic,
    rounds: int,
    random: np.random.Generator,
    vectorized: bool,
) -> NDArray[np.float64]:
    """Compute the statistic of `rounds` tables drawn from the rows of one."""
    block = max(_CELLS // table.size, 1)
    drawn = np.empty(rounds)
    for begin in range(0, rounds, block):
        size = min(block, rounds - begin), table.shape[0]
        tables = table[random.integers(table.shape[0], size=size)]
        drawn[begin : begin + size[0]] = statistics_of(tables, statistic, vectorized=vectorized)
    return drawn


def _corrected(
    ends: NDArray[np.float64],
    drawn: NDArray[np.float64],
    table: NDArray[np.float64],
    statistic: Statistic,
    vectorized: bool,
) -> NDArray[np.float64]:
    """Move the ends of an interval by bias and acceleration."""
    [whole] = statistics_of(table[None], statistic, vectorized=vectorized)
    below = (np.mean(drawn < whole) + np.mean(drawn <= whole)) / 2  # draws equal to it: half
    if below in {0, 1}:
        raise InputError(
            "all draws lie on one side of the statistic, so bca has no interval: take percentile"
        )
    bias = ndtri(below)
    pull = bias + ndtri(ends)
    stretch = 1 - _acceleration(table, statistic, vectorized) * pull
    # It can fall to 0 for a skewed table and a level near 1: then the end is at the last draw.
    moved: NDArray[np.float64] = ndtr(bias + pull / np.maximum(stretch, 1e-300))
    return moved


def _acceleration(table: NDArray[np.float64], statistic: Statistic, vectorized: bool) -> float:
    """Estimate how the spread grows with the statistic, leaving out one document at a time."""
    n_documents = table.shape[0]
    block = max(_CELLS // table.size, 1)
    without = np.empty(n_documents)
    for begin in range(0, n_documents, block):
        left_out = np.arange(begin, min(begin + block, n_documents))[:, None]
        others = np.arange(n_documents - 1)
        tables = table[others + (others >= left_out)]
        without[begin : begin + len(tables)] = statistics_of(
            tables, statistic, vectorized=vectorized
        )
    fall = without.mean() - without
    spread = float(np.sum(fall**2))
    return float(np.sum(fall**3)) / (6 * spread**1.5) if spread > 0 else 0.0
