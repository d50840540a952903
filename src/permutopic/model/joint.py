"""The log joint of words, structures and dispersion: the definition of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln

from permutopic import dirichlet, mallows
from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.model.priors import Priors
    from permutopic.model.state import State


class JointTerms(NamedTuple):
    """The terms of the log joint; θ and β are integrated out."""

    words: float
    """All topics' tokens, with the word distributions integrated out (eq. 7, 8)."""
    draws: float
    """The bags of all documents as one sequence of topic draws (eq. 10)."""
    arrangements: float
    """The log number of sequences of draws with the same counts, over all documents."""
    orders: float
    """The documents' orders under the Mallows Model (eq. 1)."""
    dispersion: float
    """The prior of ρ (eq. 4), up to a constant."""


def joint_terms(state: State, priors: Priors) -> JointTerms:
    """Compute the terms of the log joint of a state."""
    words = float(dirichlet.log_marginal(state.word_counts.T, priors.word).sum())
    return JointTerms(words, *structure_terms(state, priors))


def structure_terms(state: State, priors: Priors) -> tuple[float, float, float, float]:
    """Compute all terms but the first."""
    n_documents, n_topics = state.bag.shape
    values = mallows.n_values(n_topics)
    orders = dispersion = 0.0
    if priors.variant == Variant.UNIFORM:
        orders = -n_documents * float(gammaln(n_topics + 1))
    elif priors.variant == Variant.FULL:
        orders = float(mallows.log_pmf(state.inversions, state.dispersion).sum())
        expected = priors.mean_inversions(n_topics)
        dispersion = float(
            mallows.log_prior(state.dispersion, values, expected, priors.strength).sum()
        )
    draws = float(dirichlet.log_marginal(state.bag.sum(axis=0), priors.topic))
    arrangements = float(dirichlet.log_multinomial_coefficient(state.bag).sum())
    return draws, arrangements, orders, dispersion


class FastLogJoint:
    """Computes the log joint of many states, with logΓ in a table.

    Counts are whole numbers, so a table as long as the most frequent word is all it takes.

    Parameters
    ----------
    priors
        The hyperparameters.
    max_count
        The highest count of a word in any state.

    Examples
    --------
    >>> from permutopic import ContentModel, Corpus
    >>> corpus = Corpus.from_paragraphs([["a b", "c"], ["a", "c c"]])
    >>> model = ContentModel(2, random_state=0).fit(corpus)
    >>> fast = FastLogJoint.for_corpus(corpus, model.priors_)
    >>> bool(abs(fast(model.state_) - log_joint(model.state_, model.priors_)) < 1e-9)
    True
    """

    def __init__(self, priors: Priors, max_count: int) -> None:
        self.priors = priors
        self.log_rising = dirichlet.log_rising(max_count, priors.word)

    @classmethod
    def for_corpus(cls, corpus: Corpus, priors: Priors) -> FastLogJoint:
        """Make the function for all states of one corpus."""
        return cls(priors, int(np.bincount(corpus.words).max()))

    def __call__(self, state: State) -> float:
        """Compute the log joint of a state."""
        concentration = state.word_counts.shape[0] * self.priors.word
        used = np.flatnonzero(state.topic_tokens)  # an empty topic adds nothing
        counts, totals = state.word_counts[:, used], state.topic_tokens[used]
        words = float(self.log_rising[counts].sum())
        words += float((gammaln(concentration) - gammaln(totals + concentration)).sum())
        return words + sum(structure_terms(state, self.priors))


def log_joint(state: State, priors: Priors) -> float:
    """Compute the log joint of words, counts, inversions and ρ, the sum of its five terms.

    >>> from permutopic import ContentModel
    >>> model = ContentModel(2, n_sweeps=3, random_state=0).fit([["a b", "c"], ["a", "c c"]])
    >>> bool(abs(log_joint(model.state_, model.priors_) - model.log_joint_trace_[-1]) < 1e-9)
    True
    """
    return sum(joint_terms(state, priors))
