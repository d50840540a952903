"""Running chains, one or several side by side."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permutopic.model.joint import FastLogJoint
from permutopic.model.mcmc.chain import Chain
from permutopic.model.mcmc.sampler import SweepInfo, sample
from permutopic.model.state import initial_state
from permutopic.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.plan import Plan
    from permutopic.model.mcmc.sampler import Move
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

    OnSweep = Callable[[SweepInfo], None]

_INITIAL = 2**32  # instead of a sweep's number: the stream that the initial state is drawn from


class MakeMoves(Protocol):
    """Makes the moves of one chain."""

    def __call__(
        self,
        corpus: Corpus,
        n_topics: int,
        priors: Priors,
        *,
        n_threads: int,
        log_joint: Callable[[State], float],
    ) -> Sequence[Move]:
        """Give the moves of a sweep in the order in which they are applied."""


class StoppedError(Exception):
    """A chain was stopped because another one failed or the run was interrupted."""


def run_chain(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    plan: Plan,
    make_moves: MakeMoves,
    seed: int,
    number: int,
    *,
    n_threads: int = 1,
    on_sweep: OnSweep | None = None,
) -> Chain:
    """Draw an initial state and run one chain as `plan` says."""
    streams = Streams(seed, number)
    state = initial_state(corpus, n_topics, priors, streams.at(_INITIAL, 0))
    log_joint = FastLogJoint.for_corpus(corpus, priors)
    moves = make_moves(corpus, n_topics, priors, n_threads=n_threads, log_joint=log_joint)
    log_joints, inverse_temperatures, dispersions = [], [], []
    for _, info in sample(
        state,
        moves,
        log_joint,
        streams,
        plan.n_sweeps,
        schedule=plan.schedule,
        patience=plan.patience,
    ):
        log_joints.append(info.log_joint)
        inverse_temperatures.append(info.inverse_temperature)
        if plan.counts_as_draw(info.sweep - 1):
            dispersions.append(state.dispersion.copy())
        if on_sweep is not None:
            on_sweep(info)
    drawn = np.array(dispersions).reshape(-1, n_topics - 1)
    return Chain(number, state, np.array(log_joints), np.array(inverse_temperatures), drawn)


def run_chains(
    corpus: Corpus,
    n_topics: int,
    priors: Priors,
    plan: Plan,
    make_moves: MakeMoves,
    seed: int,
    *,
    n_chains: int = 1,
    n_threads: int = 1,
    on_sweep: OnSweep | None = None,
) -> list[Chain]:
    """Run chains on several threads; neither the others nor the threads change a chain's result."""
    side_by_side = min(n_chains, n_threads)
    lock, stopped = threading.Lock(), threading.Event()

    def report(info: SweepInfo) -> None:
        if stopped.is_set():
            raise StoppedError
        if on_sweep is not None:
            with lock:
                on_sweep(info)

    def run(number: int) -> Chain:
        threads = n_threads // side_by_side
        return run_chain(
            corpus,
            n_topics,
            priors,
            plan,
            make_moves,
            seed,
            number,
            n_threads=threads,
            on_sweep=report,
        )

    if side_by_side == 1:
        return [run(number) for number in range(n_chains)]
    with ThreadPoolExecutor(side_by_side) as pool:
        jobs = [pool.submit(run, number) for number in range(n_chains)]
        try:
            for job in as_completed(jobs):  # the first to fail, whatever its number
                job.result()
            return [job.result() for job in jobs]
        except BaseException:
            stopped.set()
            for job in jobs:
                job.cancel()
            raise
