"""The compiled code of the HMM content model: emissions, decoding, scores of pieces.

A *pair* is a word and the one before it, its *history*; the first word of a unit has the history
`n_words`. The last state is the insertion state. Probabilities are natural logarithms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def add_counts(
    words: NDArray[np.int64],
    histories: NDArray[np.int64],
    token_pairs: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    states: NDArray[np.int64],
    first: int,
    last: int,
    amount: int,
    pair_counts: NDArray[np.int64],
    history_counts: NDArray[np.int64],
    word_counts: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Add the tokens of the units from `first` to before `last` to the counts, `amount` times.

    Counts have a column for each state but the insertion state, and a last one for the corpus.
    """
    corpus = totals.size - 1
    for unit in range(first, last):
        state = states[unit]
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            pair, history, word = token_pairs[token], histories[token], words[token]
            pair_counts[pair, corpus] += amount
            history_counts[history, corpus] += amount
            word_counts[word, corpus] += amount
            totals[corpus] += amount
            if state < corpus:
                pair_counts[pair, state] += amount
                history_counts[history, state] += amount
                word_counts[word, state] += amount
                totals[state] += amount


@compiled
def left_out_scores(
    words: NDArray[np.int64],
    histories: NDArray[np.int64],
    token_pairs: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
    states: NDArray[np.int64],
    strengths: NDArray[np.float64],
    pair_counts: NDArray[np.int64],
    history_counts: NDArray[np.int64],
    word_counts: NDArray[np.int64],
    totals: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Write the log probability of each unit by the counts of all other documents, with back-off.

    The insertion state's are not written. A document's own counts are taken out and put back.
    """
    corpus = totals.size - 1
    of_pairs, of_corpus, of_words = strengths
    products = np.empty(corpus)
    for document in range(document_offsets.size - 1):
        first, last = document_offsets[document], document_offsets[document + 1]
        for amount in (-1, 1):
            add_counts(
                words,
                histories,
                token_pairs,
                unit_offsets,
                states,
                first,
                last,
                amount,
                pair_counts,
                history_counts,
                word_counts,
                totals,
            )
            if amount == 1:
                break
            for unit in range(first, last):
                products[:] = 1.0
                scores[unit, :corpus] = 0.0
                for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
                    pair, history, word = token_pairs[token], histories[token], words[token]
                    seen = pair_counts[pair, corpus]
                    before = history_counts[history, corpus] + of_corpus
                    share = (word_counts[word, corpus] + 1) / (
                        totals[corpus] + word_counts.shape[0]
                    )
                    for state in range(corpus):
                        q = (word_counts[word, state] + of_words * share) / (
                            totals[state] + of_words
                        )
                        r = (seen + of_corpus * q) / before
                        p = (pair_counts[pair, state] + of_pairs * r) / (
                            history_counts[history, state] + of_pairs
                        )
                        # One logarithm for many factors; none is as small as 1e-100.
                        products[state] *= p
                        if products[state] < 1e-200:
                            scores[unit, state] += math.log(products[state])
                            products[state] = 1.0
                for state in range(corpus):
                    scores[unit, state] += math.log(products[state])


@compiled
def emission_logs(
    pair_histories: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_words: int,
    smoothing: float,
    seen: NDArray[np.float64],
    unseen: NDArray[np.float64],
) -> None:
    """Write log p(w'|w): of known pairs to `seen`, of any other successor of a word to `unseen`.

    Pairs are sorted by their history. `counts` has one column for each state but the insertion
    state; the results have one more. What is unseen shares one value a state and history, so the
    normaliser of the insertion state, Σ_w' (1 − max_i p_i(w'|w)), takes the known pairs only.
    """
    n_pairs, n_others = counts.shape
    totals = np.empty(n_others)
    first = 0
    for history in range(n_words + 1):
        last = first
        while last < n_pairs and pair_histories[last] == history:
            last += 1
        totals[:] = smoothing * n_words
        for pair in range(first, last):
            for state in range(n_others):
                totals[state] += counts[pair, state]
        highest = 0.0
        for state in range(n_others):
            probability = smoothing / totals[state]
            unseen[history, state] = math.log(probability)
            highest = max(highest, probability)
        rest = 1.0 - highest
        normaliser = (n_words - (last - first)) * rest
        for pair in range(first, last):
            top = 0.0
            for state in range(n_others):
                probability = (counts[pair, state] + smoothing) / totals[state]
                seen[pair, state] = math.log(probability)
                top = max(top, probability)
            seen[pair, n_others] = 1.0 - top
            normaliser += 1.0 - top
        # With a single word there is nothing to complement: it has probability one.
        alone = n_words == 1
        unseen[history, n_others] = 0.0 if alone else math.log(rest / normaliser)
        for pair in range(first, last):
            share = seen[pair, n_others] / normaliser
            seen[pair, n_others] = 0.0 if alone else math.log(share)
        first = last


@compiled
def score_units(
    token_words: NDArray[np.int64],
    token_histories: NDArray[np.int64],
    token_pairs: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    seen: NDArray[np.float64],
    unseen: NDArray[np.float64],
    words: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Write the log probability of each unit in each state; a pair of −1 is one never seen."""
    n_states = scores.shape[1]
    scores[:] = 0.0
    for unit in range(scores.shape[0]):
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            pair = token_pairs[token]
            if pair >= 0:
                for state in range(n_states):
                    scores[unit, state] += seen[pair, state]
            else:
                history, word = token_histories[token], token_words[token]
                for state in range(n_states):
                    scores[unit, state] += unseen[history, state] + words[word, state]


@compiled
def decode(
    scores: NDArray[np.float64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
    final: NDArray[np.float64],
    states: NDArray[np.int64],
) -> float:
    """Write the most probable states of one document's units; give their log probability.

    Of states that are equally good the lowest is taken.
    """
    n_units, n_states = scores.shape
    before = np.zeros((n_units, n_states), dtype=np.int64)
    ends = initial + scores[0]
    reached = np.empty(n_states)
    for unit in range(1, n_units):
        for state in range(n_states):
            best, source = -np.inf, 0
            for other in range(n_states):
                value = ends[other] + transitions[other, state]
                if value > best:
                    best, source = value, other
            reached[state] = best + scores[unit, state]
            before[unit, state] = source
        ends[:] = reached
    ends += final
    state = 0
    for other in range(1, n_states):
        if ends[other] > ends[state]:
            state = other
    total = ends[state]
    for unit in range(n_units - 1, -1, -1):
        states[unit] = state
        state = before[unit, state]
    return float(total)


@compiled
def decode_all(
    scores: NDArray[np.float64],
    document_offsets: NDArray[np.int64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
    final: NDArray[np.float64],
    states: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> None:
    """Decode every document by itself."""
    for document in range(totals.size):
        first, last = document_offsets[document], document_offsets[document + 1]
        totals[document] = decode(
            scores[first:last], initial, transitions, final, states[first:last]
        )


@compiled
def score_piece(
    scores: NDArray[np.float64], transitions: NDArray[np.float64], piece: NDArray[np.float64]
) -> None:
    """Write the best log probability of units on a path from each state to each state."""
    n_units, n_states = scores.shape
    reached = np.empty(n_states)
    for start in range(n_states):
        row = piece[start]
        row[:] = -np.inf
        row[start] = scores[0, start]
        for unit in range(1, n_units):
            for state in range(n_states):
                best = -np.inf
                for other in range(n_states):
                    best = max(best, row[other] + transitions[other, state])
                reached[state] = best + scores[unit, state]
            row[:] = reached
