"""How much the words of units are alike: the cosine of their tf·idf vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray


class Likeness:
    """Compares any unit with all others.

    A word that comes n times in a unit, and in m of all M units, weighs
    (1 + log n) · (1 + log((1 + M) / (1 + m))); every unit's weights are then brought to length 1.
    Only words that occur are stored, and a question is one product with that matrix.

    Parameters
    ----------
    texts
        The units' texts.
    split
        Gives the words of a text.

    Examples
    --------
    >>> Likeness(["salt sea", "sea salt", "sea", "hill"], str.split).cosines(0).round(2).tolist()
    [1.0, 1.0, 0.63, 0.0]
    """

    def __init__(self, texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> None:
        # Words are given once as they are: the vectoriser is not to lower or to check them again.
        vectorizer = TfidfVectorizer(analyzer=split, sublinear_tf=True)
        try:
            self._weights: Any = vectorizer.fit_transform(texts)
        except ValueError:  # there is no word at all
            self._weights = sparse.csr_matrix((len(texts), 1))

    def cosines(self, unit: int) -> NDArray[np.float64]:
        """Give the likeness of one unit, counted from 0, to all: from 0 to 1."""
        alike: NDArray[np.float64] = self._weights @ self._weights[[unit]].toarray().ravel()
        return alike.clip(0.0, 1.0)
