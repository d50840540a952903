"""The blocked moves: whole structures at once, and the numbers of the topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.dirichlet import draw_log_shares
from permutopic.model import label_kernels
from permutopic.model.block_kernels import Draws
from permutopic.model.engine import TableEngine, some_cuts
from permutopic.model.moves import ResampleDispersion
from permutopic.model.priors import Variant
from permutopic.model.schedule import POSTERIOR
from permutopic.model.search import RetireTopics

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.engine import Engine
    from permutopic.model.moves import Move, RandomAt
    from permutopic.model.priors import Priors
    from permutopic.model.schedule import Stage
    from permutopic.model.state import State

# The study in docs/schedule.md is behind these.
ROUNDS, PLACEMENTS = 2, 2


class ResampleBlocks:
    """Visit every document: place topics, draw the whole bag, draw inversion counts, in rounds.

    θ is drawn once, before the first document, and forgotten after the last: given θ a document
    depends on the others through the words alone, and its bag can be drawn in one piece.

    Parameters
    ----------
    rounds
        How often the moves are made on one span table.
    placements
        How many topics, taken at random, are put to a new place in every round.
    """

    def __init__(
        self,
        engine: Engine,
        priors: Priors,
        *,
        rounds: int = ROUNDS,
        placements: int = PLACEMENTS,
    ) -> None:
        self.engine, self.priors = engine, priors
        self.orders = priors.variant != Variant.CONSTRAINED
        self.rounds, self.placements = rounds, placements * self.orders

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Resample the structure of each document in turn."""
        n_documents, n_topics = state.bag.shape
        if stage.even_shares:
            log_shares = np.full(n_topics, -math.log(n_topics))
        else:
            used = state.bag.sum(axis=0) + self.priors.topic
            log_shares = draw_log_shares(used, random_at(n_documents))
        how = Draws(
            log_shares,
            state.dispersion,
            stage.temperature,
            self.rounds,
            self.placements,
            self.orders,
        )
        for document in range(n_documents):
            self.engine.visit(state, document, how, random_at(document))


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
        label_kernels.count_precedences(state.inversions, earlier)
        canon = np.arange(n_topics)
        for topic in rng.permutation(n_topics):
            label_kernels.place_label(canon, topic, earlier, state.dispersion, rng.random())
        if not np.array_equal(canon, np.arange(n_topics)):
            renumber(state, canon)


def renumber(state: State, canon: NDArray[np.int64]) -> None:
    """Give topic `canon[j]` the number j, in place."""
    numbers = np.empty_like(canon)
    numbers[canon] = np.arange(canon.size)
    state.bag[:] = state.bag[:, canon]
    state.word_counts[:] = state.word_counts[:, canon]
    state.topic_words[:] = state.topic_words[canon]
    label_kernels.renumber_inversions(state.inversions, numbers)


def blocked_moves(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    *,
    rounds: int = ROUNDS,
    placements: int = PLACEMENTS,
    kept: Callable[[int], float] = some_cuts,
    n_threads: int = 1,
    log_joint: Callable[[State], float] | None = None,
) -> list[Move]:
    """Give the default sweep: every structure, ρ, and the numbers of the topics.

    With `log_joint`, superfluous topics are given up where the schedule says so.
    """
    engine = TableEngine(corpus, n_topics, priors, kept=kept, n_threads=n_threads)
    moves: list[Move] = [ResampleBlocks(engine, priors, rounds=rounds, placements=placements)]
    if priors.variant == Variant.FULL:
        moves += [ResampleDispersion(priors), RenumberTopics()]
    if log_joint is not None:
        moves.append(RetireTopics(engine, priors, log_joint))
    return moves
