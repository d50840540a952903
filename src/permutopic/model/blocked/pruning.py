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
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.model.blocked.engine import Engine
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

# A log θ_k that excludes a topic from every document without costing the sums their precision.
_EXCLUDED = -1e5


class PruneTopics:
    """Try to empty each topic, the smallest first, and keep the result if the log joint is higher.

    Annealing cuts a corpus into about as many topics as it is given. Where it has fewer, two
    topics that share one's words are stable: every document would have to change at once. Here all
    documents that use a topic are resampled without it. An emptied topic moves to the end of the
    canonical order and of every document's.

    Trials are made at inverse temperature 1. Resampling alone raises the log joint of a state at a
    higher temperature, so that nearly every topic would seem superfluous: a trial is compared with
    the same documents resampled with the topic. The corpus is resampled once beforehand; then most
    trials that fail are lower than the present state already, and need no comparison.
    """

    def __init__(self, engine: Engine, priors: Priors, log_joint: Callable[[State], float]) -> None:
        self.engine, self.priors, self.log_joint = engine, priors, log_joint
        self.orders = priors.variant != Variant.CONSTRAINED

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Try all topics once, if the stage asks for it."""
        if not stage.prune:
            return
        highest = int(state.word_counts.sum(axis=1).max())
        log_rising = dirichlet.log_rising(highest, self.priors.word)
        topics = range(state.topic_tokens.size)
        if any(self._best_merger(state, topic, log_rising) > 0 for topic in topics):
            self._try_all(state, random_at, log_rising)
        if self.priors.variant == Variant.FULL:
            move_empty_last(state, max(self.priors.dispersion, 1e-3))

    def _try_all(self, state: State, random_at: RandomAt, log_rising: NDArray[np.float64]) -> None:
        """Try the topics that may be superfluous, after a pass over the whole corpus."""
        self._resample(state, range(state.bag.shape[0]), random_at, 0)
        best = self.log_joint(state)
        for topic in np.argsort(state.topic_tokens, kind="stable").tolist():
            if self._best_merger(state, topic, log_rising) > 0:
                found, joint = self._better_without(state, topic, random_at, best)
                if joint > best:
                    for name, array in vars(found).items():
                        getattr(state, name)[...] = array
                    best = joint

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

    def _better_without(
        self, state: State, topic: int, random_at: RandomAt, present: float
    ) -> tuple[State, float]:
        """Resample all documents that use a topic without it and, if that seems better, with it.

        Returns the state with the higher log joint, and that.
        """
        using = np.flatnonzero(state.bag[:, topic]).tolist()
        without = state.copy()
        self._resample(without, using, random_at, 2 * topic + 1, excluded=topic)
        joint = self.log_joint(without)
        if joint <= present:
            return without, joint
        kept = state.copy()
        self._resample(kept, using, random_at, 2 * topic + 2)
        joint_kept = self.log_joint(kept)
        return (without, joint) if joint > joint_kept else (kept, joint_kept)

    def _resample(
        self,
        state: State,
        documents: Sequence[int],
        random_at: RandomAt,
        number: int,
        excluded: int | None = None,
    ) -> None:
        """Resample documents at inverse temperature 1, with random streams of a number's own."""
        n_documents = state.bag.shape[0]
        first_key = number * (n_documents + 1)
        log_prevalence = dirichlet.draw_log_dirichlet(
            state.bag.sum(axis=0) + self.priors.topic, random_at(first_key + n_documents)
        )
        if excluded is not None:
            log_prevalence[excluded] = _EXCLUDED
        settings = MoveSettings(
            log_prevalence, state.dispersion, 1.0, 1, int(self.orders), self.orders
        )
        self.engine.resample(state, documents, settings, lambda d: random_at(first_key + d))
