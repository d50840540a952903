"""The compiled code of the search for the best order of pieces: a bound, a beam, and A*.

`order_search.py` says what is searched for and why the bound is one. All scores here are relative:
each piece's best score is taken off, so that what is left comes from the joints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIGHT = 1e-9
"""Orders that are better by less than this count as equally good."""


class Tables(NamedTuple):
    """What a search looks up; n pieces, m states, and m as the state before the first piece.

    steps
        (n, m + 1, m): the best way to enter a piece from a state and to leave it in another.
    first
        (m + 1, n): at most this for entering a piece from a state, less half of what it loses.
    joints
        (n, n): [q, p] at most this for going on with p after q.
    by_entry, by_exit
        (n, n − 1): the others, best first, to come before a piece, and after it.
    gaps
        (m, m): [t, u] by how much it can be better to stand in t than in u.
    """

    steps: NDArray[np.float64]
    first: NDArray[np.float64]
    joints: NDArray[np.float64]
    by_entry: NDArray[np.int64]
    by_exit: NDArray[np.int64]
    gaps: NDArray[np.float64]


@compiled
def bound_set(
    tables: Tables, left: NDArray[np.bool_], entries: NDArray[np.float64]
) -> tuple[float, float]:
    """Bound the joints among the pieces that are left, by how each is entered and how it is left.

    Given are the sum of the best entries, which are written to `entries`, and the sum of the best
    exits but for the worst of them: the last piece is not gone on from.
    """
    n_pieces = left.size
    entered, exited, worst = 0.0, 0.0, np.inf
    for piece in range(n_pieces):
        if not left[piece]:
            continue
        best = -np.inf
        for other in tables.by_entry[piece]:
            if left[other]:
                best = tables.joints[other, piece]
                break
        entries[piece] = best
        entered += best
        best = -np.inf
        for other in tables.by_exit[piece]:
            if left[other]:
                best = tables.joints[piece, other]
                break
        exited += best
        worst = min(worst, best)
    return entered, exited - worst


@compiled
def bound_rest(
    tables: Tables,
    state: int,
    left: NDArray[np.bool_],
    entries: NDArray[np.float64],
    sums: tuple[float, float],
) -> float:
    """Bound what the pieces that are left can add, from a state: never less than the best order."""
    n_left, only = 0, 0
    best_first, best_change = -np.inf, -np.inf
    for piece in range(left.size):
        if left[piece]:
            n_left += 1
            only = piece
            best_first = max(best_first, tables.first[state, piece])
            best_change = max(best_change, tables.first[state, piece] - entries[piece])
    if n_left == 0:
        return 0.0
    if n_left == 1:
        return float(tables.steps[only, state].max())
    return min(sums[0] + best_change, sums[1] + best_first)


@compiled
def beam(tables: Tables, keys: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Grow orders piece by piece, and keep the `width` best by what they have and may still get.

    Of two with the same pieces and the same last state only the better is kept. Sets of pieces are
    told apart by the sum of their pieces' random `keys`.
    """
    n_pieces, n_states = tables.steps.shape[0], tables.steps.shape[2]
    parents = np.zeros((n_pieces, width), dtype=np.int64)
    pieces = np.zeros((n_pieces, width), dtype=np.int64)
    left = np.ones((width, n_pieces), dtype=np.bool_)
    states = np.full(width, n_states, dtype=np.int64)
    sets, scores = np.zeros(width, dtype=np.int64), np.zeros(width)
    room = width * n_pieces * n_states
    hopes, gains = np.empty(room), np.empty(room)
    origins, taken = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    entered = np.empty(room, dtype=np.int64)
    entries = np.empty(n_pieces)
    size = 1
    for level in range(n_pieces):
        found = 0
        for item in range(size):
            for piece in range(n_pieces):
                if not left[item, piece]:
                    continue
                left[item, piece] = False
                sums = bound_set(tables, left[item], entries)
                for state in range(n_states):
                    gain = scores[item] + tables.steps[piece, states[item], state]
                    rest = bound_rest(tables, state, left[item], entries, sums)
                    gains[found], hopes[found] = gain, -(gain + rest)
                    origins[found], taken[found], entered[found] = item, piece, state
                    found += 1
                left[item, piece] = True
        old_left, old_sets = left.copy(), sets.copy()
        size = 0
        for candidate in np.argsort(hopes[:found], kind="mergesort"):
            key = old_sets[origins[candidate]] + keys[taken[candidate]]
            known = False
            for other in range(size):
                if sets[other] == key and states[other] == entered[candidate]:
                    known = True
                    break
            if known:
                continue
            sets[size], states[size], scores[size] = key, entered[candidate], gains[candidate]
            parents[level, size], pieces[level, size] = origins[candidate], taken[candidate]
            left[size] = old_left[origins[candidate]]
            left[size, taken[candidate]] = False
            size += 1
            if size == width:
                break
    order = np.empty(n_pieces, dtype=np.int64)
    item = 0
    for level in range(n_pieces - 1, -1, -1):
        order[level] = pieces[level, item]
        item = parents[level, item]
    return order


class Nodes(NamedTuple):
    """What A* has reached: a row for each set of pieces, a column for each state of the last one.

    A node is row · columns + column. The column after the states is for no piece at all.

    slots
        A hash table from sets to rows, at most half full; −1 where it is free.
    masks
        Each row's set, as bits.
    scores, expanded
        The best score of each node so far, and the one it was expanded with; −inf for none.
    parents
        The node before it on the best way.
    """

    slots: NDArray[np.int64]
    masks: NDArray[np.int64]
    scores: NDArray[np.float64]
    expanded: NDArray[np.float64]
    parents: NDArray[np.int64]


@compiled
def make_nodes(n_rows: int, n_columns: int) -> Nodes:
    """Make room for that many sets."""
    return Nodes(
        np.full(4 * n_rows, -1, dtype=np.int64),
        np.zeros(2 * n_rows, dtype=np.int64),
        np.full((2 * n_rows, n_columns), -np.inf),
        np.full((2 * n_rows, n_columns), -np.inf),
        np.zeros((2 * n_rows, n_columns), dtype=np.int64),
    )


@compiled
def find_slot(nodes: Nodes, mask: int) -> int:
    """Find the slot of a set: where it is, or where it would go."""
    last = nodes.slots.size - 1
    mixed = np.uint64(mask) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while nodes.slots[slot] >= 0 and nodes.masks[nodes.slots[slot]] != mask:
        slot = (slot + 1) & last
    return int(slot)


@compiled
def enlarge(nodes: Nodes) -> Nodes:
    """Make room for twice as many sets as there are; all rows are taken."""
    n_rows = nodes.masks.size
    larger = make_nodes(n_rows, nodes.scores.shape[1])
    larger.masks[:n_rows] = nodes.masks
    larger.scores[:n_rows] = nodes.scores
    larger.expanded[:n_rows] = nodes.expanded
    larger.parents[:n_rows] = nodes.parents
    for row in range(n_rows):
        larger.slots[find_slot(larger, nodes.masks[row])] = row
    return larger


@compiled
def is_beaten(tables: Tables, scores: NDArray[np.float64], state: int, score: float) -> bool:
    """Tell whether another way to the same set, to this state or to another, does at least as well.

    Standing in `state` is worth at most `gaps[state, other]` more than standing in `other`.
    """
    for other in range(tables.gaps.shape[0]):
        if scores[other] - score >= tables.gaps[state, other]:
            return True
    return False


@compiled
def follow(nodes: Nodes, node: int, order: NDArray[np.int64]) -> None:
    """Write the order that led to a node."""
    wide = nodes.scores.shape[1]
    for place in range(order.size - 1, -1, -1):
        before = nodes.parents[node // wide, node % wide]
        taken = nodes.masks[node // wide] ^ nodes.masks[before // wide]
        piece = 0
        while not (taken >> piece) & 1:
            piece += 1
        order[place] = piece
        node = before


@compiled
def rise(hopes: NDArray[np.float64], nodes: NDArray[np.int64], last: int) -> None:
    """Let the last of a heap's entries rise to its place; the greatest hope is on top."""
    place, hope, node = last, hopes[last], nodes[last]
    while place > 0:
        above = (place - 1) >> 1
        if hopes[above] >= hope:
            break
        hopes[place], nodes[place] = hopes[above], nodes[above]
        place = above
    hopes[place], nodes[place] = hope, node


@compiled
def pop(hopes: NDArray[np.float64], nodes: NDArray[np.int64], size: int) -> None:
    """Take the top of a heap of `size` entries off; the last one sinks to its place."""
    size -= 1
    hope, node, place = hopes[size], nodes[size], 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and hopes[below + 1] > hopes[below]:
            below += 1
        if hopes[below] <= hope:
            break
        hopes[place], nodes[place] = hopes[below], nodes[below]
        place = below
    hopes[place], nodes[place] = hope, node


@compiled
def best_first(  # noqa: PLR0912, PLR0915 (one loop; what can be told apart is above)
    tables: Tables, known: float, budget: int, order: NDArray[np.int64]
) -> tuple[bool, bool, int]:
    """Look for an order that is better than one of score `known`, and write it to `order`.

    A node that is reached again on a better way is opened again, so that the bound need not be
    consistent.

    Returns
    -------
    tuple
        Whether one was found, whether the search came to its end, and how many nodes it expanded.
    """
    n_pieces, n_states = tables.steps.shape[0], tables.steps.shape[2]
    wide = n_states + 1
    nodes = make_nodes(1 << 8, wide)
    nodes.slots[find_slot(nodes, 0)] = 0
    nodes.scores[0, n_states] = 0.0
    hopes, heap = np.empty(1 << 10), np.empty(1 << 10, dtype=np.int64)
    hopes[0], heap[0] = np.inf, n_states
    n_rows, size, expanded, kept, goal, ended = 1, 1, 0, 0, -1, True
    left, entries = np.empty(n_pieces, dtype=np.bool_), np.empty(n_pieces)
    while size > 0 and hopes[0] > known + TIGHT:
        node = heap[0]
        pop(hopes, heap, size)
        size -= 1
        row, state = node // wide, node % wide
        score = nodes.scores[row, state]
        if nodes.expanded[row, state] >= score:
            continue
        if expanded >= budget or kept >= 16 * budget:
            ended = False
            break
        nodes.expanded[row, state] = score
        expanded += 1
        mask = nodes.masks[row]
        for piece in range(n_pieces):
            left[piece] = not (mask >> piece) & 1
        for piece in range(n_pieces):
            if not left[piece]:
                continue
            left[piece] = False
            sums = bound_set(tables, left, entries)
            grown = mask | (np.int64(1) << piece)
            at = nodes.slots[find_slot(nodes, grown)]
            for reached in range(n_states):
                gain = score + tables.steps[piece, state, reached]
                hope = gain + bound_rest(tables, reached, left, entries, sums)
                if hope <= known + TIGHT:
                    continue
                # Where nothing is left, a state is worth nothing, and `hope` has told all.
                complete = grown == (np.int64(1) << n_pieces) - 1
                if at >= 0 and not complete and is_beaten(tables, nodes.scores[at], reached, gain):
                    continue
                if at < 0:
                    if n_rows == nodes.masks.size:
                        nodes = enlarge(nodes)
                    at = n_rows
                    n_rows += 1
                    nodes.masks[at] = grown
                    nodes.slots[find_slot(nodes, grown)] = at
                nodes.scores[at, reached] = gain
                nodes.parents[at, reached] = node
                if complete:
                    known, goal = gain, at * wide + reached
                    continue
                if size == hopes.size:
                    hopes = np.concatenate((hopes, np.empty(size)))
                    heap = np.concatenate((heap, np.empty(size, dtype=np.int64)))
                hopes[size], heap[size] = hope, at * wide + reached
                rise(hopes, heap, size)
                size += 1
                kept += 1
            left[piece] = True
    if goal >= 0:
        follow(nodes, goal, order)
    return goal >= 0, ended, expanded
