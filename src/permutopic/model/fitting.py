"""Fitting a corpus: the samplers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.mcmc.chains import MakeMoves, run_chains
from permutopic.model.mcmc.plan import Plan
from permutopic.model.paper.moves import paper_moves
from permutopic.model.samplers import SAMPLERS

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.chain import Chain
    from permutopic.model.mcmc.sampler import Move
    from permutopic.model.priors import Priors


def _paper(corpus: Corpus, n_topics: int, priors: Priors, **_: Any) -> list[Move]:
    """Make the paper's moves, which run on one thread and need no log joint."""
    return paper_moves(corpus, n_topics, priors)


MOVES: dict[str, MakeMoves] = {"blocked": blocked_moves, "paper": _paper}
"""What makes the moves of each sampler."""


def fit_chains(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    seed: int,
    *,
    sampler: str,
    n_sweeps: int,
    early_stop: bool,
    **settings: Any,
) -> list[Chain]:
    """Run chains with the moves of a sampler; other settings are those of `run_chains`."""
    plan = Plan.of(n_sweeps, anneals=SAMPLERS[sampler].anneals, early_stop=early_stop)
    return run_chains(corpus, n_topics, priors, plan, MOVES[sampler], seed, **settings)
