"""Stages of the work on one document, whose pieces several threads share.

One thread leads: it alone begins stages, and waits until all pieces of one are done; others wait
for a stage to begin. Which thread does which piece changes no bit of the result. The leader never
depends on a helper to arrive, for it does whatever nobody else has taken.

A document has a row of counters, all zeros at first: the stage that has begun, and, for each stage,
the pieces that were handed out, that were done, and a few numbers more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.jit import borrowing
from permutopic.jit_instructions import atomic_add, rest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GATHERING, FILLING, SCALING, REMOVING, ADDING = 1, 2, 3, 4, 5
_STAGES = (GATHERING, FILLING, SCALING, REMOVING, ADDING)
LINE = 16  # counters of different stages are on cache lines of their own
N_COUNTERS = (len(_STAGES) + 1) * LINE
# Helpers often wait while the leader draws. If the leader waits long, a helper has lost its core.
_YIELDS_OF_HELPER, _YIELDS_OF_LEADER = 150, 60
_DONE, NOTED, _OF_LEADER, _OF_HELPERS = 1, 2, 3, 4  # behind a stage's first counter


@borrowing
def enter_stage(counters: NDArray[np.int64], stage: int, leads: bool) -> None:
    """Begin a stage as the leading thread, or wait until it has begun."""
    if leads:
        atomic_add(counters, 0, 1)
        return
    waits = 0
    while atomic_add(counters, 0, 0) < stage:
        waits = rest(waits, _YIELDS_OF_HELPER)


@borrowing
def leave_stage(counters: NDArray[np.int64], stage: int, n_pieces: int, leads: bool) -> None:
    """Wait, as the leading thread, until all pieces of a stage are done."""
    waits = 0
    while leads and count_done(counters, stage) < n_pieces:
        waits = rest(waits, _YIELDS_OF_LEADER)


@borrowing
def next_piece(counters: NDArray[np.int64], stage: int) -> int:
    """Hand out the next piece of a stage, which may be one too many."""
    return int(atomic_add(counters, stage * LINE, 1))


@borrowing
def next_piece_of_own(counters: NDArray[np.int64], stage: int, n_pieces: int, leads: bool) -> int:
    """Hand out a piece, −1 if there is none: the last ones to the leader, the first to helpers.

    In the next stage a thread then finds much of what it needs in its own cache.
    """
    if next_piece(counters, stage) >= n_pieces:
        return -1
    before = atomic_add(counters, stage * LINE + (_OF_LEADER if leads else _OF_HELPERS), 1)
    return int(n_pieces - 1 - before if leads else before)


@borrowing
def set_done(counters: NDArray[np.int64], stage: int) -> None:
    """Count a piece as done."""
    atomic_add(counters, stage * LINE + _DONE, 1)


@borrowing
def count_done(counters: NDArray[np.int64], stage: int) -> int:
    """Return the number of pieces that are done."""
    return int(atomic_add(counters, stage * LINE + _DONE, 0))


def release_helpers(work_counters: NDArray[np.int64]) -> None:
    """Mark all stages as begun and all pieces as taken, so that helpers return."""
    for stage in _STAGES:
        work_counters[:, stage * LINE] = 2**62
    work_counters[:, 0] = ADDING
