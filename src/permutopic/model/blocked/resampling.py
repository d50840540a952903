"""Resampling documents, compiled: tokens leave the counts, the structure is drawn, they return.

Several threads can work on one document. The work of each stage is divided into pieces, and an
atomic counter hands them out. Which thread does which piece changes no bit of the result, and the
thread that resamples the document never depends on a helper to arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import atomic_add, compiled
from permutopic.model.blocked.packed import (
    Batch,
    PackedCorpus,
    Postings,
    TableBuffers,
    Workspace,
    buffers_for,
    cut_document_of,
    cuts_of,
    postings_of,
    unit_starts_of,
)
from permutopic.model.kernels.linear_filters import (
    draw_bag_linear,
    find_potentials,
    place_topic_linear,
    to_linear_weights,
)
from permutopic.model.kernels.log_filters import (
    FilterWorkspace,
    MoveSettings,
    draw_bag,
    draw_inversions,
    place_topic,
    scores_to_weights_of,
)
from permutopic.model.kernels.orders import fill_order, write_inversions
from permutopic.model.kernels.span_table import (
    STARTS,
    CutDocument,
    Scratch,
    TopicFactors,
    fill_spans,
    gather_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REMOVING, _FILLING, _SCALING, _ADDING = 1, 2, 3, 4
WORD_PIECES = 32
_LINE = 16  # counters of different stages are on cache lines of their own
N_COUNTERS = 5 * _LINE


class TokenCounts(NamedTuple):
    """What the topics hold: (W, K) tokens of each word, (K,) tokens."""

    words: NDArray[np.int32]
    topics: NDArray[np.int64]


@compiled
def draw_structure(
    log_weights: NDArray[np.float64],
    linear_weights: NDArray[np.float64],
    transposed: NDArray[np.float64],
    fits: bool,
    cuts: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    settings: MoveSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw a document's structure on its span table, several rounds of all moves.

    Topics are placed with the bag summed out, then the bag is drawn. The inversion counts are
    drawn given the bag only where every position is a cut, for they move boundaries anywhere.
    """
    n_topics = bag.size
    order = np.empty(n_topics, np.int64)
    fill_order(order, inversions)
    all_cuts = cuts.size == cuts[-1] + 1
    used = 0
    for _ in range(settings.rounds):
        for _ in range(settings.placements):
            topic = int(uniforms[used] * n_topics)
            if not fits or not place_topic_linear(
                linear_weights,
                transposed,
                cuts.size,
                order,
                topic,
                settings,
                filters,
                uniforms[used + 1],
            ):
                place_topic(log_weights, cuts, order, topic, settings, filters, uniforms[used + 1])
            used += 2
        if not fits or not draw_bag_linear(
            linear_weights, transposed, cuts, order, filters, bag, uniforms[used:]
        ):
            log_prevalence = settings.log_prevalence
            draw_bag(log_weights, cuts, order, log_prevalence, filters, bag, uniforms[used:])
        used += n_topics
        if settings.orders:
            write_inversions(inversions, order)
            if all_cuts:
                draw_inversions(
                    log_weights, order, inversions, bag, settings, filters, uniforms[used:]
                )
            used += n_topics - 1


@compiled
def assign_topics(
    topics: NDArray[np.int64],
    offsets: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: TokenCounts,
    sign: int,
) -> None:
    """Write each unit's topic; add its tokens to the topic's total (sign 1) or subtract them."""
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    unit = 0
    for topic in order:
        last = unit + bag[topic]
        for n in range(unit, last):
            topics[n] = topic
        counts.topics[topic] += sign * (offsets[last] - offsets[unit])
        unit = last


@compiled
def update_word_counts(
    postings: Postings,
    topics: NDArray[np.int64],
    counts: TokenCounts,
    sign: int,
    first_word: int,
    last_word: int,
) -> None:
    """Add the tokens of some words to the counts (sign 1) or subtract them (sign −1)."""
    for w in range(first_word, last_word):
        word = postings.words[w]
        for p in range(postings.starts[w], postings.starts[w + 1]):
            counts.words[word, topics[postings.units[p]]] += sign * postings.counts[p]


@compiled
def wait_for_stage(counters: NDArray[np.int64], stage: int) -> None:
    """Wait until a stage has begun."""
    while atomic_add(counters, 0, 0) < stage:
        pass


@compiled
def wait_for_pieces(counters: NDArray[np.int64], stage: int, n_pieces: int) -> None:
    """Wait until all pieces of a stage are done."""
    while atomic_add(counters, stage * _LINE + 1, 0) < n_pieces:
        pass


@compiled
def process_words(
    counters: NDArray[np.int64],
    stage: int,
    postings: Postings,
    topics: NDArray[np.int64],
    counts: TokenCounts,
    buffers: TableBuffers,
    sign: int,
) -> None:
    """Update the counts of the document's words, piece by piece; copy what remains (sign −1)."""
    n_words = postings.words.size
    while True:
        piece = atomic_add(counters, stage * _LINE, 1)
        if piece >= WORD_PIECES:
            return
        first, last = piece * n_words // WORD_PIECES, (piece + 1) * n_words // WORD_PIECES
        update_word_counts(postings, topics, counts, sign, first, last)
        if sign < 0:
            gather_rows(buffers.rows, postings.words, counts.words, buffers.word_prior, first, last)
        atomic_add(counters, stage * _LINE + 1, 1)


@compiled
def process_spans(
    counters: NDArray[np.int64],
    document: CutDocument,
    cuts: NDArray[np.int64],
    log_cut_probability: float,
    counts: TokenCounts,
    buffers: TableBuffers,
    scratch: Scratch,
    inverse_temperature: float,
) -> None:
    """Fill the table with log weights, four starts a piece."""
    factors = TopicFactors(buffers.rows, counts.topics, buffers.log_gamma, buffers.block)
    n_pieces = (document.cut_tokens.size + STARTS - 2) // STARTS
    while True:
        piece = atomic_add(counters, _FILLING * _LINE, 1)
        if piece >= n_pieces:
            return
        fill_spans(buffers.log_weights, document, factors, scratch, piece, n_pieces)
        scores_to_weights_of(
            buffers.log_weights,
            cuts,
            buffers.log_factorial,
            inverse_temperature,
            log_cut_probability,
            piece * STARTS,
            (piece + 1) * STARTS,
        )
        atomic_add(counters, _FILLING * _LINE + 1, 1)


@compiled
def process_scaling(
    counters: NDArray[np.int64],
    cuts: NDArray[np.int64],
    buffers: TableBuffers,
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Compute linear weights, one topic a piece; count the topics whose weights do not fit."""
    while True:
        topic = atomic_add(counters, _SCALING * _LINE, 1)
        if topic >= log_prevalence.size:
            return
        fits = to_linear_weights(
            buffers.log_weights,
            buffers.linear_weights,
            buffers.transposed,
            cuts,
            log_prevalence[topic],
            topic,
            filters,
        )
        if not fits:
            atomic_add(counters, _SCALING * _LINE + 2, 1)
        atomic_add(counters, _SCALING * _LINE + 1, 1)


def release_helpers(work_counters: NDArray[np.int64]) -> None:
    """Mark all stages as begun and all pieces as taken, so that `assist_batch` returns."""
    for stage in (_REMOVING, _FILLING, _SCALING, _ADDING):
        work_counters[:, stage * _LINE] = 2**62
    work_counters[:, 0] = _ADDING


@compiled
def resample_document(
    counters: NDArray[np.int64],
    document: CutDocument,
    postings: Postings,
    offsets: NDArray[np.int64],
    topics: NDArray[np.int64],
    cuts: NDArray[np.int64],
    log_cut_probability: float,
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: TokenCounts,
    buffers: TableBuffers,
    scratch: Scratch,
    settings: MoveSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
) -> None:
    """Take a document out of the counts, draw its structure anew, and put it back.

    `counters` is all zeros at first: the stage that has begun, and for each stage the pieces that
    were taken and that are done. Threads in `assist_document` take some of them.
    """
    assign_topics(topics, offsets, bag, inversions, counts, -1)
    atomic_add(counters, 0, 1)
    process_words(counters, _REMOVING, postings, topics, counts, buffers, -1)
    wait_for_pieces(counters, _REMOVING, WORD_PIECES)
    atomic_add(counters, 0, 1)
    process_spans(
        counters,
        document,
        cuts,
        log_cut_probability,
        counts,
        buffers,
        scratch,
        settings.inverse_temperature,
    )
    wait_for_pieces(counters, _FILLING, (document.cut_tokens.size + STARTS - 2) // STARTS)
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    find_potentials(buffers.log_weights, cuts, order, settings.log_prevalence, filters)
    atomic_add(counters, 0, 1)
    process_scaling(counters, cuts, buffers, settings.log_prevalence, filters)
    wait_for_pieces(counters, _SCALING, bag.size)
    draw_structure(
        buffers.log_weights,
        buffers.linear_weights,
        buffers.transposed,
        atomic_add(counters, _SCALING * _LINE + 2, 0) == 0,
        cuts,
        bag,
        inversions,
        settings,
        filters,
        uniforms,
    )
    assign_topics(topics, offsets, bag, inversions, counts, 1)
    atomic_add(counters, 0, 1)
    process_words(counters, _ADDING, postings, topics, counts, buffers, 1)
    wait_for_pieces(counters, _ADDING, WORD_PIECES)


@compiled
def assist_document(
    counters: NDArray[np.int64],
    document: CutDocument,
    postings: Postings,
    topics: NDArray[np.int64],
    cuts: NDArray[np.int64],
    log_cut_probability: float,
    counts: TokenCounts,
    buffers: TableBuffers,
    scratch: Scratch,
    settings: MoveSettings,
    filters: FilterWorkspace,
) -> None:
    """Take pieces of the work of a thread in `resample_document`, until there are none."""
    wait_for_stage(counters, _REMOVING)
    process_words(counters, _REMOVING, postings, topics, counts, buffers, -1)
    wait_for_stage(counters, _FILLING)
    process_spans(
        counters,
        document,
        cuts,
        log_cut_probability,
        counts,
        buffers,
        scratch,
        settings.inverse_temperature,
    )
    wait_for_stage(counters, _SCALING)
    process_scaling(counters, cuts, buffers, settings.log_prevalence, filters)
    wait_for_stage(counters, _ADDING)
    process_words(counters, _ADDING, postings, topics, counts, buffers, 1)


@compiled
def resample_batch(
    packed: PackedCorpus,
    batch: Batch,
    workspace: Workspace,
    bags: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: TokenCounts,
    scratch: Scratch,
    settings: MoveSettings,
    filters: FilterWorkspace,
) -> None:
    """Resample the documents of a batch one after the other."""
    for n in range(batch.documents.size):
        d = batch.documents[n]
        document = cut_document_of(packed, batch, n)
        resample_document(
            batch.work_counters[n],
            document,
            postings_of(packed, d),
            unit_starts_of(packed, d),
            workspace.topics,
            cuts_of(batch, n),
            batch.log_cut_probability[n],
            bags[d],
            inversions[d],
            counts,
            buffers_for(workspace, bags.shape[1], document.cut_tokens.size, document.words.size),
            scratch,
            settings,
            filters,
            batch.uniforms[n],
        )


@compiled
def assist_batch(
    packed: PackedCorpus,
    batch: Batch,
    workspace: Workspace,
    n_topics: int,
    counts: TokenCounts,
    scratch: Scratch,
    settings: MoveSettings,
    filters: FilterWorkspace,
) -> None:
    """Assist the thread that is in `resample_batch` with the same batch."""
    for n in range(batch.documents.size):
        document = cut_document_of(packed, batch, n)
        assist_document(
            batch.work_counters[n],
            document,
            postings_of(packed, batch.documents[n]),
            workspace.topics,
            cuts_of(batch, n),
            batch.log_cut_probability[n],
            counts,
            buffers_for(workspace, n_topics, document.cut_tokens.size, document.words.size),
            scratch,
            settings,
            filters,
        )
