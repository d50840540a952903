"""The loop: moves, one after the other, sweep after sweep. It knows no move by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from permutopic.model.mcmc.schedule import POSTERIOR, Schedule, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permutopic.model.state import State
    from permutopic.streams import Streams

    RandomAt = Callable[[int], np.random.Generator]
    """Gives the generator of one key (a document's number, say) in the current sweep and move."""

_NO_ANNEALING = Schedule()


class Move(Protocol):
    """A transition of the chain, applied once to the whole corpus.

    At inverse temperature 1 it leaves the posterior invariant.
    """

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Change the state in place; `stage` is the sweep's in the annealing schedule."""


class SweepInfo(NamedTuple):
    """What is known after a sweep."""

    sweep: int
    """Sweeps done, this one included."""
    n_sweeps: int
    """Sweeps at most."""
    log_joint: float
    topics_in_use: int
    """Topics that hold a unit of some document."""
    temperature: float = 1.0
    """τ of this sweep; only those at 1 draw from the posterior."""
    chain: int = 0


def sample(
    state: State,
    moves: Sequence[Move],
    log_joint: Callable[[State], float],
    streams: Streams,
    n_sweeps: int,
    *,
    schedule: Schedule = _NO_ANNEALING,
    patience: int | None = None,
) -> Iterator[tuple[State, SweepInfo]]:
    """Run a chain, changing `state` in place; yields it after every sweep.

    With `patience`, the chain ends when its last so many sweeps at temperature 1 have a mean log
    joint no higher than as many before them.
    """
    at_one: list[float] = []
    for sweep in range(n_sweeps):
        stage = schedule.stage(sweep)
        for number, move in enumerate(moves):
            move(state, partial(streams.at, sweep, number), stage)
        in_use = int(np.count_nonzero(state.bag.any(axis=0)))
        joint = log_joint(state)
        yield state, SweepInfo(sweep + 1, n_sweeps, joint, in_use, stage.temperature, streams.chain)
        if stage == POSTERIOR:
            at_one.append(joint)
        if patience is not None and no_longer_gains(at_one, patience):
            return


def no_longer_gains(log_joints: Sequence[float], patience: int) -> bool:
    """Tell whether the last `patience` values are on average no higher than as many before them.

    >>> no_longer_gains([1.0, 2.0, 3.0, 4.0], 2), no_longer_gains([1.0, 4.0, 3.0, 2.0], 2)
    (False, True)
    """
    if len(log_joints) < 2 * patience:
        return False
    last, earlier = log_joints[-patience:], log_joints[-2 * patience : -patience]
    return sum(last) <= sum(earlier)
