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
    from scipy.sparse import coo_array  # noqa: PLC0415 (heavy)

    n_units, n_documents = unit_offsets.size - 1, document_offsets.size - 1
    units = np.repeat(np.arange(n_units, dtype=np.int32), np.diff(unit_offsets))
    documents = np.repeat(np.arange(n_documents, dtype=np.int32), np.diff(document_offsets))
    ones = np.ones(words.size, dtype=np.int32)
    parts: list[NDArray[np.integer]] = []
    for places, n_places in ((units, n_units), (documents[units], n_documents)):
        table = coo_array((ones, (words, places)), shape=(n_words, n_places)).tocsr()
        table.sort_indices()
        parts += [table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data]
    return WordIndex(*parts)  # type: ignore[arg-type]
