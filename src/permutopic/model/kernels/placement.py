"""The moves on one document's span table: a topic is placed, the bag is drawn.

They are made on linear weights where these fit, and in log space where they do not. Not all topics
have to be active in a visit: most new documents use few of them, and in a fit many may be spare. A
topic is *active* if the document uses it, and otherwise with its inclusion probability; an inactive
one keeps its empty bag, and only its slot in the order is drawn. That is exact if a topic in use
weighs more: `preparation.weigh_inclusion`.

The span table holds the active topics alone, numbered among themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.categorical import draw_index
from permutopic.model.kernels.elementary import fast_log
from permutopic.model.kernels.linear_filters import (
    HIGH,
    LOW,
    backward_sums_linear,
    draw_slots,
    forward_sums_linear,
    sums_at_gaps_linear,
    to_linear_weights,
)
from permutopic.model.kernels.log_filters import (
    LOG_ZERO,
    FilterWorkspace,
    backward_sums,
    draw_bag,
    forward_sums,
    sum_at_gap,
)
from permutopic.model.kernels.orders import insert_at, log_prior_step, without_topic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.kernels.span_table import SpanTable


@compiled
def draw_active(
    inclusion: NDArray[np.float64], bag: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Draw the active topics: those in use, and each other one by its inclusion probability."""
    active = np.empty(bag.size, np.int64)
    filled = 0
    for topic in range(bag.size):
        if bag[topic] > 0 or uniforms[topic] < inclusion[topic]:
            active[filled] = topic
            filled += 1
    return active[:filled].copy()


@compiled
def restricted_order(order: NDArray[np.int64], index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Restrict an order to the active topics, given by their index among these."""
    restricted = np.empty(order.size, np.int64)
    filled = 0
    for topic in order:
        if index[topic] >= 0:
            restricted[filled] = index[topic]
            filled += 1
    return restricted[:filled].copy()


@compiled
def fill_linear_weights(spans: SpanTable, filters: FilterWorkspace) -> bool:
    """Fill the linear weights of all active topics; False if a span weighs too much."""
    fits = True
    for n in range(spans.active.size):
        topic_fits = to_linear_weights(
            spans.log_weights,
            spans.linear_weights,
            spans.transposed,
            spans.cuts,
            spans.log_prevalence[n],
            n,
            filters,
        )
        fits = fits and topic_fits
    return fits


@borrowing
def both_sums_linear(spans: SpanTable, order: NDArray[np.int64], filters: FilterWorkspace) -> bool:
    """Sum over all bags, slot by slot, from both sides; False if the sums leave the bounds."""
    n_cuts = spans.cuts.size
    left = forward_sums_linear(spans.linear_weights, n_cuts, order, filters)
    right = backward_sums_linear(spans.transposed, n_cuts, order, filters)
    return left and right


@borrowing
def both_sums(spans: SpanTable, order: NDArray[np.int64], filters: FilterWorkspace) -> None:
    """Do the same in log space: ten times as slow, and never out of bounds."""
    forward_sums(spans.log_weights, spans.cuts, order, spans.log_prevalence, filters)
    backward_sums(spans.log_weights, spans.cuts, order, spans.log_prevalence, filters)


@compiled
def log_sums_at_gaps(
    spans: SpanTable, fits: bool, others: NDArray[np.int64], n: int, filters: FilterWorkspace
) -> tuple[bool, NDArray[np.float64]]:
    """Compute the log sum over all bags with active topic n in each gap of the other active ones.

    On linear weights if they fit; False where their sums leave the bounds.
    """
    restricted = restricted_order(others, spans.active_index)
    through = filters.forward.shape[0] - 1
    log_totals = np.empty(restricted.size + 1)
    if not fits:
        both_sums(spans, restricted, filters)
        for gap in range(restricted.size + 1):
            highest, total = sum_at_gap(
                spans.log_weights,
                n,
                spans.log_prevalence[n],
                spans.cuts,
                gap,
                through,
                filters,
            )
            log_totals[gap] = highest + fast_log(total)
        return True, log_totals
    if not both_sums_linear(spans, restricted, filters):
        return False, log_totals
    n_cuts, n_gaps = spans.cuts.size, restricted.size + 1
    sums_at_gaps_linear(spans.linear_weights, n, n_cuts, n_gaps, filters, log_totals)
    highest = 0.0
    for gap in range(n_gaps):
        total = log_totals[gap]
        highest = max(highest, total)
        log_totals[gap] = fast_log(total) if total > LOW * LOW else LOG_ZERO
    return LOW < highest < HIGH, log_totals


@compiled
def place_topic(
    spans: SpanTable,
    fits: bool,
    order: NDArray[np.int64],
    topic: int,
    dispersion: NDArray[np.float64],
    filters: FilterWorkspace,
    uniform: float,
) -> None:
    """Draw the slot of one topic, the others keeping their order, with the bag summed out.

    The slot of an inactive topic depends on the Mallows probability alone; gaps with only
    inactive topics between them have the same sum.
    """
    n_topics, n = order.size, spans.active_index[topic]
    others = without_topic(order, topic)
    log_totals = np.zeros(n_topics)
    if n >= 0:
        good, log_totals = log_sums_at_gaps(spans, fits, others, n, filters)
        if not good:
            good, log_totals = log_sums_at_gaps(spans, False, others, n, filters)
    log_weights = np.empty(n_topics)
    log_prior, passed_active = 0.0, 0
    for gap in range(n_topics):
        if gap > 0:
            passed = others[gap - 1]
            log_prior += log_prior_step(dispersion, topic, passed)
            passed_active += spans.active_index[passed] >= 0
        log_weights[gap] = log_prior + log_totals[passed_active if n >= 0 else 0]
    insert_at(order, topic, others, draw_index(log_weights, n_topics, uniform))


@borrowing
def write_bag(bag: NDArray[np.int64], spans: SpanTable, drawn: NDArray[np.int64]) -> None:
    """Write the counts of the active topics into the bag; the others get no unit."""
    bag[:] = 0
    for n in range(spans.active.size):
        bag[spans.active[n]] = drawn[n]


@compiled
def draw_from_sums(
    spans: SpanTable,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw the bag given the order, whose linear sums are in `filters`."""
    drawn = np.zeros(spans.active.size, np.int64)
    restricted = restricted_order(order, spans.active_index)
    draw_slots(spans.linear_weights, spans.cuts, restricted, filters, drawn, uniforms)
    write_bag(bag, spans, drawn)


@compiled
def draw_bag_restricted(
    spans: SpanTable,
    fits: bool,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
    both: bool,
) -> bool:
    """Draw the bag given the order; tell whether `filters` then has the linear sums.

    A draw needs those from the left alone; `both` asks for those from the right as well.
    """
    restricted, n_cuts = restricted_order(order, spans.active_index), spans.cuts.size
    linear = fits and forward_sums_linear(spans.linear_weights, n_cuts, restricted, filters)
    if linear and both:
        linear = backward_sums_linear(spans.transposed, n_cuts, restricted, filters)
    if linear and filters.forward[restricted.size, n_cuts - 1] > LOW:
        draw_from_sums(spans, order, bag, filters, uniforms)
        return True
    drawn = np.zeros(spans.active.size, np.int64)
    draw_bag(
        spans.log_weights,
        spans.cuts,
        restricted,
        spans.log_prevalence,
        filters,
        drawn,
        uniforms,
    )
    write_bag(bag, spans, drawn)
    return False
