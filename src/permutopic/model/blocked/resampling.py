"""One visit to a document: its words leave the counts, its structure is drawn, they come back.

Several threads can make one visit. The work of a stage lies there in pieces, and a shared counter
says which is next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import atomic_add, compiled
from permutopic.model.kernels.linear_filters import (
    draw_bag_scaled,
    find_potentials,
    place_topic_scaled,
    scale_topic,
)
from permutopic.model.kernels.log_filters import (
    Draws,
    Filters,
    draw_bag,
    draw_inversions,
    place_topic,
    weigh_starts,
    write_inversions,
)
from permutopic.model.kernels.span_table import (
    LANES,
    STARTS,
    Factors,
    Scratch,
    Text,
    fill_spans,
    take_rows,
)
from permutopic.model.paper.single_draws import fill_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAKING_OUT, _FILLING, _SCALING, _PUTTING_BACK = 1, 2, 3, 4
WORD_PIECES = 32
_LINE = 16  # counters of different stages lie apart, so that threads do not fight for them
TEAM_SIZE = 5 * _LINE


@compiled
def draw_structure(
    table: NDArray[np.float64],
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    fits: bool,
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
    team: NDArray[np.int64],
    text: Text,
    cuts: NDArray[np.int64],
    log_kept: float,
    counts: Counts,
    tables: Tables,
    scratch: Scratch,
    temperature: float,
) -> None:
    """Fill the table with weights, four starts at a time as long as there are any."""
    factors = Factors(tables.rows, counts.topics, tables.log_gamma, tables.block)
    n_pieces = (text.cut_tokens.size + STARTS - 2) // STARTS
    while True:
        piece = atomic_add(team, _FILLING * _LINE, 1)
        if piece >= n_pieces:
            return
        fill_spans(tables.weights, text, factors, scratch, piece, n_pieces)
        weigh_starts(
            tables.weights,
            cuts,
            tables.log_factorial,
            temperature,
            log_kept,
            piece * STARTS,
            (piece + 1) * STARTS,
        )
        atomic_add(team, _FILLING * _LINE + 1, 1)


@compiled
def work_on_scaling(
    team: NDArray[np.int64],
    cuts: NDArray[np.int64],
    tables: Tables,
    log_shares: NDArray[np.float64],
    filters: Filters,
) -> None:
    """Scale the weights topic by topic, as long as there are any; count those that do not fit."""
    while True:
        topic = atomic_add(team, _SCALING * _LINE, 1)
        if topic >= log_shares.size:
            return
        fits = scale_topic(
            tables.weights,
            tables.scaled,
            tables.flipped,
            cuts,
            log_shares[topic],
            topic,
            filters,
        )
        if not fits:
            atomic_add(team, _SCALING * _LINE + 2, 1)
        atomic_add(team, _SCALING * _LINE + 1, 1)


def dismiss(teams: NDArray[np.int64]) -> None:
    """Let whoever is still waiting in `assist` go, with nothing to do."""
    for stage in (_TAKING_OUT, _FILLING, _SCALING, _PUTTING_BACK):
        teams[:, stage * _LINE] = 2**62
    teams[:, 0] = _PUTTING_BACK


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
    work_on_table(team, text, cuts, log_kept, counts, tables, scratch, how.temperature)
    await_pieces(team, _FILLING, (text.cut_tokens.size + STARTS - 2) // STARTS)
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    find_potentials(tables.weights, cuts, order, how.log_shares, filters)
    atomic_add(team, 0, 1)
    work_on_scaling(team, cuts, tables, how.log_shares, filters)
    await_pieces(team, _SCALING, bag.size)
    draw_structure(
        tables.weights,
        tables.scaled,
        tables.flipped,
        atomic_add(team, _SCALING * _LINE + 2, 0) == 0,
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
    cuts: NDArray[np.int64],
    log_kept: float,
    counts: Counts,
    tables: Tables,
    scratch: Scratch,
    how: Draws,
    filters: Filters,
) -> None:
    """Take pieces of a visit that another thread is making, until there are none."""
    await_stage(team, _TAKING_OUT)
    work_on_words(team, _TAKING_OUT, postings, topics, counts, tables, -1)
    await_stage(team, _FILLING)
    work_on_table(team, text, cuts, log_kept, counts, tables, scratch, how.temperature)
    await_stage(team, _SCALING)
    work_on_scaling(team, cuts, tables, how.log_shares, filters)
    await_stage(team, _PUTTING_BACK)
    work_on_words(team, _PUTTING_BACK, postings, topics, counts, tables, 1)


class Library(NamedTuple):
    """All documents one after the other; document d has the entries from `…_firsts[d]` on."""

    tokens: NDArray[np.int32]
    token_firsts: NDArray[np.int64]
    words: NDArray[np.int64]
    word_firsts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    units: NDArray[np.int32]
    counts: NDArray[np.int32]
    posting_firsts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    unit_firsts: NDArray[np.int64]


class Errand(NamedTuple):
    """Documents to visit, in this order, and for each its cuts, its uniforms and its team."""

    documents: NDArray[np.int64]
    cuts: NDArray[np.int64]
    cut_tokens: NDArray[np.int64]
    reach: NDArray[np.int64]
    cut_firsts: NDArray[np.int64]
    log_kept: NDArray[np.float64]
    uniforms: NDArray[np.float64]
    teams: NDArray[np.int64]


class Room(NamedTuple):
    """Room for the largest document of an errand, and what all documents share."""

    weights: NDArray[np.float64]
    scaled: NDArray[np.float64]
    flipped: NDArray[np.float64]
    rows: NDArray[np.float64]
    topics: NDArray[np.int64]
    log_gamma: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    word_prior: float
    block: int


@compiled
def text_of(library: Library, errand: Errand, n: int) -> Text:
    """Give the words and cuts of the n-th document of an errand."""
    d = errand.documents[n]
    first, last = errand.cut_firsts[n], errand.cut_firsts[n + 1]
    return Text(
        library.tokens[library.token_firsts[d] : library.token_firsts[d + 1]],
        library.words[library.word_firsts[d] : library.word_firsts[d + 1]],
        errand.cut_tokens[first:last],
        errand.reach[first:last],
    )


@compiled
def postings_of(library: Library, d: int) -> Postings:
    """Give the postings of a document."""
    first_word, last_word = library.word_firsts[d], library.word_firsts[d + 1]
    first, last = library.posting_firsts[d], library.posting_firsts[d + 1]
    return Postings(
        library.words[first_word:last_word],
        library.firsts[first_word + d : last_word + d + 1],  # one more than it has words
        library.units[first:last],
        library.counts[first:last],
    )


@compiled
def tables_of(room: Room, n_topics: int, n_cuts: int, n_words: int) -> Tables:
    """Cut the tables of a document out of the room."""
    width = (n_cuts + LANES - 1) // LANES * LANES
    size = n_topics * (n_cuts - 1) * width
    n_groups = (n_topics + LANES - 1) // LANES
    return Tables(
        room.weights[:size].reshape((n_topics, n_cuts - 1, width)),
        room.scaled[:size].reshape((n_topics, n_cuts - 1, width)),
        room.flipped[:size].reshape((n_topics, n_cuts - 1, width)),
        room.rows[: n_groups * n_words * LANES].reshape((n_groups, n_words, LANES)),
        room.log_gamma,
        room.log_factorial,
        room.word_prior,
        room.block,
    )


@compiled
def visit_all(
    library: Library,
    errand: Errand,
    room: Room,
    bags: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: Counts,
    scratch: Scratch,
    how: Draws,
    filters: Filters,
) -> None:
    """Visit the documents of an errand one after the other."""
    for n in range(errand.documents.size):
        d = errand.documents[n]
        text = text_of(library, errand, n)
        visit(
            errand.teams[n],
            text,
            postings_of(library, d),
            library.offsets[library.unit_firsts[d] + d : library.unit_firsts[d + 1] + d + 1],
            room.topics,
            errand.cuts[errand.cut_firsts[n] : errand.cut_firsts[n + 1]],
            errand.log_kept[n],
            bags[d],
            inversions[d],
            counts,
            tables_of(room, bags.shape[1], text.cut_tokens.size, text.words.size),
            scratch,
            how,
            filters,
            errand.uniforms[n],
        )


@compiled
def assist_all(
    library: Library,
    errand: Errand,
    room: Room,
    n_topics: int,
    counts: Counts,
    scratch: Scratch,
    how: Draws,
    filters: Filters,
) -> None:
    """Be of use to whoever is in `visit_all` with the same errand."""
    for n in range(errand.documents.size):
        text = text_of(library, errand, n)
        assist(
            errand.teams[n],
            text,
            postings_of(library, errand.documents[n]),
            room.topics,
            errand.cuts[errand.cut_firsts[n] : errand.cut_firsts[n + 1]],
            errand.log_kept[n],
            counts,
            tables_of(room, n_topics, text.cut_tokens.size, text.words.size),
            scratch,
            how,
            filters,
        )
