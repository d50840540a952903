"""The model once more, by explicit loops over definitions; shares no code with the package.

Only for tiny corpora: orders are found by trying all permutations.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
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
    """The words, of `n_words`, given every unit's topic, token after token by the chain rule."""
    held = [defaultdict(int) for _ in range(n_topics)]
    total = 0.0
    for units, labels in zip(documents, topics, strict=True):
        for words, topic in zip(units, labels, strict=True):
            for word in words:
                mine = held[topic]
                total += math.log((mine[word] + beta) / (sum(mine.values()) + n_words * beta))
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


def log_classes(subject_words):
    """Classes drawn one after the other by an urn; that all are subject words is ruled out."""
    total, seen = 0.0, [1, 1]
    for is_subject in subject_words:
        total += math.log(seen[int(is_subject)] / sum(seen))
        seen[int(is_subject)] += 1
    n_words = len(subject_words)
    return total - math.log(1 - 1 / (n_words + 1))


def log_subjects(documents, subject_words, subject):
    """Every token a subject word or some section word, token after token by the chain rule."""
    rates = subject.base_rates.tolist()
    expected = {w: subject.document * rates[w] for w, is_one in enumerate(subject_words) if is_one}
    total = 0.0
    for units in documents:
        held, n_section = dict.fromkeys(expected, 0), 0
        for n_tokens, word in enumerate(word for unit in units for word in unit):
            whole = n_tokens + subject.section + sum(expected.values())
            if word in expected:
                total += math.log((held[word] + expected[word]) / whole)
                held[word] += 1
            else:
                total += math.log((n_section + subject.section) / whole)
                n_section += 1
    return total


def section_words_of(documents, subject_words):
    """The documents without their subject words."""
    return [[[w for w in unit if not subject_words[w]] for unit in units] for units in documents]


def log_joint(corpus, state, priors):
    """The seven lines of the log joint."""
    documents, classes = documents_of(corpus), state.subject_words.tolist()
    has_subjects = priors.subject is not None
    n_section = classes.count(False)
    bags, inversions = state.bag.tolist(), state.inversions.tolist()
    topics = [layout(bag, v) for bag, v in zip(bags, inversions, strict=True)]
    full, uniform = priors.variant == "full", priors.variant == "uniform"
    orders = 0.0
    if uniform:
        orders = -len(bags) * math.log(math.factorial(len(bags[0])))
    if full:
        orders = sum(log_order(v, state.dispersion.tolist()) for v in inversions)
    return (
        log_words(
            section_words_of(documents, classes), topics, len(bags[0]), n_section, priors.word
        ),
        log_draws(bags, priors.topic),
        log_arrangements(bags),
        orders,
        log_dispersion(state.dispersion.tolist(), priors.dispersion, priors.strength)
        if full
        else 0.0,
        log_classes(classes) if has_subjects else 0.0,
        log_subjects(documents, classes, priors.subject) if has_subjects else 0.0,
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
