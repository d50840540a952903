"""Stages of the work on one document, whose pieces several threads share.

One thread leads: it alone begins stages, and waits until all pieces of one are done; others wait
for a stage to begin. Which thread does which piece changes no bit of the result. The leader never
depends on a helper to arrive, for it does whatever nobody else has taken.

A document has a row of counters, all zeros at first: the stage that has begun, and, for each stage,
the pieces that were handed out, and those that helpers have done. A counter that two threads change
travels between their processors, for as long as a hundred numbers take to compute: so a piece is
handed out by one addition, and a helper counts all that it has done at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.jit import borrowing
from permutopic.jit_instructions import atomic_add, atomic_load, rest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GATHERING, FILLING, SCALING, REMOVING, ADDING = 1, 2, 3, 4, 5
_STAGES = (GATHERING, FILLING, SCALING, REMOVING, ADDING)
_LINE = 16  # counters of different kinds are on cache lines of their own
_DONE = len(_STAGES)  # lines behind that of pieces handed out
N_COUNTERS = (2 * len(_STAGES) + 1) * _LINE
_A_PIECE_OF_LEADER = 1 << 32  # a counter has the leader's pieces above those of helpers
# Helpers often wait while the leader draws. If the leader waits long, a helper has lost its core.
_YIELDS_OF_HELPER, _YIELDS_OF_LEADER = 150, 60


@borrowing
def enter_stage(counters: NDArray[np.int64], stage: int, leads: bool) -> None:
    """Begin a stage as the leading thread, or wait until it has begun."""
    if leads:
        atomic_add(counters, 0, 1)
        return
    waits = 0
    while atomic_load(counters, 0) < stage:
        waits = rest(waits, _YIELDS_OF_HELPER)


@borrowing
def next_piece(counters: NDArray[np.int64], stage: int, n_pieces: int, leads: bool) -> int:
    """Hand out a piece, −1 if there is none: the last ones to the leader, the first to helpers.

    In the next stage a thread then finds much of what it needs in its own cache.
    """
    before = atomic_add(counters, stage * _LINE, _A_PIECE_OF_LEADER if leads else 1)
    of_leader, of_helpers = before // _A_PIECE_OF_LEADER, before % _A_PIECE_OF_LEADER
    if of_leader + of_helpers >= n_pieces:
        return -1
    return int(n_pieces - 1 - of_leader if leads else of_helpers)


@borrowing
def set_done(counters: NDArray[np.int64], stage: int, n_pieces: int) -> None:
    """Count pieces as done."""
    atomic_add(counters, (stage + _DONE) * _LINE, n_pieces)


@borrowing
def count_done(counters: NDArray[np.int64], stage: int) -> int:
    """Return the number of pieces that were counted as done."""
    return int(atomic_load(counters, (stage + _DONE) * _LINE))


@borrowing
def leave_stage(
    counters: NDArray[np.int64], stage: int, n_pieces: int, own: int, leads: bool
) -> None:
    """Count a helper's own pieces as done; wait, as the leading thread, for all others' pieces."""
    if not leads:
        if own > 0:
            set_done(counters, stage, own)
        return
    waits = 0
    while own + count_done(counters, stage) < n_pieces:
        waits = rest(waits, _YIELDS_OF_LEADER)


@borrowing
def take_note(counters: NDArray[np.int64], stage: int) -> None:
    """Note for the leader that something was found in a stage."""
    atomic_add(counters, (stage + _DONE) * _LINE + 1, 1)


@borrowing
def noted(counters: NDArray[np.int64], stage: int) -> bool:
    """Tell whether something was noted in a stage; all its pieces are done."""
    return bool(atomic_load(counters, (stage + _DONE) * _LINE + 1) > 0)


def release_helpers(work_counters: NDArray[np.int64]) -> None:
    """Mark all stages as begun and all pieces as taken, so that helpers return."""
    for stage in _STAGES:
        work_counters[:, stage * _LINE] = 2**62
    work_counters[:, 0] = ADDING
