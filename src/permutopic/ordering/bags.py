"""Pieces as bags of words, equal ones put together, in an order that is not the one they came in.

Whatever is computed from bags is the same to the last bit for the same pieces in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Bags:
    """The distinct bags of words of some pieces.

    Attributes
    ----------
    counts
        (bags, words): how often each bag holds each of `words`.
    words
        The words that occur, as numbers of the vocabulary.
    sizes
        (bags,): how many pieces are this bag.
    bag_of
        (pieces,): the bag that each piece is.
    """

    counts: csr_array
    words: NDArray[np.int64]
    sizes: NDArray[np.int64]
    bag_of: NDArray[np.int64]


def gather_bags(pieces: Sequence[Sequence[NDArray[np.integer]]], n_words: int) -> Bags:
    """Put pieces, given as the word numbers of their paragraphs, into bags.

    >>> piece, same = [np.array([2, 0]), np.array([2])], [np.array([0, 2, 2])]
    >>> bags = gather_bags([piece, [np.array([1])], same], 3)
    >>> bags.counts.toarray().tolist(), bags.sizes.tolist(), bags.bag_of.tolist()
    ([[1, 0, 2], [0, 1, 0]], [2, 1], [0, 1, 0])
    """
    if len(pieces) == 0:
        raise InputError("there is no piece to order: give one or more")
    sorted_words = [_sorted_words(piece, number, n_words) for number, piece in enumerate(pieces)]
    # Big-endian: as bytes, bags then sort as lists of words do, on any machine.
    names = np.array([words.astype(">i8").tobytes() for words in sorted_words], dtype=object)
    distinct, first, bag_of, sizes = np.unique(
        names, return_index=True, return_inverse=True, return_counts=True
    )
    bags = [sorted_words[place] for place in first]
    words, columns = np.unique(np.concatenate(bags), return_inverse=True)
    lengths = [bag.size for bag in bags]
    rows = np.repeat(np.arange(distinct.size), lengths)
    ones = np.ones(columns.size, dtype=np.int64)
    counts = csr_array((ones, (rows, columns)), shape=(distinct.size, words.size))
    counts.sum_duplicates()
    return Bags(counts, words, sizes, bag_of)


def _sorted_words(
    piece: Sequence[NDArray[np.integer]], number: int, n_words: int
) -> NDArray[np.int64]:
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
