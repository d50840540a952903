"""Approximate randomization (Noreen 1989), paired by document.

The null hypothesis is that two systems are equal, so that the two rows of a document could be
exchanged. The rows of each document are swapped with probability ½ and the difference of the two
scores is computed, many times: the p-value is the share of differences at least as large as the
observed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.metrics.by_document import Statistic, check_table, generator, statistics_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

TOLERANCE = 1e-11
"""Differences closer than this, relative to the largest score, are equal up to rounding."""
_BLOCK_SIZE = 1 << 18  # numbers in a stack of tables: 2 MiB


class RandomizationTest(NamedTuple):
    """The result of a test."""

    difference: float
    """Statistic of the first, less that of the second."""
    p_value: float
    """Two-sided."""
    at_least: int
    """Rounds with a difference at least as large."""
    rounds: int
    """Number of rounds; 2^D if exact."""
    exact: bool
    """Whether all 2^D swaps were enumerated."""


def randomization_test(
    first: ArrayLike,
    second: ArrayLike,
    statistic: Statistic,
    *,
    rounds: int = 9_999,
    seed: int | np.random.Generator = 0,
    vectorized: bool = False,
) -> RandomizationTest:
    """Test whether two systems differ by more than swapping the rows of documents explains.

    Parameters
    ----------
    first, second
        Tables (documents, columns): the rows of two systems for the same documents, in one order.
    statistic
        A function from such a table to a number, such as `alignment_f` or `mean_pk`.
    rounds
        Number of random rounds; if there are at most as many swaps, 2^D for D documents, each is
        made once.
    seed
        A whole number, or a generator.
    vectorized
        Whether the statistic takes a stack of tables (…, documents, columns), which is faster.

    Notes
    -----
    With random rounds p = (at_least + 1) / (rounds + 1): the observation is itself one of the
    swaps, and without it p could be 0 and would be too small (Davison and Hinkley 1997, 4.2). With
    all swaps p = at_least / 2^D, which includes the observation.

    Scores with few distinct values have many equal differences, which must count although rounding
    makes them unequal: differences within `TOLERANCE` times the largest score are equal.

    Examples
    --------
    >>> pk = [[0.1], [0.2], [0.3], [0.1], [0.2], [0.0]], [[0.4], [0.3], [0.5], [0.2], [0.6], [0.4]]
    >>> result = randomization_test(*pk, lambda rows: rows.mean())
    >>> round(result.difference, 3), result.p_value, result.exact
    (-0.25, 0.03125, True)
    """
    rounds = check_integer(rounds, "rounds", 1)
    tables = check_table(first, "first"), check_table(second, "second")
    if tables[0].shape != tables[1].shape:
        raise InputError(
            f"two systems need rows for the same documents, "
            f"not of shape {tables[0].shape} and {tables[1].shape}"
        )
    n_documents = tables[0].shape[0]
    exact = 2**n_documents <= rounds
    block = max(_BLOCK_SIZE // tables[0].size, 1)
    if exact:
        rounds = 2**n_documents
        swaps_by_block = _all_swaps(n_documents, block)
    else:
        swaps_by_block = _random_swaps(n_documents, rounds, block, generator(seed))
    observed = statistics_of(np.stack(tables), statistic, vectorized=vectorized)
    difference, largest = float(observed[0] - observed[1]), float(np.abs(observed).max())
    differences = np.empty(rounds)
    done = 0
    for swaps in swaps_by_block:
        ours, theirs = (
            statistics_of(stack, statistic, vectorized=vectorized)
            for stack in _swapped(*tables, swaps)
        )
        largest = max(largest, float(np.abs(ours).max()), float(np.abs(theirs).max()))
        differences[done : done + len(swaps)] = ours - theirs
        done += len(swaps)
    at_least = int(np.count_nonzero(np.abs(differences) >= abs(difference) - TOLERANCE * largest))
    return RandomizationTest(difference, _p_value(at_least, rounds, exact), at_least, rounds, exact)


def _swapped(
    first: NDArray[np.float64], second: NDArray[np.float64], swaps: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exchange the rows of documents by the mask `swaps` (rounds, documents)."""
    chosen = swaps[:, :, None]
    return np.where(chosen, second, first), np.where(chosen, first, second)


def _p_value(at_least: int, rounds: int, exact: bool) -> float:
    return at_least / rounds if exact else (at_least + 1) / (rounds + 1)


def _all_swaps(n_documents: int, block: int) -> Iterator[NDArray[np.bool_]]:
    """Enumerate all sets of documents, as the binary digits of 0 … 2^D − 1."""
    for begin in range(0, 2**n_documents, block):
        numbers = np.arange(begin, min(begin + block, 2**n_documents))
        yield (numbers[:, None] >> np.arange(n_documents)) & 1 == 1


def _random_swaps(
    n_documents: int, rounds: int, block: int, random: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    for begin in range(0, rounds, block):
        yield random.random((min(block, rounds - begin), n_documents)) < 0.5
