"""Resampling documents, compiled: tokens leave the counts, the structure is drawn, they return.

Several threads can work on one document, in stages whose work is divided into pieces (`stages`).
Drawing is for one thread alone; meanwhile others take the next document's tokens out of the counts,
which changes nothing of what is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.jit_instructions import atomic_add, atomic_load, prefetch
from permutopic.model.blocked.active_topics import (
    inclusion_probabilities,
    place_inactive,
    weigh_active_topics,
    write_active_topics,
)
from permutopic.model.blocked.packed import (
    Batch,
    PackedCorpus,
    Workspace,
    active_numbers_of,
    claims_of,
    cut_document_of,
    factors_for,
    move_numbers_of,
    postings_of,
    rows_for,
    spans_for,
    topics_of,
    unit_starts_of,
)
from permutopic.model.blocked.stages import (
    ADDING,
    FILLING,
    GATHERING,
    REMOVING,
    SCALING,
    count_done,
    enter_stage,
    leave_stage,
    next_piece,
    noted,
    set_done,
    take_note,
)
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.linear_filters import find_potentials, to_linear_weights
from permutopic.model.kernels.log_filters import (
    FilterWorkspace,
    MoveSettings,
    draw_inversions,
    scores_to_weights,
)
from permutopic.model.kernels.orders import fill_order, write_inversions, write_topics
from permutopic.model.kernels.placement import draw_bag_restricted, place_topic, restricted_order
from permutopic.model.kernels.span_table import (
    CutDocument,
    Scratch,
    SpanTable,
    TopicFactors,
    copy_block,
    corner_of,
    fill_block,
    gather_group,
    group_size,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.blocked.postings import Postings

WORD_PIECES, GROUP_PIECES = 16, 8
_AHEAD = 16  # words whose counts are on their way from memory or another processor's cache
_PATIENCE = 80_000  # looks at a helper's block before it is computed again: some 20 µs


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


@borrowing
def add_topic_tokens(
    topic_tokens: NDArray[np.int64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    sign: int,
) -> None:
    """Add a document's tokens to the totals of its topics (sign 1) or subtract them (sign −1)."""
    unit = 0
    for topic in order:
        last = unit + bag[topic]
        topic_tokens[topic] += sign * (offsets[last] - offsets[unit])
        unit = last


@borrowing
def update_word_counts(
    postings: Postings,
    topics: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    sign: int,
    first_word: int,
    last_word: int,
) -> None:
    """Add the tokens of some words to the counts (sign 1) or subtract them (sign −1)."""
    n_topics, flat = word_counts.shape[1], word_counts.reshape(word_counts.size)
    for soon in range(first_word, last_word + _AHEAD):
        if soon < last_word:
            row = postings.words[soon] * n_topics
            prefetch(flat, row)
            prefetch(flat, row + n_topics - 1)
        w = soon - _AHEAD
        if w < first_word:
            continue
        first = np.uint64(postings.words[w] * n_topics)
        for p in range(np.uint64(postings.starts[w]), np.uint64(postings.starts[w + 1])):
            topic = np.uint64(topics[np.uint64(postings.units[p])])
            flat[first + topic] += sign * postings.counts[p]


@borrowing
def process_words(
    counters: NDArray[np.int64],
    stage: int,
    postings: Postings,
    topics: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    sign: int,
    leads: bool,
) -> None:
    """Update the counts of the document's words, piece by piece."""
    n_words, own = postings.words.size, 0
    piece = next_piece(counters, stage, WORD_PIECES, leads)
    while piece >= 0:
        first, last = piece * n_words // WORD_PIECES, (piece + 1) * n_words // WORD_PIECES
        update_word_counts(postings, topics, word_counts, sign, first, last)
        own += 1
        piece = next_piece(counters, stage, WORD_PIECES, leads)
    leave_stage(counters, stage, WORD_PIECES, own, leads)


@borrowing
def process_rows(
    counters: NDArray[np.int64],
    rows: NDArray[np.float64],
    words: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    active: NDArray[np.int64],
    word_prior: float,
    leads: bool,
) -> None:
    """Copy the counts of the document's words, some words and a group of topics a piece."""
    n_words, n_pieces, own = words.size, rows.shape[0] * GROUP_PIECES, 0
    size = group_size(active.size)
    piece = next_piece(counters, GATHERING, n_pieces, leads)
    while piece >= 0:
        group, part = piece // GROUP_PIECES, piece % GROUP_PIECES
        of_group, topic = rows[group].reshape(n_words * LANES), group * size
        width = min(size, active.size - topic)
        first, last = part * n_words // GROUP_PIECES, (part + 1) * n_words // GROUP_PIECES
        gather_group(of_group, words, word_counts, active, topic, width, word_prior, first, last)
        own += 1
        piece = next_piece(counters, GATHERING, n_pieces, leads)
    leave_stage(counters, GATHERING, n_pieces, own, leads)


@compiled
def process_spans(
    counters: NDArray[np.int64],
    claims: NDArray[np.int64],
    document: CutDocument,
    spans: SpanTable,
    rows: NDArray[np.float64],
    factors: TopicFactors,
    log_factorial: NDArray[np.float64],
    log_cut_probability: float,
    inverse_temperature: float,
    scratch: Scratch,
    leads: bool,
) -> None:
    """Fill the table with log weights, block by block.

    A thread begins with the topics whose rows it has copied itself: numbers that another one has
    just written are a long way off where processors share no cache.

    A block is computed in memory of the thread's own, and copied by the first thread that has it.
    So the leading thread need not wait for a helper whose core is taken away in the middle: it
    computes again what is not done soon after its own last block. The numbers are the same.
    """
    n_topics, n_cuts = spans.active.size, spans.cuts.size
    size = group_size(n_topics)
    number = next_block(counters, claims, leads)
    while number >= 0:
        corner = corner_of(number, n_cuts, size)
        width = min(size, n_topics - corner[0])
        of_group = rows[corner[0] // size].reshape(rows.shape[1] * LANES)
        fill_block(scratch.block, (0, 0), document, of_group, factors, scratch, corner, width)
        scores_to_weights(
            scratch.block,
            spans.cuts,
            log_factorial,
            inverse_temperature,
            log_cut_probability,
            corner[1],
        )
        if atomic_add(claims, number, 1) == 0:
            copy_block(spans.log_weights, scratch.block, corner, width, n_cuts)
            set_done(counters, FILLING, 1)
        number = next_block(counters, claims, leads)
    leave_stage(counters, FILLING, claims.size, 0, leads)


@borrowing
def next_block(counters: NDArray[np.int64], claims: NDArray[np.int64], leads: bool) -> int:
    """Hand out a block, −1 if there is none; to the leader one that a helper is late with."""
    number = next_piece(counters, FILLING, claims.size, leads)
    if number >= 0:
        return number
    looks = 0
    while leads and count_done(counters, FILLING) < claims.size:
        looks += 1
        if looks > _PATIENCE:
            return first_unclaimed(claims)
    return -1


@borrowing
def first_unclaimed(claims: NDArray[np.int64]) -> int:
    """Return the first block that no thread has copied or is copying, −1 if there is none."""
    for number in range(claims.size):
        if atomic_load(claims, number) == 0:
            return number
    return -1


@compiled
def process_scaling(
    counters: NDArray[np.int64], spans: SpanTable, filters: FilterWorkspace, leads: bool
) -> None:
    """Compute linear weights, one topic a piece; note a topic whose weights do not fit."""
    n_topics, own = spans.active.size, 0
    topic = next_piece(counters, SCALING, n_topics, leads)
    while topic >= 0:
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
            take_note(counters, SCALING)
        own += 1
        topic = next_piece(counters, SCALING, n_topics, leads)
    leave_stage(counters, SCALING, n_topics, own, leads)


@compiled
def write_present_topics(
    workspace: Workspace,
    batch: Batch,
    n: int,
    bags: NDArray[np.int64],
    inversions: NDArray[np.int64],
) -> None:
    """Write the topics of the units of the n-th document of a batch, as they are before a visit."""
    d, order = batch.documents[n], np.empty(bags.shape[1], np.int64)
    fill_order(order, inversions[d])
    write_topics(topics_of(workspace, n), order, bags[d])


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
    the same batch, and take pieces of the stages that have begun. The words of a document leave the
    counts while the one before it is drawn, those of the first one before anything else.
    """
    words, order = counts.words, np.empty(bags.shape[1], np.int64)
    for n in range(batch.documents.size):
        d, counters, topics = batch.documents[n], batch.work_counters[n], topics_of(workspace, n)
        document, postings = cut_document_of(packed, batch, n), postings_of(packed, d)
        bag, own_inversions, offsets = bags[d], inversions[d], unit_starts_of(packed, d)
        n_words = postings.words.size
        if leads:
            fill_order(order, own_inversions)
            if n == 0:
                write_present_topics(workspace, batch, n, bags, inversions)
                update_word_counts(postings, topics, words, -1, 0, n_words)
            add_topic_tokens(counts.topics, offsets, order, bag, -1)
            inclusion = inclusion_probabilities(counts.topics, workspace.limits)
            write_active_topics(batch, n, bag, inclusion)
        enter_stage(counters, GATHERING, leads)
        spans = spans_for(workspace, batch, n, settings.log_prevalence)
        active = spans.active
        rows, factors = (
            rows_for(workspace, n_words, active.size),
            factors_for(workspace, active, counts.topics),
        )
        process_rows(counters, rows, postings.words, words, active, workspace.word_prior, leads)
        enter_stage(counters, FILLING, leads)
        process_spans(
            counters,
            claims_of(batch, n, active.size),
            document,
            spans,
            rows,
            factors,
            workspace.log_factorial,
            batch.log_cut_probability[n],
            settings.inverse_temperature,
            scratch,
            leads,
        )
        if leads:
            inclusion = inclusion_probabilities(counts.topics, workspace.limits)
            weigh_active_topics(spans, inclusion)
            present = restricted_order(order, spans.active_index)
            find_potentials(spans.log_weights, spans.cuts, present, spans.log_prevalence, filters)
        enter_stage(counters, SCALING, leads)
        process_scaling(counters, spans, filters, leads)
        after = min(n + 1, batch.documents.size - 1)
        if leads and after > n:
            write_present_topics(workspace, batch, after, bags, inversions)
        enter_stage(counters, REMOVING, leads)
        if leads:
            draw_structure(
                spans,
                not noted(counters, SCALING),
                order,
                bag,
                own_inversions,
                settings,
                filters,
                move_numbers_of(batch, n),
                active_numbers_of(batch, n),
            )
            write_topics(topics, order, bag)
            add_topic_tokens(counts.topics, offsets, order, bag, 1)
        if after > n:
            next_postings = postings_of(packed, batch.documents[after])
            next_topics = topics_of(workspace, after)
            process_words(counters, REMOVING, next_postings, next_topics, words, -1, leads)
        enter_stage(counters, ADDING, leads)
        process_words(counters, ADDING, postings, topics, words, 1, leads)
