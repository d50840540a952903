"""The loop: moves, one after the other, sweep after sweep. It knows no move by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.model.joint import log_joint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permutopic.model.moves import Move
    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.streams import Streams


class SweepInfo(NamedTuple):
    """What is known after a sweep."""

    sweep: int
    """Sweeps done, this one included."""
    n_sweeps: int
    log_joint: float
    topics_in_use: int
    """Topics that hold a unit of some document."""


def sample(
    state: State, moves: Sequence[Move], priors: Priors, streams: Streams, n_sweeps: int
) -> Iterator[tuple[State, SweepInfo]]:
    """Run a chain, changing `state` in place; yields it after every sweep."""
    for sweep in range(n_sweeps):
        for number, move in enumerate(moves):
            move(state, partial(streams.at, sweep, number))
        in_use = int(np.count_nonzero(state.bag.any(axis=0)))
        yield state, SweepInfo(sweep + 1, n_sweeps, log_joint(state, priors), in_use)
