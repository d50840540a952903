"""The order of loose pieces that a hidden Markov model finds most probable: A* and a beam.

A piece p has a score M[p, s, t]: the log probability of its units on the best path that begins in
state s and ends in state t. An order's score is that of its best path through all states,

    initial[s₁] + M[p₁, s₁, t₁] + transitions[t₁, s₂] + M[p₂, s₂, t₂] + …

What is still to come depends on the pieces that are left and on the last state, nothing else: those
two make a node. A* opens the node with the highest (score so far + bound on the rest).

**The bound is never too low.** Take each piece's best score A[p] off, M = A + L with L ≤ 0, and
give each loss L[s, t] half to the joint before the piece and half to the joint after it. A joint
q → p is then worth ½ L[q, ·, t] + transitions[t, s] + ½ L[p, s, ·], which is at most

    J[q, p] = max over t, s of  ½ max_u L[q, u, t] + transitions[t, s] + ½ max_u L[p, s, u].

Every piece that is left has one joint before it: one comes from the last state, each of the others
from some other piece that is left; so the best such joints, each by itself, add up to at least what
any order gets. Likewise, every piece but the last has one joint after it. The lower of the two sums
is the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.order_search_kernels import Tables, beam, best_first
from permutopic.checks import check_integer
from permutopic.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_EXACT = 62
"""Pieces that A* can handle: their sets are the bits of a whole number."""


class Searched(NamedTuple):
    """An order, its score, whether no order is better (by 1e-9), and the nodes A* expanded."""

    order: NDArray[np.int64]
    score: float
    exact: bool
    expanded: int


def best_order(
    pieces: ArrayLike,
    initial: ArrayLike,
    transitions: ArrayLike,
    *,
    budget: int = 100_000,
    width: int = 100,
) -> Searched:
    """Find the order of pieces with the highest score.

    A beam goes first: A* need not look at what cannot beat it. When the budget is spent, the best
    order so far stands, mostly the beam's, and `exact` is False.

    Parameters
    ----------
    pieces
        (n, m, m): scores M of n pieces over m states; −inf where there is no path.
    initial, transitions
        (m,) and (m, m): log probabilities, finite.
    budget
        Nodes that A* may expand; it keeps at most 16 times as many.
    width
        Orders that the beam keeps.

    Examples
    --------
    >>> stay = np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> only = np.array([[[-9.0, -9], [-9, 0]], [[0, -9], [-9, -9]], [[-9, -9], [-9, 0]]])
    >>> found = best_order(only, np.log([0.8, 0.2]), stay)
    >>> found.order.tolist(), round(found.score, 3), found.exact
    ([1, 0, 2], -2.631, True)
    """
    scores, begin, moves = _checked(pieces, initial, transitions)
    check_integer(budget, "budget", 0)
    check_integer(width, "width", 1)
    n_pieces = scores.shape[0]
    tables = make_tables(scores, begin, moves)
    keys = np.random.default_rng(0).integers(2**62, size=(n_pieces,))
    order = beam(tables, keys, width)
    if n_pieces > MOST_EXACT:
        return Searched(order, score_order(order, scores, begin, moves), False, 0)
    offset = scores.max(axis=(1, 2)).sum()
    known = score_order(order, scores, begin, moves) - offset
    better = np.empty(n_pieces, dtype=np.int64)
    found, exact, expanded = best_first(tables, known, budget, better)
    if found:
        order = better
    return Searched(order, score_order(order, scores, begin, moves), exact, expanded)


def score_order(
    order: ArrayLike,
    pieces: NDArray[np.float64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
) -> float:
    """Score one order: its best path through the states."""
    ends: NDArray[np.float64] | None = None
    for piece in np.asarray(order):
        entry = initial if ends is None else (ends[:, None] + transitions).max(axis=0)
        ends = (entry[:, None] + pieces[piece]).max(axis=0)
    return 0.0 if ends is None else float(ends.max())


def make_tables(
    pieces: NDArray[np.float64], initial: NDArray[np.float64], transitions: NDArray[np.float64]
) -> Tables:
    """Precompute what the search looks up."""
    n_pieces = pieces.shape[0]
    losses = pieces - pieces.max(axis=(1, 2), keepdims=True)
    entering, leaving = losses.max(axis=2) / 2, losses.max(axis=1) / 2
    begin = np.vstack([transitions, initial])
    steps = np.stack([(begin[:, :, None] + loss).max(axis=1) for loss in losses])
    first = (begin[:, None, :] + entering).max(axis=2)
    after = (leaving[:, :, None] + transitions).max(axis=1)
    joints = (after[:, None, :] + entering).max(axis=2)
    np.fill_diagonal(joints, -np.inf)
    by_entry = np.argsort(-joints.T, axis=1, kind="stable")[:, : n_pieces - 1]
    by_exit = np.argsort(-joints, axis=1, kind="stable")[:, : n_pieces - 1]
    gaps = (transitions[:, None, :] - transitions).max(axis=2)
    return Tables(
        steps,
        first,
        joints,
        np.ascontiguousarray(by_entry),
        np.ascontiguousarray(by_exit),
        gaps,
    )


def _checked(
    pieces: ArrayLike, initial: ArrayLike, transitions: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    scores = np.ascontiguousarray(pieces, dtype=np.float64)
    begin, moves = np.asarray(initial, dtype=np.float64), np.asarray(transitions, dtype=np.float64)
    n_states = begin.size
    if scores.ndim != 3 or scores.shape[1:] != (n_states, n_states) or 0 in scores.shape:
        raise InputError(
            f"pieces must be of shape (pieces, {n_states}, {n_states}) for {n_states} states, "
            f"with one piece at least, not {scores.shape}"
        )
    if moves.shape != (n_states, n_states):
        raise InputError(f"transitions must be ({n_states}, {n_states}), not {moves.shape}")
    if not (np.isfinite(begin).all() and np.isfinite(moves).all()):
        raise InputError("initial and transitions must be finite: smooth them")
    best = scores.max(axis=(1, 2))
    if not np.isfinite(best).all():
        piece = int(np.argmin(np.isfinite(best)))
        raise InputError(f"piece {piece} has the best score {best[piece]}: give it a finite one")
    return scores, begin, moves
