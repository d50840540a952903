"""Ordering by ridge regression of the position of a section in its document on its words.

Unlike the model it is trained with the true sections: adjacent units with the same heading are one.
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
    """A linear predictor of relative position from tf·idf, with tf = 1 + log count.

    Attributes
    ----------
    idf
        (W,): log((1 + sections) / (1 + sections with the word)) + 1.
    coef
        (W,): coefficients.
    intercept
        The prediction for a piece without a known word.
    """

    idf: NDArray[np.float64]
    coef: NDArray[np.float64]
    intercept: float

    def scores(self, pieces: Sequence[Sequence[NDArray[np.integer]]]) -> NDArray[np.float64]:
        """Predict the relative position of each piece, about 0 to 1; pieces as in `order_pieces`.

        Equal scores are ties.
        """
        sections = [np.concatenate([*piece, np.empty(0, dtype=np.int64)]) for piece in pieces]
        positions: NDArray[np.float64] = _tf_idf(sections, self.idf) @ self.coef + self.intercept
        return positions


def fit_ridge_positions(
    corpus: Corpus, *, reference: str = "heading", alpha: float = 1.0
) -> RidgePositions:
    """Regress the position of every section, 0 for a document's first to 1 for its last.

    >>> from permutopic.corpus import Corpus
    >>> from permutopic.documents import Document, Unit
    >>> units = (Unit("salt sea", "Coast"), Unit("snow", "Hills"), Unit("hall", "Town"))
    >>> corpus = Corpus.from_documents([Document("Place", units, "place")])
    >>> learned = fit_ridge_positions(corpus)
    >>> learned.scores([[np.array([0])], [np.array([1, 2])]]).round(2).tolist()  # hall; salt sea
    [0.75, 0.25]
    """
    from sklearn.linear_model import Ridge  # noqa: PLC0415 (slow to import)

    headings = corpus.reference(reference)
    sections, positions = [], []
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        ends = segment_ends(headings[units]) + units.start
        starts = np.concatenate([[units.start], ends[:-1]])
        sections += [
            corpus.words[corpus.unit_offsets[first] : corpus.unit_offsets[last]]
            for first, last in zip(starts, ends, strict=True)
        ]
        positions += (np.arange(ends.size) / max(ends.size - 1, 1)).tolist()
    section_frequency = np.zeros(corpus.n_words, dtype=np.int64)
    for section in sections:
        section_frequency[np.unique(section)] += 1
    idf = np.log((1 + len(sections)) / (1 + section_frequency)) + 1
    # One coefficient per word is too many for a direct solution: conjugate gradients.
    ridge = Ridge(alpha=alpha, solver="sparse_cg", tol=1e-8).fit(_tf_idf(sections, idf), positions)
    return RidgePositions(idf, np.asarray(ridge.coef_), float(ridge.intercept_))


def _tf_idf(sections: Iterable[NDArray[np.integer]], idf: NDArray[np.float64]) -> csr_array:
    """Compute (1 + log count) · idf of each section, normalised to length 1."""
    parts = list(sections)
    rows = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    columns = np.concatenate([*parts, np.empty(0, dtype=np.int64)])
    table = csr_array((np.ones(columns.size), (rows, columns)), shape=(len(parts), idf.size))
    table.sum_duplicates()
    table.data = (1 + np.log(table.data)) * idf[table.indices]
    squares = np.asarray(table.power(2).sum(axis=1)).ravel()
    table.data /= np.repeat(np.sqrt(np.where(squares > 0, squares, 1.0)), np.diff(table.indptr))
    return table
