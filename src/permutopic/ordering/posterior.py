"""Posterior of the topic of a piece (eq. 13), and of its topic and position together.

Eq. 13 takes every word of a piece for independent evidence, so that a piece of a hundred words is
certain of its topic and often wrong. `joint_posterior` weights the log likelihoods of words in four
steps that were chosen by cross-validation (docs/studies/ordering.md):

- a word with count c has the weight log(1 + c);
- times 1 − log m / log(n + 1) if m of the n pieces have it: a word of all pieces (the name of the
  city) does not distinguish them;
- half the weighted mean over the words of all n pieces is subtracted from each word's log
  likelihoods: what is common to all pieces (the style of a later year) favours no position;
- log likelihoods are scaled to grow with the square root of a piece's length, not linearly.

A piece without a known word has the prior as its posterior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from permutopic import dirichlet
from permutopic.ordering.positions import N_POSITIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.distinct_pieces import DistinctPieces
    from permutopic.ordering.positions import PositionCounts

MIDPOINTS = (np.arange(N_POSITIONS) + 0.5) / N_POSITIONS
"""Midpoints of the positions in a document that goes from 0 to 1."""
BANDWIDTH = 0.1
"""Standard deviation of the kernel that smooths positions, as a share of a document."""
WORD_PSEUDOCOUNT = 0.2
"""Units added at every position for each word of the vocabulary, distributed over words by their
frequency: it makes the positions of rare words uniform."""
TOPIC_PSEUDOCOUNT = 0.5
"""Units added for each topic at every position."""
COMMON_SHARE = 0.5
"""Share of the mean log likelihood over all pieces that is subtracted."""
REFERENCE_LENGTH = 100.0
"""Length of a piece, in weighted words, whose log likelihood is left unscaled."""


def topic_posterior(pieces: DistinctPieces, state: State, priors: Priors) -> NDArray[np.float64]:
    """Compute P(topic | words) as in eq. 13, with β̂ and θ̂ of eq. 14 and 15: (U, K)."""
    prevalence = dirichlet.mean(state.bag.sum(axis=0), priors.topic)
    log_words = log_word_probabilities(pieces.words, state, priors)
    return _normalized(pieces.counts @ log_words + np.log(prevalence))


def log_word_probabilities(
    words: NDArray[np.int64], state: State, priors: Priors
) -> NDArray[np.float64]:
    """Compute log β̂ (eq. 14) of some words: (V, K); 0 for subject words, which tell no topic."""
    totals = state.topic_tokens + np.count_nonzero(~state.subject_words) * priors.word
    table: NDArray[np.float64] = np.log(state.word_counts[words] + priors.word) - np.log(totals)
    table[state.subject_words[words]] = 0.0
    return table


def joint_posterior(
    pieces: DistinctPieces, state: State, priors: Priors, positions: PositionCounts
) -> NDArray[np.float64]:
    """Compute P(topic, position | words) with weighted log likelihoods: (U, K, 20).

    The prior is the smoothed share of units of each topic at each position. Words depend on the
    topic and on the position, without an interaction of the two.
    """
    prior = positions.topic_positions @ _smoothing_kernel() + TOPIC_PSEUDOCOUNT
    weights, multiplicity = word_weights(pieces), pieces.multiplicity
    topic = _log_likelihood(
        weights, multiplicity, log_word_probabilities(pieces.words, state, priors)
    )
    position = _log_likelihood(
        weights, multiplicity, log_position_probabilities(pieces.words, positions)
    )
    scores = topic[:, :, None] + position[:, None, :] + np.log(prior / prior.sum())
    flat = _normalized(scores.reshape(scores.shape[0], -1))
    return flat.reshape(scores.shape)


def log_position_probabilities(
    words: NDArray[np.int64], positions: PositionCounts
) -> NDArray[np.float64]:
    """Compute log P(word | position) of some words: (V, 20).

    The counts of units are smoothed over neighbouring positions, and shrunk towards the word's
    overall frequency.
    """
    kernel = _smoothing_kernel()
    totals = positions.word_positions.sum(axis=0, dtype=np.int64)
    counts = positions.word_positions[words]
    shares = np.maximum(counts.sum(axis=1, keepdims=True), 1) / totals.sum()
    prior = WORD_PSEUDOCOUNT * positions.word_positions.shape[0]
    table: NDArray[np.float64] = np.log(
        (counts @ kernel + prior * shares) / (totals @ kernel + prior)
    )
    return table


def word_weights(pieces: DistinctPieces) -> csr_array:
    """Compute the weight of each word in each piece, log(1 + c) · (1 − log m / log(n + 1)): (U, V).

    c is the count of the word in the piece, m the number of pieces that have it, n that of all.
    """
    weights = pieces.counts.astype(np.float64)
    weights.data = np.log1p(weights.data)
    n_with_word = (pieces.counts > 0).T @ pieces.multiplicity
    rarity = 1 - np.log(np.maximum(n_with_word, 1)) / np.log(pieces.multiplicity.sum() + 1)
    weights.data *= rarity[weights.indices]
    return weights


def _log_likelihood(
    weights: csr_array, multiplicity: NDArray[np.int64], table: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum weighted rows of a (V, x) table over the words of each piece, centre and scale: (U, x).

    With T the sum of a piece's weights: √(100 / T) · Σ_w t_w · (table[w] − ½ · mean).
    """
    scores = np.asarray(weights @ table)
    lengths = np.asarray(weights.sum(axis=1)).ravel()
    total = float(multiplicity @ lengths)
    if total > 0:
        scores = scores - COMMON_SHARE * np.outer(lengths, (multiplicity @ scores) / total)
    scale = np.sqrt(REFERENCE_LENGTH / np.where(lengths > 0, lengths, 1.0))
    scaled: NDArray[np.float64] = scores * scale[:, None]
    return scaled


def _smoothing_kernel() -> NDArray[np.float64]:
    """Return a Gaussian kernel over positions: (20, 20), each row sums to 1."""
    kernel = np.exp(-0.5 * ((MIDPOINTS[:, None] - MIDPOINTS) / BANDWIDTH) ** 2)
    normalized: NDArray[np.float64] = kernel / kernel.sum(axis=1, keepdims=True)
    return normalized


def _normalized(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponentiate log weights and normalise each row."""
    probabilities: NDArray[np.float64] = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    return probabilities
