"""Bootstrap intervals over documents: the sampling error of a score due to the documents.

Documents are resampled with replacement, and the statistic of the resampled rows is computed, many
times. The predictions stay fixed: the interval does not cover other seeds, nor fits to other
documents.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.checks import check_choice, check_integer, check_real
from permutopic.errors import InputError, Parameter
from permutopic.metrics.by_document import Statistic, check_table, generator, statistics_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

INTERVALS = ("percentile", "bca")
MAX_BCA_LEVEL = 0.9999
"""The correction for skew diverges where normal quantile times acceleration is 1; the acceleration
of a mean is at most 1/6, and the quantile of this level is 3.9."""
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
    BCa is undefined if they all lie on one side of the statistic, as for a maximum, or if leaving
    one document out never changes it: an error.

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
    if method == "bca" and level > MAX_BCA_LEVEL:
        raise InputError(
            Parameter("level"),
            f" must be at most {MAX_BCA_LEVEL} with ",
            Parameter("method", "bca"),
            f", not {level!r}",
        )
    table = check_table(rows, "rows")
    if table.shape[0] < 2:
        raise InputError("an interval over documents needs two documents at least, not 1")
    low, high = _interval(table, statistic, level, rounds, method, generator(seed), vectorized)
    return Interval(low, high, level)


def _interval(
    table: NDArray[np.float64],
    statistic: Statistic,
    level: float,
    rounds: int,
    method: str,
    random: np.random.Generator,
    vectorized: bool,
) -> tuple[float, float]:
    """Compute the interval by scipy, which resamples the numbers of the documents."""
    from scipy.stats import DegenerateDataWarning, bootstrap  # noqa: PLC0415 (slow to import)

    def statistics(drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:  # noqa: ARG001
        tables = table[drawn.reshape(-1, drawn.shape[-1])]
        return statistics_of(tables, statistic, vectorized=vectorized).reshape(drawn.shape[:-1])

    settings = {
        "confidence_level": level,
        "batch": max(_BLOCK_SIZE // table.size, 1),
        "vectorized": True,
        "rng": random,
    }
    documents = (np.arange(table.shape[0]),)
    found = bootstrap(documents, statistics, n_resamples=rounds, method="percentile", **settings)
    if method == "bca" and np.ptp(found.bootstrap_distribution) > 0:
        settings |= {"n_resamples": 0, "bootstrap_result": found}
        with warnings.catch_warnings(), np.errstate(invalid="ignore"):
            warnings.simplefilter("ignore", DegenerateDataWarning)  # an error says it better
            found = bootstrap(documents, statistics, method="bca", **settings)
    low, high = map(float, found.confidence_interval)
    if not low <= high:  # nan
        raise InputError(
            "bca has no interval: all resampled statistics lie on one side of the statistic, or "
            "leaving out one document never changes it: take ",
            Parameter("method", "percentile"),
        )
    return low, high
