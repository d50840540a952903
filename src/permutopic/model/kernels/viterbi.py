"""The single most probable structure of a document, on the span table of a visit.

Given an order of the topics, the best bag is found exactly (Viterbi). Orders are searched by
coordinate ascent: each topic in turn moves to its best slot, with the best bag, until none gains.
Inactive topics take no units; they move to where the order is most probable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.log_filters import LOG_ZERO, FilterWorkspace
from permutopic.model.kernels.max_filters import (
    max_step_forward,
    max_sums_backward,
    max_sums_forward,
)
from permutopic.model.kernels.orders import insert_at, log_prior_step, without_topic
from permutopic.model.kernels.placement import restricted_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.kernels.span_table import SpanTable

_MIN_GAIN = 1e-9  # less is rounding


@borrowing
def transpose_weights(spans: SpanTable) -> None:
    """Store the log weight of i … j at transposed[k, j − 1, i], with starts side by side."""
    for n in range(spans.active.size):
        for cut in range(1, spans.cuts.size):
            for start in range(cut):
                spans.transposed[n, cut - 1, start] = spans.log_weights[n, start, cut]
            for start in range(cut, (cut + LANES - 1) // LANES * LANES):
                spans.transposed[n, cut - 1, start] = LOG_ZERO


@compiled
def best_bag(
    spans: SpanTable,
    order: NDArray[np.int64],
    filters: FilterWorkspace,
    bag: NDArray[np.int64],
) -> float:
    """Find the best bag of an order and return its log weight."""
    cuts, forward, table = spans.cuts, filters.forward, spans.log_weights
    restricted = restricted_order(order, spans.active_index)
    bag[:] = 0
    max_sums_forward(table, cuts, restricted, spans.log_prevalence, filters)
    end = cuts.size - 1
    for slot in range(restricted.size - 1, -1, -1):
        n = restricted[slot]
        chosen, best = end, forward[slot, end]
        for start in range(end):
            size = cuts[end] - cuts[start]
            score = forward[slot, start] + table[n, start, end] + size * spans.log_prevalence[n]
            if score > best:
                chosen, best = start, score
        bag[spans.active[n]] = cuts[end] - cuts[chosen]
        end = chosen
    return float(forward[restricted.size, cuts.size - 1])


@compiled
def best_scores_at_gaps(
    spans: SpanTable, others: NDArray[np.int64], n: int, filters: FilterWorkspace
) -> NDArray[np.float64]:
    """Return the best log weight with active topic n in each gap between the other active ones."""
    forward, backward, n_cuts = filters.forward, filters.backward, spans.cuts.size
    cuts, log_prevalence = spans.cuts, spans.log_prevalence
    restricted = restricted_order(others, spans.active_index)
    last, through = restricted.size, forward.shape[0] - 1
    max_sums_forward(spans.log_weights, cuts, restricted, log_prevalence, filters)
    max_sums_backward(spans.transposed, cuts, restricted, log_prevalence, filters)
    scores = np.empty(last + 1)
    scores[:] = LOG_ZERO
    for gap in range(last + 1):
        max_step_forward(spans.log_weights, n, log_prevalence[n], cuts, gap, through, filters)
        for cut in range(n_cuts):
            scores[gap] = max(scores[gap], forward[through, cut] + backward[gap, cut])
    return scores


@compiled
def move_to_best_slot(
    spans: SpanTable,
    order: NDArray[np.int64],
    topic: int,
    dispersion: NDArray[np.float64],
    filters: FilterWorkspace,
) -> bool:
    """Move a topic to its best slot; tell whether that is better than the present one."""
    n_topics, n = order.size, spans.active_index[topic]
    others = without_topic(order, topic)
    scores = np.zeros(n_topics)
    if n >= 0:
        scores = best_scores_at_gaps(spans, others, n, filters)
    log_prior, best, chosen, present, passed_active = 0.0, LOG_ZERO, 0, LOG_ZERO, 0
    for gap in range(n_topics):
        if gap > 0:
            passed = others[gap - 1]
            log_prior += log_prior_step(dispersion, topic, passed)
            passed_active += spans.active_index[passed] >= 0
        score = log_prior + scores[passed_active if n >= 0 else 0]
        if order[gap] == topic:
            present = score
        if score > best:
            best, chosen = score, gap
    if best <= present + _MIN_GAIN:
        return False
    insert_at(order, topic, others, chosen)
    return True


@compiled
def coordinate_ascent(
    spans: SpanTable,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    orders: bool,
    filters: FilterWorkspace,
    max_passes: int,
) -> None:
    """Move topics to their best slots until none gains, in at most so many passes.

    Active topics that the best bag leaves empty are tried in the first pass only.
    """
    best_bag(spans, order, filters, bag)
    if not orders:
        return
    transpose_weights(spans)
    for n_pass in range(max_passes):
        gained = False
        for topic in range(order.size):
            active = spans.active_index[topic] >= 0
            if (n_pass == 0 or bag[topic] > 0 or not active) and move_to_best_slot(
                spans, order, topic, dispersion, filters
            ):
                gained = True
                if active:
                    best_bag(spans, order, filters, bag)
        if not gained:
            break
