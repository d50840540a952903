"""The best structure is found by maxima where the moves have sums; here all ways are tried."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import oracle_inference
from permutopic.model.kernels import viterbi
from permutopic.model.kernels.log_filters import LOG_ZERO, make_filter_workspace
from permutopic.model.kernels.span_table import make_span_table

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).viterbi
flavours = pytest.mark.parametrize("flavour", [viterbi, uncompiled], ids=["fast", "plain"])


class Case:
    """A span table, some topics inactive, with the log weights of all structures by trying."""

    def __init__(self, cuts, active, log_prevalence, dispersion):
        self.cuts, self.active, self.dispersion = np.array(cuts), np.array(active), dispersion
        self.n_topics, self.n_units = log_prevalence.size, int(self.cuts[-1])
        self.spans = make_span_table(self.cuts, self.active, log_prevalence)
        self.spans.log_weights[:] = LOG_ZERO
        self.spans.transposed[:] = np.nan
        self.filters = make_filter_workspace(self.n_topics, self.cuts.size)
        for room in self.filters:
            room[:] = np.nan

    def log_weight(self, order, ends):
        """The active topics of an order, each up to its end among the cuts."""
        spans, total, start = self.spans, 0.0, 0
        for topic, end in zip(self.restricted(order), ends, strict=True):
            if end > start:
                n, size = spans.active_index[topic], self.cuts[end] - self.cuts[start]
                total += spans.log_weights[n, start, end] + size * spans.log_prevalence[n]
            start = end
        return total

    def restricted(self, order):
        return [topic for topic in order if topic in self.active]

    def best(self, order):
        """The best log weight of an order by trying all bags."""
        last, n_loud = self.cuts.size - 1, len(self.restricted(order))
        every = itertools.combinations_with_replacement(range(last + 1), n_loud - 1)
        return max(self.log_weight(order, (*ends, last)) for ends in every)

    def score(self, order):
        """The same with the probability of the order."""
        inversions = oracle.inversions_by_order(self.n_topics)[tuple(map(int, order))]
        return self.best(order) + oracle.log_order(inversions, self.dispersion)

    def moves(self, order, topic):
        """All orders with one topic put elsewhere."""
        others = [other for other in order if other != topic]
        return [(*others[:gap], topic, *others[gap:]) for gap in range(self.n_topics)]

    def weight_of(self, order, bag):
        """The log weight of an order and a bag."""
        sizes = np.cumsum([bag[topic] for topic in self.restricted(order)])
        return self.log_weight(order, [self.cuts.tolist().index(size) for size in sizes])

    def climbed(self, flavour, order, passes=20, orders=True):
        order, bag = np.array(order), np.full(self.n_topics, -1)
        flavour.coordinate_ascent(
            self.spans, order, bag, self.dispersion, orders, self.filters, passes
        )
        return tuple(order.tolist()), bag.tolist()


def random_case(seed, *, n_topics=4, n_active=3, n_cuts=5, spread=3.0):
    """Any weights whatever."""
    rng = np.random.default_rng(seed)
    cuts = np.append(0, np.cumsum(rng.integers(1, 4, n_cuts - 1)))
    active = np.sort(rng.permutation(n_topics)[:n_active])
    log_prevalence = np.log(rng.dirichlet(np.ones(n_topics)))
    case = Case(cuts, active, log_prevalence, rng.exponential(size=n_topics - 1))
    for start in range(n_cuts - 1):
        # In proportion to the units: few long spans or many short ones weigh about the same.
        middle = -9.0 * (cuts[start + 1 :] - cuts[start])
        weights = rng.normal(middle, spread, (n_active, n_cuts - 1 - start))
        case.spans.log_weights[:, start, start + 1 : n_cuts] = weights
    return case, rng


@flavours
def test_a_table_is_flipped_and_what_is_no_span_weighs_nothing(flavour):
    case, _ = random_case(0, n_cuts=10)
    flavour.transpose_weights(case.spans)
    for n, start, cut in np.ndindex(3, 16, 10):
        if cut > 0 and start < -(-cut // 8) * 8:
            expected = case.spans.log_weights[n, start, cut] if start < cut else LOG_ZERO
            assert case.spans.transposed[n, cut - 1, start] == expected


@flavours
@pytest.mark.parametrize(("n_topics", "n_active"), [(2, 1), (3, 3), (5, 4)], ids=str)
@pytest.mark.parametrize("n_cuts", [2, 5, 9])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_bag_of_an_order_is_found(seed, n_cuts, n_topics, n_active, flavour):
    case, rng = random_case(seed, n_topics=n_topics, n_active=n_active, n_cuts=n_cuts)
    order, bag = rng.permutation(n_topics), np.full(n_topics, -1)
    score = flavour.best_bag(case.spans, order, case.filters, bag)
    assert score == pytest.approx(case.best(order), abs=1e-9)
    assert bag.sum() == case.n_units
    assert set(np.flatnonzero(bag).tolist()) <= set(case.active.tolist())
    assert case.weight_of(order, bag) == pytest.approx(score, abs=1e-9)


@flavours
@pytest.mark.parametrize("n_cuts", [2, 5, 9])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_every_gap_is_found(seed, n_cuts, flavour):
    case, rng = random_case(seed, n_topics=5, n_active=4, n_cuts=n_cuts)
    flavour.transpose_weights(case.spans)
    order = rng.permutation(5)
    for n, topic in enumerate(case.active):
        others = [other for other in order if other != topic]
        found = flavour.best_scores_at_gaps(case.spans, np.array(others), n, case.filters)
        restricted = case.restricted(others)
        tried = [[*restricted[:gap], topic, *restricted[gap:]] for gap in range(4)]
        assert found == pytest.approx([case.best(one) for one in tried], abs=1e-9)


@flavours
@pytest.mark.parametrize("seed", range(4))
def test_a_topic_goes_to_its_best_place_if_that_is_better(seed, flavour):
    case, rng = random_case(seed, n_topics=4, n_active=3)
    flavour.transpose_weights(case.spans)
    order, gains = rng.permutation(4), []
    for topic in [*range(4), *range(4)]:
        before, best = case.score(order), max(map(case.score, case.moves(order.tolist(), topic)))
        gains.append(
            flavour.move_to_best_slot(case.spans, order, topic, case.dispersion, case.filters)
        )
        assert case.score(order) == pytest.approx(best, abs=1e-9)
        assert gains[-1] == (best > before + 1e-9)
    assert sorted(order.tolist()) == [0, 1, 2, 3]


@flavours
def test_a_topic_stays_where_no_place_is_better(flavour):
    case, _ = random_case(0, n_topics=4, n_active=1)
    flavour.transpose_weights(case.spans)
    order = np.array([3, 1, 0, 2])
    for topic in range(4):  # ρ is 0: every order is as good as any other
        nothing = np.zeros(3)
        assert not flavour.move_to_best_slot(case.spans, order, topic, nothing, case.filters)
    assert order.tolist() == [3, 1, 0, 2]


@flavours
@pytest.mark.parametrize("n_active", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_a_climb_never_goes_down_and_its_bag_is_the_best_of_its_order(seed, n_active, flavour):
    case, rng = random_case(seed, n_topics=4, n_active=n_active)
    first = tuple(rng.permutation(4).tolist())
    scores = [case.score(first)]
    for passes in range(4):
        order, bag = case.climbed(flavour, first, passes)
        scores.append(case.score(order))
        assert sorted(order) == [0, 1, 2, 3]
        assert sum(bag) == case.n_units
        assert case.weight_of(order, bag) == pytest.approx(case.best(order), abs=1e-9)
    assert np.all(np.diff(scores) >= -1e-9)
    assert scores[1] == pytest.approx(scores[0], abs=1e-9)  # no pass, no move


@pytest.mark.parametrize(("n_topics", "n_active"), [(4, 1), (5, 3), (4, 4)], ids=str)
def test_a_climb_ends_where_no_topic_has_a_better_place(n_topics, n_active):
    for seed in range(50):
        case, rng = random_case(seed, n_topics=n_topics, n_active=n_active)
        order, bag = case.climbed(viterbi, rng.permutation(n_topics))
        for topic in range(n_topics):
            # An empty active topic is tried in the first pass alone.
            if bag[topic] > 0 or topic not in case.active:
                best = max(case.score(one) for one in case.moves(order, topic))
                assert best <= case.score(order) + 1e-8


@flavours
def test_where_orders_are_fixed_only_the_bag_is_found(flavour):
    case, _ = random_case(3, n_topics=4, n_active=4)
    case.dispersion = np.full(3, np.inf)
    order, bag = case.climbed(flavour, range(4), orders=False)
    assert order == (0, 1, 2, 3)
    assert case.weight_of(order, bag) == pytest.approx(case.best(order), abs=1e-9)


@flavours
def test_inactive_topics_end_where_the_order_is_most_probable(flavour):
    case, _ = random_case(5, n_topics=5, n_active=1)
    case.dispersion[:] = [0.5, 1.0, 2.0, 0.1]
    assert case.climbed(flavour, [4, 2, 0, 3, 1])[0] == (0, 1, 2, 3, 4)


def document_case(seed, n_topics):
    """A tiny document drawn from topics that differ, every place a cut and every topic active."""
    rng = np.random.default_rng(seed)
    beta, n_words, n_units = 0.3, 6, 5
    held = rng.poisson(6 * n_words * rng.dirichlet(np.full(n_words, 0.4), n_topics))
    sources = rng.choice(n_topics, n_units)
    units = []
    for source in np.sort(sources) if seed % 2 else sources:
        words = rng.choice(n_words, rng.integers(0, 6), p=rng.dirichlet(held[source] + beta))
        units.append(words.tolist())
    dispersion = rng.exponential(size=n_topics - 1)
    document = oracle_inference.LoneDocument(units, held.tolist(), beta, dispersion)
    log_prevalence = np.log(rng.dirichlet(np.ones(n_topics)))
    case = Case(range(n_units + 1), range(n_topics), log_prevalence, dispersion)
    for start, cut in itertools.combinations(range(n_units + 1), 2):
        words = [word for unit in units[start:cut] for word in unit]
        for topic in range(n_topics):
            score = oracle.log_span(words, held[topic].tolist(), beta)
            case.spans.log_weights[topic, start, cut] = score - math.log(
                math.factorial(cut - start)
            )
    return case, document, log_prevalence, rng


def test_the_best_structure_of_a_tiny_document_is_nearly_always_found():
    found = []
    for seed in range(300):
        n_topics = (2, 3, 4)[seed % 3]
        case, document, log_prevalence, rng = document_case(seed, n_topics)
        order, bag = case.climbed(viterbi, rng.permutation(n_topics), passes=10)
        score = document.log_weight(order, bag, log_prevalence) + document.log_order(order)
        best = document.best(log_prevalence)
        assert score <= best + 1e-9
        found.append(score >= best - 1e-9)
    assert np.mean(found) >= 0.95
