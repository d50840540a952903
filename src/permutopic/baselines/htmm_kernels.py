"""Compiled code of the hidden topic Markov model: forward-backward and Viterbi.

The state of a unit is (topic, changed or not). After a change the topic does not depend on the one
before, so one sum over the topics of the previous unit serves all topics: a pass is linear in K.

All messages are log probabilities: topics of units of hundreds of words differ by thousands of
nats, and probabilities would underflow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class UnitWords(NamedTuple):
    """Distinct words of each unit and their counts: entries offsets[u] … offsets[u+1]−1."""

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.float64]


class LogTransitions(NamedTuple):
    """Log probabilities of the topics: draw[d, k] = log θ_dk, change = log ε, keep = log(1 − ε).

    One of `change` and `keep` may be −∞.
    """

    document_offsets: NDArray[np.int64]
    draw: NDArray[np.float64]
    change: float
    keep: float


@borrowing
def logaddexp(one: float, other: float) -> float:
    """Compute log(exp(one) + exp(other)), of which one may be −∞."""
    high, low = max(one, other), min(one, other)
    return high + math.log1p(math.exp(low - high))


@borrowing
def logsumexp(values: NDArray[np.float64]) -> float:
    """Compute log Σ exp(values), all finite."""
    high = -math.inf
    for value in values:
        high = max(high, value)
    total = 0.0
    for value in values:
        total += math.exp(value - high)
    return high + math.log(total)


@compiled
def score_units(
    units: UnitWords, log_words: NDArray[np.float64], scores: NDArray[np.float64]
) -> None:
    """Write the log probability of the words of unit u under topic k to `scores[u, k]`.

    `log_words[w, k]` is log β_kw: the topics of a word are contiguous in memory.
    """
    n_topics = log_words.shape[1]
    for unit in range(units.offsets.size - 1):
        scores[unit, :] = 0.0
        for entry in range(units.offsets[unit], units.offsets[unit + 1]):
            word, count = units.words[entry], units.counts[entry]
            for topic in range(n_topics):
                scores[unit, topic] += count * log_words[word, topic]


@compiled
def forward_backward(
    transitions: LogTransitions,
    scores: NDArray[np.float64],
    posteriors: NDArray[np.float64],
    expected_draws: NDArray[np.float64],
    log_likelihoods: NDArray[np.float64],
) -> float:
    """Run forward-backward on every document; return the expected number of changes.

    Writes the posterior of topic k at unit u to `posteriors[u, k]`, the expected number of draws
    of k in document d, first unit included, to `expected_draws[d, k]`, and the log likelihood of
    each document. First units do not count as changes.
    """
    n_topics = scores.shape[1]
    backward, log_draw = np.empty(n_topics), np.empty(n_topics)
    expected_changes = 0.0
    for document in range(log_likelihoods.size):
        first, last = (
            transitions.document_offsets[document],
            transitions.document_offsets[document + 1],
        )
        draw = transitions.draw[document]
        # Forward: posteriors[u, k] = log p(words up to u, topic k at u).
        for topic in range(n_topics):
            posteriors[first, topic] = draw[topic] + scores[first, topic]
        for unit in range(first + 1, last):
            new = transitions.change + logsumexp(posteriors[unit - 1])
            for topic in range(n_topics):
                either = logaddexp(
                    new + draw[topic], transitions.keep + posteriors[unit - 1, topic]
                )
                posteriors[unit, topic] = either + scores[unit, topic]
        log_likelihood = logsumexp(posteriors[last - 1])
        log_likelihoods[document] = log_likelihood
        # Backward: backward[k] = log p(words after u | topic k at u).
        backward[:] = 0.0
        expected_draws[document, :] = 0.0
        for unit in range(last - 1, first, -1):
            new = transitions.change + logsumexp(posteriors[unit - 1])
            for topic in range(n_topics):
                posteriors[unit, topic] = math.exp(
                    posteriors[unit, topic] + backward[topic] - log_likelihood
                )
                backward[topic] += scores[unit, topic]  # now of the words from u on
                log_draw[topic] = draw[topic] + backward[topic]
                drawn = math.exp(new + log_draw[topic] - log_likelihood)
                expected_draws[document, topic] += drawn
                expected_changes += drawn
            new = transitions.change + logsumexp(log_draw)
            for topic in range(n_topics):
                backward[topic] = logaddexp(new, transitions.keep + backward[topic])
        for topic in range(n_topics):
            posteriors[first, topic] = math.exp(
                posteriors[first, topic] + backward[topic] - log_likelihood
            )
            expected_draws[document, topic] += posteriors[first, topic]
    return expected_changes


@borrowing
def expected_word_counts(
    units: UnitWords, posteriors: NDArray[np.float64], word_counts: NDArray[np.float64]
) -> None:
    """Write the expected number of tokens of word w in topic k to `word_counts[w, k]`."""
    n_topics = posteriors.shape[1]
    word_counts[:, :] = 0.0
    for unit in range(units.offsets.size - 1):
        for entry in range(units.offsets[unit], units.offsets[unit + 1]):
            word, count = units.words[entry], units.counts[entry]
            for topic in range(n_topics):
                word_counts[word, topic] += count * posteriors[unit, topic]


@compiled
def viterbi(
    transitions: LogTransitions, scores: NDArray[np.float64], topics: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Write the topics of the most probable path of states; return each document's log joint.

    Of equally probable paths, the lower topic and no change are preferred.
    """
    n_units, n_topics = scores.shape
    best, before = np.empty(n_topics), np.empty(n_topics)
    changed = np.empty((n_units, n_topics), np.bool_)
    joints = np.empty(transitions.document_offsets.size - 1)
    for document in range(joints.size):
        first, last = (
            transitions.document_offsets[document],
            transitions.document_offsets[document + 1],
        )
        draw = transitions.draw[document]
        for topic in range(n_topics):
            best[topic] = draw[topic] + scores[first, topic]
        for unit in range(first + 1, last):
            before[:] = best
            topics[unit - 1] = np.argmax(before)  # the source of a change at this unit
            new = transitions.change + before[topics[unit - 1]]
            for topic in range(n_topics):
                kept = transitions.keep + before[topic]
                changed[unit, topic] = new + draw[topic] > kept
                best[topic] = max(new + draw[topic], kept) + scores[unit, topic]
        topics[last - 1] = np.argmax(best)
        joints[document] = best[topics[last - 1]]
        for unit in range(last - 1, first, -1):
            if not changed[unit, topics[unit]]:
                topics[unit - 1] = topics[unit]
    return joints
