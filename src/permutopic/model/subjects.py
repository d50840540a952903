"""Single documents under a state with subject words: how probable they are, and their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.priors import SubjectPriors


class DocumentWords:
    """The distribution of a document over subject words and "some section word", integrated out.

    Parameters
    ----------
    subject_words
        (W,): which words are subject words.
    subject
        Their priors.
    """

    def __init__(self, subject_words: NDArray[np.bool_], subject: SubjectPriors) -> None:
        self.subject_words, self.section = subject_words, subject.section
        self.expected = np.where(subject_words, subject.document * subject.base_rates, 0.0)
        self.total = self.section + float(self.expected.sum())

    def log_probability(self, words: NDArray[np.integer]) -> float:
        """Compute the log probability of a document's tokens, section words told apart no further.

        >>> from permutopic.model.priors import SubjectPriors
        >>> priors = SubjectPriors(np.array([0.5, 0.5]), document=2.0, section=1.0)
        >>> of_document = DocumentWords(np.array([True, False]), priors)
        >>> round(float(np.exp(of_document.log_probability(np.array([0, 1])))), 4)  # 1/2 · 1/3
        0.1667
        """
        found, counts = np.unique(words[self.subject_words[words]], return_counts=True)
        n_section = words.size - int(counts.sum())
        held = gammaln(self.expected[found] + counts) - gammaln(self.expected[found])
        score = gammaln(self.total) - gammaln(self.total + words.size) + held.sum()
        return float(score + gammaln(self.section + n_section) - gammaln(self.section))

    def probabilities(self, words: NDArray[np.integer]) -> tuple[NDArray[np.float64], float]:
        """Estimate the distribution given some tokens: of each subject word, and of all others."""
        counts = np.bincount(words, minlength=self.expected.size)
        of_words = np.where(self.subject_words, counts, 0) + self.expected
        total = self.total + words.size
        n_section = words.size - int(counts[self.subject_words].sum())
        return of_words / total, (self.section + n_section) / total
