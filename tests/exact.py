"""The posterior of a tiny corpus, written out state by state, and draws that start from it.

A state is a bag and inversion counts for every document, and the classes of all words. ρ is
continuous: it is integrated out on a grid, j by j, since it meets the orders only through the sum
of each inversion count.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cache, partial

import numpy as np
from scipy import stats

from permutopic.model.priors import Variant
from permutopic.model.state import make_state
from permutopic.streams import Streams

import oracle

GRID = np.concatenate([np.linspace(0, 1, 4001)[1:], np.geomspace(1, 400, 20001)[1:]])


class ExactPosterior:
    """Every state of a corpus with its posterior probability."""

    def __init__(self, corpus, n_topics, priors):
        self.corpus, self.n_topics, self.priors = corpus, n_topics, priors
        per_document = [self._structures(int(size)) for size in corpus.document_sizes]
        structures = list(itertools.product(*per_document))
        self.states = list(itertools.product(structures, self._classes()))
        self.index = {state: number for number, state in enumerate(self.states)}
        of_structures = {each: self._log_prior(each) for each in structures}
        of_classes = {classes: self._log_subjects(classes) for classes in self._classes()}
        logs = np.array(
            [
                self._log_words(structure, classes) + of_structures[structure] + of_classes[classes]
                for structure, classes in self.states
            ]
        )
        weights = np.exp(logs - logs.max())
        self.probabilities = weights / weights.sum()

    def _structures(self, size):
        bags = [
            bag
            for bag in itertools.product(range(size + 1), repeat=self.n_topics)
            if sum(bag) == size
        ]
        orders = sorted(oracle.orders_by_inversions(self.n_topics))
        if self.priors.variant == Variant.CONSTRAINED:
            orders = [orders[0]]
        return list(itertools.product(bags, orders))

    def _classes(self):
        """All classes of the words but one: topics have a word to be drawn from."""
        n_words = self.corpus.n_words
        if self.priors.subject is None:
            return [(False,) * n_words]
        return list(itertools.product([False, True], repeat=n_words))[:-1]

    def _log_subjects(self, classes):
        if self.priors.subject is None:
            return 0.0
        of_documents = oracle.log_subjects(
            oracle.documents_of(self.corpus), classes, self.priors.subject
        )
        return of_documents + oracle.log_classes(classes)

    def _log_words(self, structures, classes):
        documents = oracle.section_words_of(oracle.documents_of(self.corpus), classes)
        topics = [oracle.layout(*structure) for structure in structures]
        n_section = classes.count(False)
        return oracle.log_words(documents, topics, self.n_topics, n_section, self.priors.word)

    def _log_prior(self, state):
        bags = [bag for bag, _ in state]
        orders = 0.0  # the same for every order in the other variants
        if self.priors.variant == Variant.FULL:
            orders = sum(np.log(self._mass(j, total)[-1]) for j, total in self._totals(state))
        draws = oracle.log_draws(bags, self.priors.topic)
        return draws + oracle.log_arrangements(bags) + orders

    def _totals(self, state):
        return enumerate(int(total) for total in np.sum([v for _, v in state], axis=0))

    @cache  # noqa: B019 (lives as long as the test)
    def _mass(self, j, total):
        """The density of ρ_j, given the sum of its inversion counts, summed up along the grid."""
        n_values = self.n_topics - j
        expected = oracle.expected_inversions(self.priors.dispersion, n_values)
        strength = self.corpus.n_documents + self.priors.strength
        sums = np.exp(-np.outer(GRID, np.arange(n_values))).sum(axis=1)
        cost = GRID * (total + self.priors.strength * expected) + strength * np.log(sums)
        density = np.exp(-cost)
        steps = np.diff(GRID, prepend=0.0)
        return np.cumsum(steps * (density + np.concatenate([density[:1], density[:-1]])) / 2)

    def draw_dispersion(self, state, rng):
        """Draw ρ given the orders of a state, by inverting its distribution."""
        if self.priors.variant != Variant.FULL:
            fixed = 0.0 if self.priors.variant == Variant.UNIFORM else np.inf
            return np.full(self.n_topics - 1, fixed)
        drawn = []
        for j, total in self._totals(state):
            mass = self._mass(j, total)
            drawn.append(np.interp(rng.random() * mass[-1], mass, GRID))
        return np.array(drawn)

    def dispersion_below(self, j, values):
        """The marginal posterior probability that ρ_j is below each of the values."""
        of_total = defaultdict(float)
        for probability, (state, _) in zip(self.probabilities, self.states, strict=True):
            of_total[sum(inversions[j] for _, inversions in state)] += probability
        below = np.zeros(len(values))
        for total, probability in of_total.items():
            mass = self._mass(j, total)
            below += probability * np.interp(values, GRID, mass / mass[-1])
        return below


def split_variant(name):
    """Split "uniform, subjects" into the paper's variant and whether there are subject words.

    >>> split_variant("subjects"), split_variant("uniform")
    (('full', True), ('uniform', False))
    """
    paper = name.removesuffix("subjects").removesuffix(", ")
    return paper or "full", name.endswith("subjects")


def p_values_after_one_sweep(posterior, make_moves, n_replicates, seed=0):
    """Start at exact posterior draws, make one sweep, and test whether they still are.

    Replicates are independent, so the χ² test over states means what it says; states too rare
    for it are pooled. With ρ in the model, its marginals are tested too (Kolmogorov-Smirnov).
    """
    rng = np.random.default_rng(seed)
    streams = Streams(seed + 1)
    moves = make_moves(posterior.corpus, posterior.n_topics, posterior.priors)
    seen = np.zeros(len(posterior.states), dtype=np.int64)
    dispersions = []
    for replicate, number in enumerate(
        rng.choice(len(posterior.states), size=n_replicates, p=posterior.probabilities)
    ):
        chosen, classes = posterior.states[number]
        state = make_state(
            posterior.corpus,
            np.array([bag for bag, _ in chosen]),
            np.array([inversions for _, inversions in chosen]),
            posterior.draw_dispersion(chosen, rng),
            np.array(classes),
        )
        for move_number, move in enumerate(moves):
            move(state, partial(streams.at, replicate, move_number))
        bags, inversions = map(tuple, state.bag.tolist()), map(tuple, state.inversions.tolist())
        found = tuple(zip(bags, inversions, strict=True)), tuple(state.subject_words.tolist())
        seen[posterior.index[found]] += 1
        dispersions.append(state.dispersion)
    p_values = {"states": pooled_chi_square(seen, n_replicates * posterior.probabilities)}
    if posterior.priors.variant == Variant.FULL:
        for j, values in enumerate(np.array(dispersions).T):
            below = posterior.dispersion_below(j, values)
            p_values[f"dispersion {j}"] = stats.kstest(below, "uniform").pvalue
    return p_values


def pooled_chi_square(seen, expected):
    """Compare counts; what is expected fewer than five times goes into bins of at least ten."""
    order = np.argsort(-expected)
    seen, expected = seen[order], expected[order]
    common = int(np.count_nonzero(expected >= 5))
    groups = np.concatenate(
        [np.arange(common), common + np.cumsum(expected[common:]) // 10]
    ).astype(int)
    seen, expected = np.bincount(groups, seen), np.bincount(groups, expected)
    if expected[-1] < 5 and len(expected) > 1:
        seen, expected = (
            np.append(seen[:-2], seen[-2:].sum()),
            np.append(expected[:-2], expected[-2:].sum()),
        )
    return float(stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue)
