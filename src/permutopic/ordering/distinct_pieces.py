"""Pieces as bags of words, equal ones counted once, in an order that the input order cannot affect.

Whatever is computed from them is the same to the last bit for the same pieces in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DistinctPieces:
    """The distinct bags of words among some pieces; U of them, with V different words.

    Attributes
    ----------
    counts
        (U, V): how often each distinct piece has each of `words`.
    words
        (V,): the words that occur, as indices into the vocabulary.
    multiplicity
        (U,): number of pieces with this bag of words.
    inverse
        (pieces,): row of each piece in `counts`, as in `numpy.unique`.
    """

    counts: csr_array
    words: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    inverse: NDArray[np.int64]


def find_distinct(pieces: Sequence[Sequence[NDArray[np.integer]]], n_words: int) -> DistinctPieces:
    """Reduce pieces, given as the word indices of their paragraphs, to the distinct ones.

    >>> piece, same = [np.array([2, 0]), np.array([2])], [np.array([0, 2, 2])]
    >>> distinct = find_distinct([piece, [np.array([1])], same], 3)
    >>> distinct.counts.toarray().tolist()
    [[1, 0, 2], [0, 1, 0]]
    >>> distinct.multiplicity.tolist(), distinct.inverse.tolist()
    ([2, 1], [0, 1, 0])
    """
    if len(pieces) == 0:
        raise InputError("there is no piece to order: give one or more ", Parameter("pieces"))
    sorted_words = [_sorted_words(piece, number, n_words) for number, piece in enumerate(pieces)]
    # Big-endian: as bytes, bags then sort as lists of words do, on any machine.
    keys = np.array([words.astype(">i8").tobytes() for words in sorted_words], dtype=object)
    distinct, first, inverse, multiplicity = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    bags = [sorted_words[number] for number in first]
    words, columns = np.unique(np.concatenate(bags), return_inverse=True)
    lengths = [bag.size for bag in bags]
    rows = np.repeat(np.arange(distinct.size), lengths)
    ones = np.ones(columns.size, dtype=np.int64)
    counts = csr_array((ones, (rows, columns)), shape=(distinct.size, words.size))
    counts.sum_duplicates()
    return DistinctPieces(counts, words, multiplicity, inverse)


def _sorted_words(
    piece: Sequence[NDArray[np.integer]], number: int, n_words: int
) -> NDArray[np.int64]:
    """Return the sorted word indices of all paragraphs of a piece, and check them."""
    parts = [np.asarray(part) for part in piece]
    for part in parts:
        if part.ndim != 1 or (part.size and part.dtype.kind not in "iu"):
            raise InputError(f"piece {number} has a paragraph that is no list of word numbers")
    words = np.sort(np.concatenate([*parts, np.empty(0, dtype=np.int64)]).astype(np.int64))
    if words.size and (words[0] < 0 or words[-1] >= n_words):
        wrong = words[0] if words[0] < 0 else words[-1]
        raise InputError(
            f"piece {number} has the word number {wrong}: words are 0 to {n_words - 1}"
        )
    return words
