"""Compiled code of the search for the best order of pieces: an upper bound, a beam, and A*.

`order_search.py` defines the score and proves the bound. All scores here are relative: the best
score of each piece is subtracted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Orders whose scores differ by less count as equally good."""


class SearchTables(NamedTuple):
    """Precomputed tables for n pieces and m states; index m is the state before the first piece.

    steps
        (n, m + 1, m): score of a piece on the best path from a previous state to a last state.
    first_bound
        (m + 1, n): upper bound of the score of entering a piece from a state, plus half its loss.
    link_bounds
        (n, n): [q, p] upper bound J of the score of p directly after q.
    by_entry, by_exit
        (n, n − 1): the other pieces by decreasing J, as predecessors and as successors.
    max_advantage
        (m, m): [t, u] upper bound of the score of the rest after t, less that after u.
    """

    steps: NDArray[np.float64]
    first_bound: NDArray[np.float64]
    link_bounds: NDArray[np.float64]
    by_entry: NDArray[np.int64]
    by_exit: NDArray[np.int64]
    max_advantage: NDArray[np.float64]


@borrowing
def bound_set(
    tables: SearchTables, remaining: NDArray[np.bool_], entries: NDArray[np.float64]
) -> tuple[float, float]:
    """Sum the best J of the remaining pieces, as successors and as predecessors.

    The best J of each piece as a successor are written to `entries`. The second sum leaves out its
    lowest term, since the last piece has no successor.
    """
    n_pieces = remaining.size
    entry_sum, exit_sum, worst = 0.0, 0.0, np.inf
    for piece in range(n_pieces):
        if not remaining[piece]:
            continue
        best = -np.inf
        for other in tables.by_entry[piece]:
            if remaining[other]:
                best = tables.link_bounds[other, piece]
                break
        entries[piece] = best
        entry_sum += best
        best = -np.inf
        for other in tables.by_exit[piece]:
            if remaining[other]:
                best = tables.link_bounds[piece, other]
                break
        exit_sum += best
        worst = min(worst, best)
    return entry_sum, exit_sum - worst


@compiled
def bound_rest(
    tables: SearchTables,
    state: int,
    remaining: NDArray[np.bool_],
    entries: NDArray[np.float64],
    sums: tuple[float, float],
) -> float:
    """Return an upper bound of the score of the remaining pieces, in any order, after a state."""
    n_remaining, only = 0, 0
    best_first, best_change = -np.inf, -np.inf
    for piece in range(remaining.size):
        if remaining[piece]:
            n_remaining += 1
            only = piece
            best_first = max(best_first, tables.first_bound[state, piece])
            best_change = max(best_change, tables.first_bound[state, piece] - entries[piece])
    if n_remaining == 0:
        return 0.0
    if n_remaining == 1:
        return float(tables.steps[only, state].max())
    return min(sums[0] + best_change, sums[1] + best_first)


@compiled
def beam(tables: SearchTables, piece_keys: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Extend partial orders piece by piece, and keep the `width` best by score + bound.

    Of two with the same set of pieces and the same last state only the better is kept. Sets are
    identified by the sum of the random `piece_keys` of their pieces.
    """
    n_pieces, n_states = tables.steps.shape[0], tables.steps.shape[2]
    parents = np.zeros((n_pieces, width), dtype=np.int64)
    pieces = np.zeros((n_pieces, width), dtype=np.int64)
    remaining = np.ones((width, n_pieces), dtype=np.bool_)
    states = np.full(width, n_states, dtype=np.int64)
    set_keys, scores = np.zeros(width, dtype=np.int64), np.zeros(width)
    capacity = width * n_pieces * n_states
    negative_bounds, new_scores = np.empty(capacity), np.empty(capacity)
    sources, added = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
    end_states = np.empty(capacity, dtype=np.int64)
    entries = np.empty(n_pieces)
    size = 1
    for level in range(n_pieces):
        n_candidates = 0
        for path in range(size):
            for piece in range(n_pieces):
                if not remaining[path, piece]:
                    continue
                remaining[path, piece] = False
                sums = bound_set(tables, remaining[path], entries)
                for state in range(n_states):
                    new_score = scores[path] + tables.steps[piece, states[path], state]
                    rest = bound_rest(tables, state, remaining[path], entries, sums)
                    new_scores[n_candidates] = new_score
                    negative_bounds[n_candidates] = -(new_score + rest)
                    sources[n_candidates], added[n_candidates] = path, piece
                    end_states[n_candidates] = state
                    n_candidates += 1
                remaining[path, piece] = True
        old_remaining, old_set_keys = remaining.copy(), set_keys.copy()
        size = 0
        for candidate in np.argsort(negative_bounds[:n_candidates], kind="mergesort"):
            key = old_set_keys[sources[candidate]] + piece_keys[added[candidate]]
            known = False
            for other in range(size):
                if set_keys[other] == key and states[other] == end_states[candidate]:
                    known = True
                    break
            if known:
                continue
            set_keys[size], states[size] = key, end_states[candidate]
            scores[size] = new_scores[candidate]
            parents[level, size], pieces[level, size] = sources[candidate], added[candidate]
            remaining[size] = old_remaining[sources[candidate]]
            remaining[size, added[candidate]] = False
            size += 1
            if size == width:
                break
    order = np.empty(n_pieces, dtype=np.int64)
    path = 0
    for level in range(n_pieces - 1, -1, -1):
        order[level] = pieces[level, path]
        path = parents[level, path]
    return order


class SearchNodes(NamedTuple):
    """The nodes that A* has reached: a row per set of pieces, a column per last state.

    A node is numbered row · columns + column. The last column is for the empty set.

    slots
        A hash table from sets to rows, at most half full; −1 for a free slot.
    masks
        The set of each row, as bits.
    scores, expanded
        The best score of each node so far, and the one it was expanded with; −inf for none.
    parents
        The previous node on the best path.
    """

    slots: NDArray[np.int64]
    masks: NDArray[np.int64]
    scores: NDArray[np.float64]
    expanded: NDArray[np.float64]
    parents: NDArray[np.int64]


@compiled
def make_nodes(n_rows: int, n_columns: int) -> SearchNodes:
    """Allocate nodes for 2 · `n_rows` sets."""
    return SearchNodes(
        np.full(4 * n_rows, -1, dtype=np.int64),
        np.zeros(2 * n_rows, dtype=np.int64),
        np.full((2 * n_rows, n_columns), -np.inf),
        np.full((2 * n_rows, n_columns), -np.inf),
        np.zeros((2 * n_rows, n_columns), dtype=np.int64),
    )


@borrowing
def find_slot(nodes: SearchNodes, mask: int) -> int:
    """Return the slot of a set, or the free slot to insert it (linear probing)."""
    last = nodes.slots.size - 1
    mixed = np.uint64(mask) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while nodes.slots[slot] >= 0 and nodes.masks[nodes.slots[slot]] != mask:
        slot = (slot + 1) & last
    return int(slot)


@compiled
def enlarge(nodes: SearchNodes) -> SearchNodes:
    """Copy full nodes to new ones with twice as many rows."""
    n_rows = nodes.masks.size
    larger = make_nodes(n_rows, nodes.scores.shape[1])
    larger.masks[:n_rows] = nodes.masks
    larger.scores[:n_rows] = nodes.scores
    larger.expanded[:n_rows] = nodes.expanded
    larger.parents[:n_rows] = nodes.parents
    for row in range(n_rows):
        larger.slots[find_slot(larger, nodes.masks[row])] = row
    return larger


@borrowing
def is_dominated(
    tables: SearchTables, scores: NDArray[np.float64], state: int, score: float
) -> bool:
    """Whether a known path to the same set, in any state, is at least as good as this one.

    The rest can score at most `max_advantage[state, other]` more after `state` than after `other`.
    """
    for other in range(tables.max_advantage.shape[0]):
        if scores[other] - score >= tables.max_advantage[state, other]:
            return True
    return False


@borrowing
def trace_back(nodes: SearchNodes, node: int, order: NDArray[np.int64]) -> None:
    """Write the order of pieces on the best path to a node."""
    n_columns = nodes.scores.shape[1]
    for position in range(order.size - 1, -1, -1):
        before = nodes.parents[node // n_columns, node % n_columns]
        added = nodes.masks[node // n_columns] ^ nodes.masks[before // n_columns]
        piece = 0
        while not (added >> piece) & 1:
            piece += 1
        order[position] = piece
        node = before


@borrowing
def sift_up(priorities: NDArray[np.float64], nodes: NDArray[np.int64], last: int) -> None:
    """Restore the order of a max-heap whose last entry is new."""
    position, priority, node = last, priorities[last], nodes[last]
    while position > 0:
        parent = (position - 1) >> 1
        if priorities[parent] >= priority:
            break
        priorities[position], nodes[position] = priorities[parent], nodes[parent]
        position = parent
    priorities[position], nodes[position] = priority, node


@borrowing
def heap_pop(priorities: NDArray[np.float64], nodes: NDArray[np.int64], size: int) -> None:
    """Remove the maximum of a max-heap of `size` entries."""
    size -= 1
    priority, node, position = priorities[size], nodes[size], 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and priorities[child + 1] > priorities[child]:
            child += 1
        if priorities[child] <= priority:
            break
        priorities[position], nodes[position] = priorities[child], nodes[child]
        position = child
    priorities[position], nodes[position] = priority, node


@compiled
def best_first(  # noqa: PLR0912, PLR0915 (one loop; its parts are above)
    tables: SearchTables, incumbent: float, budget: int, order: NDArray[np.int64]
) -> tuple[bool, bool, int]:
    """Search for an order with a score above `incumbent` by A*, and write it to `order`.

    A node that is reached again on a better path is expanded again, so the bound need not be
    consistent.

    Returns
    -------
    tuple
        Whether one was found, whether the search was completed, and the number of expanded nodes.
    """
    n_pieces, n_states = tables.steps.shape[0], tables.steps.shape[2]
    n_columns = n_states + 1
    nodes = make_nodes(1 << 8, n_columns)
    nodes.slots[find_slot(nodes, 0)] = 0
    nodes.scores[0, n_states] = 0.0
    priorities, heap = np.empty(1 << 10), np.empty(1 << 10, dtype=np.int64)
    priorities[0], heap[0] = np.inf, n_states
    n_rows, size, expanded, n_pushed, goal, completed = 1, 1, 0, 0, -1, True
    remaining, entries = np.empty(n_pieces, dtype=np.bool_), np.empty(n_pieces)
    while size > 0 and priorities[0] > incumbent + TOLERANCE:
        node = heap[0]
        heap_pop(priorities, heap, size)
        size -= 1
        row, state = node // n_columns, node % n_columns
        score = nodes.scores[row, state]
        if nodes.expanded[row, state] >= score:
            continue
        if expanded >= budget or n_pushed >= 16 * budget:
            completed = False
            break
        nodes.expanded[row, state] = score
        expanded += 1
        mask = nodes.masks[row]
        for piece in range(n_pieces):
            remaining[piece] = not (mask >> piece) & 1
        for piece in range(n_pieces):
            if not remaining[piece]:
                continue
            remaining[piece] = False
            sums = bound_set(tables, remaining, entries)
            new_mask = mask | (np.int64(1) << piece)
            new_row = nodes.slots[find_slot(nodes, new_mask)]
            for new_state in range(n_states):
                new_score = score + tables.steps[piece, state, new_state]
                priority = new_score + bound_rest(tables, new_state, remaining, entries, sums)
                if priority <= incumbent + TOLERANCE:
                    continue
                # With no piece remaining the last state is irrelevant: `priority` is the score.
                complete = new_mask == (np.int64(1) << n_pieces) - 1
                if (
                    new_row >= 0
                    and not complete
                    and is_dominated(tables, nodes.scores[new_row], new_state, new_score)
                ):
                    continue
                if new_row < 0:
                    if n_rows == nodes.masks.size:
                        nodes = enlarge(nodes)
                    new_row = n_rows
                    n_rows += 1
                    nodes.masks[new_row] = new_mask
                    nodes.slots[find_slot(nodes, new_mask)] = new_row
                nodes.scores[new_row, new_state] = new_score
                nodes.parents[new_row, new_state] = node
                if complete:
                    incumbent, goal = new_score, new_row * n_columns + new_state
                    continue
                if size == priorities.size:
                    priorities = np.concatenate((priorities, np.empty(size)))
                    heap = np.concatenate((heap, np.empty(size, dtype=np.int64)))
                priorities[size], heap[size] = priority, new_row * n_columns + new_state
                sift_up(priorities, heap, size)
                size += 1
                n_pushed += 1
            remaining[piece] = True
    if goal >= 0:
        trace_back(nodes, goal, order)
    return goal >= 0, completed, expanded
