"""Preparing a document for inference: counts of its words, unit scores, an initial structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.arrays import indices_of, log_of, sum_column, take_integers
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.log_filters import make_filter_workspace, scores_to_weights
from permutopic.model.kernels.orders import fill_order
from permutopic.model.kernels.preparation import (
    LocalDocument,
    at_cuts,
    fill_marginal,
    fill_point_estimate,
    localize,
    remove_own_tokens,
    score_units,
    select_rows,
)
from permutopic.model.kernels.screening import (
    forward_backward,
    initial_order,
    set_cut_probabilities,
)
from permutopic.model.kernels.span_table import (
    SpanTable,
    TopicFactors,
    gather_rows,
    make_span_table,
)
from permutopic.model.kernels.viterbi import best_bag, move_to_best_slot, transpose_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import DocumentTokens

# The initial structure is a start, not a draw: thresholds for cuts and topics, and passes.
_CERTAIN_CUT = 0.5
_MIN_UNITS, _MIN_COVERED, _PASSES = 0.3, 0.7, 2


class FittedCounts(NamedTuple):
    """The counts and parameters of a fitted state, and constants that follow from them.

    `prevalence` is θ̂ (eq. 15), `switch` the probability of a unit within a document to begin a
    segment, `background[w]` the log probability of a section word in all topics together,
    `section_prior` β0 times the number of section words. `orders` is false where all documents keep
    the canonical order.
    """

    word_counts: NDArray[np.int32]
    topic_tokens: NDArray[np.int64]
    prevalence: NDArray[np.float64]
    dispersion: NDArray[np.float64]
    switch: float
    background: NDArray[np.float64]
    log_gamma: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    word_prior: float
    section_prior: float
    block: int
    orders: bool


class InferenceSettings(NamedTuple):
    """How much work a document gets.

    `visits` visits of `rounds` rounds with `placements` each; the words are taken as known (eq. 14)
    if `fast`. A visit has about `cuts` cuts, and the initial structure `first_cuts`. A topic with
    less than `presence_threshold` expected units in the first pass is active in a visit with
    probability `inclusion_floor`.
    """

    visits: int
    rounds: int
    placements: int
    cuts: int
    first_cuts: int
    presence_threshold: float
    inclusion_floor: float
    fast: bool


class InferenceInput(NamedTuple):
    """One document and its random numbers.

    `topics` and `inversions` are its structure in the fit, if it was there: its tokens are then
    left out of the counts. Both are empty for a new document. `gammas[v, k]` and
    `exponentials[v, u]` make θ in visit v.
    """

    tokens: DocumentTokens
    topics: NDArray[np.int64]
    inversions: NDArray[np.int64]
    uniforms: NDArray[np.float64]
    gammas: NDArray[np.float64]
    exponentials: NDArray[np.float64]


class PosteriorSummary(NamedTuple):
    """Arrays for the result.

    `topics` is the most probable structure; `probabilities` (units, K) and `boundaries` (units,)
    are averages over draws, `samples` (draws, units) the draws. `log_likelihood` holds the log
    probability of all words, `scores` (units, K) that of each unit's under each topic, `background`
    (units,) under all topics together.
    """

    topics: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    boundaries: NDArray[np.float64]
    samples: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]
    scores: NDArray[np.float64]
    background: NDArray[np.float64]


class PreparedDocument(NamedTuple):
    """A document in its own vocabulary, with the topics' counts of its words.

    `cut_probabilities[p]` is that of position p, `inclusion[k]` the inclusion probability of topic
    k.
    """

    local: LocalDocument
    rows: NDArray[np.float64]
    topic_tokens: NDArray[np.int64]
    cut_probabilities: NDArray[np.float64]
    inclusion: NDArray[np.float64]


@compiled
def prepare_document(
    document: InferenceInput,
    fitted: FittedCounts,
    numbers: NDArray[np.int32],
    settings: InferenceSettings,
    summary: PosteriorSummary,
) -> tuple[PreparedDocument, NDArray[np.int64], NDArray[np.int64]]:
    """Score the units and screen for switches; return an initial order and bag as well.

    Fills `scores` and `background` of the summary.
    """
    words, offsets = document.tokens.words, document.tokens.offsets
    n_units, n_topics = offsets.size - 1, fitted.prevalence.size
    local = localize(document.tokens, numbers)
    n_words = local.words.size
    order, bag = np.empty(n_topics, np.int64), np.zeros(n_topics, np.int64)
    for topic in range(n_topics):
        order[topic] = topic
    rows = np.empty(((n_topics + LANES - 1) // LANES, n_words, LANES))
    gather_rows(rows, local.words, fitted.word_counts, order, 0.0)
    topic_tokens = fitted.topic_tokens.copy()
    if document.topics.size > 0:
        remove_own_tokens(local.tokens, offsets, document.topics, rows, topic_tokens)
    flat_rows = rows.ravel()
    for n in range(flat_rows.size):
        # Last: a small β0 would be lost in a difference of large counts.
        flat_rows[n] += fitted.word_prior
    log_totals = np.empty(n_topics)
    for topic in range(n_topics):
        total = topic_tokens[topic] + fitted.section_prior
        log_totals[topic] = np.log(total)
    score_units(local.tokens, offsets, rows, log_totals, summary.scores)
    for unit in range(n_units):
        summary.background[unit] = 0.0
        for token in range(offsets[unit], offsets[unit + 1]):
            summary.background[unit] += fitted.background[words[token]]
    switches, cut_probabilities = np.empty(n_units), np.empty(n_units + 1)
    posterior, inclusion = np.empty((n_units, n_topics)), np.empty(n_topics)
    forward_backward(summary.scores, fitted.prevalence, fitted.switch, switches, posterior)
    for topic in range(n_topics):
        present = sum_column(posterior, topic, 0, n_units) >= settings.presence_threshold
        inclusion[topic] = 1.0 if present else settings.inclusion_floor
    prepared = PreparedDocument(local, rows, topic_tokens, cut_probabilities, inclusion)
    if document.topics.size > 0:
        fill_order(order, document.inversions)
        for topic in document.topics:
            bag[topic] += 1
    else:
        set_cut_probabilities(switches, cut_probabilities, settings.first_cuts)
        find_initial_structure(fitted, prepared, posterior, order, bag, summary)
    set_cut_probabilities(switches, cut_probabilities, settings.cuts)
    return prepared, order, bag


@compiled
def certain_cuts(prepared: PreparedDocument) -> NDArray[np.bool_]:
    """Mark the positions that become cuts in most visits."""
    certain = np.empty(prepared.cut_probabilities.size, np.bool_)
    for position in range(certain.size):
        certain[position] = prepared.cut_probabilities[position] >= _CERTAIN_CUT
    return certain


@compiled
def find_initial_structure(
    fitted: FittedCounts,
    prepared: PreparedDocument,
    posterior: NDArray[np.float64],
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    summary: PosteriorSummary,
) -> None:
    """Find a good structure on few cuts, the words taken as known (eq. 14)."""
    cuts = indices_of(certain_cuts(prepared))
    present = np.empty(order.size, np.bool_)
    for topic in range(order.size):
        present[topic] = sum_column(posterior, topic, 0, posterior.shape[0]) >= _MIN_UNITS
    active = indices_of(present)
    if active.size == 0:
        active = order.copy()  # all topics, in canonical order
    spans = make_span_table(cuts, active, log_of(fitted.prevalence))
    fill_table(spans, fitted, prepared, True, summary.scores)
    filters = make_filter_workspace(order.size, cuts.size)
    if fitted.orders:
        initial_order(posterior, order)
        transpose_weights(spans)
    best_bag(spans, order, filters, bag)
    for _ in range(_PASSES if fitted.orders else 0):
        for topic in spans.active:
            # Most topics cover their units at once; one that does not may have to move.
            if not covers_its_units(posterior, order, bag, topic) and move_to_best_slot(
                spans, order, topic, fitted.dispersion, filters
            ):
                best_bag(spans, order, filters, bag)
    for topic in range(order.size if fitted.orders else 0):
        if spans.active_index[topic] < 0:
            move_to_best_slot(spans, order, topic, fitted.dispersion, filters)


@borrowing
def covers_its_units(
    posterior: NDArray[np.float64], order: NDArray[np.int64], bag: NDArray[np.int64], topic: int
) -> bool:
    """Tell whether a topic's span has most of the topic's posterior mass."""
    first = 0
    for other in order:
        if other == topic:
            break
        first += bag[other]
    inside = sum_column(posterior, topic, first, first + bag[topic])
    return bool(inside >= _MIN_COVERED * sum_column(posterior, topic, 0, posterior.shape[0]))


@compiled
def fill_table(
    spans: SpanTable,
    fitted: FittedCounts,
    prepared: PreparedDocument,
    fast: bool,
    scores: NDArray[np.float64],
) -> None:
    """Fill the span table of a visit with the log weights of all spans between its cuts."""
    cuts = spans.cuts
    if fast:
        fill_point_estimate(spans.log_weights, cuts, spans.active, scores)
    else:
        rows = select_rows(prepared.rows, spans.active)
        topic_tokens = take_integers(prepared.topic_tokens, spans.active)
        factors = TopicFactors(topic_tokens, fitted.log_gamma, fitted.block)
        fill_marginal(spans.log_weights, at_cuts(prepared.local, cuts), rows, factors)
    scores_to_weights(spans.log_weights, cuts, fitted.log_factorial, 1.0, 0.0, 0)
