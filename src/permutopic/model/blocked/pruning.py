"""Steps of the search for a good start, which are no draws from anything.

They run while the chain anneals, and never at temperature 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic import dirichlet
from permutopic.dirichlet import draw_log_shares
from permutopic.model.blocked.relabelling import put_empty_last
from permutopic.model.kernels.log_filters import Draws
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

# A log share that keeps a topic out of any document, and leaves the sums their precision.
_KEPT_OUT = -1e5


class RetireTopics:
    """Try to do without each topic, the smallest first, and give it up if the log joint rises.

    Annealing cuts a corpus into about as many topics as it is given. Where it has fewer, two
    topics that share one's words are stable: every document would have to change at once. Here
    the documents that hold a topic are all drawn anew without it. What is given up goes to the
    end of the canonical order and of every document's, where it is in nobody's way.
    """

    def __init__(self, engine: Engine, priors: Priors, log_joint: Callable[[State], float]) -> None:
        self.engine, self.priors, self.log_joint = engine, priors, log_joint
        self.orders = priors.variant != Variant.CONSTRAINED

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Go through all topics once, if this stage asks for it."""
        if not stage.retire:
            return
        best, alone = self.log_joint(state), self._log_words(state)
        for topic in np.argsort(state.topic_words, kind="stable"):
            if self._best_merger(state, alone, topic) > 0:
                trial = self.without(state, topic, random_at)
                joint = self.log_joint(trial)
                if joint > best:
                    for name, array in vars(trial).items():
                        getattr(state, name)[...] = array
                    best, alone = joint, self._log_words(state)
        if self.priors.variant == Variant.FULL:
            put_empty_last(state, max(self.priors.dispersion, 1e-3))

    def _log_words(self, state: State) -> NDArray[np.float64]:
        return dirichlet.log_marginal(state.word_counts.T, self.priors.word)

    def _best_merger(self, state: State, alone: NDArray[np.float64], topic: int) -> float:
        """Say by how much the words gain most from sharing one topic with those of another.

        Where the words alone would lose, doing without the topic did not pay in our trials; this
        costs far less to know.
        """
        words, used = state.word_counts.T, np.flatnonzero(state.topic_words)
        others = used[used != topic]
        if state.topic_words[topic] == 0 or others.size == 0:
            return -np.inf
        together = dirichlet.log_marginal(words[others] + words[topic], self.priors.word)
        return float((together - alone[others] - alone[topic]).max())

    def without(self, state: State, topic: int, random_at: RandomAt) -> State:
        """Draw all documents that hold a topic anew, the topic being kept out."""
        trial = state.copy()
        n_documents = state.bag.shape[0]
        place = int(topic) * (n_documents + 1)  # numbers of its own for every topic
        used = trial.bag.sum(axis=0) + self.priors.topic
        log_shares = draw_log_shares(used, random_at(place + n_documents))
        log_shares[topic] = _KEPT_OUT
        how = Draws(log_shares, trial.dispersion, 1.0, 1, int(self.orders), self.orders)
        holding = np.flatnonzero(trial.bag[:, topic]).tolist()
        self.engine.visit(trial, holding, how, lambda document: random_at(place + document))
        return trial
