"""Estimates of θ and β, which are integrated out, from a sampled state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic import dirichlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State


def word_distributions(word_counts: NDArray[np.int32], priors: Priors) -> NDArray[np.float64]:
    """β̂ (eq. 14): (K, W), each row the word probabilities of one topic."""
    return dirichlet.mean(word_counts.T, priors.word)


def prevalence(state: State, priors: Priors) -> NDArray[np.float64]:
    """θ̂ (eq. 15): (K,), the probability that a unit belongs to each topic."""
    return dirichlet.mean(state.bag.sum(axis=0), priors.topic)
