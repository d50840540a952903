"""The numbers of the topics: a move in the whole corpus at once, and plain renumbering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.blocked import relabelling_kernels
from permutopic.model.mcmc.schedule import POSTERIOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.state import State


class RenumberTopics:
    """Put each topic, in random order, to a new place of the canonical order.

    The documents keep their topics and orders; the numbers change, and the inversion counts with
    them. This is how a chain whose documents all agree on an order other than the canonical one
    gets out: one document after the other would have to cross a barrier.
    """

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:  # noqa: ARG002
        """Renumber the topics given ρ, which stays with the places."""
        rng = random_at(0)
        n_topics = state.n_topics
        earlier = np.zeros((n_topics, n_topics), dtype=np.int64)
        relabelling_kernels.count_precedences(state.inversions, earlier)
        canon = np.arange(n_topics)
        for topic in rng.permutation(n_topics):
            relabelling_kernels.place_label(canon, topic, earlier, state.dispersion, rng.random())
        if not np.array_equal(canon, np.arange(n_topics)):
            renumber(state, canon)


def renumber(state: State, canon: NDArray[np.int64]) -> None:
    """Give topic `canon[j]` the number j, in place."""
    numbers = np.empty_like(canon)
    numbers[canon] = np.arange(canon.size)
    state.bag[:] = state.bag[:, canon]
    relabelling_kernels.permute_columns(state.word_counts, canon)
    state.topic_words[:] = state.topic_words[canon]
    relabelling_kernels.renumber_inversions(state.inversions, numbers)


def put_empty_last(state: State, new_dispersion: float) -> None:
    """Give topics without a unit the last numbers and the last places in every document.

    ρ goes along with the others; a topic that had none, being the last, gets `new_dispersion`.
    """
    used = state.bag.any(axis=0)
    canon = np.concatenate([np.flatnonzero(used), np.flatnonzero(~used)])
    dispersion = np.append(state.dispersion, new_dispersion)[canon]
    renumber(state, canon)
    state.dispersion[:] = dispersion[:-1]
    relabelling_kernels.put_last(state.inversions, int(np.count_nonzero(used)))
