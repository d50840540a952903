"""The moves of `log_filters` on plain numbers instead of logarithms: ten times as fast.

Weights of whole documents do not fit a float, but ratios to a good structure do. The potential
F[j] is the log weight of the best way to cover everything before cut j, in the present order of
the topics. A span from i to j then weighs exp(log weight + F[i] − F[j]): the best structure of
the present order has weight one, and so has a place in every sum that is drawn from.

What underflows, below 10⁻²⁹⁹, is lost. As long as no span weighs more than 10¹⁰⁰ and no sum from
the left or from the right is higher than that, a structure that has lost a part weighs less than
10⁻⁹⁰; and as long as the total is above 10⁻⁵⁰, that is far below rounding. Otherwise the functions
here say so, and those of `log_filters`, which work on logarithms, do it instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import fast_exp, fast_log
from permutopic.model.kernels.log_filters import NEVER, Draws, Filters
from permutopic.model.kernels.span_table import LANES
from permutopic.model.paper.single_draws import choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOW, _HIGH = 1e-50, 1e100
_LOG_LEAST, _LOG_HIGH = -690.0, 230.0


@compiled
def find_potentials(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    filters: Filters,
) -> None:
    """Find the best log weight of everything before each cut, for one order of the topics."""
    n_cuts, width = cuts.size, table.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(width):
        best[cut] = NEVER
    best[0] = 0.0
    for topic in order:
        log_share = log_shares[topic]
        for cut in range(n_cuts):
            best[cut] -= log_share * cuts[cut]
        for cut in range(width):
            old[cut] = best[cut]
        for start in range(n_cuts - 1):
            here, first = old[start], (start + 1) // LANES * LANES
            if here > 0.5 * NEVER:
                for n in range(width - first):
                    score = here + table[topic, start, first + n]
                    highest = best[first + n]
                    best[first + n] = score if score > highest else highest
        for cut in range(n_cuts):
            best[cut] += log_share * cuts[cut]
    for cut in range(n_cuts):
        filters.potentials[cut] = best[cut]
    for cut in range(n_cuts, width):
        filters.potentials[cut] = 0.0


@compiled
def scale_weights(
    table: NDArray[np.float64],
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_shares: NDArray[np.float64],
    filters: Filters,
) -> bool:
    """Turn the log weights of all spans into weights relative to the potentials.

    `scaled[k, i, j]` has the ends of spans side by side, `flipped[k, j − 1, i]` their starts, for
    sums from the left and from the right. What is no span weighs 0. False if a span weighs too
    much.
    """
    fits = True
    for topic in range(table.shape[0]):
        mine = scale_topic(table, scaled, flipped, cuts, log_shares[topic], topic, filters)
        fits = fits and mine
    return fits


@compiled
def scale_topic(
    table: NDArray[np.float64],
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    cuts: NDArray[np.int64],
    log_share: float,
    topic: int,
    filters: Filters,
) -> bool:
    """Scale the weights of one topic."""
    n_cuts, n_starts, width = cuts.size, table.shape[1], table.shape[2]
    shift = np.zeros(width)
    for cut in range(n_cuts):
        shift[cut] = log_share * cuts[cut] - filters.potentials[cut]
    for start in range(n_starts):
        here, first = -shift[start], (start + 1) // LANES * LANES
        for n in range(width - first):
            log_weight = table[topic, start, first + n]
            exponent = min(log_weight + (here + shift[first + n]), 1.01 * _LOG_HIGH)
            weight = fast_exp(exponent)
            scaled[topic, start, first + n] = weight if exponent > _LOG_LEAST else 0.0
    highest = 0.0
    for cut in range(1, n_cuts):
        for start in range(cut):
            weight = scaled[topic, start, cut]
            flipped[topic, cut - 1, start] = weight
            highest = max(highest, weight)
        for start in range(cut, (cut + LANES - 1) // LANES * LANES):
            flipped[topic, cut - 1, start] = 0.0
    return highest < _HIGH


@compiled
def spread(
    scaled: NDArray[np.float64],
    topic: int,
    n_cuts: int,
    before: NDArray[np.float64],
    slot: int,
    onto: int,
) -> None:
    """Let a slot take any span: new[j] = old[j] + Σ_i old[i] × the weight of i … j."""
    width = scaled.shape[2]
    for cut in range(width):
        before[onto, cut] = before[slot, cut]
    for start in range(n_cuts - 1):
        here, first = before[slot, start], (start + 1) // LANES * LANES
        if here > 0.0:
            for n in range(width - first):
                before[onto, first + n] += here * scaled[topic, start, first + n]


@compiled
def spread_back(
    flipped: NDArray[np.float64],
    topic: int,
    n_cuts: int,
    after: NDArray[np.float64],
    slot: int,
    onto: int,
) -> None:
    """Do the same from the right: new[i] = old[i] + Σ_j the weight of i … j × old[j]."""
    for cut in range(flipped.shape[2]):
        after[onto, cut] = after[slot, cut]
    for cut in range(1, n_cuts):
        here = after[slot, cut]
        if here > 0.0:
            for start in range((cut + LANES - 1) // LANES * LANES):
                after[onto, start] += here * flipped[topic, cut - 1, start]


@compiled
def within_bounds(sums: NDArray[np.float64], slot: int, n_cuts: int) -> bool:
    """Tell whether all sums of a slot, which only grow from slot to slot, are small enough."""
    fits = True
    for cut in range(n_cuts):  # what is no number is not below the bound either
        fits = fits and sums[slot, cut] < _HIGH
    return fits


@compiled
def filter_scaled(
    scaled: NDArray[np.float64], n_cuts: int, order: NDArray[np.int64], filters: Filters
) -> bool:
    """Sum over all bags, slot by slot of an order, from the left."""
    before = filters.before
    before[0, :] = 0.0
    before[0, 0] = 1.0
    for slot in range(order.size):
        spread(scaled, order[slot], n_cuts, before, slot, slot + 1)
    return within_bounds(before, order.size, n_cuts)


@compiled
def filter_back_scaled(
    flipped: NDArray[np.float64], n_cuts: int, order: NDArray[np.int64], filters: Filters
) -> bool:
    """Sum over all bags, slot by slot of an order, from the right."""
    after, n_slots = filters.after, order.size
    after[n_slots, :] = 0.0
    after[n_slots, n_cuts - 1] = 1.0
    for slot in range(n_slots - 1, -1, -1):
        spread_back(flipped, order[slot], n_cuts, after, slot + 1, slot)
    return within_bounds(after, 0, n_cuts)


@compiled
def draw_bag_scaled(
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    filters: Filters,
    bag: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> bool:
    """Draw the whole bag given the order; False, and no bag, where the sums leave the bounds."""
    n_cuts, before = cuts.size, filters.before
    left = filter_scaled(scaled, n_cuts, order, filters)
    right = filter_back_scaled(flipped, n_cuts, order, filters)
    if not (left and right and before[order.size, n_cuts - 1] > _LOW):
        return False
    draw_slots(scaled, cuts, order, filters, bag, uniforms)
    return True


@compiled
def draw_slots(
    scaled: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    filters: Filters,
    bag: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the bag slot by slot from the right, given the sums from the left."""
    end, before = cuts.size - 1, filters.before
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        threshold = uniforms[slot] * before[slot + 1, end]
        running, start = 0.0, 0
        while start < end:
            running += before[slot, start] * scaled[topic, start, end]
            if running > threshold:
                break
            start += 1
        if start == end and not before[slot, end] > 0.0:
            # Rounding has left a crumb to a slot that cannot be empty: the last span takes it.
            start = end - 1
            while start > 0 and not before[slot, start] * scaled[topic, start, end] > 0.0:
                start -= 1
        bag[topic] = cuts[end] - cuts[start]
        end = start


@compiled
def place_topic_scaled(
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    n_cuts: int,
    order: NDArray[np.int64],
    topic: int,
    how: Draws,
    filters: Filters,
    uniform: float,
) -> bool:
    """Put one topic anywhere in the order, as `place_topic`; False where sums leave the bounds."""
    n_topics = order.size
    before, after = filters.before, filters.after
    others = np.empty(n_topics - 1, np.int64)
    filled = 0
    for slot in range(n_topics):
        if order[slot] != topic:
            others[filled] = order[slot]
            filled += 1
    left = filter_scaled(scaled, n_cuts, others, filters)
    right = filter_back_scaled(flipped, n_cuts, others, filters)
    if not (left and right):
        return False
    log_weights = filters.log_weights
    log_prior, most = 0.0, 0.0
    for gap in range(n_topics):
        if gap > 0:  # the topic has moved behind one more: an inversion more, or one fewer
            passed = others[gap - 1]
            log_prior += -how.dispersion[topic] if passed > topic else how.dispersion[passed]
        spread(scaled, topic, n_cuts, before, gap, n_topics)
        total = 0.0
        for cut in range(n_cuts):
            total += before[n_topics, cut] * after[gap, cut]
        most = max(most, total)
        log_weights[gap] = log_prior + fast_log(total) if total > _LOW * _LOW else NEVER
    if not _LOW < most < _HIGH:
        return False
    chosen = choose(log_weights, n_topics, uniform)
    order[:chosen] = others[:chosen]
    order[chosen] = topic
    order[chosen + 1 :] = others[chosen:]
    return True
