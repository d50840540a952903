"""The moves of `log_filters` on linear weights instead of logarithms: ten times as fast.

Weights of whole documents do not fit a float, but ratios to a good structure do. The potential
F[j] is the log weight of the best way to cover everything before cut j, in the present order of
the topics. A span from i to j then weighs exp(log weight + F[i] − F[j]): the best structure of
the present order has weight one, and so is never lost in a sum.

What underflows, below 10⁻²⁹⁹, is lost. As long as no span weighs more than 10¹⁰⁰ and no sum from
the left or from the right is higher than that, a structure that has lost a part weighs less than
10⁻⁹⁰; and as long as the total is above 10⁻⁵⁰, that is far below rounding. Otherwise `placement`
uses the functions of `log_filters` instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.elementary import fast_exp
from permutopic.model.kernels.lanes import LANES, add_lanes, load_lanes, store_lanes
from permutopic.model.kernels.max_filters import max_sums_forward

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.kernels.log_filters import FilterWorkspace

LOW, HIGH = 1e-50, 1e100
GAPS = 4  # looked at together
_1 = np.uint64(1)
_LOG_LOWEST, _LOG_HIGH = -690.0, 230.0


@borrowing
def find_potentials(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Compute the potential of every cut for one order of the topics."""
    max_sums_forward(table, cuts, order, log_prevalence, filters)
    for cut in range(cuts.size):
        filters.potentials[cut] = filters.forward[order.size, cut]
    for cut in range(cuts.size, table.shape[2]):
        filters.potentials[cut] = 0.0


@compiled
def to_linear_weights(
    table: NDArray[np.float64],
    linear: NDArray[np.float64],
    transposed: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_theta: float,
    topic: int,
    filters: FilterWorkspace,
) -> bool:
    """Turn the log weights of one topic's spans into weights relative to the potentials.

    `linear[k, i, j]` has the ends of spans side by side, `transposed[k, j − 1, i]` their starts,
    for sums from the left and from the right. What is no span weighs 0. Returns False if a span
    weighs too much.
    """
    n_cuts, n_starts, width = cuts.size, table.shape[1], table.shape[2]
    shift = np.zeros(width)
    for cut in range(n_cuts):
        shift[cut] = log_theta * cuts[cut] - filters.potentials[cut]
    for start in range(n_starts):
        here, first = -shift[start], (start + 1) // LANES * LANES
        for n in range(width - first):
            log_weight = table[topic, start, first + n]
            exponent = min(log_weight + (here + shift[first + n]), 1.01 * _LOG_HIGH)
            weight = fast_exp(exponent)
            linear[topic, start, first + n] = weight if exponent > _LOG_LOWEST else 0.0
    highest = 0.0
    for cut in range(1, n_cuts):
        for start in range(cut):
            weight = linear[topic, start, cut]
            transposed[topic, cut - 1, start] = weight
            highest = max(highest, weight)
        for start in range(cut, (cut + LANES - 1) // LANES * LANES):
            transposed[topic, cut - 1, start] = 0.0
    return highest < HIGH


@borrowing
def forward_step_linear(
    linear: NDArray[np.float64],
    topic: int,
    n_cuts: int,
    forward: NDArray[np.float64],
    slot: int,
    onto: int,
) -> None:
    """Let a slot take any span: new[j] = old[j] + Σ_i old[i] × the weight of i … j."""
    weights, old, new = linear[topic], forward[slot], forward[onto]
    for first in range(0, linear.shape[2], LANES):
        at = np.uint64(first)
        sums = load_lanes(old, at)
        for n in range(min(n_cuts, first + LANES) - 1):
            start = np.uint64(n)
            sums = add_lanes(sums, weights[start], at, old[start])
        store_lanes(new, at, sums)


@borrowing
def backward_step_linear(
    transposed: NDArray[np.float64],
    topic: int,
    n_cuts: int,
    backward: NDArray[np.float64],
    slot: int,
    onto: int,
) -> None:
    """Do the same from the right: new[i] = old[i] + Σ_j the weight of i … j × old[j]."""
    weights, old, new = transposed[topic], backward[slot], backward[onto]
    for first in range(0, transposed.shape[2], LANES):
        at = np.uint64(first)
        sums = load_lanes(old, at)
        for n in range(first, n_cuts - 1):
            cut = np.uint64(n)
            sums = add_lanes(sums, weights[cut], at, old[cut + _1])
        store_lanes(new, at, sums)


@borrowing
def within_bounds(sums: NDArray[np.float64], slot: int, n_cuts: int) -> bool:
    """Tell whether all sums of a slot, which only grow from slot to slot, are small enough."""
    fits = True
    for cut in range(n_cuts):  # NaN is not below the bound either
        fits = fits and sums[slot, cut] < HIGH
    return fits


@borrowing
def forward_sums_linear(
    linear: NDArray[np.float64], n_cuts: int, order: NDArray[np.int64], filters: FilterWorkspace
) -> bool:
    """Sum over all bags, slot by slot of an order, from the left; False if out of bounds."""
    forward = filters.forward
    forward[0, :] = 0.0
    forward[0, 0] = 1.0
    for slot in range(order.size):
        forward_step_linear(linear, order[slot], n_cuts, forward, slot, slot + 1)
    return within_bounds(forward, order.size, n_cuts)


@borrowing
def backward_sums_linear(
    transposed: NDArray[np.float64],
    n_cuts: int,
    order: NDArray[np.int64],
    filters: FilterWorkspace,
) -> bool:
    """Sum over all bags, slot by slot of an order, from the right; False if out of bounds."""
    backward, n_slots = filters.backward, order.size
    backward[n_slots, :] = 0.0
    backward[n_slots, n_cuts - 1] = 1.0
    for slot in range(n_slots - 1, -1, -1):
        backward_step_linear(transposed, order[slot], n_cuts, backward, slot + 1, slot)
    return within_bounds(backward, 0, n_cuts)


@borrowing
def sums_at_gaps_linear(
    linear: NDArray[np.float64],
    topic: int,
    n_cuts: int,
    n_gaps: int,
    filters: FilterWorkspace,
    totals: NDArray[np.float64],
) -> None:
    """Sum over all bags with a topic in each gap of the order whose sums are in `filters`.

    Four gaps at a time, which share the loads of the topic's weights.
    """
    weights, forward, backward = linear[topic], filters.forward, filters.backward
    for first_gap in range(0, n_gaps, GAPS):
        pass_through(weights, n_cuts, forward, first_gap, n_gaps - 1, filters.passed)
        for gap in range(first_gap, min(first_gap + GAPS, n_gaps)):
            total, passed = 0.0, filters.passed[gap - first_gap]
            for cut in range(n_cuts):
                total += passed[cut] * backward[gap, cut]
            totals[gap] = total


@borrowing
def pass_through(
    weights: NDArray[np.float64],
    n_cuts: int,
    forward: NDArray[np.float64],
    gap: int,
    last: int,
    passed: NDArray[np.float64],
) -> None:
    """Let a slot with these weights take any span behind each of four gaps, up to the last one."""
    old_a, old_b = forward[gap], forward[min(gap + 1, last)]
    old_c, old_d = forward[min(gap + 2, last)], forward[min(gap + 3, last)]
    for first in range(0, weights.shape[1], LANES):
        at = np.uint64(first)
        a, b = load_lanes(old_a, at), load_lanes(old_b, at)
        c, d = load_lanes(old_c, at), load_lanes(old_d, at)
        for n in range(min(n_cuts, first + LANES) - 1):
            start = np.uint64(n)
            row = weights[start]
            a = add_lanes(a, row, at, old_a[start])
            b = add_lanes(b, row, at, old_b[start])
            c = add_lanes(c, row, at, old_c[start])
            d = add_lanes(d, row, at, old_d[start])
        store_lanes(passed[0], at, a)
        store_lanes(passed[1], at, b)
        store_lanes(passed[2], at, c)
        store_lanes(passed[3], at, d)


@borrowing
def draw_slots(
    linear: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    filters: FilterWorkspace,
    bag: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the bag slot by slot from the right, given the sums from the left."""
    end, forward = cuts.size - 1, filters.forward
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        threshold = uniforms[slot] * forward[slot + 1, end]
        running, start = 0.0, 0
        while start < end:
            running += forward[slot, start] * linear[topic, start, end]
            if running > threshold:
                break
            start += 1
        if start == end and not forward[slot, end] > 0.0:
            # The slot cannot be empty, and rounding alone left nothing: take the last span.
            start = end - 1
            while start > 0 and not forward[slot, start] * linear[topic, start, end] > 0.0:
                start -= 1
        bag[topic] = cuts[end] - cuts[start]
        end = start
