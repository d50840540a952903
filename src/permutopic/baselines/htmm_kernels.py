"""The compiled code of the hidden topic Markov model: arrays in, arrays filled.

A unit's state is (topic, changed or not). A change forgets the topic before, so one sum over the
topics of the unit before serves all topics of the next: every pass is linear in topics.

All messages are logarithms of joint probabilities. Units of hundreds of words set topics thousands
of nats apart, and the plain numbers would be zero long before.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class UnitWords(NamedTuple):
    """Distinct words of each unit: unit u has entries `offsets[u]` up to `offsets[u + 1]`."""

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.float64]


class Chains(NamedTuple):
    """What the topics of the documents follow, as logarithms.

    `draw[d, k]` is log θ_dk; `change` and `keep` are log ε and log(1 − ε), of which one may be −∞.
    """

    document_offsets: NDArray[np.int64]
    draw: NDArray[np.float64]
    change: float
    keep: float


@compiled
def log_add(one: float, other: float) -> float:
    """Compute log(exp(one) + exp(other)), of which one may be −∞."""
    high, low = max(one, other), min(one, other)
    return high + math.log1p(math.exp(low - high))


@compiled
def log_total(values: NDArray[np.float64]) -> float:
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
    """Fill `scores[u, k]` with the log probability of unit u's words under topic k.

    `log_words[w, k]` is log β_kw: the topics of a word lie side by side.
    """
    n_topics = log_words.shape[1]
    for unit in range(units.offsets.size - 1):
        scores[unit, :] = 0.0
        for entry in range(units.offsets[unit], units.offsets[unit + 1]):
            word, count = units.words[entry], units.counts[entry]
            for topic in range(n_topics):
                scores[unit, topic] += count * log_words[word, topic]


@compiled
def expect_states(
    chains: Chains,
    scores: NDArray[np.float64],
    shares: NDArray[np.float64],
    draws: NDArray[np.float64],
    likelihoods: NDArray[np.float64],
) -> float:
    """Run forward and backward through every document, given all parameters.

    Fills `shares[u, k]` with the probability that unit u has topic k, `draws[d, k]` with the
    expected number of times that document d draws k, its first unit included, and `likelihoods`
    with each document's log likelihood. Gives the expected number of changes after first units.
    """
    n_topics = scores.shape[1]
    behind, weighed = np.empty(n_topics), np.empty(n_topics)
    changes = 0.0
    for document in range(likelihoods.size):
        first, last = chains.document_offsets[document], chains.document_offsets[document + 1]
        draw = chains.draw[document]
        # Forward: shares[u, k] is the log joint of the words up to u and topic k.
        for topic in range(n_topics):
            shares[first, topic] = draw[topic] + scores[first, topic]
        for unit in range(first + 1, last):
            new = chains.change + log_total(shares[unit - 1])
            for topic in range(n_topics):
                either = log_add(new + draw[topic], chains.keep + shares[unit - 1, topic])
                shares[unit, topic] = either + scores[unit, topic]
        whole = log_total(shares[last - 1])
        likelihoods[document] = whole
        # Backward: behind[k] is the log probability of the words after u, given topic k at u.
        behind[:] = 0.0
        draws[document, :] = 0.0
        for unit in range(last - 1, first, -1):
            new = chains.change + log_total(shares[unit - 1])
            for topic in range(n_topics):
                shares[unit, topic] = math.exp(shares[unit, topic] + behind[topic] - whole)
                behind[topic] += scores[unit, topic]  # u's own words now among them
                weighed[topic] = draw[topic] + behind[topic]
                drawn = math.exp(new + weighed[topic] - whole)
                draws[document, topic] += drawn
                changes += drawn
            new = chains.change + log_total(weighed)
            for topic in range(n_topics):
                behind[topic] = log_add(new, chains.keep + behind[topic])
        for topic in range(n_topics):
            shares[first, topic] = math.exp(shares[first, topic] + behind[topic] - whole)
            draws[document, topic] += shares[first, topic]
    return changes


@compiled
def expect_words(
    units: UnitWords, shares: NDArray[np.float64], word_counts: NDArray[np.float64]
) -> None:
    """Fill `word_counts[w, k]` with the expected number of tokens of word w in topic k."""
    n_topics = shares.shape[1]
    word_counts[:, :] = 0.0
    for unit in range(units.offsets.size - 1):
        for entry in range(units.offsets[unit], units.offsets[unit + 1]):
            word, count = units.words[entry], units.counts[entry]
            for topic in range(n_topics):
                word_counts[word, topic] += count * shares[unit, topic]


@compiled
def best_topics(
    chains: Chains, scores: NDArray[np.float64], topics: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Fill `topics` with the most probable path of states; give each document's log joint.

    Among equals the lower topic wins, and keeping wins over changing.
    """
    n_units, n_topics = scores.shape
    best, before = np.empty(n_topics), np.empty(n_topics)
    changed = np.empty((n_units, n_topics), np.bool_)
    joints = np.empty(chains.document_offsets.size - 1)
    for document in range(joints.size):
        first, last = chains.document_offsets[document], chains.document_offsets[document + 1]
        draw = chains.draw[document]
        for topic in range(n_topics):
            best[topic] = draw[topic] + scores[first, topic]
        for unit in range(first + 1, last):
            before[:] = best
            topics[unit - 1] = np.argmax(before)  # where a change at this unit would come from
            new = chains.change + before[topics[unit - 1]]
            for topic in range(n_topics):
                kept = chains.keep + before[topic]
                changed[unit, topic] = new + draw[topic] > kept
                best[topic] = max(new + draw[topic], kept) + scores[unit, topic]
        topics[last - 1] = np.argmax(best)
        joints[document] = best[topics[last - 1]]
        for unit in range(last - 1, first, -1):
            if not changed[unit, topics[unit]]:
                topics[unit - 1] = topics[unit]
    return joints
