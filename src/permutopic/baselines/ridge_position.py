"""A rival for ordering: ridge regression from a section's words to its place in its document.

Unlike the model it is told where the sections of the training documents begin and end: neighbouring
units with the same heading are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus


@dataclass(frozen=True, eq=False)
class RidgePositions:
    """A linear function of tf·idf, with tf 1 + log c, that says how far into a document text is.

    Attributes
    ----------
    rarity
        (W,): idf, log((1 + sections) / (1 + sections that hold the word)) + 1.
    weights, constant
        (W,): the function's.
    """

    rarity: NDArray[np.float64]
    weights: NDArray[np.float64]
    constant: float

    def scores(self, pieces: Sequence[Sequence[NDArray[np.integer]]]) -> NDArray[np.float64]:
        """Say where each piece stands, from about 0 to about 1; pieces as `order_pieces` has them.

        Equal scores are ties: a piece without a known word has the constant.
        """
        bags = [np.concatenate([*piece, np.empty(0, dtype=np.int64)]) for piece in pieces]
        found: NDArray[np.float64] = _tf_idf(bags, self.rarity) @ self.weights + self.constant
        return found


def learn_ridge_positions(
    corpus: Corpus, *, reference: str = "heading", penalty: float = 1.0
) -> RidgePositions:
    """Regress the place of every section, 0 for a document's first to 1 for its last, on its words.

    >>> from permutopic.corpus import Corpus
    >>> from permutopic.documents import Document, Unit
    >>> units = (Unit("salt sea", "Coast"), Unit("snow", "Hills"), Unit("hall", "Town"))
    >>> corpus = Corpus.from_documents([Document("Place", units, "place")])
    >>> learned = learn_ridge_positions(corpus)
    >>> learned.scores([[np.array([0])], [np.array([1, 2])]]).round(2).tolist()  # hall; salt sea
    [0.75, 0.25]
    """
    from sklearn.linear_model import Ridge  # noqa: PLC0415 (slow to import)

    headings = corpus.reference(reference)
    bags, places = [], []
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        ends = segment_ends(headings[units]) + units.start
        starts = np.concatenate([[units.start], ends[:-1]])
        bags += [
            corpus.words[corpus.unit_offsets[first] : corpus.unit_offsets[last]]
            for first, last in zip(starts, ends, strict=True)
        ]
        places += (np.arange(ends.size) / max(ends.size - 1, 1)).tolist()
    holding = np.zeros(corpus.n_words, dtype=np.int64)
    for bag in bags:
        holding[np.unique(bag)] += 1
    rarity = np.log((1 + len(bags)) / (1 + holding)) + 1
    # As many unknowns as words: solved in the dual, by conjugate gradients.
    ridge = Ridge(alpha=penalty, solver="sparse_cg", tol=1e-8).fit(_tf_idf(bags, rarity), places)
    return RidgePositions(rarity, np.asarray(ridge.coef_), float(ridge.intercept_))


def _tf_idf(bags: Iterable[NDArray[np.integer]], rarity: NDArray[np.float64]) -> csr_array:
    """Weigh each bag's words by (1 + log c) · idf, to length 1."""
    parts = list(bags)
    rows = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    columns = np.concatenate([*parts, np.empty(0, dtype=np.int64)])
    table = csr_array((np.ones(columns.size), (rows, columns)), shape=(len(parts), rarity.size))
    table.sum_duplicates()
    table.data = (1 + np.log(table.data)) * rarity[table.indices]
    squares = np.asarray(table.power(2).sum(axis=1)).ravel()
    table.data /= np.repeat(np.sqrt(np.where(squares > 0, squares, 1.0)), np.diff(table.indptr))
    return table
