"""One visit to a document: its words leave the counts, its structure is drawn, they come back."""

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
from permutopic.model.compile import compiled
from permutopic.model.kernels import fill_order
from permutopic.model.scaled_kernels import (
    draw_bag_scaled,
    find_potentials,
    place_topic_scaled,
    scale_weights,
)
from permutopic.model.span_table import take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    scale_weights(table, scaled, flipped, cuts, how.log_shares, filters)
    every_place = cuts.size == cuts[-1] + 1
    used = 0
    for _ in range(how.rounds):
        for _ in range(how.placements):
            topic = int(uniforms[used] * n_topics)
            if not place_topic_scaled(
                scaled, flipped, cuts.size, order, topic, how, filters, uniforms[used + 1]
            ):
                place_topic(table, cuts, order, topic, how, filters, uniforms[used + 1])
            used += 2
        if not draw_bag_scaled(scaled, cuts, order, filters, bag, uniforms[used:]):
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


@compiled
def lay_out(
    offsets: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    topic_words: NDArray[np.int64],
    sign: int,
) -> NDArray[np.int64]:
    """Give each unit its topic, and add (sign 1) its tokens to the topics' totals or take them."""
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    topics = np.empty(offsets.size - 1, np.int64)
    unit = 0
    for topic in order:
        last = unit + bag[topic]
        topics[unit:last] = topic
        topic_words[topic] += sign * (offsets[last] - offsets[unit])
        unit = last
    return topics


@compiled
def move_words(
    postings: Postings, topics: NDArray[np.int64], word_counts: NDArray[np.int32], sign: int
) -> None:
    """Add (sign 1) a document's tokens to the counts or take them out (sign −1)."""
    for w in range(postings.words.size):
        word = postings.words[w]
        for p in range(postings.firsts[w], postings.firsts[w + 1]):
            word_counts[word, topics[postings.units[p]]] += sign * postings.counts[p]


@compiled
def take_out(
    postings: Postings,
    offsets: NDArray[np.int64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    topic_words: NDArray[np.int64],
    rows: NDArray[np.float64],
    word_prior: float,
) -> None:
    """First part of a visit: take the document out, and copy what the topics hold of its words."""
    topics = lay_out(offsets, bag, inversions, topic_words, -1)
    move_words(postings, topics, word_counts, -1)
    take_rows(rows, postings.words, word_counts, word_prior)


@compiled
def put_back(
    table: NDArray[np.float64],
    scaled: NDArray[np.float64],
    flipped: NDArray[np.float64],
    postings: Postings,
    offsets: NDArray[np.int64],
    cuts: NDArray[np.int64],
    log_kept: float,
    log_factorial: NDArray[np.float64],
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    topic_words: NDArray[np.int64],
    how: Draws,
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> None:
    """Last part, the table being filled: draw the structure, and put the document back."""
    weigh_spans(table, cuts, log_factorial, how.temperature, log_kept, filters)
    draw_structure(table, scaled, flipped, cuts, bag, inversions, how, filters, uniforms)
    topics = lay_out(offsets, bag, inversions, topic_words, 1)
    move_words(postings, topics, word_counts, 1)
