"""The most probable order of pieces under a hidden Markov model, by A* and beam search.

A piece p has a score M[p, s, t]: the log probability of its units on the best path that begins in
state s and ends in state t. The score of an order is that of its best path through all states,

    initial[s₁] + M[p₁, s₁, t₁] + transitions[t₁, s₂] + M[p₂, s₂, t₂] + …

The score of the rest depends only on the set of remaining pieces and the last state: these two are
a node. A* expands the node with the highest priority, score so far + upper bound of the rest.

**The bound is admissible.** Subtract the best score A[p] of each piece, M = A + L with L ≤ 0, and
assign each loss L[s, t] by halves to the links before and after the piece. A link q → p then scores
½ L[q, ·, t] + transitions[t, s] + ½ L[p, s, ·], which is at most

    J[q, p] = max over t, s of  ½ max_u L[q, u, t] + transitions[t, s] + ½ max_u L[p, s, u].

Every remaining piece has one link before it: one link comes from the last state, each of the others
from another remaining piece. So the sum of the best such links, each chosen by itself, is at least
the score of any order. Likewise, every piece but the last has one link after it. The lower of the
two sums is the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.order_search_kernels import SearchTables, beam, best_first
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MAX_EXACT_PIECES = 62
"""Maximum number of pieces for A*, which stores sets as the bits of an int64."""


class SearchResult(NamedTuple):
    """An order, its score, whether it is optimal (to 1e-9), and the number of expanded nodes."""

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
) -> SearchResult:
    """Find the order of pieces with the highest score.

    Beam search gives an initial solution, which bounds A*. If A* exceeds its budget, the best order
    so far is returned, usually that of the beam, and `exact` is False.

    Parameters
    ----------
    pieces
        (n, m, m): scores M of n pieces over m states; −inf where there is no path.
    initial, transitions
        (m,) and (m, m): log probabilities, finite.
    budget
        Maximum number of nodes that A* expands; it stores at most 16 times as many.
    width
        Number of orders in the beam.

    Examples
    --------
    >>> stay = np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> only = np.array([[[-9.0, -9], [-9, 0]], [[0, -9], [-9, -9]], [[-9, -9], [-9, 0]]])
    >>> found = best_order(only, np.log([0.8, 0.2]), stay)
    >>> found.order.tolist(), round(found.score, 3), found.exact
    ([1, 0, 2], -2.631, True)
    """
    scores, log_initial, log_transitions = _check_scores(pieces, initial, transitions)
    check_integer(budget, "budget", 0)
    check_integer(width, "width", 1)
    n_pieces = scores.shape[0]
    tables = make_tables(scores, log_initial, log_transitions)
    keys = np.random.default_rng(0).integers(2**62, size=(n_pieces,))
    order = beam(tables, keys, width)
    if n_pieces > MAX_EXACT_PIECES:
        score = score_order(order, scores, log_initial, log_transitions)
        return SearchResult(order, score, False, 0)
    offset = scores.max(axis=(1, 2)).sum()
    incumbent = score_order(order, scores, log_initial, log_transitions) - offset
    better = np.empty(n_pieces, dtype=np.int64)
    found, exact, expanded = best_first(tables, incumbent, budget, better)
    if found:
        order = better
    score = score_order(order, scores, log_initial, log_transitions)
    return SearchResult(order, score, exact, expanded)


def score_order(
    order: ArrayLike,
    pieces: NDArray[np.float64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
) -> float:
    """Return the score of the best path of one order."""
    ends: NDArray[np.float64] | None = None
    for piece in np.asarray(order):
        entry = initial if ends is None else (ends[:, None] + transitions).max(axis=0)
        ends = (entry[:, None] + pieces[piece]).max(axis=0)
    return 0.0 if ends is None else float(ends.max())


def make_tables(
    pieces: NDArray[np.float64], initial: NDArray[np.float64], transitions: NDArray[np.float64]
) -> SearchTables:
    """Precompute the tables of the search."""
    n_pieces = pieces.shape[0]
    losses = pieces - pieces.max(axis=(1, 2), keepdims=True)
    entering, leaving = losses.max(axis=2) / 2, losses.max(axis=1) / 2
    begin = np.vstack([transitions, initial])
    steps = np.stack([(begin[:, :, None] + loss).max(axis=1) for loss in losses])
    first_bound = (begin[:, None, :] + entering).max(axis=2)
    after = (leaving[:, :, None] + transitions).max(axis=1)
    link_bounds = (after[:, None, :] + entering).max(axis=2)
    np.fill_diagonal(link_bounds, -np.inf)
    by_entry = np.argsort(-link_bounds.T, axis=1, kind="stable")[:, : n_pieces - 1]
    by_exit = np.argsort(-link_bounds, axis=1, kind="stable")[:, : n_pieces - 1]
    max_advantage = (transitions[:, None, :] - transitions).max(axis=2)
    return SearchTables(
        steps,
        first_bound,
        link_bounds,
        np.ascontiguousarray(by_entry),
        np.ascontiguousarray(by_exit),
        max_advantage,
    )


def _check_scores(
    pieces: ArrayLike, initial: ArrayLike, transitions: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    scores = np.ascontiguousarray(pieces, dtype=np.float64)
    log_initial = np.asarray(initial, dtype=np.float64)
    log_transitions = np.asarray(transitions, dtype=np.float64)
    n_states = log_initial.size
    if scores.ndim != 3 or scores.shape[1:] != (n_states, n_states) or 0 in scores.shape:
        raise InputError(
            Parameter("pieces"),
            f" must be of shape (pieces, {n_states}, {n_states}) for {n_states} states, "
            f"with one piece at least, not {scores.shape}",
        )
    if log_transitions.shape != (n_states, n_states):
        raise InputError(
            Parameter("transitions"),
            f" must be ({n_states}, {n_states}), not {log_transitions.shape}",
        )
    if not (np.isfinite(log_initial).all() and np.isfinite(log_transitions).all()):
        raise InputError(
            Parameter("initial"),
            " and ",
            Parameter("transitions"),
            " must be finite: smooth them",
        )
    best = scores.max(axis=(1, 2))
    if not np.isfinite(best).all():
        piece = int(np.argmin(np.isfinite(best)))
        raise InputError(f"piece {piece} has the best score {best[piece]}: give it a finite one")
    return scores, log_initial, log_transitions
