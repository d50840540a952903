"""Sampling the structure of one document given the counts of a fitted state, which stay.

The initial structure comes from the span table of eq. 14. Then the document is visited: a visit
draws cuts and active topics, fills the table of their spans (eq. 7, or eq. 14 if that is wanted),
and draws order and bag on it in rounds, as in a fit. From the last draw, coordinate ascent leads to
the most probable structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.inference.preparing import (
    FittedCounts,
    InferenceInput,
    InferenceSettings,
    PosteriorSummary,
    PreparedDocument,
    certain_cuts,
    fill_table,
    prepare_document,
)
from permutopic.model.kernels.arrays import (
    divide_by,
    indices_of,
    log_of,
    nth_smallest,
    sum_column,
    take_integers,
)
from permutopic.model.kernels.linear_filters import find_potentials
from permutopic.model.kernels.log_filters import (
    LOG_ZERO,
    FilterWorkspace,
    make_filter_workspace,
)
from permutopic.model.kernels.orders import write_topics
from permutopic.model.kernels.placement import (
    draw_active,
    draw_bag_restricted,
    draw_from_sums,
    fill_linear_weights,
    place_topic,
    restricted_order,
)
from permutopic.model.kernels.preparation import draw_cuts, weigh_inclusion
from permutopic.model.kernels.span_table import SpanTable, make_span_table
from permutopic.model.kernels.viterbi import coordinate_ascent

if TYPE_CHECKING:
    from numpy.typing import NDArray

# For the most probable structure: what draws hardly ever used is left out.
_UNLIKELY, _MAX_PASSES, _MAX_CUTS = 1e-3, 10, 4
_BAGS_PER_ORDER = 2


@compiled
def draw_log_prevalence(
    gammas: NDArray[np.float64], exponentials: NDArray[np.float64], bag: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Draw log θ given the bag, from gamma variables of the fit's shape and exponentials.

    A gamma variable plus one exponential for each unit has the shape that the fit and the bag have
    together.
    """
    weights = gammas.copy()
    unit = 0
    for topic in range(bag.size):
        for _ in range(bag[topic]):
            weights[topic] += exponentials[unit]
            unit += 1
    total = 0.0
    for topic in range(bag.size):
        total += weights[topic]
    for topic in range(bag.size):
        weights[topic] = max(weights[topic] / total, 1e-300)
    return log_of(weights)


@compiled
def add_probabilities(
    summary: PosteriorSummary,
    spans: SpanTable,
    order: NDArray[np.int64],
    filters: FilterWorkspace,
) -> None:
    """Add the probabilities of topics and boundaries over all bags, given the order.

    A topic starts at cut i with probability forward[i] times what the slots from its own on sum to
    without leaving it empty; it ends at j likewise. Between them the unit has the topic.
    """
    forward, backward, cuts = filters.forward, filters.backward, spans.cuts
    restricted = restricted_order(order, spans.active_index)
    total = forward[restricted.size, cuts.size - 1]
    for slot in range(restricted.size):
        topic, inside = spans.active[restricted[slot]], 0.0
        for cut in range(cuts.size - 1):
            not_empty = max(backward[slot, cut] - backward[slot + 1, cut], 0.0)
            starts = forward[slot, cut] * not_empty / total
            grown = max(forward[slot + 1, cut] - forward[slot, cut], 0.0)
            inside += starts - grown * backward[slot + 1, cut] / total
            if cut > 0:
                summary.boundaries[cuts[cut]] += starts
            probability = min(max(inside, 0.0), 1.0)
            if probability > 1e-12:
                for unit in range(cuts[cut], cuts[cut + 1]):
                    summary.probabilities[unit, topic] += probability


@borrowing
def add_sample(summary: PosteriorSummary, order: NDArray[np.int64], bag: NDArray[np.int64]) -> None:
    """Count one draw, where the linear sums over all bags are out of bounds."""
    unit = 0
    for topic in order:
        if bag[topic] > 0:
            if unit > 0:
                summary.boundaries[unit] += 1.0
            for _ in range(bag[topic]):
                summary.probabilities[unit, topic] += 1.0
                unit += 1


@compiled
def draw_rounds(
    spans: SpanTable,
    fitted: FittedCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    settings: InferenceSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
    summary: PosteriorSummary,
    first: int,
) -> None:
    """Draw order and bag in rounds, and add them to the summary from sample `first` on.

    Two bags are drawn for each order: sums over all bags cost much, draws from them little.
    """
    restricted = restricted_order(order, spans.active_index)
    find_potentials(spans.log_weights, spans.cuts, restricted, spans.log_prevalence, filters)
    fits = fill_linear_weights(spans, filters)
    used, summed = 0, False
    for n in range(settings.rounds):
        same_order = n % _BAGS_PER_ORDER > 0
        for _ in range(settings.placements if fitted.orders else 0):
            if not same_order:
                topic = int(uniforms[used] * order.size)
                place_topic(
                    spans, fits, order, topic, fitted.dispersion, filters, uniforms[used + 1]
                )
            used += 2
        if same_order and summed:
            draw_from_sums(spans, order, bag, filters, uniforms[used:])
        else:
            summed = draw_bag_restricted(spans, fits, order, bag, filters, uniforms[used:], True)
        if summed:
            add_probabilities(summary, spans, order, filters)
        else:
            add_sample(summary, order, bag)
        used += order.size
        write_topics(summary.samples[first + n], order, bag)


@borrowing
def expected_units(summary: PosteriorSummary, topic: int) -> float:
    """Return the expected number of units of a topic."""
    return sum_column(summary.probabilities, topic, 0, summary.topics.size)


@compiled
def likely_subtable(
    spans: SpanTable, fitted: FittedCounts, bag: NDArray[np.int64], summary: PosteriorSummary
) -> SpanTable:
    """Restrict a span table to the cuts and topics that draws have used, with θ̂ for θ."""
    cuts = spans.cuts
    kept = np.zeros(cuts.size, np.bool_)
    kept[0] = True
    kept[cuts.size - 1] = True
    last = summary.samples[summary.samples.shape[0] - 1]
    for n in range(1, cuts.size - 1):
        unit = cuts[n]
        kept[n] = summary.boundaries[unit] > _UNLIKELY or last[unit] != last[unit - 1]
    kept_cuts = indices_of(kept)
    used = np.zeros(spans.active.size, np.bool_)
    for n in range(spans.active.size):
        topic = spans.active[n]
        used[n] = bag[topic] > 0 or expected_units(summary, topic) > _UNLIKELY
    kept_topics = indices_of(used)
    part = make_span_table(
        take_integers(cuts, kept_cuts),
        take_integers(spans.active, kept_topics),
        log_of(fitted.prevalence),
    )
    part.log_weights[:] = LOG_ZERO
    for n in range(kept_topics.size):
        for start in range(kept_cuts.size - 1):
            for cut in range(start + 1, kept_cuts.size):
                part.log_weights[n, start, cut] = spans.log_weights[
                    kept_topics[n], kept_cuts[start], kept_cuts[cut]
                ]
    return part


@compiled
def make_final_table(
    fitted: FittedCounts,
    prepared: PreparedDocument,
    settings: InferenceSettings,
    bag: NDArray[np.int64],
    summary: PosteriorSummary,
) -> SpanTable:
    """Fill a span table of the likely boundaries and topics of all visits."""
    n_units, n_topics = prepared.local.offsets.size - 1, fitted.prevalence.size
    last = summary.samples[summary.samples.shape[0] - 1]
    kept = certain_cuts(prepared)
    for unit in range(1, n_units):
        drawn = summary.boundaries[unit] > _UNLIKELY or last[unit] != last[unit - 1]
        kept[unit] = drawn or (kept[unit] and n_units <= settings.cuts)
    present = np.empty(n_topics, np.bool_)
    for topic in range(n_topics):
        present[topic] = bag[topic] > 0 or expected_units(summary, topic) > _UNLIKELY
    if indices_of(kept).size > _MAX_CUTS * settings.cuts:  # then the most probable ones
        threshold = nth_smallest(summary.boundaries, n_units - _MAX_CUTS * settings.cuts)
        for unit in range(1, n_units):
            drawn = last[unit] != last[unit - 1]
            kept[unit] = kept[unit] and (drawn or summary.boundaries[unit] > threshold)
    spans = make_span_table(indices_of(kept), indices_of(present), log_of(fitted.prevalence))
    fill_table(spans, fitted, prepared, settings.fast, summary.scores)
    return spans


@compiled
def find_mode(
    whole: SpanTable,
    fitted: FittedCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: FilterWorkspace,
    summary: PosteriorSummary,
) -> None:
    """Ascend from the last draw to the most probable structure, and score its words."""
    spans = likely_subtable(whole, fitted, bag, summary)
    coordinate_ascent(spans, order, bag, fitted.dispersion, fitted.orders, filters, _MAX_PASSES)
    write_topics(summary.topics, order, bag)
    cuts, total, start = spans.cuts, 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + 1
            while cuts[end] - cuts[start] < bag[topic]:
                end += 1
            total += spans.log_weights[spans.active_index[topic], start, end]
            total += fitted.log_factorial[bag[topic]]
            start = end
    summary.log_likelihood[0] = total


@compiled
def infer_structure(
    document: InferenceInput,
    fitted: FittedCounts,
    settings: InferenceSettings,
    numbers: NDArray[np.int32],
    summary: PosteriorSummary,
) -> None:
    """Infer the structure of one document into `summary`."""
    n_units, n_topics = document.tokens.offsets.size - 1, fitted.prevalence.size
    prepared, order, bag = prepare_document(document, fitted, numbers, settings, summary)
    cut_probabilities, inclusion = prepared.cut_probabilities, prepared.inclusion
    summary.probabilities[:] = 0.0
    summary.boundaries[:] = 0.0
    each = document.uniforms.size // settings.visits
    for visit in range(settings.visits):
        uniforms = document.uniforms[visit * each : (visit + 1) * each]
        cuts = draw_cuts(cut_probabilities, bag, order, uniforms)
        active = draw_active(inclusion, bag, uniforms[n_units + 1 :])
        log_prevalence = draw_log_prevalence(
            document.gammas[visit], document.exponentials[visit], bag
        )
        spans = make_span_table(cuts, active, log_prevalence)
        fill_table(spans, fitted, prepared, settings.fast, summary.scores)
        weigh_inclusion(spans.log_weights, cuts, cut_probabilities, active, inclusion, 1.0)
        filters = make_filter_workspace(n_topics, cuts.size)
        drawn, first = uniforms[n_units + 1 + n_topics :], visit * settings.rounds
        draw_rounds(spans, fitted, order, bag, settings, filters, drawn, summary, first)
        if visit == settings.visits - 1:
            n_drawn = settings.visits * settings.rounds
            for unit in range(n_units):
                divide_by(summary.probabilities[unit], float(n_drawn))
            divide_by(summary.boundaries, float(n_drawn))
            if settings.visits == 1:
                weigh_inclusion(spans.log_weights, cuts, cut_probabilities, active, inclusion, -1.0)
            else:
                spans = make_final_table(fitted, prepared, settings, bag, summary)
                filters = make_filter_workspace(n_topics, spans.cuts.size)
            find_mode(spans, fitted, order, bag, filters, summary)
