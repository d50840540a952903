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


@lru_cache
def inversions_by_order(n_items):
    """The same map the other way round."""
    return {order: counts for counts, order in orders_by_inversions(n_items).items()}


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


def log_span(tokens, held, beta):
    """Tokens one after the other under a topic that holds `held[w]` of each word w before them."""
    counts, total, logs = list(held), sum(held), []
    for word in tokens:
        logs.append(math.log(counts[word] + beta) - math.log(total + len(counts) * beta))
        counts[word] += 1
        total += 1
    return math.fsum(logs)


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


def bags_of(size, n_topics):
    """Every way to give so many units to the topics."""
    return [bag for bag in itertools.product(range(size + 1), repeat=n_topics) if sum(bag) == size]


def boundaries(topics):
    """Places of a document between two units of different topics."""
    return {place for place in range(1, len(topics)) if topics[place - 1] != topics[place]}


def log_cuts(topics, cuts, cut_probability):
    """The cuts given a structure: all boundaries, other positions with `cut_probability`."""
    total = 0.0
    for place in range(1, len(topics)):
        if place in boundaries(topics):
            total += 0.0 if place in cuts else -math.inf
        elif cut_probability < 1:
            total += math.log(cut_probability if place in cuts else 1 - cut_probability)
    return total


def log_sum(log_weights):
    """The logarithm of a sum of exponentials."""
    highest = max(log_weights, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(w - highest) for w in log_weights))


class BlockedDocument:
    """All structures of one document given θ, ρ, the cuts and all other documents."""

    def __init__(
        self,
        corpus,
        state,
        priors,
        document,
        log_prevalence,
        cuts,
        cut_probability,
        inverse_temperature,
        active=None,
        log_inclusion=None,
    ):
        self.corpus, self.priors, self.document = corpus, priors, document
        self.log_prevalence, self.dispersion = list(log_prevalence), state.dispersion.tolist()
        self.cuts, self.cut_probability, self.inverse_temperature = (
            set(cuts),
            cut_probability,
            inverse_temperature,
        )
        self.n_topics = state.bag.shape[1]
        self.active = list(range(self.n_topics)) if active is None else active
        self.log_inclusion = log_inclusion or [0.0] * self.n_topics
        every = bags_of(int(state.bag[document].sum()), self.n_topics)
        self.bags = [
            bag for bag in every if all(k in self.active for k, n in enumerate(bag) if n > 0)
        ]
        pairs = zip(state.bag.tolist(), state.inversions.tolist(), strict=True)
        self.topics = [layout(bag, v) for bag, v in pairs]
        self.known = {}

    def log_weight(self, order, bag):
        """The joint of one structure, the words of the document tempered."""
        topics = [topic for topic in order for _ in range(bag[topic])]
        total = self.inverse_temperature * self._log_words(topics)
        total += sum(n * share for n, share in zip(bag, self.log_prevalence, strict=True))
        total -= sum(math.log(math.factorial(n)) for n in bag)
        total -= sum(h for h, n in zip(self.log_inclusion, bag, strict=True) if n > 0)
        if self.priors.variant == "full":
            total += log_order(inversions_by_order(self.n_topics)[order], self.dispersion)
        return total + log_cuts(topics, self.cuts, self.cut_probability)

    def log_total(self, order):
        """The joint of an order, all bags summed up."""
        return log_sum([self.log_weight(order, bag) for bag in self.bags])

    def _log_words(self, topics):
        if tuple(topics) not in self.known:
            everywhere = list(self.topics)
            everywhere[self.document] = topics
            self.known[tuple(topics)] = log_words(
                documents_of(self.corpus),
                everywhere,
                self.n_topics,
                self.corpus.n_words,
                self.priors.word,
            )
        return self.known[tuple(topics)]


def inclusion_of(corpus, state, document, limits):
    """How probable it is that each topic is active: by whether another document has words of it."""
    tokens = [0] * state.bag.shape[1]
    for other, units in enumerate(documents_of(corpus)):
        topics = layout(state.bag[other], state.inversions[other])
        for topic, unit in zip(topics, units, strict=True):
            tokens[topic] += len(unit) * (other != document)
    n_spare, n_others = tokens.count(0), len(tokens) - tokens.count(0)
    spare = max(limits.spare, limits.fewest - n_others)
    chances = {
        True: min(1, spare / n_spare) if n_spare else None,
        False: min(1, limits.others / n_others) if n_others else None,
    }
    return [chances[held == 0] for held in tokens]


def visit_blocked(
    corpus, state, priors, document, log_prevalence, cut_probability, limits, rng, *settings
):
    """Resample one document as the blocked moves do, every sum over bags written out."""
    inverse_temperature, rounds, placements = settings
    n_topics, n_units = state.bag.shape[1], int(state.bag[document].sum())
    orders = priors.variant != "constrained"
    order = orders_by_inversions(n_topics)[tuple(state.inversions[document].tolist())]
    bag = tuple(state.bag[document].tolist())
    cuts = set(range(n_units + 1))
    if cut_probability < 1:
        numbers = rng.random(n_units + 1)
        cuts = {place for place in cuts if numbers[place] < cut_probability} | {0, n_units}
        cuts |= boundaries([topic for topic in order for _ in range(bag[topic])])
    uniforms = iter(rng.random(rounds * (2 * placements + n_topics + (n_topics - 1) * orders)))
    more = iter(rng.random(n_topics + 2 * rounds * placements))
    inclusion = inclusion_of(corpus, state, document, limits)
    active = [k for k, h in enumerate(inclusion) if next(more) < h or bag[k] > 0]
    inactive = [topic for topic in range(n_topics) if topic not in active]
    given = BlockedDocument(
        corpus,
        state,
        priors,
        document,
        log_prevalence,
        cuts,
        cut_probability,
        inverse_temperature,
        active,
        [math.log(h) for h in inclusion],
    )
    for _ in range(rounds):
        for those, numbers in ((active, uniforms), (inactive, more)):
            for _ in range(placements * (len(those) > 0)):
                topic = those[int(next(numbers) * len(those))]
                others = [other for other in order if other != topic]
                tried = [(*others[:gap], topic, *others[gap:]) for gap in range(n_topics)]
                order = tried[pick([given.log_total(one) for one in tried], next(numbers))]
        bag = draw_bag(given, order, [next(uniforms) for _ in range(n_topics)])
        if orders:
            numbers = [next(uniforms) for _ in range(n_topics - 1)]
            if len(cuts) == n_units + 1:
                order = draw_inversions(given, order, bag, numbers)
    state.bag[document] = bag
    state.inversions[document] = inversions_by_order(n_topics)[order]


def draw_bag(given, order, uniforms):
    """The units that each slot takes, from the last one on, the slots before it summed out."""
    left = {bag: given.log_weight(order, bag) for bag in given.bags}
    end = sum(given.bags[0])
    order = [topic for topic in order if topic in given.active]
    for slot in reversed(range(len(order))):
        starts = sorted(cut for cut in given.cuts if cut <= end)
        log_weights = [
            log_sum([weight for bag, weight in left.items() if bag[order[slot]] == end - start])
            for start in starts
        ]
        start = starts[pick(log_weights, uniforms[slot])]
        left = {bag: weight for bag, weight in left.items() if bag[order[slot]] == end - start}
        end = start
    [drawn] = left
    return drawn


def draw_inversions(given, order, bag, uniforms):
    """Each inversion count given the others and the bag."""
    orders = orders_by_inversions(len(order))
    inversions = inversions_by_order(len(order))[order]
    for j, uniform in enumerate(uniforms):
        if j not in given.active:
            continue
        tried = [(*inversions[:j], value, *inversions[j + 1 :]) for value in range(len(order) - j)]
        weights = [given.log_weight(orders[one], bag) for one in tried]
        inversions = tried[pick(weights, uniform)]
    return orders[inversions]


# From here on: one document by itself, given what the topics hold of all others.


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


def just_inside(probabilities, width=1e-8):
    """Pairs (uniform, value): next to both edges of what each value has of the interval.

    A choice by inversion that gives the value at every one of them has this law.
    """
    ends = np.cumsum(probabilities)
    found = []
    for value, (probability, end) in enumerate(zip(probabilities, ends, strict=True)):
        if probability > 4 * width:
            start = end - probability
            found += [(start + width, value), (end - width, value)]
    return found


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
