"""The model once more, by explicit loops over definitions; shares no code with the package.

Only for tiny corpora: orders are found by trying all permutations.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np


@lru_cache
def orders_by_inversions(n_items):
    """Map inversion counts to orders by the definition: greater items standing before."""
    found = {}
    for order in itertools.permutations(range(n_items)):
        counts = tuple(
            sum(other > item for other in order[: order.index(item)]) for item in range(n_items - 1)
        )
        found[counts] = order
    return found


def layout(bag, inversions):
    """z_d: the bag sorted by the order."""
    order = orders_by_inversions(len(bag))[tuple(int(v) for v in inversions)]
    return [topic for topic in order for _ in range(bag[topic])]


def documents_of(corpus):
    """The corpus as lists: documents of units of words."""
    units = [
        corpus.words[first:last].tolist()
        for first, last in itertools.pairwise(corpus.unit_offsets.tolist())
    ]
    return [units[a:b] for a, b in itertools.pairwise(corpus.document_offsets.tolist())]


def log_words(documents, topics, n_topics, n_words, beta):
    """The words given every unit's topic, token after token by the chain rule."""
    held = [[0] * n_words for _ in range(n_topics)]
    total = 0.0
    for units, labels in zip(documents, topics, strict=True):
        for words, topic in zip(units, labels, strict=True):
            for word in words:
                mine = held[topic]
                total += math.log((mine[word] + beta) / (sum(mine) + n_words * beta))
                mine[word] += 1
    return total


def log_draws(bags, theta):
    """The bags as one long sequence of topic draws, draw after draw."""
    n_topics = len(bags[0])
    held = [0] * n_topics
    total = 0.0
    for bag in bags:
        for topic, count in enumerate(bag):
            for _ in range(count):
                total += math.log((held[topic] + theta) / (sum(held) + n_topics * theta))
                held[topic] += 1
    return total


def log_arrangements(bags):
    """How many sequences of draws give the same counts."""
    return sum(
        math.log(math.factorial(sum(bag))) - sum(math.log(math.factorial(n)) for n in bag)
        for bag in bags
    )


def log_order(inversions, dispersion):
    """One order under the Mallows Model, its normaliser summed up term by term."""
    n_items = len(inversions) + 1
    return sum(
        -rho * v - math.log(sum(math.exp(-rho * u) for u in range(n_items - j)))
        for j, (v, rho) in enumerate(zip(inversions, dispersion, strict=True))
    )


def expected_inversions(rho, n_values):
    """The mean of a truncated geometric count, as a sum."""
    weights = [math.exp(-rho * v) for v in range(n_values)]
    return sum(v * w for v, w in enumerate(weights)) / sum(weights)


def log_dispersion(dispersion, rho0, nu0):
    """The conjugate prior of ρ, up to a constant."""
    n_items = len(dispersion) + 1
    return sum(
        nu0
        * (
            -rho * expected_inversions(rho0, n_items - j)
            - math.log(sum(math.exp(-rho * u) for u in range(n_items - j)))
        )
        for j, rho in enumerate(dispersion)
    )


def log_joint(corpus, state, priors):
    """The five lines of the log joint."""
    bags, inversions = state.bag.tolist(), state.inversions.tolist()
    topics = [layout(bag, v) for bag, v in zip(bags, inversions, strict=True)]
    full, uniform = priors.variant == "full", priors.variant == "uniform"
    orders = 0.0
    if uniform:
        orders = -len(bags) * math.log(math.factorial(len(bags[0])))
    if full:
        orders = sum(log_order(v, state.dispersion.tolist()) for v in inversions)
    return (
        log_words(documents_of(corpus), topics, len(bags[0]), corpus.n_words, priors.word),
        log_draws(bags, priors.topic),
        log_arrangements(bags),
        orders,
        log_dispersion(state.dispersion.tolist(), priors.dispersion, priors.strength)
        if full
        else 0.0,
    )


def pick(log_weights, uniform):
    """Invert the distribution that the log weights describe."""
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return int(np.searchsorted(np.cumsum(weights), uniform * weights.sum(), side="right"))


def visit(corpus, state, priors, document, bag_uniforms, inversion_uniforms):
    """Resample one document as the kernel does, each candidate by the whole log joint."""
    bag, inversions = state.bag[document], state.inversions[document]
    n_topics, n_draws = bag.size, int(bag.sum())
    if len(bag_uniforms):
        draws = [topic for topic in range(n_topics) for _ in range(bag[topic])]
        for step in range(n_draws):
            picked = step + int(bag_uniforms[step] * (n_draws - step))
            bag[draws[picked]] -= 1
            draws[picked] = draws[step]
            log_weights = []
            for topic in range(n_topics):
                bag[topic] += 1
                terms = log_joint(corpus, state, priors)
                log_weights.append(sum(terms) - terms[2])  # of the sequence, not of its counts
                bag[topic] -= 1
            bag[pick(log_weights, bag_uniforms[n_draws + step])] += 1
    for j, uniform in enumerate(inversion_uniforms):
        log_weights = []
        for value in range(n_topics - j):
            inversions[j] = value
            log_weights.append(sum(log_joint(corpus, state, priors)))
        inversions[j] = pick(log_weights, uniform)
