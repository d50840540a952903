"""Where each word of a corpus is: in which units and documents, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WordIndex(NamedTuple):
    """The units and the documents that hold each word.

    Word w is in `units[p]`, `unit_counts[p]` times, for p from `unit_starts[w]` up to
    `unit_starts[w + 1]`; likewise for documents. Both are in ascending order.
    """

    unit_starts: NDArray[np.int64]
    units: NDArray[np.int32]
    unit_counts: NDArray[np.int32]
    document_starts: NDArray[np.int64]
    documents: NDArray[np.int32]
    document_counts: NDArray[np.int32]

    def words_of_documents(self) -> NDArray[np.int64]:
        """Return the word of each entry in `documents`."""
        sizes = np.diff(self.document_starts)
        return np.repeat(np.arange(sizes.size), sizes)


def index_words(
    words: NDArray[np.integer],
    n_words: int,
    unit_offsets: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
) -> WordIndex:
    """Find the units and the documents of every word, given the tokens of a corpus.

    >>> from permutopic import Corpus
    >>> index = Corpus.from_paragraphs([["a b", "a a"], ["b"]]).word_index
    >>> index.units.tolist(), index.unit_counts.tolist(), index.document_counts.tolist()
    ([0, 1, 0, 2], [1, 2, 1, 1], [3, 1, 1])
    """
    n_units, n_documents = unit_offsets.size - 1, document_offsets.size - 1
    units = np.repeat(np.arange(n_units), np.diff(unit_offsets))
    keys, counts = np.unique(words.astype(np.int64) * n_units + units, return_counts=True)
    held, units = keys // n_units, keys % n_units
    documents = np.repeat(np.arange(n_documents), np.diff(document_offsets))[units]
    new = np.ones(keys.size, dtype=bool)
    new[1:] = (held[1:] != held[:-1]) | (documents[1:] != documents[:-1])
    firsts = np.flatnonzero(new)
    every_word = np.arange(n_words + 1)
    return WordIndex(
        np.searchsorted(held, every_word),
        units.astype(np.int32),
        counts.astype(np.int32),
        np.searchsorted(held[firsts], every_word),
        documents[firsts].astype(np.int32),
        np.add.reduceat(counts, firsts).astype(np.int32) if firsts.size else counts,
    )
