"""What documents are about: their subject words, the weightiest first.

The weight of a word in a document is n log(n / (N g)): n of the document's N tokens are it, and g
is its share of all tokens. Weights of all words sum up to N times the Kullback-Leibler divergence
of the document from the corpus. Function words weigh nothing, numbers and single letters little, as
among distinctive words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

N_SUBJECTS = 10
"""Words that are kept of a document."""


class RankedSubjects:
    """Ranks the subject words of documents.

    Parameters
    ----------
    subject_words
        (W,): which words are subject words.
    base_rates
        (W,): share of each word in the tokens of the fit; None in a model without subject words.
    weights
        (W,): weight of each word in rankings.
    """

    def __init__(
        self,
        subject_words: NDArray[np.bool_],
        base_rates: NDArray[np.float64] | None,
        weights: NDArray[np.float64],
    ) -> None:
        self.weights = np.where(subject_words, weights, 0.0)
        self.base_rates = base_rates

    def of_tokens(self, words: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the subject words of a document: N_SUBJECTS of them, −1 where there are fewer.

        >>> ranked = RankedSubjects(np.array([True, True, False]), np.full(3, 0.2), np.ones(3))
        >>> ranked.of_tokens(np.array([2, 2, 0, 1, 1]))[:3].tolist()
        [1, -1, -1]
        """
        found = np.full(N_SUBJECTS, -1, dtype=np.int32)
        if self.base_rates is None or not words.size:
            return found
        held, counts = np.unique(words[self.weights[words] > 0], return_counts=True)
        ratios = np.log(counts / (words.size * self.base_rates[held]))
        scores = self.weights[held] * counts * ratios
        best = held[np.lexsort((held, -scores))][: np.count_nonzero(scores > 0)][:N_SUBJECTS]
        found[: best.size] = best
        return found

    def of_corpus(self, corpus: Corpus) -> NDArray[np.int32]:
        """Return the subject words of all documents: (D, N_SUBJECTS)."""
        return np.array([self.of_tokens(each.tokens.words) for each in corpus.documents()])
