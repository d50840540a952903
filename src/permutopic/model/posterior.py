"""Estimates of θ and β, which are integrated out, from a sampled state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic import dirichlet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State


def word_distributions(
    word_counts: NDArray[np.int32], subject_words: NDArray[np.bool_], priors: Priors
) -> NDArray[np.float64]:
    """β̂ (eq. 14): (K, W), each row the word probabilities of one topic; 0 for subject words."""
    found = np.zeros(word_counts.shape[::-1])
    found[:, ~subject_words] = dirichlet.mean(word_counts[~subject_words].T, priors.word)
    return found


def prevalence(state: State, priors: Priors) -> NDArray[np.float64]:
    """θ̂ (eq. 15): (K,), the probability that a unit belongs to each topic."""
    return dirichlet.mean(state.bag.sum(axis=0), priors.topic)
