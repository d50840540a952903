"""Moves on the span table of one document, in log space: the whole bag, the slot of a topic.

Everything here is given θ, so that the units of a document are independent draws: a topic that
takes the l units from cut i to cut j weighs θ_k^l / l! · exp S[k, i, j]. The 1/l! is there since
many sequences of exchangeable draws have the same counts. A table of *log weights* holds
log(exp S / l!) of all spans; the log of θ_k^l splits into one term for each end of a span.

Where only some positions of a document are cuts, a boundary weighs more: see `scores_to_weights`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.categorical import draw_index
from permutopic.model.kernels.elementary import fast_exp, fast_log
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.orders import (
    list_slots,
    move_forward,
    swap_changes_layout,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOG_ZERO = -1e300  # a log weight that is never drawn, and whose sums stay finite


class MoveSettings(NamedTuple):
    """What the moves of one sweep are given.

    `log_prevalence` is log θ, `inverse_temperature` λ. In each of `rounds` rounds, `placements`
    topics are placed. `orders` is false where all documents keep the canonical order.
    """

    log_prevalence: NDArray[np.float64]
    dispersion: NDArray[np.float64]
    inverse_temperature: float
    rounds: int
    placements: int
    orders: bool


class FilterWorkspace(NamedTuple):
    """Memory for the sums over all bags of one document.

    `forward[s, c]` sums over everything before slot s and cut c, `backward[s, c]` over everything
    behind them; `passed` has the sums behind one more slot in each of four gaps.
    """

    forward: NDArray[np.float64]
    backward: NDArray[np.float64]
    shifted: NDArray[np.float64]
    highest: NDArray[np.float64]
    total: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    potentials: NDArray[np.float64]
    passed: NDArray[np.float64]


@compiled
def make_filter_workspace(n_topics: int, n_cuts: int) -> FilterWorkspace:
    """Allocate the memory for documents of at most so many cuts."""
    return FilterWorkspace(
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(max(n_topics, n_cuts) + 1),
        np.empty(n_cuts + LANES),
        np.empty((4, n_cuts + LANES)),
    )


@compiled
def scores_to_weights(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_factorial: NDArray[np.float64],
    inverse_temperature: float,
    log_cut_probability: float,
    first: int,
) -> None:
    """Turn scores into log weights in place: λ S − log l! − log p; LOG_ZERO where no span is.

    The rows of the table are the starts from `first` on.

    Every position between two units was made a cut with probability p, and the boundaries of the
    present structure always were. Given the structure, the cuts then have probability
    p^(cuts − boundaries) × (1−p)^rest: the structure's part in it is p^−boundaries, one factor 1/p
    for each boundary, which every structure that these cuts allow has to carry.
    """
    n_topics, n_cuts = table.shape[0], cuts.size
    width = (n_cuts + LANES - 1) // LANES * LANES
    penalty = np.empty(n_cuts)
    for row in range(min(table.shape[1], n_cuts - 1 - first)):
        behind = first + row + 1
        for n in range(n_cuts - behind):
            size = cuts[behind + n] - cuts[first + row]
            penalty[n] = log_factorial[size] + log_cut_probability
        for topic in range(n_topics):
            weights = table[topic, row]
            for cut in range(behind):
                weights[cut] = LOG_ZERO
            for n in range(n_cuts - behind):
                score = weights[behind + n]
                weights[behind + n] = inverse_temperature * score - penalty[n]
            for cut in range(n_cuts, width):
                weights[cut] = LOG_ZERO


@borrowing
def forward_step(
    table: NDArray[np.float64],
    topic: int,
    log_theta: float,
    cuts: NDArray[np.int64],
    forward: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: FilterWorkspace,
) -> None:
    """Let a slot take any span: new[j] = log Σ_i exp(old[i] + weight of i … j under its topic).

    Old is `forward[slot]`, new is `forward[onto]`. All loops go over whole vectors of cuts.
    """
    n_cuts, width = cuts.size, table.shape[2]
    old, highest, total = filters.shifted, filters.highest, filters.total
    for cut in range(n_cuts):
        old[cut] = forward[slot, cut] - log_theta * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = LOG_ZERO
    for cut in range(width):
        highest[cut] = old[cut]  # the slot stays empty
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * LOG_ZERO:
            for n in range(width - first):
                score = here + table[topic, start, first + n]
                best = highest[first + n]
                highest[first + n] = score if score > best else best
    for cut in range(width):
        total[cut] = fast_exp(old[cut] - highest[cut])
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * LOG_ZERO:
            for n in range(width - first):
                score = here + table[topic, start, first + n]
                total[first + n] += fast_exp(score - highest[first + n])
    for cut in range(n_cuts):
        forward[onto, cut] = fast_log(total[cut]) + highest[cut] + log_theta * cuts[cut]


@borrowing
def backward_step(
    table: NDArray[np.float64],
    topic: int,
    log_theta: float,
    cuts: NDArray[np.int64],
    backward: NDArray[np.float64],
    slot: int,
    onto: int,
    filters: FilterWorkspace,
) -> None:
    """Do the same from the right: new[i] = log Σ_j exp(weight of i … j + old[j])."""
    n_cuts, width = cuts.size, table.shape[2]
    old, terms = filters.shifted, filters.total
    for cut in range(n_cuts):
        old[cut] = backward[slot, cut] + log_theta * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = LOG_ZERO
    backward[onto, n_cuts - 1] = backward[slot, n_cuts - 1]
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
        backward[onto, start] = fast_log(total) + highest - log_theta * cuts[start]


@borrowing
def forward_sums(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Compute the log sums over all bags, slot by slot of an order, from the left."""
    forward = filters.forward
    forward[0, : cuts.size] = LOG_ZERO
    forward[0, 0] = 0.0
    for slot in range(order.size):
        topic = order[slot]
        forward_step(table, topic, log_prevalence[topic], cuts, forward, slot, slot + 1, filters)


@borrowing
def backward_sums(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Compute the log sums over all bags, slot by slot of an order, from the right."""
    backward, n_cuts, n_slots = filters.backward, cuts.size, order.size
    backward[n_slots, :n_cuts] = LOG_ZERO
    backward[n_slots, n_cuts - 1] = 0.0
    for slot in range(n_slots - 1, -1, -1):
        topic = order[slot]
        backward_step(table, topic, log_prevalence[topic], cuts, backward, slot + 1, slot, filters)


@borrowing
def sum_at_gap(
    table: NDArray[np.float64],
    topic: int,
    log_theta: float,
    cuts: NDArray[np.int64],
    gap: int,
    through: int,
    filters: FilterWorkspace,
) -> tuple[float, float]:
    """Sum over all bags with a topic in a gap of the order whose sums are in `filters`.

    Returns the highest log term h and Σ exp(term − h). The line `through` of `forward`, which the
    order has no slot for, is overwritten.
    """
    forward, backward, total = filters.forward, filters.backward, filters.total
    forward_step(table, topic, log_theta, cuts, forward, gap, through, filters)
    highest = LOG_ZERO
    for cut in range(cuts.size):
        total[cut] = forward[through, cut] + backward[gap, cut]
        highest = max(highest, total[cut])
    summed = 0.0
    for cut in range(cuts.size):
        summed += fast_exp(total[cut] - highest)
    return highest, summed


@borrowing
def draw_bag(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
    bag: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the whole bag given the order: filter forward, then draw slot by slot from the right."""
    forward_sums(table, cuts, order, log_prevalence, filters)
    forward, log_weights = filters.forward, filters.log_weights
    end = cuts.size - 1
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        for start in range(end):
            size = cuts[end] - cuts[start]
            log_weights[start] = (
                forward[slot, start] + table[topic, start, end] + size * log_prevalence[topic]
            )
        log_weights[end] = forward[slot, end]
        start = draw_index(log_weights, end + 1, uniforms[slot])
        bag[topic] = cuts[end] - cuts[start]
        end = start


@borrowing
def score_layout(
    table: NDArray[np.float64],
    active_index: NDArray[np.int64],
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
) -> float:
    """Sum the log weights of a structure's spans, where every position is a cut."""
    total, start = 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + bag[topic]
            total += table[active_index[topic], start, end]
            start = end
    return total


@compiled
def draw_inversions(
    table: NDArray[np.float64],
    active_index: NDArray[np.int64],
    order: NDArray[np.int64],
    inversions: NDArray[np.int64],
    bag: NDArray[np.int64],
    settings: MoveSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the inversion counts of the active topics given the bag and the others (eq. 11)."""
    log_weights = filters.log_weights
    slots = np.empty(order.size, np.int64)
    for topic in range(inversions.size):
        if active_index[topic] < 0:
            continue
        n_values, current = list_slots(order, topic, slots)
        move_forward(order, topic, slots, current, 0)
        score = score_layout(table, active_index, order, bag)
        log_weights[0] = score
        for count in range(1, n_values):
            here, there = slots[count - 1], slots[count]
            changes = swap_changes_layout(order, bag, here, there)
            order[here], order[there] = order[there], order[here]
            if changes:
                score = score_layout(table, active_index, order, bag)
            log_weights[count] = score - settings.dispersion[topic] * count
        inversions[topic] = draw_index(log_weights, n_values, uniforms[topic])
        move_forward(order, topic, slots, n_values - 1, inversions[topic])
