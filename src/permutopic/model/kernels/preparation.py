"""A document made ready: its words numbered, its units scored, its table filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import fast_log
from permutopic.model.kernels.span_table import (
    LANES,
    STARTS,
    Factors,
    Scratch,
    Text,
    fill_spans,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.kernels.span_table import Lanes

_ZEROS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@compiled
def number_words(
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    numbers: NDArray[np.int32],
    tokens: NDArray[np.int32],
    found: NDArray[np.int64],
    reach: NDArray[np.int64],
) -> int:
    """Give a document's words numbers by where each is seen last, see `span_table.Text`.

    `numbers` has room for the whole vocabulary, all −1, and is left so. Tells how many there are.
    """
    n_found = 0
    unit = offsets.size - 1
    reach[unit] = 0
    for token in range(words.size - 1, -1, -1):
        while unit > 0 and offsets[unit - 1] > token:
            unit -= 1
            reach[unit] = n_found
        word = words[token]
        if numbers[word] < 0:
            numbers[word] = n_found
            found[n_found] = word
            n_found += 1
        tokens[token] = numbers[word]
    while unit > 0:
        unit -= 1
        reach[unit] = n_found
    for n in range(n_found):
        numbers[found[n]] = -1
    return n_found


@compiled
def leave_out(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    topics: NDArray[np.int64],
    rows: NDArray[np.float64],
    held: NDArray[np.int64],
) -> None:
    """Take a seen document's own words out of a copy of what the topics hold."""
    for unit in range(topics.size):
        topic = topics[unit]
        held[topic] -= offsets[unit + 1] - offsets[unit]
        for token in range(offsets[unit], offsets[unit + 1]):
            rows[topic // LANES, tokens[token], topic % LANES] -= 1.0


@compiled
def add_lanes(sums: Lanes, logs: NDArray[np.float64], word: np.uint64) -> Lanes:
    """Add one token's log probabilities to eight sums; written out, it becomes one vector."""
    return (
        sums[0] + logs[word, 0],
        sums[1] + logs[word, 1],
        sums[2] + logs[word, 2],
        sums[3] + logs[word, 3],
        sums[4] + logs[word, 4],
        sums[5] + logs[word, 5],
        sums[6] + logs[word, 6],
        sums[7] + logs[word, 7],
    )


@compiled
def score_units(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    rows: NDArray[np.float64],
    log_held: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Sum the log probabilities of each unit's words under each topic (eq. 14)."""
    n_topics = scores.shape[1]
    logs = np.empty(rows.shape)
    flat, flat_rows = logs.ravel(), rows.ravel()
    for n in range(flat.size):
        flat[n] = fast_log(flat_rows[n])
    for group in range(rows.shape[0]):
        mine, first = logs[group], group * LANES
        for unit in range(offsets.size - 1):
            sums = _ZEROS
            for token in range(offsets[unit], offsets[unit + 1]):
                sums = add_lanes(sums, mine, np.uint64(tokens[token]))
            size = offsets[unit + 1] - offsets[unit]
            for lane in range(min(LANES, n_topics - first)):
                scores[unit, first + lane] = sums[lane] - size * log_held[first + lane]


@compiled
def choose_cuts(
    chances: NDArray[np.float64],
    bag: NDArray[np.int64],
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Keep each place by its own chance, and every boundary of the structure."""
    n_units = chances.size - 1
    kept = np.zeros(n_units + 1, np.bool_)
    boundary = 0
    kept[0] = True
    for topic in order:
        boundary += bag[topic]
        kept[boundary] = True
    for place in range(n_units + 1):
        kept[place] = kept[place] or uniforms[place] < chances[place]
    return np.flatnonzero(kept)


@compiled
def fill_quick(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    heard: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Fill the table of eq. 14: a span's score is the difference of two sums."""
    n_cuts = cuts.size
    sums = np.zeros(n_cuts)
    for n in range(heard.size):
        running = 0.0
        for cut in range(1, n_cuts):
            for unit in range(cuts[cut - 1], cuts[cut]):
                running += scores[unit, heard[n]]
            sums[cut] = running
        for start in range(n_cuts - 1):
            for behind in range(n_cuts - start - 1):
                cut = start + 1 + behind
                table[n, start, cut] = sums[cut] - sums[start]


@compiled
def pack_rows(rows: NDArray[np.float64], heard: NDArray[np.int64]) -> NDArray[np.float64]:
    """Put the rows of some topics side by side, eight to a vector."""
    n_words, n_heard = rows.shape[1], heard.size
    packed = np.ones(((n_heard + LANES - 1) // LANES, n_words, LANES))
    for n in range(n_heard):
        group, lane = heard[n] // LANES, heard[n] % LANES
        onto, here = n // LANES, n % LANES
        for word in range(n_words):
            packed[onto, word, here] = rows[group, word, lane]
    return packed


@compiled
def fill_exact(table: NDArray[np.float64], text: Text, factors: Factors) -> None:
    """Fill the table of eq. 7."""
    n_cuts = text.cut_tokens.size
    scratch = Scratch(
        np.empty((text.words.size, STARTS)),
        np.empty(STARTS * LANES),
        np.empty(STARTS * LANES),
        np.empty((n_cuts, STARTS * LANES)),
        np.empty((n_cuts, STARTS * LANES)),
    )
    fill_spans(table, text, factors, scratch, 0, 1)


@compiled
def discount(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    chances: NDArray[np.float64],
    heard: NDArray[np.int64],
    hearing: NDArray[np.float64],
    sign: float,
) -> None:
    """Let a boundary weigh 1/p and a topic in use 1/h (sign 1), or take it back (sign −1).

    p is the chance of a boundary's place to become a cut, h the chance of a topic to be heard.
    Given a structure, a set of cuts that has its boundaries is as probable as the product of p or
    1 − p over all other places (see `log_filters.weigh_spans`), and a set of heard topics as the
    product of h or 1 − h over those not in use.
    """
    weights = np.zeros(cuts.size)
    for cut in range(1, cuts.size - 1):
        weights[cut] = np.log(chances[cuts[cut]])
    for n in range(heard.size):
        log_hearing = np.log(hearing[heard[n]])
        for start in range(cuts.size - 1):
            for cut in range(start + 1, cuts.size):
                table[n, start, cut] -= sign * (weights[cut] + log_hearing)
