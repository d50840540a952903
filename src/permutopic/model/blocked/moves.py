"""The blocked moves: whole structures at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.dirichlet import draw_log_dirichlet
from permutopic.model.blocked.engine import ACTIVE, TableEngine, default_cut_probability
from permutopic.model.blocked.pruning import PruneTopics
from permutopic.model.blocked.relabelling import RelabelTopics
from permutopic.model.blocked.word_classes import ResampleClasses
from permutopic.model.kernels.log_filters import MoveSettings
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.model.paper.moves import ResampleDispersion
from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.model.blocked.engine import Engine
    from permutopic.model.blocked.packed import ActiveLimits
    from permutopic.model.mcmc.sampler import Move, RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

# docs/studies/schedule.md has the study behind these.
ROUNDS, PLACEMENTS = 2, 2


class ResampleBlocks:
    """Resample every document: place topics, draw the bag, draw inversion counts, in rounds.

    θ is drawn once, before the first document, and dropped after the last: given θ a document
    depends on the others through the words alone, and its bag can be drawn in one piece.

    Parameters
    ----------
    rounds
        How often the moves are made on one span table.
    placements
        How many topics, drawn at random, are placed in every round.
    first_document
        The documents before it are left as they are; those from it on are the engine's.
    """

    def __init__(
        self,
        engine: Engine,
        priors: Priors,
        *,
        rounds: int = ROUNDS,
        placements: int = PLACEMENTS,
        first_document: int = 0,
    ) -> None:
        self.engine, self.priors = engine, priors
        self.orders = priors.variant != Variant.CONSTRAINED
        self.rounds, self.placements = rounds, placements * self.orders
        self.first_document = first_document

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Resample the structure of each document in turn."""
        resampled = state.tail(self.first_document)
        n_documents, n_topics = resampled.bag.shape
        if stage.uniform_prevalence:
            log_prevalence = np.full(n_topics, -math.log(n_topics))
        else:
            concentration = state.bag.sum(axis=0) + self.priors.topic
            log_prevalence = draw_log_dirichlet(concentration, random_at(n_documents))
        settings = MoveSettings(
            log_prevalence,
            state.dispersion,
            stage.inverse_temperature,
            self.rounds,
            self.placements,
            self.orders,
        )
        self.engine.resample(resampled, range(n_documents), settings, random_at)


def blocked_moves(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    *,
    rounds: int = ROUNDS,
    placements: int = PLACEMENTS,
    cut_probability: Callable[[int], float] = default_cut_probability,
    active: ActiveLimits = ACTIVE,
    n_threads: int = 1,
    log_joint: Callable[[State], float] | None = None,
) -> list[Move]:
    """Return the default sweep: all structures, ρ, and the labels of the topics.

    With `log_joint`, superfluous topics are pruned where the schedule says so.
    """
    engine = TableEngine(
        corpus,
        n_topics,
        priors,
        cut_probability=cut_probability,
        n_threads=n_threads,
        active=active,
    )
    moves: list[Move] = [ResampleBlocks(engine, priors, rounds=rounds, placements=placements)]
    if priors.variant == Variant.FULL:
        moves += [ResampleDispersion(priors), RelabelTopics()]
    if priors.subject is not None:
        moves.append(ResampleClasses(corpus, priors))
    if log_joint is not None:
        moves.append(PruneTopics(engine, priors, log_joint))
    return moves
