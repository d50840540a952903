"""Fitting a corpus: the samplers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.mcmc.chains import MakeMoves, run_chains
from permutopic.model.paper.moves import paper_moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.chain import Chain
    from permutopic.model.mcmc.plan import Plan
    from permutopic.model.mcmc.sampler import Move
    from permutopic.model.priors import Priors
    from permutopic.model.state import State


def _paper(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    *,
    n_threads: int,  # noqa: ARG001
    log_joint: Callable[[State], float],  # noqa: ARG001
) -> list[Move]:
    """Give the paper's moves, which run on one thread and anneal nothing."""
    return paper_moves(corpus, n_topics, priors)


MOVES: dict[str, MakeMoves] = {"blocked": blocked_moves, "paper": _paper}
"""What makes the moves of each sampler; its other settings are in `mcmc/plan.py`."""


def fit_chains(
    corpus: Corpus, n_topics: int, priors: Priors, plan: Plan, seed: int, **settings: Any
) -> list[Chain]:
    """Run chains with the moves of the plan's sampler; settings are those of `run_chains`."""
    return run_chains(corpus, n_topics, priors, plan, MOVES[plan.sampler], seed, **settings)
