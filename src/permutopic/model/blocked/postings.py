"""Postings: the units of a document that hold each of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.kernels.preparation import LocalDocument


class Postings(NamedTuple):
    """The units that hold each word of a document: word w is in `units[p]`, `counts[p]` times.

    p goes from `starts[w]` up to `starts[w + 1]`; `words[w]` is the corpus's number of word w. So
    the counts of a word are updated once for each unit, not once for each token.
    """

    words: NDArray[np.int64]
    starts: NDArray[np.int64]
    units: NDArray[np.int32]
    counts: NDArray[np.int32]


@compiled
def make_postings(document: LocalDocument) -> Postings:
    """Count each word of a document in each of its units."""
    offsets, n_words = document.offsets, document.words.size
    starts, last_unit = np.zeros(n_words + 1, np.int64), np.full(n_words, -1, np.int64)
    for unit in range(offsets.size - 1):
        for token in range(offsets[unit], offsets[unit + 1]):
            word = document.tokens[token]
            if last_unit[word] != unit:
                last_unit[word] = unit
                starts[word + 1] += 1
    for word in range(n_words):
        starts[word + 1] += starts[word]
    units, counts = np.empty(starts[n_words], np.int32), np.zeros(starts[n_words], np.int32)
    posting = starts[:n_words] - 1
    last_unit[:] = -1
    for unit in range(offsets.size - 1):
        for token in range(offsets[unit], offsets[unit + 1]):
            word = document.tokens[token]
            if last_unit[word] != unit:
                last_unit[word] = unit
                posting[word] += 1
                units[posting[word]] = unit
            counts[posting[word]] += 1
    return Postings(document.words, starts, units, counts)
