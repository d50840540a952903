"""Rungs 1, 3 and 4 for the blocked moves on one document.

A kernel is a function of uniforms, so its law can be found without drawing: `law` looks for the
places where the outcome changes.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln

from permutopic.model.joint import joint_terms
from permutopic.model.kernels import linear_filters, log_filters, placement
from permutopic.model.kernels.log_filters import LOG_ZERO, MoveSettings, make_filter_workspace
from permutopic.model.kernels.orders import write_inversions
from permutopic.model.kernels.span_table import SpanTable
from permutopic.model.priors import Variant
from permutopic.model.state import make_state

import oracle
from kernel_source import load_modules
from tiny import a_corpus

uncompiled = load_modules(compile_it=False)
LOG_FACTORIAL = gammaln(np.arange(20) + 1.0)


class Case:
    """One document with θ, cuts and a table of weights, and all its structures enumerated.

    The table is filled by the oracle, so that the kernels here are tested alone.
    """

    def __init__(
        self,
        seed,
        variant,
        *,
        n_topics=3,
        most_units=5,
        cut_probability=1.0,
        inverse_temperature=1.0,
    ):
        rng = np.random.default_rng(seed)
        self.corpus, self.state, self.priors = a_corpus(seed, variant, n_topics, most_units)
        self.n_topics, self.n_units = n_topics, int(self.state.bag[0].sum())
        self.log_prevalence = np.log(rng.dirichlet(np.ones(n_topics)))
        inner = range(1, self.n_units)
        cuts = [
            0,
            *(cut for cut in inner if rng.random() < cut_probability or cut_probability == 1),
            self.n_units,
        ]
        self.cuts = np.array(cuts)
        self.settings = MoveSettings(
            self.log_prevalence,
            self.state.dispersion,
            inverse_temperature,
            1,
            1,
            variant != "constrained",
        )
        self.filters = make_filter_workspace(n_topics, len(cuts))
        self.table = self._scores(-(-len(cuts) // 8) * 8)
        log_filters.scores_to_weights(
            self.table,
            self.cuts,
            LOG_FACTORIAL,
            inverse_temperature,
            math.log(cut_probability),
            0,
        )
        self.scaled, self.flipped = np.full((2, *self.table.shape), np.nan)
        every = np.arange(n_topics)
        self.spans = SpanTable(
            self.cuts, every, every, self.log_prevalence, self.table, self.scaled, self.flipped
        )
        present = self.state.order(0)
        linear_filters.find_potentials(
            self.table, self.cuts, present, self.log_prevalence, self.filters
        )
        assert placement.fill_linear_weights(self.spans, self.filters)
        self.all = oracle.BlockedDocument(
            self.corpus,
            self.state,
            self.priors,
            0,
            self.log_prevalence,
            cuts,
            cut_probability,
            inverse_temperature,
        )
        self.orders = list(oracle.inversions_by_order(n_topics))
        if variant == Variant.CONSTRAINED:
            self.orders = self.orders[:1]

    def draw_bag(self, flavour, order, uniforms):
        """Draw a bag, on logarithms or on scaled weights."""
        bag, order = np.full(self.n_topics, -1), np.array(order)
        linear = placement.draw_bag_restricted(
            self.spans, flavour != "logs", order, bag, self.filters, np.array(uniforms), False
        )
        assert linear == (flavour != "logs")
        return bag

    def place_topic(self, flavour, order, topic, uniform):
        """Place a topic, on logarithms or on scaled weights."""
        order = np.array(order)
        others = np.array([other for other in order if other != topic])
        fits, dispersion = flavour != "logs", self.settings.dispersion
        assert placement.log_sums_at_gaps(self.spans, fits, others, topic, self.filters)[0]
        placement.place_topic(self.spans, fits, order, topic, dispersion, self.filters, uniform)
        return order.tolist()

    def _scores(self, width):
        units = oracle.documents_of(self.corpus)
        held = np.zeros((self.n_topics, self.corpus.n_words), dtype=int)
        for document in (1, 2):
            for words, topic in zip(units[document], self.state.topics(document), strict=True):
                np.add.at(held, (topic, words), 1)
        table = np.full((self.n_topics, self.cuts.size - 1, width), np.nan)
        for topic, (i, j) in itertools.product(
            range(self.n_topics), itertools.combinations(range(self.cuts.size), 2)
        ):
            span = [w for unit in units[0][self.cuts[i] : self.cuts[j]] for w in unit]
            table[topic, i, j] = oracle.log_span(span, held[topic], self.priors.word)
        return table


def law(outcome, n_values):
    """How likely a uniform makes each value of a function of it that only grows: by bisection."""
    edges = [0.0]
    for value in range(n_values - 1):
        low, high = edges[-1], 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if outcome(middle) > value else (middle, high)
        edges.append(high)
    edges.append(1.0)
    assert outcome(0.0) >= 0
    return [(edges[n + 1] - edges[n], (edges[n + 1] + edges[n]) / 2) for n in range(n_values)]


def normalised(log_weights):
    weights = np.exp(np.asarray(log_weights) - np.max(log_weights))
    return weights / weights.sum()


VARIANTS = list(Variant)
SITUATIONS = [(1.0, 1.0), (0.4, 1.0), (1.0, 0.3), (0.4, 0.3)]
situations = pytest.mark.parametrize(("cut_probability", "inverse_temperature"), SITUATIONS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_oracle_weighs_structures_by_the_joint(variant):
    # Given θ the draws are independent: n log θ takes the place of the line that integrates it out.
    case = Case(3, variant)
    ours, joints = [], []
    for order, bag in itertools.product(case.orders, case.all.bags):
        bags, inversions = case.state.bag.copy(), case.state.inversions.copy()
        bags[0], inversions[0] = bag, oracle.inversions_by_order(3)[order]
        moved = make_state(case.corpus, bags, inversions, case.state.dispersion)
        terms = joint_terms(moved, case.priors)
        joints.append(sum(terms) - terms.draws + np.dot(bag, case.log_prevalence))
        ours.append(case.all.log_weight(order, bag))
    assert len(ours) > 10
    assert normalised(ours) == pytest.approx(normalised(joints), rel=1e-9)


@pytest.mark.parametrize("flavour", [log_filters, uncompiled.log_filters])
def test_spans_are_weighed_by_size_cuts_and_temperature(flavour):
    scores = np.random.default_rng(0).normal(-20, 9, (3, 4, 8))
    table, cuts = scores.copy(), np.array([0, 1, 4, 5, 9])
    flavour.scores_to_weights(table, cuts, LOG_FACTORIAL, 0.25, math.log(0.2), 0)
    for topic, start, cut in np.ndindex(table.shape):
        if start < cut < cuts.size:
            penalty = math.log(math.factorial(cuts[cut] - cuts[start])) + math.log(0.2)
            expected = 0.25 * scores[topic, start, cut] - penalty
            assert table[topic, start, cut] == pytest.approx(expected, rel=1e-12)
        else:
            assert table[topic, start, cut] == LOG_ZERO


def ways(case, topics, start, end):
    """All log weights with which these topics, in this order, cover what is between two cuts."""
    if not topics:
        return [0.0] if start == end else []
    found = []
    for cut in range(start, end + 1):
        rest = ways(case, topics[1:], cut, end)
        size = case.cuts[cut] - case.cuts[start]
        mine = case.table[topics[0], start, cut] if cut > start else 0.0
        found += [mine + size * case.log_prevalence[topics[0]] + other for other in rest]
    return found


def sums_before(case, order):
    """The logs of all sums from the left: before[slot][cut], by counting out all ways."""
    cuts = range(case.cuts.size)
    return [
        [oracle.log_sum(ways(case, order[:slot], 0, cut)) for cut in cuts]
        for slot in range(len(order) + 1)
    ]


def sums_after(case, order):
    """The same from the right."""
    cuts = range(case.cuts.size)
    return [
        [oracle.log_sum(ways(case, order[slot:], cut, cuts[-1])) for cut in cuts]
        for slot in range(len(order) + 1)
    ]


def assert_log_sums(found, expected):
    """Compare log sums; where no way leads the weight is next to nothing."""
    for slot, cut in np.ndindex(np.shape(expected)):
        if expected[slot][cut] == -math.inf:
            assert found[slot, cut] < 0.5 * LOG_ZERO
        else:
            assert found[slot, cut] == pytest.approx(expected[slot][cut], abs=1e-9)


@pytest.mark.parametrize("flavour", [log_filters, uncompiled.log_filters])
@pytest.mark.parametrize("most_units", [4, 12])
@pytest.mark.parametrize("seed", range(6))
def test_filters_sum_over_all_that_lies_before_and_after(seed, most_units, flavour):
    case = Case(seed, Variant.FULL, most_units=most_units, cut_probability=(1.0, 0.6)[seed % 2])
    order, shares = case.orders[seed], case.log_prevalence
    flavour.forward_sums(case.table, case.cuts, np.array(order), shares, case.filters)
    assert_log_sums(case.filters.forward, sums_before(case, order))
    flavour.backward_sums(case.table, case.cuts, np.array(order), shares, case.filters)
    assert_log_sums(case.filters.backward, sums_after(case, order))


@pytest.mark.parametrize("flavour", [linear_filters, uncompiled.linear_filters])
@pytest.mark.parametrize("most_units", [4, 12])
@pytest.mark.parametrize("seed", range(6))
def test_scaled_filters_are_the_same_sums_over_potentials(seed, most_units, flavour):
    case = Case(seed, Variant.FULL, most_units=most_units, cut_probability=(1.0, 0.6)[seed % 2])
    n_cuts, filters = case.cuts.size, case.filters
    present, order = tuple(case.state.order(0).tolist()), np.array(case.orders[seed])
    potentials = [max(ways(case, present, 0, cut)) for cut in range(n_cuts)]
    assert filters.potentials[:n_cuts] == pytest.approx(potentials, abs=1e-9)
    assert flavour.forward_sums_linear(case.scaled, n_cuts, order, filters)
    expected = np.exp(np.array(sums_before(case, order.tolist())) - potentials)
    assert filters.forward[:4, :n_cuts] == pytest.approx(expected, rel=1e-9)
    assert flavour.backward_sums_linear(case.flipped, n_cuts, order, filters)
    behind = np.array(potentials) - potentials[-1]
    expected = np.exp(np.array(sums_after(case, order.tolist())) + behind)
    assert filters.backward[:4, :n_cuts] == pytest.approx(expected, rel=1e-9)


def bag_law(case, flavour, order, end=None, slot=None, uniforms=None):
    """The probability of every bag, slot by slot from the right as it is drawn."""
    if slot is None:
        end, slot, uniforms = case.cuts.size - 1, len(order) - 1, [0.5] * len(order)
    if slot < 0:
        return {tuple(case.draw_bag(flavour, order, uniforms).tolist()): 1.0}

    def start(uniform):
        bag = case.draw_bag(flavour, order, [*uniforms[:slot], uniform, *uniforms[slot + 1 :]])
        return case.cuts.tolist().index(case.cuts[end] - bag[order[slot]])

    found = {}
    for value, (probability, inside) in enumerate(law(start, end + 1)):
        if probability > 0:
            given = [*uniforms[:slot], inside, *uniforms[slot + 1 :]]
            rest = bag_law(case, flavour, order, value, slot - 1, given)
            found |= {bag: probability * other for bag, other in rest.items()}
    return found


@pytest.mark.parametrize("flavour", ["logs", "scaled"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
@situations
def test_the_law_of_the_bag_is_the_normalised_joint(
    seed, variant, cut_probability, inverse_temperature, flavour
):
    case = Case(
        seed, variant, cut_probability=cut_probability, inverse_temperature=inverse_temperature
    )
    order = case.orders[seed % len(case.orders)]
    weights = [case.all.log_weight(order, bag) for bag in case.all.bags]
    expected = dict(zip(case.all.bags, normalised(weights), strict=True))
    found = bag_law(case, flavour, order)
    assert set(found) == {bag for bag, probability in expected.items() if probability > 0}
    for bag, probability in found.items():
        assert probability == pytest.approx(expected[bag], rel=1e-9, abs=1e-12)


def test_random_cuts_leave_structures_with_more_boundaries_their_share():
    # Said without words: one unit each for two topics, or both for one, the place being a cut.
    found = {}
    for cut_probability in (1.0, 0.1):
        table = np.zeros((2, 2, 8))
        cuts, filters = np.arange(3), make_filter_workspace(2, 3)
        log_filters.scores_to_weights(table, cuts, LOG_FACTORIAL, 1.0, math.log(cut_probability), 0)
        bag = np.zeros(2, dtype=np.int64)
        drawn = []
        for uniforms in np.random.default_rng(0).random((20_000, 2)):
            log_filters.draw_bag(
                table, cuts, np.arange(2), np.log([0.5, 0.5]), filters, bag, uniforms
            )
            drawn.append(bag[0] == 1)
        found[cut_probability] = np.mean(drawn)
    # θ²/2! each for both units in one topic, θ² for one each: 1/2; times 1/p it is 10/11.
    assert found[1.0] == pytest.approx(1 / 2, abs=5 * math.sqrt(0.25 / 20_000))
    assert found[0.1] == pytest.approx(10 / 11, abs=5 * math.sqrt(10 / 121 / 20_000))


@pytest.mark.parametrize("flavour", ["logs", "scaled"])
@pytest.mark.parametrize("variant", [Variant.FULL, Variant.UNIFORM])
@pytest.mark.parametrize("seed", range(3))
@situations
def test_a_place_is_weighed_by_the_joint_over_all_bags(
    seed, variant, cut_probability, inverse_temperature, flavour
):
    case = Case(
        seed,
        variant,
        n_topics=4,
        cut_probability=cut_probability,
        inverse_temperature=inverse_temperature,
    )
    order = case.orders[5 * seed + 2]
    for topic in range(4):
        others = [other for other in order if other != topic]
        tried = [(*others[:gap], topic, *others[gap:]) for gap in range(4)]
        expected = normalised([case.all.log_total(one) for one in tried])

        def gap(uniform, topic=topic, tried=tried):
            return tried.index(tuple(case.place_topic(flavour, order, topic, uniform)))

        found = [probability for probability, _ in law(gap, 4)]
        assert found == pytest.approx(expected.tolist(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("variant", [Variant.FULL, Variant.UNIFORM])
@pytest.mark.parametrize("inverse_temperature", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_an_inversion_count_is_weighed_by_the_joint(seed, inverse_temperature, variant):
    case = Case(seed, variant, n_topics=4, inverse_temperature=inverse_temperature)
    orders = oracle.orders_by_inversions(4)
    rng = np.random.default_rng(seed)
    before = case.state.inversions[0]
    for bag in rng.permutation(case.all.bags)[:6]:
        uniforms, now = np.full(3, 0.5), before.tolist()
        for j in range(3):

            def count(uniform, j=j, bag=bag, uniforms=uniforms):
                uniforms[j] = uniform
                inversions, order = before.copy(), np.array(orders[tuple(before.tolist())])
                every = np.arange(4)
                given = (case.table, every, order, inversions, bag)
                log_filters.draw_inversions(*given, case.settings, case.filters, uniforms)
                assert order.tolist() == list(orders[tuple(inversions.tolist())])
                return inversions[j]

            tried = [(*now[:j], value, *now[j + 1 :]) for value in range(4 - j)]
            weights = [case.all.log_weight(orders[one], bag.tolist()) for one in tried]
            found = law(count, 4 - j)
            expected = normalised(weights).tolist()
            assert [p for p, _ in found] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            now[j] = int(rng.choice(4 - j, p=expected))
            uniforms[j] = found[now[j]][1]


@pytest.mark.parametrize("n_topics", [2, 3, 4, 5])
def test_inversions_are_written_for_every_order(n_topics):
    for order, expected in oracle.inversions_by_order(n_topics).items():
        inversions = np.full(n_topics - 1, -1)
        write_inversions(inversions, np.array(order))
        assert tuple(inversions.tolist()) == expected


def test_a_topic_kept_out_by_its_share_gets_nothing():
    case = Case(1, Variant.FULL, most_units=12)
    shares = case.log_prevalence.copy()
    shares[1] = -1e5
    rng = np.random.default_rng(0)
    bag = np.empty(3, dtype=np.int64)
    for order in case.orders:
        for _ in range(50):
            log_filters.draw_bag(
                case.table, case.cuts, np.array(order), shares, case.filters, bag, rng.random(3)
            )
            assert bag.sum() == case.n_units
            assert bag[1] == 0
