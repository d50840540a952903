"""Relabelling: giving topics other numbers, in all documents at once."""

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


class RelabelTopics:
    """Draw the position of each topic in the canonical order, in random sequence.

    The documents keep their topics and orders; the numbers change, and the inversion counts with
    them. Where all documents agree on an order other than the canonical one, resampling one
    document at a time would have to cross a barrier; this move does not.
    """

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:  # noqa: ARG002
        """Relabel the topics given ρ, which stays with the numbers."""
        rng = random_at(0)
        n_topics = state.n_topics
        earlier = np.zeros((n_topics, n_topics), dtype=np.int64)
        relabelling_kernels.count_precedences(state.inversions, earlier)
        canonical = np.arange(n_topics)
        totals = np.append(state.inversions.sum(axis=0), 0)
        for topic in rng.permutation(n_topics):
            relabelling_kernels.place_topic_label(
                canonical, topic, totals, earlier, state.dispersion, rng.random()
            )
        if not np.array_equal(canonical, np.arange(n_topics)):
            relabel(state, canonical)


def relabel(state: State, canonical: NDArray[np.int64]) -> None:
    """Give topic `canonical[j]` the number j, in place."""
    numbers = np.empty_like(canonical)
    numbers[canonical] = np.arange(canonical.size)
    state.bag[:] = state.bag[:, canonical]
    relabelling_kernels.permute_columns(state.word_counts, canonical)
    state.topic_tokens[:] = state.topic_tokens[canonical]
    relabelling_kernels.relabel_inversions(state.inversions, numbers)


def move_empty_last(state: State, new_dispersion: float) -> None:
    """Give topics without a unit the last numbers, and the last slots in every document.

    ρ moves with its topic; a topic that had none, being the last, gets `new_dispersion`.
    """
    used = state.bag.any(axis=0)
    canonical = np.concatenate([np.flatnonzero(used), np.flatnonzero(~used)])
    dispersion = np.append(state.dispersion, new_dispersion)[canonical]
    relabel(state, canonical)
    state.dispersion[:] = dispersion[:-1]
    relabelling_kernels.move_last(state.inversions, int(np.count_nonzero(used)))
