"""The loop of a chain: in every sweep all moves in turn. It knows no move by name."""

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
    """Diagnostics of one sweep."""

    sweep: int
    """The number of sweeps so far, this one included."""
    n_sweeps: int
    """The maximum number of sweeps."""
    log_joint: float
    topics_in_use: int
    """The number of topics that have a unit in some document."""
    inverse_temperature: float = 1.0
    """λ in this sweep; only sweeps at 1 draw from the posterior."""
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
    """Run a chain, changing `state` in place; yield it after every sweep.

    With `patience` n, the chain stops when the mean log joint of its last n sweeps at inverse
    temperature 1 is no higher than that of the n sweeps before them.
    """
    drawn: list[float] = []
    for sweep in range(n_sweeps):
        stage = schedule.stage(sweep)
        for number, move in enumerate(moves):
            move(state, partial(streams.at, sweep, number), stage)
        in_use = int(np.count_nonzero(state.bag.any(axis=0)))
        joint = log_joint(state)
        yield (
            state,
            SweepInfo(sweep + 1, n_sweeps, joint, in_use, stage.inverse_temperature, streams.chain),
        )
        if stage == POSTERIOR:
            drawn.append(joint)
        if patience is not None and has_plateaued(drawn, patience):
            return


def has_plateaued(log_joints: Sequence[float], patience: int) -> bool:
    """Tell whether the mean of the last `patience` values is no higher than that of those before.

    >>> has_plateaued([1.0, 2.0, 3.0, 4.0], 2), has_plateaued([1.0, 4.0, 3.0, 2.0], 2)
    (False, True)
    """
    if len(log_joints) < 2 * patience:
        return False
    last, earlier = log_joints[-patience:], log_joints[-2 * patience : -patience]
    return sum(last) <= sum(earlier)
