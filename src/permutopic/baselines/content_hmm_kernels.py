"""Compiled code of the HMM content model: emissions, Viterbi decoding, scores of pieces.

A *bigram* is a word and its *history*, the word before it; the first word of a unit has the history
`n_words`. The last state is the insertion state. Logarithms are natural.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@borrowing
def add_counts(
    words: NDArray[np.int64],
    histories: NDArray[np.int64],
    token_bigrams: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    states: NDArray[np.int64],
    first: int,
    last: int,
    amount: int,
    bigram_counts: NDArray[np.int64],
    history_counts: NDArray[np.int64],
    word_counts: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Add `amount` to the counts for each token of the units first … last − 1.

    Counts have a column for each state but the insertion state, and a last one for the corpus.
    """
    corpus = totals.size - 1
    for unit in range(first, last):
        state = states[unit]
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            bigram, history, word = token_bigrams[token], histories[token], words[token]
            bigram_counts[bigram, corpus] += amount
            history_counts[history, corpus] += amount
            word_counts[word, corpus] += amount
            totals[corpus] += amount
            if state < corpus:
                bigram_counts[bigram, state] += amount
                history_counts[history, state] += amount
                word_counts[word, state] += amount
                totals[state] += amount


@compiled
def leave_one_out_scores(
    words: NDArray[np.int64],
    histories: NDArray[np.int64],
    token_bigrams: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
    states: NDArray[np.int64],
    strengths: NDArray[np.float64],
    bigram_counts: NDArray[np.int64],
    history_counts: NDArray[np.int64],
    word_counts: NDArray[np.int64],
    totals: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Write log p(unit | state) by back-off from the counts of all other documents.

    The insertion state is left out. The counts of a document are subtracted and added back.
    """
    corpus = totals.size - 1
    mu, kappa, nu = strengths
    products = np.empty(corpus)
    for document in range(document_offsets.size - 1):
        first, last = document_offsets[document], document_offsets[document + 1]
        for amount in (-1, 1):
            add_counts(
                words,
                histories,
                token_bigrams,
                unit_offsets,
                states,
                first,
                last,
                amount,
                bigram_counts,
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
                    bigram, history, word = token_bigrams[token], histories[token], words[token]
                    bigram_count = bigram_counts[bigram, corpus]
                    history_total = history_counts[history, corpus] + kappa
                    g = (word_counts[word, corpus] + 1) / (totals[corpus] + word_counts.shape[0])
                    for state in range(corpus):
                        q = (word_counts[word, state] + nu * g) / (totals[state] + nu)
                        r = (bigram_count + kappa * q) / history_total
                        p = (bigram_counts[bigram, state] + mu * r) / (
                            history_counts[history, state] + mu
                        )
                        # One logarithm for many factors, each above 1e-100: no underflow.
                        products[state] *= p
                        if products[state] < 1e-200:
                            scores[unit, state] += math.log(products[state])
                            products[state] = 1.0
                for state in range(corpus):
                    scores[unit, state] += math.log(products[state])


@compiled
def additive_logs(
    bigram_histories: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_words: int,
    smoothing: float,
    seen: NDArray[np.float64],
    unseen: NDArray[np.float64],
) -> None:
    """Write log p(w'|w) with additive smoothing: of counted bigrams to `seen`, others to `unseen`.

    Bigrams are sorted by history. `counts` has a column for each state but the insertion state; the
    results have one more. All unseen bigrams of a state and history have the same probability, so
    the normaliser of the insertion state, Σ_w' (1 − max_i p_i(w'|w)), sums over seen bigrams only.
    """
    n_bigrams, insertion = counts.shape
    totals = np.empty(insertion)
    first = 0
    for history in range(n_words + 1):
        last = first
        while last < n_bigrams and bigram_histories[last] == history:
            last += 1
        totals[:] = smoothing * n_words
        for bigram in range(first, last):
            for state in range(insertion):
                totals[state] += counts[bigram, state]
        highest = 0.0
        for state in range(insertion):
            probability = smoothing / totals[state]
            unseen[history, state] = math.log(probability)
            highest = max(highest, probability)
        unseen_complement = 1.0 - highest
        normaliser = (n_words - (last - first)) * unseen_complement
        for bigram in range(first, last):
            highest_seen = 0.0
            for state in range(insertion):
                probability = (counts[bigram, state] + smoothing) / totals[state]
                seen[bigram, state] = math.log(probability)
                highest_seen = max(highest_seen, probability)
            seen[bigram, insertion] = 1.0 - highest_seen
            normaliser += 1.0 - highest_seen
        # With a single word the complement is empty: the word has probability one.
        single_word = n_words == 1
        unseen[history, insertion] = (
            0.0 if single_word else math.log(unseen_complement / normaliser)
        )
        for bigram in range(first, last):
            probability = seen[bigram, insertion] / normaliser
            seen[bigram, insertion] = 0.0 if single_word else math.log(probability)
        first = last


@borrowing
def score_units(
    token_words: NDArray[np.int64],
    token_histories: NDArray[np.int64],
    token_bigrams: NDArray[np.int64],
    unit_offsets: NDArray[np.int64],
    seen: NDArray[np.float64],
    unseen: NDArray[np.float64],
    words: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Write the log probability of each unit in each state; bigram −1 is an unseen one."""
    n_states = scores.shape[1]
    scores[:] = 0.0
    for unit in range(scores.shape[0]):
        for token in range(unit_offsets[unit], unit_offsets[unit + 1]):
            bigram = token_bigrams[token]
            if bigram >= 0:
                for state in range(n_states):
                    scores[unit, state] += seen[bigram, state]
            else:
                history, word = token_histories[token], token_words[token]
                for state in range(n_states):
                    scores[unit, state] += unseen[history, state] + words[word, state]


@compiled
def viterbi(
    scores: NDArray[np.float64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
    final: NDArray[np.float64],
    states: NDArray[np.int64],
) -> float:
    """Write the most probable states of the units of one document; return the log probability.

    Of equally probable states the lowest is chosen.
    """
    n_units, n_states = scores.shape
    backpointers = np.zeros((n_units, n_states), dtype=np.int64)
    path_scores = initial + scores[0]
    new_scores = np.empty(n_states)
    for unit in range(1, n_units):
        for state in range(n_states):
            best, source = -np.inf, 0
            for other in range(n_states):
                value = path_scores[other] + transitions[other, state]
                if value > best:
                    best, source = value, other
            new_scores[state] = best + scores[unit, state]
            backpointers[unit, state] = source
        path_scores[:] = new_scores
    path_scores += final
    state = 0
    for other in range(1, n_states):
        if path_scores[other] > path_scores[state]:
            state = other
    total = path_scores[state]
    for unit in range(n_units - 1, -1, -1):
        states[unit] = state
        state = backpointers[unit, state]
    return float(total)


@compiled
def viterbi_all(
    scores: NDArray[np.float64],
    document_offsets: NDArray[np.int64],
    initial: NDArray[np.float64],
    transitions: NDArray[np.float64],
    final: NDArray[np.float64],
    states: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> None:
    """Run `viterbi` on every document."""
    for document in range(totals.size):
        first, last = document_offsets[document], document_offsets[document + 1]
        totals[document] = viterbi(
            scores[first:last], initial, transitions, final, states[first:last]
        )


@compiled
def score_piece(
    scores: NDArray[np.float64], transitions: NDArray[np.float64], piece: NDArray[np.float64]
) -> None:
    """Write the maximum log probability of a path from each first to each last state."""
    n_units, n_states = scores.shape
    new_scores = np.empty(n_states)
    for start in range(n_states):
        row = piece[start]
        row[:] = -np.inf
        row[start] = scores[0, start]
        for unit in range(1, n_units):
            for state in range(n_states):
                best = -np.inf
                for other in range(n_states):
                    best = max(best, row[other] + transitions[other, state])
                new_scores[state] = best + scores[unit, state]
            row[:] = new_scores
