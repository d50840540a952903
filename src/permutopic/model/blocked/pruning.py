"""Pruning: superfluous topics are emptied while the chain anneals.

This is a step of the search for a good start, not a draw: it never runs at inverse temperature 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from permutopic import dirichlet
from permutopic.model.blocked.relabelling import move_empty_last
from permutopic.model.kernels.log_filters import MoveSettings
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.model.blocked.engine import Engine
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

# A log θ_k that excludes a topic from every document without costing the sums their precision.
_EXCLUDED = -1e5


class PruneTopics:
    """Try to empty each topic, the smallest first, and keep the result if the log joint rises.

    Annealing cuts a corpus into about as many topics as it is given. Where it has fewer, two
    topics that share one's words are stable: every document would have to change at once. Here all
    documents that use a topic are resampled without it. An emptied topic moves to the end of the
    canonical order and of every document's.
    """

    def __init__(self, engine: Engine, priors: Priors, log_joint: Callable[[State], float]) -> None:
        self.engine, self.priors, self.log_joint = engine, priors, log_joint
        self.orders = priors.variant != Variant.CONSTRAINED

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Try all topics once, if the stage asks for it."""
        if not stage.prune:
            return
        best = self.log_joint(state)
        highest = int(state.word_counts.sum(axis=1).max())
        log_rising = dirichlet.log_rising(highest, self.priors.word)
        for topic in np.argsort(state.topic_tokens, kind="stable"):
            if self._best_merger(state, topic, log_rising) > 0:
                trial = self.resampled_without(state, topic, random_at)
                joint = self.log_joint(trial)
                if joint > best:
                    for name, array in vars(trial).items():
                        getattr(state, name)[...] = array
                    best = joint
        if self.priors.variant == Variant.FULL:
            move_empty_last(state, max(self.priors.dispersion, 1e-3))

    def _best_merger(self, state: State, topic: int, log_rising: NDArray[np.float64]) -> float:
        """Return the highest gain of the words' log probability if two topics became one.

        Where the words alone would lose, emptying the topic did not pay in our trials, and this
        test costs far less: only the words of the topic change their counts. A topic whose units
        have no section word is always tried.
        """
        used = np.flatnonzero(state.bag.any(axis=0))
        others = used[used != topic]
        if topic not in used or others.size == 0:
            return -np.inf
        if state.topic_tokens[topic] == 0:
            return np.inf
        words = np.flatnonzero(state.word_counts[:, topic])
        own, held = state.word_counts[words, topic], state.word_counts[words][:, others]
        tokens = state.topic_tokens
        concentration = self.priors.word * np.count_nonzero(~state.subject_words)
        gains = (log_rising[held + own[:, np.newaxis]] - log_rising[held]).sum(axis=0)
        gains += gammaln(tokens[others] + concentration) - gammaln(
            tokens[others] + tokens[topic] + concentration
        )
        alone = log_rising[own].sum() - gammaln(tokens[topic] + concentration)
        return float(gains.max() - alone - gammaln(concentration))

    def resampled_without(self, state: State, topic: int, random_at: RandomAt) -> State:
        """Return a copy in which all documents that use a topic were resampled without it."""
        trial = state.copy()
        n_documents = state.bag.shape[0]
        first_key = int(topic) * (n_documents + 1)  # random streams of its own for every topic
        concentration = trial.bag.sum(axis=0) + self.priors.topic
        log_prevalence = dirichlet.draw_log_dirichlet(
            concentration, random_at(first_key + n_documents)
        )
        log_prevalence[topic] = _EXCLUDED
        settings = MoveSettings(
            log_prevalence, trial.dispersion, 1.0, 1, int(self.orders), self.orders
        )
        using = np.flatnonzero(trial.bag[:, topic]).tolist()
        self.engine.resample(
            trial, using, settings, lambda document: random_at(first_key + document)
        )
        return trial
