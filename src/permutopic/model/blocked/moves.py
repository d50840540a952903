"""The blocked moves: whole structures at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.dirichlet import draw_log_shares
from permutopic.model.blocked.engine import TableEngine, some_cuts
from permutopic.model.blocked.pruning import RetireTopics
from permutopic.model.blocked.relabelling import RenumberTopics
from permutopic.model.kernels.log_filters import Draws
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.model.paper.moves import ResampleDispersion
from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.model.blocked.engine import Engine
    from permutopic.model.mcmc.sampler import Move, RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
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
        self.engine.visit(state, range(n_documents), how, random_at)


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
