"""The similarity of units by their words: the cosine of tf·idf vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray


class TextSimilarity:
    """Computes the similarity of one unit to all others.

    A word that comes n times in a unit, and in m of all M units, weighs
    (1 + log n) · (1 + log((1 + M) / (1 + m))); every unit's vector is scaled to length 1.

    Parameters
    ----------
    texts
        The units' texts.
    split
        Splits a text into words.

    Examples
    --------
    >>> similarity = TextSimilarity(["salt sea", "sea salt", "sea", "hill"], str.split)
    >>> similarity.cosines(0).round(2).tolist()
    [1.0, 1.0, 0.63, 0.0]
    """

    def __init__(self, texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> None:
        # An analyzer is called with the text as it is: no lower-casing, no other tokenization.
        vectorizer = TfidfVectorizer(analyzer=split, sublinear_tf=True)
        try:
            self._weights: Any = vectorizer.fit_transform(texts)
        except ValueError:  # there is no word at all
            self._weights = sparse.csr_matrix((len(texts), 1))

    def cosines(self, unit: int) -> NDArray[np.float64]:
        """Return the cosine of one unit, counted from 0, with all units: from 0 to 1."""
        cosines: NDArray[np.float64] = self._weights @ self._weights[[unit]].toarray().ravel()
        return cosines.clip(0.0, 1.0)
