"""A first pass over a new document: which positions and topics are worth looking at.

A hidden Markov chain over the units either stays in its topic or switches to one drawn from the
prevalence, with the word probabilities of eq. 14. It knows no canonical order and lets topics
recur, so no result comes from it: it decides which positions become cuts, which topics are active
and in which order the topics are tried first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.arrays import divide_by, largest_of
from permutopic.model.kernels.elementary import fast_exp

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INVERSE_TEMPERATURE = 0.5  # words of a unit are not as independent as the model has it
_MIN_UNITS = 0.5  # expected units of a topic from which on it has a position in the document


@borrowing
def forward_pass(
    scores: NDArray[np.float64],
    prevalence: NDArray[np.float64],
    switch: float,
    forward: NDArray[np.float64],
    likelihood: NDArray[np.float64],
) -> None:
    """Filter: `forward[u, k]` is the probability of topic k given the units up to u.

    `likelihood[u, k]` is that of unit u alone, relative to its best topic.
    """
    n_units, n_topics = scores.shape
    for unit in range(n_units):
        highest = largest_of(scores[unit])
        total = 0.0
        for topic in range(n_topics):
            likelihood[unit, topic] = fast_exp(
                _INVERSE_TEMPERATURE * (scores[unit, topic] - highest)
            )
            prior = prevalence[topic]
            if unit > 0:
                prior = (1 - switch) * forward[unit - 1, topic] + switch * prevalence[topic]
            forward[unit, topic] = likelihood[unit, topic] * prior
            total += forward[unit, topic]
        divide_by(forward[unit], total)


@compiled
def forward_backward(
    scores: NDArray[np.float64],
    prevalence: NDArray[np.float64],
    switch: float,
    switches: NDArray[np.float64],
    posterior: NDArray[np.float64],
) -> None:
    """Smooth, in time linear in the topics.

    `switches[u]` becomes the probability that the chain switches between units u − 1 and u, and
    `posterior[u, k]` that unit u has topic k.
    """
    n_units, n_topics = scores.shape
    forward, likelihood = np.empty((n_units, n_topics)), np.empty((n_units, n_topics))
    forward_pass(scores, prevalence, switch, forward, likelihood)
    backward, ahead = np.empty(n_topics), np.empty(n_topics)
    backward[:] = 1.0
    switches[0] = 1.0
    for unit in range(n_units - 1, -1, -1):
        mass = 0.0
        for topic in range(n_topics):
            posterior[unit, topic] = forward[unit, topic] * backward[topic]
            mass += posterior[unit, topic]
        divide_by(posterior[unit], mass)
        if unit == 0:
            break
        arrive, stay, total = 0.0, 0.0, 0.0
        for topic in range(n_topics):
            ahead[topic] = likelihood[unit, topic] * backward[topic]
            arrive += prevalence[topic] * ahead[topic]
        for topic in range(n_topics):
            backward[topic] = (1 - switch) * ahead[topic] + switch * arrive
            stay += forward[unit - 1, topic] * (1 - switch) * ahead[topic]
            total += forward[unit - 1, topic] * backward[topic]
        switches[unit] = max(1 - stay / total, 0.0)
        divide_by(backward, largest_of(backward))


@borrowing
def set_cut_probabilities(
    switches: NDArray[np.float64], cut_probabilities: NDArray[np.float64], n_wanted: int
) -> None:
    """Set the probability of each position to become a cut: about `n_wanted` cuts in a visit.

    All positions, if there are no more. Otherwise the probabilities are proportional to those of a
    switch, up to 1, above a floor that makes a quarter of the cuts: no position is excluded.
    """
    n_units = switches.size
    cut_probabilities[0] = 1.0
    cut_probabilities[n_units] = 1.0
    if n_units <= n_wanted:
        cut_probabilities[:] = 1.0
        return
    floor = n_wanted / 4 / n_units
    low, high = 0.0, 1e6
    for _ in range(40):  # bisection for the factor that gives the right sum
        middle = math.sqrt(max(low, 1e-6) * high)
        total = 0.0
        for unit in range(1, n_units):
            total += min(1.0, floor + middle * switches[unit])
        if total > n_wanted:
            high = middle
        else:
            low = middle
    for unit in range(1, n_units):
        cut_probabilities[unit] = min(1.0, floor + high * switches[unit])


@compiled
def initial_order(posterior: NDArray[np.float64], order: NDArray[np.int64]) -> None:
    """Sort the topics by their mean position in the document.

    A topic with hardly a unit there follows the topic before it in the canonical order.
    """
    n_units, n_topics = posterior.shape
    keys = np.empty(n_topics)
    before = -1.0
    for topic in range(n_topics):
        mass, moment = 0.0, 0.0
        for unit in range(n_units):
            mass += posterior[unit, topic]
            moment += unit * posterior[unit, topic]
        if mass >= _MIN_UNITS:
            before = moment / mass
        keys[topic] = before
    for topic in range(n_topics):  # insertion sort keeps equal keys in canonical order
        slot = topic
        while slot > 0 and keys[order[slot - 1]] > keys[topic]:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = topic
