"""Moves on the span table of one document: its whole bag at once, and the place of a topic.

Everything here is given θ, so that the units of a document are independent draws: a topic that
takes the l units from cut i to cut j weighs θ_k^l / l! · exp S[k, i, j]. The 1/l! is there since
many sequences of exchangeable draws have the same counts. A table of *weights* holds
log(exp S / l!) of all spans; the log of θ_k^l splits into one term for each end of a span.

Where only some places of a document are cuts, a boundary weighs more: see `weigh_spans`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import fast_exp, fast_log
from permutopic.model.kernels.span_table import LANES
from permutopic.model.paper.single_draws import choose, fill_order, swap_changes_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEVER = -1e300  # a log weight that no choice survives, and whose sums stay finite


class Draws(NamedTuple):
    """How structures are drawn in one sweep: log θ, ρ, τ, rounds, placements a round.

    `orders` is false where all documents keep the canonical order.
    """

    log_shares: NDArray[np.float64]
    dispersion: NDArray[np.float64]
    temperature: float
    rounds: int
    placements: int
    orders: bool


class Filters(NamedTuple):
    """Room for one document: log sums over everything before each slot and cut, and after it."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    shifted: NDArray[np.float64]
    highest: NDArray[np.float64]
    total: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    potentials: NDArray[np.float64]


def make_filters(n_topics: int, n_cuts: int) -> Filters:
    """Make room for a document of so many cuts."""
    return Filters(
        before=np.empty((n_topics + 1, n_cuts + LANES)),
        after=np.empty((n_topics + 1, n_cuts + LANES)),
        shifted=np.empty(n_cuts + LANES),
        highest=np.empty(n_cuts + LANES),
        total=np.empty(n_cuts + LANES),
        log_weights=np.empty(max(n_topics, n_cuts) + 1),
        potentials=np.empty(n_cuts + LANES),
    )


@compiled
def choose_cuts(
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    kept: float,
    draws: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Keep each place whose draw is below `kept`, and every boundary of the structure."""
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    cuts = np.empty(draws.size, np.int64)
    filled, slot, boundary = 0, -1, 0
    for place in range(draws.size):
        if place == boundary or draws[place] < kept:
            cuts[filled] = place
            filled += 1
        while place == boundary and slot + 1 < order.size:
            slot += 1
            boundary += bag[order[slot]]
    return cuts[:filled].copy()


@compiled
def weigh_spans(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_factorial: NDArray[np.float64],
    temperature: float,
    log_kept: float,
) -> None:
    """Turn scores into weights, in place: τ S − log l! − log p; what is no span weighs nothing.

    `log_kept` is log p, where every place between two units was made a cut with probability p and
    the boundaries of the present structure always were. Given the structure, the cuts then have
    probability p^(cuts − boundaries) × (1−p)^rest: the structure's share is p^−boundaries, one
    factor 1/p for each boundary, which every structure that these cuts allow has to carry.
    """
    weigh_starts(table, cuts, log_factorial, temperature, log_kept, 0, table.shape[1])


@compiled
def weigh_starts(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_factorial: NDArray[np.float64],
    temperature: float,
    log_kept: float,
    first: int,
    last: int,
) -> None:
    """Turn the scores of some starts into weights, as `weigh_spans`."""
    n_topics, n_cuts, width = table.shape[0], cuts.size, table.shape[2]
    penalty = np.empty(n_cuts)
    for start in range(first, min(last, table.shape[1])):
        behind = start + 1
        for n in range(n_cuts - behind):
            size = cuts[behind + n] - cuts[start]
            penalty[n] = log_factorial[size] + log_kept
        for topic in range(n_topics):
            for cut in range(behind):
                table[topic, start, cut] = NEVER
            for n in range(n_cuts - behind):
                score = table[topic, start, behind + n]
                table[topic, start, behind + n] = temperature * score - penalty[n]
            for cut in range(n_cuts, width):
                table[topic, start, cut] = NEVER


@compiled
def pass_forward(
    table: NDArray[np.float64],
    topic: int,
    log_share: float,
    cuts: NDArray[np.int64],
    before: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: Filters,
) -> None:
    """Let a slot take any span: new[j] = log Σ_i exp(old[i] + weight of i … j under its topic).

    Old is `before[slot]`, new is `before[onto]`. All loops go over whole vectors of cuts.
    """
    n_cuts, width = cuts.size, table.shape[2]
    old, highest, total = filters.shifted, filters.highest, filters.total
    for cut in range(n_cuts):
        old[cut] = before[slot, cut] - log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    for cut in range(width):
        highest[cut] = old[cut]  # the slot stays empty
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * NEVER:
            for n in range(width - first):
                score = here + table[topic, start, first + n]
                best = highest[first + n]
                highest[first + n] = score if score > best else best
    for cut in range(width):
        total[cut] = fast_exp(old[cut] - highest[cut])
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * NEVER:
            for n in range(width - first):
                score = here + table[topic, start, first + n]
                total[first + n] += fast_exp(score - highest[first + n])
    for cut in range(n_cuts):
        before[onto, cut] = fast_log(total[cut]) + highest[cut] + log_share * cuts[cut]


@compiled
def pass_backward(
    table: NDArray[np.float64],
    topic: int,
    log_share: float,
    cuts: NDArray[np.int64],
    after: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: Filters,
) -> None:
    """Do the same from the right: new[i] = log Σ_j exp(weight of i … j + old[j])."""
    n_cuts, width = cuts.size, table.shape[2]
    old, terms = filters.shifted, filters.total
    for cut in range(n_cuts):
        old[cut] = after[slot, cut] + log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    after[onto, n_cuts - 1] = after[slot, n_cuts - 1]
    for start in range(n_cuts - 1):
        first = (start + 1) // LANES * LANES
        for n in range(width - first):
            terms[n] = table[topic, start, first + n] + old[first + n]
        highest = old[start]
        for n in range(width - first):
            highest = max(highest, terms[n])
        for n in range(width - first):
            terms[n] = fast_exp(terms[n] - highest)
        total = fast_exp(old[start] - highest)
        for n in range(width - first):
            total += terms[n]
        after[onto, start] = fast_log(total) + highest - log_share * cuts[start]


@compiled
def filter_forward(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    filters: Filters,
) -> None:
    """Sum over all bags, slot by slot of an order, from the left."""
    filters.before[0, : cuts.size] = NEVER
    filters.before[0, 0] = 0.0
    for slot in range(order.size):
        topic = order[slot]
        pass_forward(table, topic, log_shares[topic], cuts, filters.before, slot, slot + 1, filters)


@compiled
def draw_bag(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    filters: Filters,
    bag: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the whole bag given the order: filter forward, then draw slot by slot from the right."""
    filter_forward(table, cuts, order, log_shares, filters)
    log_weights = filters.log_weights
    end = cuts.size - 1
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        for start in range(end):
            size = cuts[end] - cuts[start]
            log_weights[start] = (
                filters.before[slot, start] + table[topic, start, end] + size * log_shares[topic]
            )
        log_weights[end] = filters.before[slot, end]
        start = choose(log_weights, end + 1, uniforms[slot])
        bag[topic] = cuts[end] - cuts[start]
        end = start


@compiled
def place_topic(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    topic: int,
    how: Draws,
    filters: Filters,
    uniform: float,
) -> None:
    """Put one topic anywhere in the order, the others keeping theirs, summed over all bags.

    The weight of each of the K gaps is the Mallows probability of the order it makes times the
    sum over all bags: what came before the gap, the topic's own span, what comes after. The bag
    has to be drawn anew before anything looks at it.
    """
    log_shares = how.log_shares
    n_topics = order.size
    others = np.empty(n_topics - 1, np.int64)
    filled = 0
    for slot in range(n_topics):
        if order[slot] != topic:
            others[filled] = order[slot]
            filled += 1
    filter_forward(table, cuts, others, log_shares, filters)
    n_cuts = cuts.size
    after = filters.after
    after[n_topics - 1, :n_cuts] = NEVER
    after[n_topics - 1, n_cuts - 1] = 0.0
    for slot in range(n_topics - 2, -1, -1):
        other = others[slot]
        pass_backward(table, other, log_shares[other], cuts, after, slot + 1, slot, filters)
    log_prior = 0.0
    log_weights = np.empty(n_topics)
    through = n_topics  # a line of `before` that the other topics do not need
    for gap in range(n_topics):
        if gap > 0:  # the topic has moved behind one more: an inversion more, or one fewer
            passed = others[gap - 1]
            log_prior += -how.dispersion[topic] if passed > topic else how.dispersion[passed]
        pass_forward(table, topic, log_shares[topic], cuts, filters.before, gap, through, filters)
        highest = NEVER
        for cut in range(n_cuts):
            filters.total[cut] = filters.before[through, cut] + after[gap, cut]
            highest = max(highest, filters.total[cut])
        total = 0.0
        for cut in range(n_cuts):
            total += fast_exp(filters.total[cut] - highest)
        log_weights[gap] = log_prior + highest + math.log(total)
    chosen = choose(log_weights, n_topics, uniform)
    order[:chosen] = others[:chosen]
    order[chosen] = topic
    order[chosen + 1 :] = others[chosen:]


@compiled
def write_inversions(inversions: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    """Count, for each topic but the last, the greater ones that stand before it."""
    for slot in range(order.size):
        topic = order[slot]
        if topic < inversions.size:
            greater = 0
            for earlier in range(slot):
                greater += order[earlier] > topic
            inversions[topic] = greater


@compiled
def score_layout(
    table: NDArray[np.float64], order: NDArray[np.int64], bag: NDArray[np.int64]
) -> float:
    """Sum the weights of a structure's spans, where every place is a cut."""
    total, start = 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + bag[topic]
            total += table[topic, start, end]
            start = end
    return total


@compiled
def draw_inversions(
    table: NDArray[np.float64],
    order: NDArray[np.int64],
    inversions: NDArray[np.int64],
    bag: NDArray[np.int64],
    how: Draws,
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw each inversion count given the bag and the other counts (eq. 11)."""
    n_topics = order.size
    log_weights = filters.log_weights
    slots = np.empty(n_topics, np.int64)
    for topic in range(inversions.size):
        n_values, current = 0, 0
        for slot in range(n_topics):
            if order[slot] >= topic:
                slots[n_values] = slot
                n_values += 1
                if order[slot] == topic:
                    current = n_values - 1
        for place in range(current, 0, -1):
            order[slots[place]] = order[slots[place - 1]]
        order[slots[0]] = topic
        score = score_layout(table, order, bag)
        log_weights[0] = score
        for count in range(1, n_values):
            here, there = slots[count - 1], slots[count]
            moves = swap_changes_layout(order, bag, here, there)
            order[here], order[there] = order[there], order[here]
            if moves:
                score = score_layout(table, order, bag)
            log_weights[count] = score - how.dispersion[topic] * count
        inversions[topic] = choose(log_weights, n_values, uniforms[topic])
        fill_order(order, inversions)
