"""Moves on the topics of a document that are heard, and silent ones beside them.

Most documents have nothing to do with most topics. At a visit a topic is *heard* if the document
uses it, and otherwise with a chance of its own; a silent one keeps its empty bag, and only its
place in the order is drawn. That is exact if a topic in use weighs more: `preparation.discount`.

The table and everything on it know the heard topics alone, by numbers of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import fast_exp, fast_log
from permutopic.model.kernels.linear_filters import (
    draw_slots,
    filter_back_scaled,
    filter_scaled,
    scale_topic,
    spread,
)
from permutopic.model.kernels.log_filters import (
    NEVER,
    Filters,
    draw_bag,
    filter_forward,
    pass_backward,
    pass_forward,
)
from permutopic.model.kernels.span_table import LANES
from permutopic.model.paper.single_draws import choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The bounds of `linear_filters`, for the same reason.
_LOW, _HIGH = 1e-50, 1e100


class Sheet(NamedTuple):
    """The table of one visit.

    `heard` are the topics, `among` says where each topic is among them (−1: it is silent).
    `log_shares` and the tables go by that: log weights, and scaled ones lying both ways.
    """

    cuts: NDArray[np.int64]
    heard: NDArray[np.int64]
    among: NDArray[np.int64]
    log_shares: NDArray[np.float64]
    table: NDArray[np.float64]
    scaled: NDArray[np.float64]
    flipped: NDArray[np.float64]


@compiled
def make_sheet(
    cuts: NDArray[np.int64], heard: NDArray[np.int64], log_shares: NDArray[np.float64]
) -> Sheet:
    """Make room for a visit; `log_shares` has all topics."""
    index = np.full(log_shares.size, -1)
    for n in range(heard.size):
        index[heard[n]] = n
    shape = (heard.size, cuts.size - 1, (cuts.size + LANES - 1) // LANES * LANES)
    tables = np.empty(shape), np.empty(shape), np.empty(shape)
    return Sheet(cuts, heard, index, log_shares[heard], tables[0], tables[1], tables[2])


@compiled
def room_for_filters(n_topics: int, n_cuts: int) -> Filters:
    """Make room, as `log_filters.make_filters` does outside compiled code."""
    return Filters(
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(max(n_topics, n_cuts) + 1),
        np.empty(n_cuts + LANES),
    )


@compiled
def choose_heard(
    hearing: NDArray[np.float64], bag: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Hear the topics in use, and each other one by its own chance."""
    heard = np.empty(bag.size, np.int64)
    filled = 0
    for topic in range(bag.size):
        if bag[topic] > 0 or uniforms[topic] < hearing[topic]:
            heard[filled] = topic
            filled += 1
    return heard[:filled].copy()


@compiled
def loud_order(order: NDArray[np.int64], index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the heard topics of an order, by their own numbers."""
    loud = np.empty(order.size, np.int64)
    filled = 0
    for topic in order:
        if index[topic] >= 0:
            loud[filled] = index[topic]
            filled += 1
    return loud[:filled].copy()


@compiled
def without(order: NDArray[np.int64], topic: int) -> NDArray[np.int64]:
    """Leave one topic out of an order."""
    others = np.empty(order.size - 1, np.int64)
    filled = 0
    for other in order:
        if other != topic:
            others[filled] = other
            filled += 1
    return others


@compiled
def take_gap(order: NDArray[np.int64], topic: int, others: NDArray[np.int64], gap: int) -> None:
    """Put a topic into a gap between the others."""
    order[:gap] = others[:gap]
    order[gap] = topic
    order[gap + 1 :] = others[gap:]


@compiled
def scale(sheet: Sheet, filters: Filters) -> bool:
    """Scale the weights of all heard topics; False if a span weighs too much."""
    fits = True
    for n in range(sheet.heard.size):
        mine = scale_topic(
            sheet.table, sheet.scaled, sheet.flipped, sheet.cuts, sheet.log_shares[n], n, filters
        )
        fits = fits and mine
    return fits


@compiled
def sum_both_sides(sheet: Sheet, order: NDArray[np.int64], filters: Filters) -> bool:
    """Sum over all bags, slot by slot, from the left and from the right; tell if they fit.

    A sum only grows from slot to slot, so those of the last slot are the highest.
    """
    n_cuts, n_slots = sheet.cuts.size, order.size
    filter_scaled(sheet.scaled, n_cuts, order, filters)
    filter_back_scaled(sheet.flipped, n_cuts, order, filters)
    for cut in range(n_cuts):  # what is no number is not below the bound either
        if not (filters.before[n_slots, cut] < _HIGH and filters.after[0, cut] < _HIGH):
            return False
    return True


@compiled
def log_sums_both_sides(sheet: Sheet, order: NDArray[np.int64], filters: Filters) -> None:
    """Do the same on logarithms: ten times as slow, and always right."""
    n_cuts, n_slots, after = sheet.cuts.size, order.size, filters.after
    filter_forward(sheet.table, sheet.cuts, order, sheet.log_shares, filters)
    after[n_slots, :n_cuts] = NEVER
    after[n_slots, n_cuts - 1] = 0.0
    for slot in range(n_slots - 1, -1, -1):
        share = sheet.log_shares[order[slot]]
        pass_backward(sheet.table, order[slot], share, sheet.cuts, after, slot + 1, slot, filters)


@compiled
def total_at_gap(sheet: Sheet, n: int, gap: int, filters: Filters) -> float:
    """Sum over all bags with the n-th heard topic in a gap between the other heard ones."""
    through, n_cuts = filters.before.shape[0] - 1, sheet.cuts.size
    spread(sheet.scaled, n, n_cuts, filters.before, gap, through)
    total = 0.0
    for cut in range(n_cuts):
        total += filters.before[through, cut] * filters.after[gap, cut]
    return total


@compiled
def log_total_at_gap(sheet: Sheet, n: int, gap: int, filters: Filters) -> float:
    """Do the same on logarithms."""
    through, n_cuts, share = filters.before.shape[0] - 1, sheet.cuts.size, sheet.log_shares[n]
    pass_forward(sheet.table, n, share, sheet.cuts, filters.before, gap, through, filters)
    highest = NEVER
    for cut in range(n_cuts):
        filters.total[cut] = filters.before[through, cut] + filters.after[gap, cut]
        highest = max(highest, filters.total[cut])
    total = 0.0
    for cut in range(n_cuts):
        total += fast_exp(filters.total[cut] - highest)
    return highest + fast_log(total)


@compiled
def weigh_gaps(
    sheet: Sheet, fits: bool, others: NDArray[np.int64], n: int, filters: Filters
) -> tuple[bool, NDArray[np.float64]]:
    """Weigh the gaps between the other heard topics, on scaled numbers if they fit, or give up."""
    loud = loud_order(others, sheet.among)
    log_totals = np.empty(loud.size + 1)
    if not fits:
        log_sums_both_sides(sheet, loud, filters)
        for gap in range(loud.size + 1):
            log_totals[gap] = log_total_at_gap(sheet, n, gap, filters)
        return True, log_totals
    if not sum_both_sides(sheet, loud, filters):
        return False, log_totals
    most = 0.0
    for gap in range(loud.size + 1):
        total = total_at_gap(sheet, n, gap, filters)
        most = max(most, total)
        log_totals[gap] = fast_log(total) if total > _LOW * _LOW else NEVER
    return _LOW < most < _HIGH, log_totals


@compiled
def place_topic(
    sheet: Sheet,
    fits: bool,
    order: NDArray[np.int64],
    topic: int,
    dispersion: NDArray[np.float64],
    filters: Filters,
    uniform: float,
) -> None:
    """Put one topic anywhere in the order, the others keeping theirs, summed over all bags.

    A silent topic goes by the probability of the orders alone, and gaps with only silent topics
    between them have the same sum.
    """
    n_topics, n = order.size, sheet.among[topic]
    others = without(order, topic)
    log_totals = np.zeros(n_topics)
    if n >= 0:
        good, log_totals = weigh_gaps(sheet, fits, others, n, filters)
        if not good:
            good, log_totals = weigh_gaps(sheet, False, others, n, filters)
    log_weights = np.empty(n_topics)
    log_prior, passed_loud = 0.0, 0
    for gap in range(n_topics):
        if gap > 0:  # the topic has moved behind one more: an inversion more, or one fewer
            passed = others[gap - 1]
            log_prior += -dispersion[topic] if passed > topic else dispersion[passed]
            passed_loud += sheet.among[passed] >= 0
        log_weights[gap] = log_prior + log_totals[passed_loud if n >= 0 else 0]
    take_gap(order, topic, others, choose(log_weights, n_topics, uniform))


@compiled
def draw_from_sums(
    sheet: Sheet,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the bag given the order, whose scaled sums are in `filters`."""
    drawn = np.zeros(sheet.heard.size, np.int64)
    loud = loud_order(order, sheet.among)
    draw_slots(sheet.scaled, sheet.cuts, loud, filters, drawn, uniforms)
    bag[:] = 0
    bag[sheet.heard] = drawn


@compiled
def draw_units(
    sheet: Sheet,
    fits: bool,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> bool:
    """Draw the bag given the order; tell if `filters` have the scaled sums of both sides."""
    loud = loud_order(order, sheet.among)
    scaled = fits and sum_both_sides(sheet, loud, filters)
    if scaled and filters.before[loud.size, sheet.cuts.size - 1] > _LOW:
        draw_from_sums(sheet, order, bag, filters, uniforms)
        return True
    drawn = np.zeros(sheet.heard.size, np.int64)
    draw_bag(sheet.table, sheet.cuts, loud, sheet.log_shares, filters, drawn, uniforms)
    bag[:] = 0
    bag[sheet.heard] = drawn
    return False
