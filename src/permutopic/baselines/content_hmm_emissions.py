"""What the states of the HMM content model emit: counts of pairs of words, and their smoothing.

`content_hmm.py` has the formulas. Tables are `seen`, `unseen` and `words` of a `ContentHmm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.content_hmm_kernels import add_counts, emission_logs, left_out_scores
from permutopic.baselines.content_hmm_states import histories_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

    Tables = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class Tokens(NamedTuple):
    """A corpus as the kernels want it; `pairs` as in `ContentHmm`, `token_pairs` their numbers."""

    n_words: int
    words: NDArray[np.int64]
    histories: NDArray[np.int64]
    pairs: NDArray[np.int64]
    token_pairs: NDArray[np.int64]
    unit_offsets: NDArray[np.int64]
    document_offsets: NDArray[np.int64]


class Counts(NamedTuple):
    """Counts by state, the insertion state left out; in the last column those of the corpus.

    Of the pairs of a model: (P, m); of words as first words, V the start: (V + 1, m); of words:
    (V, m); of all tokens: (m,).
    """

    pairs: NDArray[np.int64]
    histories: NDArray[np.int64]
    words: NDArray[np.int64]
    totals: NDArray[np.int64]


def tokens_of(corpus: Corpus) -> Tokens:
    """Give every pair of words of a corpus its number."""
    words = corpus.words.astype(np.int64)
    histories = histories_of(words, corpus.unit_offsets, corpus.n_words)
    pairs, token_pairs = np.unique(histories * corpus.n_words + words, return_inverse=True)
    offsets = corpus.unit_offsets, corpus.document_offsets
    return Tokens(corpus.n_words, words, histories, pairs, token_pairs, *offsets)


def _count(tokens: Tokens, states: NDArray[np.int64], n_others: int) -> Counts:
    counts = Counts(
        np.zeros((tokens.pairs.size, n_others + 1), dtype=np.int64),
        np.zeros((tokens.n_words + 1, n_others + 1), dtype=np.int64),
        np.zeros((tokens.n_words, n_others + 1), dtype=np.int64),
        np.zeros(n_others + 1, dtype=np.int64),
    )
    add_counts(
        tokens.words,
        tokens.histories,
        tokens.token_pairs,
        tokens.unit_offsets,
        states,
        0,
        states.size,
        1,
        *counts,
    )
    return counts


def additive_tables(
    tokens: Tokens, states: NDArray[np.int64], n_others: int, smoothing: float
) -> Tables:
    """Give `seen`, `unseen` and `words` of a model as in the paper."""
    counts = np.ascontiguousarray(_count(tokens, states, n_others).pairs[:, :-1])
    seen = np.empty((tokens.pairs.size, n_others + 1))
    unseen = np.empty((tokens.n_words + 1, n_others + 1))
    histories = tokens.pairs // tokens.n_words
    emission_logs(histories, counts, tokens.n_words, smoothing, seen, unseen)
    return seen, unseen, np.zeros((tokens.n_words, n_others + 1))


def backoff_tables(
    tokens: Tokens, states: NDArray[np.int64], n_others: int, strengths: NDArray[np.float64]
) -> Tables:
    """Give `seen`, `unseen` and `words` of a model with back-off."""
    return backoff_logs(tokens.pairs, _count(tokens, states, n_others), strengths)


def scores_left_out(
    tokens: Tokens, states: NDArray[np.int64], n_others: int, strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Score units in each state with back-off, by the counts of all other documents: (units, m).

    The insertion state is scored by those of all documents.
    """
    counts = _count(tokens, states, n_others)
    insertion = _insertion_logs(_word_shares(counts, strengths[2]))
    scores = np.empty((states.size, n_others + 1))
    left_out_scores(
        tokens.words,
        tokens.histories,
        tokens.token_pairs,
        tokens.unit_offsets,
        tokens.document_offsets,
        states,
        strengths,
        *counts,
        scores,
    )
    by_word = np.concatenate([[0.0], np.cumsum(insertion[tokens.words])])
    scores[:, n_others] = by_word[tokens.unit_offsets[1:]] - by_word[tokens.unit_offsets[:-1]]
    return scores


def backoff_logs(
    pairs: NDArray[np.int64], counts: Counts, strengths: NDArray[np.float64]
) -> Tables:
    """Compute `seen`, `unseen` and `words` of a model with back-off; strengths are μ, κ and ν."""
    of_pairs, of_corpus, of_words = strengths
    n_words = counts.words.shape[0]
    histories, seconds = np.divmod(pairs, n_words)
    q = _word_shares(counts, of_words)
    before = counts.histories[:, -1:] + of_corpus
    r = (counts.pairs[:, -1:] + of_corpus * q[seconds]) / before[histories]
    own = counts.histories[:, :-1] + of_pairs
    seen = np.log((counts.pairs[:, :-1] + of_pairs * r) / own[histories])
    unseen = np.log(of_pairs / own * of_corpus / before)
    insertion = _insertion_logs(q)
    return (
        np.column_stack([seen, insertion[seconds]]),
        np.column_stack([unseen, np.zeros(n_words + 1)]),
        np.column_stack([np.log(q), insertion]),
    )


def _word_shares(counts: Counts, strength: float) -> NDArray[np.float64]:
    """Compute q, the words of each state backed off to those of the corpus: (V, m − 1)."""
    share = (counts.words[:, -1:] + 1) / (counts.totals[-1] + counts.words.shape[0])
    found: NDArray[np.float64] = (counts.words[:, :-1] + strength * share) / (
        counts.totals[:-1] + strength
    )
    return found


def _insertion_logs(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Complement the words of all states: log p of each word in the insertion state."""
    # With a single word there is nothing to complement: it has probability one.
    rest = np.ones(1) if q.shape[0] == 1 else 1 - q.max(axis=1, initial=0.0)
    found: NDArray[np.float64] = np.log(rest / rest.sum())
    return found
