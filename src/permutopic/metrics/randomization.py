"""Approximate randomization (Noreen 1989), paired by document.

Are two systems different, or could the difference of their scores be chance? If they were alike, it
would not matter which of a document's two rows came from which system. So the rows are swapped, for
each document with probability ½, and the difference of the two scores is computed anew, many times:
the p-value is the share of differences at least as large as the one that was observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.metrics.by_document import Statistic, checked_rows, generator, statistics_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

TOLERANCE = 1e-11
"""Differences this near, relative to the largest score met with, are equal but for rounding."""
_CELLS = 1 << 18  # numbers in a stack of tables: 2 MiB


class RandomizationTest(NamedTuple):
    """How two systems differ, and how often chance alone makes them differ as much."""

    difference: float
    """Statistic of the first, less that of the second."""
    p_value: float
    """Two-sided: signs of differences do not count."""
    at_least: int
    """Rounds with a difference at least as large."""
    rounds: int
    """Rounds made; all 2^D swaps if exact."""
    exact: bool
    """Whether all swaps were gone through, so that nothing is left to chance."""


def randomization_test(
    first: ArrayLike,
    second: ArrayLike,
    statistic: Statistic,
    *,
    rounds: int = 9_999,
    seed: int | np.random.Generator = 0,
    vectorized: bool = False,
) -> RandomizationTest:
    """Test whether two systems differ more than swapping their documents' rows would make them.

    Parameters
    ----------
    first, second
        Tables (documents, columns): the rows of two systems for the same documents, in one order.
    statistic
        From such a table to a number: `f_of`, `pk_of`, or any function of yours.
    rounds
        Random rounds; if all 2^D swaps of D documents are no more than that, each is made once.
    seed
        A whole number or a generator: the same gives the same result.
    vectorized
        Whether the statistic takes a stack of tables (…, documents, columns), as ours do: faster.

    Notes
    -----
    With random rounds p = (at_least + 1) / (rounds + 1): what was observed is itself one of the
    swaps, and without it p could be 0 and would be too small (Davison and Hinkley 1997, 4.2). With
    all swaps p = at_least / 2^D, and what was observed is among them.

    Scores of a few values have many equal differences, and those must count. Rounding tears them
    apart, so differences that fall short by up to `TOLERANCE` times the largest score are equal.

    Examples
    --------
    >>> pk = [[0.1], [0.2], [0.3], [0.1], [0.2], [0.0]], [[0.4], [0.3], [0.5], [0.2], [0.6], [0.4]]
    >>> result = randomization_test(*pk, lambda rows: rows.mean())
    >>> round(result.difference, 3), result.p_value, result.exact
    (-0.25, 0.03125, True)
    """
    rounds = check_integer(rounds, "rounds", 1)
    tables = checked_rows(first, "the first rows"), checked_rows(second, "the second rows")
    if tables[0].shape != tables[1].shape:
        raise InputError(
            f"two systems need rows for the same documents, "
            f"not of shape {tables[0].shape} and {tables[1].shape}"
        )
    n_documents = tables[0].shape[0]
    exact = 2**n_documents <= rounds
    block = max(_CELLS // tables[0].size, 1)
    if exact:
        rounds = 2**n_documents
        choices = _all_swaps(n_documents, block)
    else:
        choices = _random_swaps(n_documents, rounds, block, generator(seed))
    observed = statistics_of(np.stack(tables), statistic, vectorized=vectorized)
    difference, largest = float(observed[0] - observed[1]), float(np.abs(observed).max())
    found = np.empty(rounds)
    done = 0
    for swaps in choices:
        ours, theirs = (
            statistics_of(stack, statistic, vectorized=vectorized)
            for stack in _swapped(*tables, swaps)
        )
        largest = max(largest, float(np.abs(ours).max()), float(np.abs(theirs).max()))
        found[done : done + len(swaps)] = ours - theirs
        done += len(swaps)
    at_least = int(np.count_nonzero(np.abs(found) >= abs(difference) - TOLERANCE * largest))
    return RandomizationTest(difference, _p_value(at_least, rounds, exact), at_least, rounds, exact)


def _swapped(
    first: NDArray[np.float64], second: NDArray[np.float64], swaps: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exchange the rows of the documents that each round (rounds, documents) swaps."""
    chosen = swaps[:, :, None]
    return np.where(chosen, second, first), np.where(chosen, first, second)


def _p_value(at_least: int, rounds: int, exact: bool) -> float:
    return at_least / rounds if exact else (at_least + 1) / (rounds + 1)


def _all_swaps(n_documents: int, block: int) -> Iterator[NDArray[np.bool_]]:
    """Go through all choices of documents, as the binary digits of 0 … 2^D − 1."""
    for begin in range(0, 2**n_documents, block):
        numbers = np.arange(begin, min(begin + block, 2**n_documents))
        yield (numbers[:, None] >> np.arange(n_documents)) & 1 == 1


def _random_swaps(
    n_documents: int, rounds: int, block: int, random: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    for begin in range(0, rounds, block):
        yield random.random((min(block, rounds - begin), n_documents)) < 0.5
