"""Resampling documents, compiled: tokens leave the counts, the structure is drawn, they return.

Several threads can work on one document. The work of each stage is divided into pieces, and an
atomic counter hands them out. Which thread does which piece changes no bit of the result, and the
thread that resamples the document never depends on a helper to arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import atomic_add, compiled, rest
from permutopic.model.blocked.active_topics import (
    inclusion_probabilities,
    place_inactive,
    weigh_active_topics,
    write_active_topics,
)
from permutopic.model.blocked.packed import (
    Batch,
    PackedCorpus,
    Postings,
    Workspace,
    cut_document_of,
    factors_for,
    postings_of,
    spans_for,
    unit_starts_of,
)
from permutopic.model.kernels.linear_filters import find_potentials, to_linear_weights
from permutopic.model.kernels.log_filters import (
    FilterWorkspace,
    MoveSettings,
    draw_inversions,
    scores_to_weights,
)
from permutopic.model.kernels.orders import fill_order, write_inversions
from permutopic.model.kernels.placement import draw_bag_restricted, place_topic, restricted_order
from permutopic.model.kernels.span_table import (
    CutDocument,
    Scratch,
    SpanTable,
    TopicFactors,
    copy_block,
    corner_of,
    count_blocks,
    fill_block,
    gather_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REMOVING, _FILLING, _SCALING, _ADDING = 1, 2, 3, 4
WORD_PIECES = 32
_LINE = 16  # counters of different stages are on cache lines of their own
N_COUNTERS = 5 * _LINE
_PATIENCE = 1000  # looks at a helper's block before it is computed again: some 20 µs


class TokenCounts(NamedTuple):
    """What the topics hold: (W, K) tokens of each word, (K,) tokens."""

    words: NDArray[np.int32]
    topics: NDArray[np.int64]


@compiled
def draw_structure(
    spans: SpanTable,
    fits: bool,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    settings: MoveSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
    active_uniforms: NDArray[np.float64],
) -> None:
    """Draw a document's structure on its span table, several rounds of all moves.

    Topics are placed with the bag summed out, then the bag is drawn. The inversion counts are
    drawn given the bag only where every position is a cut, for they move boundaries anywhere.
    """
    n_topics = bag.size
    all_cuts = spans.cuts.size == spans.cuts[-1] + 1
    used, used_for_inactive = 0, n_topics
    for _ in range(settings.rounds):
        for _ in range(settings.placements):
            topic = spans.active[int(uniforms[used] * spans.active.size)]
            place_topic(spans, fits, order, topic, settings.dispersion, filters, uniforms[used + 1])
            used += 2
        place_inactive(spans, order, settings, filters, active_uniforms, used_for_inactive)
        used_for_inactive += 2 * settings.placements
        draw_bag_restricted(spans, fits, order, bag, filters, uniforms[used:], False)
        used += n_topics
        if settings.orders:
            write_inversions(inversions, order)
            if all_cuts:
                draw_inversions(
                    spans.log_weights,
                    spans.active_index,
                    order,
                    inversions,
                    bag,
                    settings,
                    filters,
                    uniforms[used:],
                )
            used += n_topics - 1


@compiled
def assign_topics(
    topics: NDArray[np.int64],
    offsets: NDArray[np.int64],
    bag: NDArray[np.int64],
    order: NDArray[np.int64],
    counts: TokenCounts,
    sign: int,
) -> None:
    """Write each unit's topic; add its tokens to the topic's total (sign 1) or subtract them."""
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
def enter_stage(counters: NDArray[np.int64], stage: int, leads: bool) -> None:
    """Begin a stage as the leading thread, or wait until it has begun."""
    if leads:
        atomic_add(counters, 0, 1)
        return
    waits = 0
    while atomic_add(counters, 0, 0) < stage:
        waits = rest(waits)


@compiled
def leave_stage(counters: NDArray[np.int64], stage: int, n_pieces: int, leads: bool) -> None:
    """Wait, as the leading thread, until all pieces of a stage are done."""
    waits = 0
    while leads and atomic_add(counters, stage * _LINE + 1, 0) < n_pieces:
        waits = rest(waits)


@compiled
def process_words(
    counters: NDArray[np.int64],
    stage: int,
    postings: Postings,
    topics: NDArray[np.int64],
    counts: TokenCounts,
    rows: NDArray[np.float64],
    active: NDArray[np.int64],
    word_prior: float,
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
            gather_rows(rows, postings.words, counts.words, active, word_prior, first, last)
        atomic_add(counters, stage * _LINE + 1, 1)


@compiled
def process_spans(
    counters: NDArray[np.int64],
    claims: NDArray[np.int64],
    document: CutDocument,
    spans: SpanTable,
    factors: TopicFactors,
    log_factorial: NDArray[np.float64],
    log_cut_probability: float,
    inverse_temperature: float,
    scratch: Scratch,
    leads: bool,
) -> None:
    """Fill the table with log weights, block by block.

    A block is computed in memory of the thread's own, and copied by the first thread that has it.
    So the leading thread need not wait for a helper whose core is taken away in the middle: it
    computes again what is not done soon after its own last block. The numbers are the same.
    """
    n_blocks, looks = claims.size, 0
    while True:
        number = atomic_add(counters, _FILLING * _LINE, 1)
        if number >= n_blocks:
            number = -1
            while leads and atomic_add(counters, _FILLING * _LINE + 1, 0) < n_blocks:
                looks += 1
                if looks > _PATIENCE:
                    number = first_unclaimed(claims)
                    break
            if number < 0:
                return
        fill_block(scratch.block, (0, 0), document, factors, scratch, number)
        scores_to_weights(
            scratch.block,
            spans.cuts,
            log_factorial,
            inverse_temperature,
            log_cut_probability,
            corner_of(number, spans.active.size)[1],
        )
        if atomic_add(claims, number, 1) == 0:
            copy_block(spans.log_weights, scratch.block, number, spans.cuts.size)
            atomic_add(counters, _FILLING * _LINE + 1, 1)


@compiled
def first_unclaimed(claims: NDArray[np.int64]) -> int:
    """Return the first block that no thread has copied or is copying, −1 if there is none."""
    for number in range(claims.size):
        if atomic_add(claims, number, 0) == 0:
            return number
    return -1


@compiled
def process_scaling(
    counters: NDArray[np.int64], spans: SpanTable, filters: FilterWorkspace
) -> None:
    """Compute linear weights, one topic a piece; count the topics whose weights do not fit."""
    while True:
        topic = atomic_add(counters, _SCALING * _LINE, 1)
        if topic >= spans.active.size:
            return
        fits = to_linear_weights(
            spans.log_weights,
            spans.linear_weights,
            spans.transposed,
            spans.cuts,
            spans.log_prevalence[topic],
            topic,
            filters,
        )
        if not fits:
            atomic_add(counters, _SCALING * _LINE + 2, 1)
        atomic_add(counters, _SCALING * _LINE + 1, 1)


def release_helpers(work_counters: NDArray[np.int64]) -> None:
    """Mark all stages as begun and all pieces as taken, so that helpers return."""
    for stage in (_REMOVING, _FILLING, _SCALING, _ADDING):
        work_counters[:, stage * _LINE] = 2**62
    work_counters[:, 0] = _ADDING


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
    leads: bool,
) -> None:
    """Take each document out of the counts, draw its structure anew, and put it back.

    One thread leads: it alone begins the stages and draws. Others call this with `leads` false and
    the same batch, and take pieces of the stages that have begun. The work counters of a document
    are all zeros at first: the stage that has begun, and for each stage the pieces that were taken
    and that are done.
    """
    word_prior, topics = workspace.word_prior, workspace.unit_topics
    order = np.empty(bags.shape[1], np.int64)
    for n in range(batch.documents.size):
        d, counters = batch.documents[n], batch.work_counters[n]
        document, postings = cut_document_of(packed, batch, n), postings_of(packed, d)
        bag, own_inversions, offsets = bags[d], inversions[d], unit_starts_of(packed, d)
        if leads:
            fill_order(order, own_inversions)
            assign_topics(topics, offsets, bag, order, counts, -1)
            inclusion = inclusion_probabilities(counts.topics, workspace.limits)
            write_active_topics(batch, n, bag, inclusion)
        enter_stage(counters, _REMOVING, leads)
        spans = spans_for(workspace, batch, n, settings.log_prevalence)
        factors = factors_for(workspace, document.words.size, spans.active, counts.topics)
        rows, active = factors.rows, spans.active
        process_words(counters, _REMOVING, postings, topics, counts, rows, active, word_prior, -1)
        leave_stage(counters, _REMOVING, WORD_PIECES, leads)
        first_claim, n_blocks = batch.claim_offsets[n], count_blocks(spans.cuts.size, active.size)
        claims = batch.claims[first_claim : first_claim + n_blocks]
        enter_stage(counters, _FILLING, leads)
        process_spans(
            counters,
            claims,
            document,
            spans,
            factors,
            workspace.log_factorial,
            batch.log_cut_probability[n],
            settings.inverse_temperature,
            scratch,
            leads,
        )
        leave_stage(counters, _FILLING, n_blocks, leads)
        if leads:
            inclusion = inclusion_probabilities(counts.topics, workspace.limits)
            weigh_active_topics(spans, inclusion)
            present = restricted_order(order, spans.active_index)
            find_potentials(spans.log_weights, spans.cuts, present, spans.log_prevalence, filters)
        enter_stage(counters, _SCALING, leads)
        process_scaling(counters, spans, filters)
        leave_stage(counters, _SCALING, active.size, leads)
        if leads:
            draw_structure(
                spans,
                atomic_add(counters, _SCALING * _LINE + 2, 0) == 0,
                order,
                bag,
                own_inversions,
                settings,
                filters,
                batch.uniforms[n],
                batch.active_uniforms[n],
            )
            assign_topics(topics, offsets, bag, order, counts, 1)
        enter_stage(counters, _ADDING, leads)
        process_words(counters, _ADDING, postings, topics, counts, rows, active, word_prior, 1)
        leave_stage(counters, _ADDING, WORD_PIECES, leads)
