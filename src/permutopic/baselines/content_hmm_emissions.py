"""Emissions of the HMM content model: bigram counts by state, and their smoothing.

`content_hmm.py` has the equations. Tables are `seen`, `unseen` and `words` of a `ContentHmm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.content_hmm_kernels import add_counts, additive_logs, leave_one_out_scores
from permutopic.baselines.content_hmm_states import histories_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

    EmissionTables = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class BigramCorpus(NamedTuple):
    """A corpus with its distinct bigrams, as in `ContentHmm`, and the bigram of each token."""

    n_words: int
    words: NDArray[np.int64]
    histories: NDArray[np.int64]
    bigrams: NDArray[np.int64]
    token_bigrams: NDArray[np.int64]
    unit_offsets: NDArray[np.int64]
    document_offsets: NDArray[np.int64]


class EmissionCounts(NamedTuple):
    """Counts by state, without the insertion state; the last column is that of the corpus.

    bigrams
        (P, m): of each distinct bigram.
    histories
        (V + 1, m): of each word as the first of a bigram; V is the start of a unit.
    words, totals
        (V, m) and (m,): of each word, and of all tokens.
    """

    bigrams: NDArray[np.int64]
    histories: NDArray[np.int64]
    words: NDArray[np.int64]
    totals: NDArray[np.int64]


def encode_bigrams(corpus: Corpus) -> BigramCorpus:
    """Find the distinct bigrams of a corpus, and the bigram of each token."""
    words = corpus.words.astype(np.int64)
    histories = histories_of(words, corpus.unit_offsets, corpus.n_words)
    bigrams, token_bigrams = np.unique(histories * corpus.n_words + words, return_inverse=True)
    offsets = corpus.unit_offsets, corpus.document_offsets
    return BigramCorpus(corpus.n_words, words, histories, bigrams, token_bigrams, *offsets)


def _count(corpus: BigramCorpus, states: NDArray[np.int64], insertion: int) -> EmissionCounts:
    counts = EmissionCounts(
        np.zeros((corpus.bigrams.size, insertion + 1), dtype=np.int64),
        np.zeros((corpus.n_words + 1, insertion + 1), dtype=np.int64),
        np.zeros((corpus.n_words, insertion + 1), dtype=np.int64),
        np.zeros(insertion + 1, dtype=np.int64),
    )
    add_counts(
        corpus.words,
        corpus.histories,
        corpus.token_bigrams,
        corpus.unit_offsets,
        states,
        0,
        states.size,
        1,
        *counts,
    )
    return counts


def additive_tables(
    corpus: BigramCorpus, states: NDArray[np.int64], insertion: int, smoothing: float
) -> EmissionTables:
    """Compute `seen`, `unseen` and `words` with additive smoothing, as in the paper."""
    counts = np.ascontiguousarray(_count(corpus, states, insertion).bigrams[:, :-1])
    seen = np.empty((corpus.bigrams.size, insertion + 1))
    unseen = np.empty((corpus.n_words + 1, insertion + 1))
    histories = corpus.bigrams // corpus.n_words
    additive_logs(histories, counts, corpus.n_words, smoothing, seen, unseen)
    return seen, unseen, np.zeros((corpus.n_words, insertion + 1))


def backoff_tables(
    corpus: BigramCorpus, states: NDArray[np.int64], insertion: int, strengths: NDArray[np.float64]
) -> EmissionTables:
    """Compute `seen`, `unseen` and `words` with back-off from the states of all units."""
    return backoff_logs(corpus.bigrams, _count(corpus, states, insertion), strengths)


def score_units_leave_one_out(
    corpus: BigramCorpus, states: NDArray[np.int64], insertion: int, strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute log p(unit | state) by back-off without the unit's own document: (units, m).

    The insertion state is scored by the counts of all documents.
    """
    counts = _count(corpus, states, insertion)
    insertion_logs = _insertion_logs(_smoothed_words(counts, strengths[2]))
    scores = np.empty((states.size, insertion + 1))
    leave_one_out_scores(
        corpus.words,
        corpus.histories,
        corpus.token_bigrams,
        corpus.unit_offsets,
        corpus.document_offsets,
        states,
        strengths,
        *counts,
        scores,
    )
    by_word = np.concatenate([[0.0], np.cumsum(insertion_logs[corpus.words])])
    scores[:, insertion] = by_word[corpus.unit_offsets[1:]] - by_word[corpus.unit_offsets[:-1]]
    return scores


def backoff_logs(
    bigrams: NDArray[np.int64], counts: EmissionCounts, strengths: NDArray[np.float64]
) -> EmissionTables:
    """Compute `seen`, `unseen` and `words` with back-off from counts; strengths are μ, κ and ν."""
    mu, kappa, nu = strengths
    n_words = counts.words.shape[0]
    histories, seconds = np.divmod(bigrams, n_words)
    q = _smoothed_words(counts, nu)
    history_totals = counts.histories[:, -1:] + kappa
    r = (counts.bigrams[:, -1:] + kappa * q[seconds]) / history_totals[histories]
    state_totals = counts.histories[:, :-1] + mu
    seen = np.log((counts.bigrams[:, :-1] + mu * r) / state_totals[histories])
    unseen = np.log(mu / state_totals * kappa / history_totals)
    insertion = _insertion_logs(q)
    return (
        np.column_stack([seen, insertion[seconds]]),
        np.column_stack([unseen, np.zeros(n_words + 1)]),
        np.column_stack([np.log(q), insertion]),
    )


def _smoothed_words(counts: EmissionCounts, strength: float) -> NDArray[np.float64]:
    """Compute q, the word probabilities of each state backed off to the corpus: (V, m − 1)."""
    share = (counts.words[:, -1:] + 1) / (counts.totals[-1] + counts.words.shape[0])
    q: NDArray[np.float64] = (counts.words[:, :-1] + strength * share) / (
        counts.totals[:-1] + strength
    )
    return q


def _insertion_logs(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute log p of each word in the insertion state, the complement of all other states."""
    # With a single word the complement is empty: the word has probability one.
    complement = np.ones(1) if q.shape[0] == 1 else 1 - q.max(axis=1, initial=0.0)
    logs: NDArray[np.float64] = np.log(complement / complement.sum())
    return logs
