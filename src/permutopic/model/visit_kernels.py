"""One visit to a document: its words leave the counts, its structure is drawn, they come back.

Several threads can make one visit. The work of a stage lies there in pieces, and a shared counter
says which is next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.model.block_kernels import (
    Draws,
    Filters,
    draw_bag,
    draw_inversions,
    place_topic,
    weigh_spans,
    write_inversions,
)
from permutopic.model.compile import atomic_add, compiled
from permutopic.model.kernels import fill_order
from permutopic.model.scaled_kernels import (
    draw_bag_scaled,
    find_potentials,
    place_topic_scaled,
    scale_weights,
)
from permutopic.model.span_table import (
    STARTS,
    Factors,
    Scratch,
    Text,
    fill_spans,
    take_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAKING_OUT, _FILLING, _PUTTING_BACK = 1, 2, 3
WORD_PIECES = 32
_LINE = 16  # counters of different stages lie apart, so that threads do not fight for them
TEAM_SIZE = 4 * _LINE


@compiled
def draw_structure(
    table: NDArray[np.float64],
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    cuts: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    how: Draws,
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> None:
    """Draw a document's structure anew on its table of weights, several rounds of all moves.

    Topics are placed with the bag summed out, then the bag is drawn; its inversion counts are
    drawn given the bag where every place is a cut, for they move boundaries to any place.
    """
    n_topics = bag.size
    order = np.empty(n_topics, np.int64)
    fill_order(order, inversions)
    find_potentials(table, cuts, order, how.log_shares, filters)
    fits = scale_weights(table, scaled, flipped, cuts, how.log_shares, filters)
    every_place = cuts.size == cuts[-1] + 1
    used = 0
    for _ in range(how.rounds):
        for _ in range(how.placements):
            topic = int(uniforms[used] * n_topics)
            if not fits or not place_topic_scaled(
                scaled, flipped, cuts.size, order, topic, how, filters, uniforms[used + 1]
            ):
                place_topic(table, cuts, order, topic, how, filters, uniforms[used + 1])
            used += 2
        if not fits or not draw_bag_scaled(
            scaled, flipped, cuts, order, filters, bag, uniforms[used:]
        ):
            draw_bag(table, cuts, order, how.log_shares, filters, bag, uniforms[used:])
        used += n_topics
        if how.orders:
            write_inversions(inversions, order)
            if every_place:
                draw_inversions(table, order, inversions, bag, how, filters, uniforms[used:])
            used += n_topics - 1


class Postings(NamedTuple):
    """Where a document has its words: word w in `units[p]`, `counts[p]` times.

    p goes from `firsts[w]` up to `firsts[w + 1]`; `words[w]` is the corpus's number of word w. So
    a visit comes by each word's counts once, and not once for every token.
    """

    words: NDArray[np.int64]
    firsts: NDArray[np.int64]
    units: NDArray[np.int32]
    counts: NDArray[np.int32]


class Counts(NamedTuple):
    """What the topics hold: tokens of each word, and tokens."""

    words: NDArray[np.int32]
    topics: NDArray[np.int64]


class Tables(NamedTuple):
    """Room for the table of one document: log weights, and scaled ones lying both ways."""

    weights: NDArray[np.float64]
    scaled: NDArray[np.float64]
    flipped: NDArray[np.float64]
    rows: NDArray[np.float64]
    log_gamma: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    word_prior: float
    block: int


@compiled
def lay_out(
    topics: NDArray[np.int64],
    offsets: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: Counts,
    sign: int,
) -> None:
    """Write each unit's topic, and add (sign 1) its tokens to the topic's total or take them."""
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
def move_words(
    postings: Postings,
    topics: NDArray[np.int64],
    counts: Counts,
    sign: int,
    first_word: int,
    last_word: int,
) -> None:
    """Add (sign 1) tokens of some words to the counts or take them out (sign −1)."""
    for w in range(first_word, last_word):
        word = postings.words[w]
        for p in range(postings.firsts[w], postings.firsts[w + 1]):
            counts.words[word, topics[postings.units[p]]] += sign * postings.counts[p]


@compiled
def await_stage(team: NDArray[np.int64], stage: int) -> None:
    """Wait until the visit has come to a stage."""
    while atomic_add(team, 0, 0) < stage:
        pass


@compiled
def await_pieces(team: NDArray[np.int64], stage: int, n_pieces: int) -> None:
    """Wait until all pieces of a stage are done: those that others have taken are on the way."""
    while atomic_add(team, stage * _LINE + 1, 0) < n_pieces:
        pass


@compiled
def work_on_words(
    team: NDArray[np.int64],
    stage: int,
    postings: Postings,
    topics: NDArray[np.int64],
    counts: Counts,
    tables: Tables,
    sign: int,
) -> None:
    """Move the document's words, piece by piece as long as there are any; copy what is left."""
    n_words = postings.words.size
    while True:
        piece = atomic_add(team, stage * _LINE, 1)
        if piece >= WORD_PIECES:
            return
        first, last = piece * n_words // WORD_PIECES, (piece + 1) * n_words // WORD_PIECES
        move_words(postings, topics, counts, sign, first, last)
        if sign < 0:
            take_rows(tables.rows, postings.words, counts.words, tables.word_prior, first, last)
        atomic_add(team, stage * _LINE + 1, 1)


@compiled
def work_on_table(
    team: NDArray[np.int64], text: Text, counts: Counts, tables: Tables, scratch: Scratch
) -> None:
    """Fill the table four starts at a time, as long as there are any."""
    factors = Factors(tables.rows, counts.topics, tables.log_gamma, tables.block)
    n_pieces = (text.cut_tokens.size + STARTS - 2) // STARTS
    while True:
        piece = atomic_add(team, _FILLING * _LINE, 1)
        if piece >= n_pieces:
            return
        fill_spans(tables.weights, text, factors, scratch, piece, n_pieces)
        atomic_add(team, _FILLING * _LINE + 1, 1)


def dismiss(team: NDArray[np.int64]) -> None:
    """Let whoever is still waiting in `assist` go, with nothing to do."""
    for stage in (_TAKING_OUT, _FILLING, _PUTTING_BACK):
        team[stage * _LINE] = 2**62
    team[0] = _PUTTING_BACK


@compiled
def visit(
    team: NDArray[np.int64],
    text: Text,
    postings: Postings,
    offsets: NDArray[np.int64],
    topics: NDArray[np.int64],
    cuts: NDArray[np.int64],
    log_kept: float,
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: Counts,
    tables: Tables,
    scratch: Scratch,
    how: Draws,
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> None:
    """Take a document out of the counts, draw its structure anew, and put it back.

    `team` is all zeros: the stage that the visit has come to, and for each stage the pieces of
    work that were taken and that are done. Whoever is in `assist` meanwhile takes some of them;
    who does which changes nothing, and nobody has to come.
    """
    lay_out(topics, offsets, bag, inversions, counts, -1)
    atomic_add(team, 0, 1)
    work_on_words(team, _TAKING_OUT, postings, topics, counts, tables, -1)
    await_pieces(team, _TAKING_OUT, WORD_PIECES)
    atomic_add(team, 0, 1)
    work_on_table(team, text, counts, tables, scratch)
    await_pieces(team, _FILLING, (text.cut_tokens.size + STARTS - 2) // STARTS)
    weigh_spans(tables.weights, cuts, tables.log_factorial, how.temperature, log_kept, filters)
    draw_structure(
        tables.weights,
        tables.scaled,
        tables.flipped,
        cuts,
        bag,
        inversions,
        how,
        filters,
        uniforms,
    )
    lay_out(topics, offsets, bag, inversions, counts, 1)
    atomic_add(team, 0, 1)
    work_on_words(team, _PUTTING_BACK, postings, topics, counts, tables, 1)
    await_pieces(team, _PUTTING_BACK, WORD_PIECES)


@compiled
def assist(
    team: NDArray[np.int64],
    text: Text,
    postings: Postings,
    topics: NDArray[np.int64],
    counts: Counts,
    tables: Tables,
    scratch: Scratch,
) -> None:
    """Take pieces of a visit that another thread is making, until there are none."""
    await_stage(team, _TAKING_OUT)
    work_on_words(team, _TAKING_OUT, postings, topics, counts, tables, -1)
    await_stage(team, _FILLING)
    work_on_table(team, text, counts, tables, scratch)
    await_stage(team, _PUTTING_BACK)
    work_on_words(team, _PUTTING_BACK, postings, topics, counts, tables, 1)
