"""Preparing a document: its own vocabulary, scores of its units, its cuts and span table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.arrays import indices_of, take_integers
from permutopic.model.kernels.elementary import fast_log
from permutopic.model.kernels.lanes import LANES, ZEROS, add_lanes
from permutopic.model.kernels.span_table import (
    CutDocument,
    TopicFactors,
    fill_spans,
    make_scratch,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import DocumentTokens

_3 = np.uint64(3)


class LocalDocument(NamedTuple):
    """A document in a vocabulary of its own, see `span_table.CutDocument`.

    `tokens` are numbers of the own vocabulary, `words[w]` is the corpus's number of own word w,
    `offsets` the first token of every unit, and `reach[u]` the number of different words from unit
    u on.
    """

    tokens: NDArray[np.int32]
    words: NDArray[np.int64]
    offsets: NDArray[np.int64]
    reach: NDArray[np.int64]


@compiled
def localize(document: DocumentTokens, numbers: NDArray[np.int32]) -> LocalDocument:
    """Return a document with its words numbered by their last occurrence, from the end.

    `numbers` is scratch memory for the whole vocabulary, −1 everywhere before and after the call.
    """
    words, offsets = document.words, document.offsets
    tokens = np.empty(words.size, np.int32)
    found = np.empty(words.size, np.int64)
    reach = np.empty(offsets.size, np.int64)
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
    return LocalDocument(tokens, found[:n_found].copy(), offsets, reach)


@compiled
def at_cuts(local: LocalDocument, cuts: NDArray[np.int64]) -> CutDocument:
    """Return the document with some of its positions as cuts."""
    cut_tokens, reach = take_integers(local.offsets, cuts), take_integers(local.reach, cuts)
    return CutDocument(local.tokens, local.words, cut_tokens, reach)


@borrowing
def remove_own_tokens(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    topics: NDArray[np.int64],
    rows: NDArray[np.float64],
    topic_tokens: NDArray[np.int64],
) -> None:
    """Subtract a fitted document's own tokens from a copy of the topics' counts."""
    for unit in range(topics.size):
        topic = topics[unit]
        topic_tokens[topic] -= offsets[unit + 1] - offsets[unit]
        for token in range(offsets[unit], offsets[unit + 1]):
            rows[topic // LANES, tokens[token], topic % LANES] -= 1.0


@compiled
def score_units(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    rows: NDArray[np.float64],
    log_totals: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Compute the log probability of each unit's words under each topic (eq. 14).

    `log_totals[k]` is log(N_k + Wβ0).
    """
    n_topics = scores.shape[1]
    logs = np.empty(rows.shape)
    flat, flat_rows = logs.ravel(), rows.ravel()
    for n in range(flat.size):
        flat[n] = fast_log(flat_rows[n])
    for group in range(rows.shape[0]):
        group_logs, first = logs[group].ravel(), group * LANES
        for unit in range(offsets.size - 1):
            sums = ZEROS
            for token in range(offsets[unit], offsets[unit + 1]):
                sums = add_lanes(sums, group_logs, np.uint64(tokens[token]) << _3, 1.0)
            size = offsets[unit + 1] - offsets[unit]
            for lane in range(min(LANES, n_topics - first)):
                scores[unit, first + lane] = sums[lane] - size * log_totals[first + lane]


@compiled
def draw_cuts(
    cut_probabilities: NDArray[np.float64],
    bag: NDArray[np.int64],
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Make each position a cut by its own probability, and every present boundary one."""
    n_units = cut_probabilities.size - 1
    kept = np.zeros(n_units + 1, np.bool_)
    boundary = 0
    kept[0] = True
    for topic in order:
        boundary += bag[topic]
        kept[boundary] = True
    for position in range(n_units + 1):
        kept[position] = kept[position] or uniforms[position] < cut_probabilities[position]
    return indices_of(kept)


@compiled
def fill_point_estimate(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    active: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Fill the table with the words as known (eq. 14): differences of prefix sums of `scores`."""
    n_cuts = cuts.size
    sums = np.zeros(n_cuts)
    for n in range(active.size):
        running = 0.0
        for cut in range(1, n_cuts):
            for unit in range(cuts[cut - 1], cuts[cut]):
                running += scores[unit, active[n]]
            sums[cut] = running
        for start in range(n_cuts - 1):
            for behind in range(n_cuts - start - 1):
                cut = start + 1 + behind
                table[n, start, cut] = sums[cut] - sums[start]


@compiled
def select_rows(rows: NDArray[np.float64], active: NDArray[np.int64]) -> NDArray[np.float64]:
    """Copy the rows of the active topics, eight side by side."""
    n_words, n_active = rows.shape[1], active.size
    selected = np.empty(((n_active + LANES - 1) // LANES, n_words, LANES))
    selected[:] = 1.0
    for n in range(n_active):
        group, lane = active[n] // LANES, active[n] % LANES
        onto, here = n // LANES, n % LANES
        for word in range(n_words):
            selected[onto, word, here] = rows[group, word, lane]
    return selected


@compiled
def fill_marginal(
    table: NDArray[np.float64],
    document: CutDocument,
    rows: NDArray[np.float64],
    factors: TopicFactors,
) -> None:
    """Fill the table with the words integrated out (eq. 7)."""
    scratch = make_scratch(document.words.size, document.cut_tokens.size)
    fill_spans(table, document, rows, factors, scratch, 0, 1)


@compiled
def weigh_inclusion(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    cut_probabilities: NDArray[np.float64],
    active: NDArray[np.int64],
    inclusion: NDArray[np.float64],
    sign: float,
) -> None:
    """Make a boundary weigh 1/p and a topic in use 1/h (sign 1), or undo that (sign −1).

    p is the cut probability of a boundary's position, h the inclusion probability of a topic.
    Given a structure, a set of cuts that has its boundaries has probability Π p or 1 − p over all
    other positions (see `log_filters.scores_to_weights`), and a set of active topics Π h or 1 − h
    over those not in use.
    """
    weights = np.zeros(cuts.size)
    for cut in range(1, cuts.size - 1):
        weights[cut] = np.log(cut_probabilities[cuts[cut]])
    for n in range(active.size):
        log_inclusion = np.log(inclusion[active[n]])
        for start in range(cuts.size - 1):
            for cut in range(start + 1, cuts.size):
                table[n, start, cut] -= sign * (weights[cut] + log_inclusion)
