"""Where a document is likely to change its topic: a quick look before anything exact.

A chain over the units that stays in its topic or changes to any other, with the words of eq. 14 to
judge by. It knows nothing of canonical orders and lets topics come back, so nothing is concluded
from it: it says which places to look at, and in which order to try the topics first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import fast_exp

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SOFTENED = 0.5  # words of a unit are not as independent as the model has it
_LEAST = 0.5  # units' worth of a topic for it to be looked for in the document


@compiled
def pass_on(
    scores: NDArray[np.float64],
    shares: NDArray[np.float64],
    switch: float,
    forward: NDArray[np.float64],
    likely: NDArray[np.float64],
) -> None:
    """Go through the units: `forward[u, k]` is how likely topic k is, units up to u being known.

    `likely[u, k]` is what the words of unit u say by themselves, relative to the best topic.
    """
    n_units, n_topics = scores.shape
    for unit in range(n_units):
        highest = scores[unit].max()
        total = 0.0
        for topic in range(n_topics):
            likely[unit, topic] = fast_exp(_SOFTENED * (scores[unit, topic] - highest))
            come = shares[topic]
            if unit > 0:
                come = (1 - switch) * forward[unit - 1, topic] + switch * shares[topic]
            forward[unit, topic] = likely[unit, topic] * come
            total += forward[unit, topic]
        forward[unit] /= total


@compiled
def look_through(
    scores: NDArray[np.float64],
    shares: NDArray[np.float64],
    switch: float,
    changes: NDArray[np.float64],
    held: NDArray[np.float64],
) -> None:
    """Pass forward and backward over the units, in time linear in the topics.

    `changes[u]` becomes the probability that the chain moves between units u − 1 and u, and
    `held[u, k]` that unit u has topic k.
    """
    n_units, n_topics = scores.shape
    forward, likely = np.empty((n_units, n_topics)), np.empty((n_units, n_topics))
    pass_on(scores, shares, switch, forward, likely)
    back, ahead = np.ones(n_topics), np.empty(n_topics)
    changes[0] = 1.0
    for unit in range(n_units - 1, -1, -1):
        for topic in range(n_topics):
            held[unit, topic] = forward[unit, topic] * back[topic]
        held[unit] /= held[unit].sum()
        if unit == 0:
            break
        arrive, stay, total = 0.0, 0.0, 0.0
        for topic in range(n_topics):
            ahead[topic] = likely[unit, topic] * back[topic]
            arrive += shares[topic] * ahead[topic]
        for topic in range(n_topics):
            back[topic] = (1 - switch) * ahead[topic] + switch * arrive
            stay += forward[unit - 1, topic] * (1 - switch) * ahead[topic]
            total += forward[unit - 1, topic] * back[topic]
        changes[unit] = max(1 - stay / total, 0.0)
        back /= back.max()


@compiled
def choose_chances(changes: NDArray[np.float64], chances: NDArray[np.float64], wanted: int) -> None:
    """Give each place a chance to become a cut: about `wanted` of them at every visit.

    All of them, if there are no more. Otherwise likely places always, or as nearly as the number
    allows; the others share a quarter of the cuts evenly, so that no place is shut out.
    """
    n_units = changes.size
    chances[0] = 1.0
    chances[n_units] = 1.0
    if n_units <= wanted:
        chances[:] = 1.0
        return
    even = wanted / 4 / n_units
    low, high = 0.0, 1e6
    for _ in range(40):  # the factor that makes the sum right, by halving
        middle = math.sqrt(max(low, 1e-6) * high)
        total = 0.0
        for unit in range(1, n_units):
            total += min(1.0, even + middle * changes[unit])
        if total > wanted:
            high = middle
        else:
            low = middle
    for unit in range(1, n_units):
        chances[unit] = min(1.0, even + high * changes[unit])


@compiled
def first_order(held: NDArray[np.float64], order: NDArray[np.int64]) -> None:
    """Sort the topics by where they are in the document; those that are not follow the one before.

    The one before is the next lower number: where the document does not speak, the canonical
    order does.
    """
    n_units, n_topics = held.shape
    keys = np.empty(n_topics)
    before = -1.0
    for topic in range(n_topics):
        mass, moment = 0.0, 0.0
        for unit in range(n_units):
            mass += held[unit, topic]
            moment += unit * held[unit, topic]
        if mass >= _LEAST:
            before = moment / mass
        keys[topic] = before
    for topic in range(n_topics):  # insertion keeps equal keys in canonical order
        place = topic
        while place > 0 and keys[order[place - 1]] > keys[topic]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = topic
