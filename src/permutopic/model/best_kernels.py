"""The single most probable structure of a document, on its table of weights.

Given an order of the topics, the best bag is found exactly. Orders are tried by putting one topic
after the other to its best place, the best bag going along, until none gains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.block_kernels import NEVER, Filters
from permutopic.model.compile import compiled
from permutopic.model.span_table import LANES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GAIN = 1e-9  # less is rounding
_PASSES = 10


@compiled
def reach_forward(
    table: NDArray[np.float64],
    topic: int,
    log_share: float,
    cuts: NDArray[np.int64],
    before: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: Filters,
) -> None:
    """Let a slot take any span: new[j] = max_i old[i] + weight of i … j, or old[j]."""
    n_cuts, width = cuts.size, table.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(n_cuts):
        old[cut] = before[slot, cut] - log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    for cut in range(width):
        best[cut] = old[cut]
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * NEVER:
            for n in range(width - first):
                score = here + table[topic, start, first + n]
                highest = best[first + n]
                best[first + n] = score if score > highest else highest
    for cut in range(n_cuts):
        before[onto, cut] = best[cut] + log_share * cuts[cut]


@compiled
def reach_backward(
    table: NDArray[np.float64],
    topic: int,
    log_share: float,
    cuts: NDArray[np.int64],
    after: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: Filters,
) -> None:
    """Do the same from the right: new[i] = max_j weight of i … j + old[j], or old[i]."""
    n_cuts, width = cuts.size, table.shape[2]
    old = filters.shifted
    for cut in range(n_cuts):
        old[cut] = after[slot, cut] + log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    after[onto, n_cuts - 1] = after[slot, n_cuts - 1]
    for start in range(n_cuts - 1):
        best = old[start]
        for cut in range((start + 1) // LANES * LANES, width):
            score = table[topic, start, cut] + old[cut]
            best = score if score > best else best
        after[onto, start] = best - log_share * cuts[start]


@compiled
def best_bag(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    filters: Filters,
    bag: NDArray[np.int64],
) -> float:
    """Find the best bag of an order and give its log weight."""
    before = filters.before
    before[0, : cuts.size] = NEVER
    before[0, 0] = 0.0
    for slot in range(order.size):
        topic = order[slot]
        reach_forward(table, topic, log_shares[topic], cuts, before, slot, slot + 1, filters)
    end = cuts.size - 1
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        chosen, best = end, before[slot, end]
        for start in range(end):
            size = cuts[end] - cuts[start]
            score = before[slot, start] + table[topic, start, end] + size * log_shares[topic]
            if score > best:
                chosen, best = start, score
        bag[topic] = cuts[end] - cuts[chosen]
        end = chosen
    return float(before[order.size, cuts.size - 1])


@compiled
def best_place(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    topic: int,
    log_shares: NDArray[np.float64],
    dispersion: NDArray[np.float64],
    filters: Filters,
) -> float:
    """Put a topic to its best place, and give what that gains over the place it had."""
    n_topics, n_cuts = order.size, cuts.size
    others = np.empty(n_topics - 1, np.int64)
    filled, present = 0, 0
    for slot in range(n_topics):
        if order[slot] == topic:
            present = slot
        else:
            others[filled] = order[slot]
            filled += 1
    before, after = filters.before, filters.after
    before[0, :n_cuts] = NEVER
    before[0, 0] = 0.0
    for slot in range(n_topics - 1):
        other = others[slot]
        reach_forward(table, other, log_shares[other], cuts, before, slot, slot + 1, filters)
    after[n_topics - 1, :n_cuts] = NEVER
    after[n_topics - 1, n_cuts - 1] = 0.0
    for slot in range(n_topics - 2, -1, -1):
        other = others[slot]
        reach_backward(table, other, log_shares[other], cuts, after, slot + 1, slot, filters)
    log_prior, best, chosen, had = 0.0, NEVER, present, NEVER
    for gap in range(n_topics):
        if gap > 0:  # the topic has moved behind one more: an inversion more, or one fewer
            passed = others[gap - 1]
            log_prior += -dispersion[topic] if passed > topic else dispersion[passed]
        reach_forward(table, topic, log_shares[topic], cuts, before, gap, n_topics, filters)
        score = NEVER
        for cut in range(n_cuts):
            score = max(score, before[n_topics, cut] + after[gap, cut])
        score += log_prior
        if gap == present:
            had = score
        if score > best:
            best, chosen = score, gap
    if best <= had + _GAIN:
        return 0.0
    order[:chosen] = others[:chosen]
    order[chosen] = topic
    order[chosen + 1 :] = others[chosen:]
    return best - had


@compiled
def climb(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    dispersion: NDArray[np.float64],
    orders: bool,
    filters: Filters,
    bag: NDArray[np.int64],
) -> float:
    """Find a structure that no move of one topic betters; give the log weight of its bag.

    Topics that the best bag leaves empty are tried in the first pass only: they may come in.
    """
    weight = best_bag(table, cuts, order, log_shares, filters, bag)
    for passed in range(_PASSES if orders else 0):
        gained = 0.0
        for topic in range(order.size):
            if passed == 0 or bag[topic] > 0:
                gain = best_place(table, cuts, order, topic, log_shares, dispersion, filters)
                if gain > 0:
                    gained += gain
                    weight = best_bag(table, cuts, order, log_shares, filters, bag)
        if gained == 0:
            break
    return weight
