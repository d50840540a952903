"""Inference once more, by explicit loops: one document by itself, given what the topics hold.

Like `oracle`, on which it stands, for tiny documents, and without code of the package.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from oracle import (
    bags_of,
    boundaries,
    draw_bag,
    inversions_by_order,
    log_order,
    log_span,
    log_sum,
    pick,
)


def forward_backward(scores, shares, switch, softened=0.5):
    """Where a chain changes that stays in its topic or jumps to any, by all its ways.

    A way is a topic for each unit, and whether there is a jump before it; a jump may lead to the
    same topic again. Gives the probability of a jump before each unit, the first being sure, and of
    each topic for each unit.
    """
    n_units, n_topics = scores.shape
    likely = np.exp(softened * (scores - scores.max(axis=1, keepdims=True)))
    total, jumps, held = 0.0, np.zeros(n_units), np.zeros((n_units, n_topics))
    for topics in itertools.product(range(n_topics), repeat=n_units):
        words = math.prod(likely[unit, topic] for unit, topic in enumerate(topics))
        for jumped in itertools.product((False, True), repeat=n_units - 1):
            weight = words * shares[topics[0]]
            for unit, jump in enumerate(jumped, 1):
                stay = (1 - switch) * (topics[unit] == topics[unit - 1])
                weight *= switch * shares[topics[unit]] if jump else stay
            total += weight
            jumps += weight * np.array((True, *jumped))
            held[range(n_units), topics] += weight
    return jumps / total, held / total


def log_each(tokens, held, beta):
    """Tokens under the point estimate of a topic's words (eq. 14), none counting for the next."""
    total = sum(held) + len(held) * beta
    return math.fsum(math.log((held[word] + beta) / total) for word in tokens)


class LoneDocument:
    """Structures of one document, the topics holding `held[k][w]` of the words of all others."""

    def __init__(self, units, held, beta, dispersion, *, fast=False, orders=True):
        self.units, self.held, self.beta = units, [list(mine) for mine in held], beta
        self.dispersion, self.n_topics = list(dispersion), len(held)
        self.log_tokens = log_each if fast else log_span
        self.bags = bags_of(len(units), self.n_topics)
        self.orders = list(inversions_by_order(self.n_topics))
        if not orders:
            self.orders = [tuple(range(self.n_topics))]
        self.known = {}

    def log_words(self, topics):
        """The words given the topic of every unit."""
        topics = tuple(topics)
        if topics not in self.known:
            tokens = {topic: [] for topic in topics}
            for words, topic in zip(self.units, topics, strict=True):
                tokens[topic] += words
            self.known[topics] = math.fsum(
                self.log_tokens(mine, self.held[topic], self.beta) for topic, mine in tokens.items()
            )
        return self.known[topics]

    def log_order(self, order):
        """An order under the Mallows Model, or nothing where there is but one."""
        if len(self.orders) == 1:
            return 0.0
        return log_order(inversions_by_order(self.n_topics)[tuple(order)], self.dispersion)

    def log_weight(self, order, bag, log_prevalence):
        """The words and the bag given θ, for an order of those topics that have units."""
        total = self.log_words([topic for topic in order for _ in range(bag[topic])])
        total += math.fsum(n * share for n, share in zip(bag, log_prevalence, strict=True))
        return total - sum(math.log(math.factorial(n)) for n in bag)

    def log_posterior(self, order, bag, concentration):
        """A structure, θ integrated out of a Dirichlet of this concentration, up to a constant."""
        total = self.log_words([topic for topic in order for _ in range(bag[topic])])
        for n, alpha in zip(bag, concentration, strict=True):
            total += sum(math.log(alpha + m) for m in range(n)) - math.log(math.factorial(n))
        return total + self.log_order(order)

    def best(self, log_prevalence):
        """The highest log weight of any order and bag given θ."""
        return max(
            self.log_weight(order, bag, log_prevalence) + self.log_order(order)
            for order, bag in itertools.product(self.orders, self.bags)
        )


class Visit:
    """A visit to a document, θ being given, that sees some places and hears some topics.

    Places and topics were taken each by its chance, those in use always, so that a structure weighs
    one by the chance of each of its boundaries and topics.
    """

    def __init__(self, document, log_prevalence, cuts, active, cut_probabilities, inclusion):
        self.document, self.log_prevalence = document, log_prevalence
        self.cuts, self.active = set(cuts), set(active)
        self.cut_probabilities, self.inclusion = cut_probabilities, inclusion
        self.bags = document.bags

    def log_weight(self, order, bag):
        """Words, bag, places and topics; the order of the active topics is enough."""
        topics = [topic for topic in order for _ in range(bag[topic])]
        used = {topic for topic, n in enumerate(bag) if n > 0}
        if not (used <= self.active and boundaries(topics) <= self.cuts):
            return -math.inf
        total = self.document.log_weight(order, bag, self.log_prevalence)
        total -= sum(math.log(self.cut_probabilities[place]) for place in boundaries(topics))
        return total - sum(math.log(self.inclusion[topic]) for topic in used)

    def restricted(self, order):
        """The active topics of an order."""
        return tuple(topic for topic in order if topic in self.active)

    def log_total(self, order):
        """An order, all bags summed up."""
        mine = self.restricted(order)
        every = [self.log_weight(mine, bag) for bag in self.bags]
        return log_sum(every) + self.document.log_order(order)

    def shares_given(self, order):
        """How probable each topic is for each unit, and each boundary, given the order."""
        mine = self.restricted(order)
        every = [self.log_weight(mine, bag) for bag in self.bags]
        n_units, total = sum(self.bags[0]), log_sum(every)
        topics, ends = np.zeros((n_units, self.document.n_topics)), np.zeros(n_units)
        for bag, weight in zip(self.bags, every, strict=True):
            if weight > -math.inf:
                share = math.exp(weight - total)
                laid = [topic for topic in mine for _ in range(bag[topic])]
                topics[range(n_units), laid] += share
                ends[sorted(boundaries(laid))] += share
        return topics, ends


def visit_lone(document, order, bag, numbers, cut_probabilities, inclusion, rounds, placements):
    """Resample a document as a visit of the inference does, every sum over bags written out.

    `numbers` are uniforms for places, for topics and for the rounds, gamma variables and
    exponentials. Gives the order, the bag, and for each round the topics drawn and `shares_given`.
    Every second round leaves the order as it is, and its uniforms unused.
    """
    places, voices, uniforms, gammas, exponentials = numbers
    n_topics, n_units = len(order), sum(bag)
    laid = [topic for topic in order for _ in range(bag[topic])]
    cuts = {place for place in range(n_units + 1) if places[place] < cut_probabilities[place]}
    cuts |= {0, n_units} | boundaries(laid)
    active = {topic for topic in range(n_topics) if voices[topic] < inclusion[topic]} | set(laid)
    left, shares = iter(exponentials), [float(gamma) for gamma in gammas]
    for topic in sorted(laid):
        shares[topic] += next(left)
    log_prevalence = [math.log(share / sum(shares)) for share in shares]
    visit = Visit(document, log_prevalence, cuts, active, cut_probabilities, inclusion)
    rest, found = iter(uniforms), []
    for number in range(rounds):
        for _ in range(placements if len(document.orders) > 1 else 0):
            topic, uniform = int(next(rest) * n_topics), next(rest)
            if number % 2 == 1:
                continue
            others = [other for other in order if other != topic]
            tried = [(*others[:gap], topic, *others[gap:]) for gap in range(n_topics)]
            order = tried[pick([visit.log_total(one) for one in tried], uniform)]
        given = [next(rest) for _ in range(n_topics)]
        bag = draw_bag(visit, visit.restricted(order), given)
        laid = [topic for topic in order for _ in range(bag[topic])]
        found.append((laid, *visit.shares_given(order)))
    return order, bag, found
