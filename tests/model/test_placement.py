"""Moves on the active topics alone have the law that all ways to cover a document add up to."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.model.kernels import placement
from permutopic.model.kernels.linear_filters import find_potentials
from permutopic.model.kernels.log_filters import LOG_ZERO, make_filter_workspace
from permutopic.model.kernels.span_table import make_span_table

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).placement
flavours = pytest.mark.parametrize("flavour", [placement, uncompiled], ids=["fast", "plain"])


class Case:
    """A span table of random weights, some topics inactive, and an order."""

    def __init__(self, seed, *, n_topics=5, n_active=3, n_cuts=5, spread=2.0):
        rng = np.random.default_rng(seed)
        self.n_topics, self.rng = n_topics, rng
        self.cuts = np.append(0, np.cumsum(rng.integers(1, 4, n_cuts - 1)))
        self.active = np.sort(rng.permutation(n_topics)[:n_active])
        log_prevalence = np.log(rng.dirichlet(np.ones(n_topics)))
        self.spans = make_span_table(self.cuts, self.active, log_prevalence)
        table = self.spans.log_weights
        table[:] = LOG_ZERO
        for start in range(n_cuts - 1):
            # In proportion to the units: few long spans or many short ones weigh about the same.
            middle = -9.0 * (self.cuts[start + 1 :] - self.cuts[start])
            weights = rng.normal(middle, spread, (n_active, n_cuts - 1 - start))
            table[:, start, start + 1 : n_cuts] = weights
        self.spans.linear_weights[:] = self.spans.transposed[:] = np.nan
        self.dispersion = rng.exponential(size=n_topics - 1)
        self.order = rng.permutation(n_topics)
        self.filters = make_filter_workspace(n_topics, n_cuts)
        for room in self.filters:
            room[:] = np.nan
        self.fits = self.scale(placement)

    def scale(self, flavour):
        spans = self.spans
        mine = flavour.restricted_order(self.order, spans.active_index)
        find_potentials(spans.log_weights, spans.cuts, mine, spans.log_prevalence, self.filters)
        return flavour.fill_linear_weights(spans, self.filters)

    def ways(self, order):
        """The log weights of all bags that an order of active topics allows, by the bag."""
        spans, found = self.spans, {}
        last = self.cuts.size - 1
        for inner in itertools.combinations_with_replacement(range(last + 1), len(order) - 1):
            ends, bag, total = (0, *inner, last), [0] * self.n_topics, 0.0
            for topic, (start, end) in zip(order, itertools.pairwise(ends), strict=True):
                n, size = spans.active_index[topic], int(self.cuts[end] - self.cuts[start])
                if size > 0:
                    total += spans.log_weights[n, start, end] + size * spans.log_prevalence[n]
                bag[topic] = size
            found[tuple(bag)] = total
        return found

    def restricted(self, order):
        return [topic for topic in order if topic in self.active]

    def place_law(self, topic):
        """The probability of every gap for a topic: Mallows, and all bags of the active topics."""
        others = [other for other in self.order.tolist() if other != topic]
        tried = [(*others[:gap], topic, *others[gap:]) for gap in range(self.n_topics)]
        logs = []
        for order in tried:
            inversions = oracle.inversions_by_order(self.n_topics)[order]
            total = oracle.log_sum(list(self.ways(self.restricted(order)).values()))
            logs.append(total + oracle.log_order(inversions, self.dispersion))
        weights = np.exp(np.array(logs) - max(logs))
        return tried, weights / weights.sum()

    def placed(self, flavour, fits, topic, uniform):
        order = self.order.copy()
        given = (self.dispersion, self.filters, uniform)
        flavour.place_topic(self.spans, fits, order, topic, *given)
        return order.tolist()

    def drawn(self, flavour, fits, uniforms):
        bag = np.full(self.n_topics, -1)
        given = (self.filters, np.asarray(uniforms), False)
        on_scaled = flavour.draw_bag_restricted(self.spans, fits, self.order, bag, *given)
        return on_scaled, bag.tolist()


@flavours
def test_a_span_table_knows_the_active_topics_by_numbers_of_their_own(flavour):
    log_prevalence = np.log(np.array([0.1, 0.2, 0.3, 0.4]))
    spans = make_span_table(np.array([0, 2, 9]), np.array([1, 3]), log_prevalence)
    assert spans.active_index.tolist() == [-1, 0, -1, 1]
    assert spans.log_prevalence.tolist() == log_prevalence[[1, 3]].tolist()
    assert (
        spans.log_weights.shape == spans.linear_weights.shape == spans.transposed.shape == (2, 2, 8)
    )
    assert flavour.restricted_order(np.array([3, 0, 2, 1]), spans.active_index).tolist() == [1, 0]


@flavours
def test_topics_in_use_are_active_and_others_by_their_chance(flavour):
    inclusion, uniforms = np.array([0.5, 0.5, 0.2, 1.0, 0.2]), np.array([0.4, 0.6, 0.9, 0.99, 0.1])
    active = flavour.draw_active(inclusion, np.array([0, 0, 3, 0, 0]), uniforms)
    assert active.tolist() == [0, 2, 3, 4]


@flavours
@given(st.permutations(range(5)), st.integers(0, 4), st.integers(0, 4))
def test_a_topic_taken_out_and_put_into_a_gap(flavour, order, topic, gap):
    order = np.array(order)
    others = flavour.without_topic(order, topic)
    assert others.tolist() == [other for other in order if other != topic]
    flavour.insert_at(order, topic, others, gap)
    expected = others.tolist()
    expected.insert(gap, topic)
    assert order.tolist() == expected


@flavours
@pytest.mark.parametrize("n_cuts", [2, 5, 12])
@pytest.mark.parametrize("seed", range(4))
def test_sums_from_both_sides_are_over_all_ways(seed, n_cuts, flavour):
    case = Case(seed, n_cuts=n_cuts)
    spans, filters, last = case.spans, case.filters, n_cuts - 1
    mine = flavour.restricted_order(case.order, spans.active_index)
    assert case.scale(flavour)
    potentials = filters.potentials[:n_cuts].copy()
    assert flavour.both_sums_linear(spans, mine, filters)
    left, right = filters.forward[:4, :n_cuts].copy(), filters.backward[:4, :n_cuts].copy()
    total = oracle.log_sum(list(case.ways(case.restricted(case.order)).values()))
    assert np.log(left[3, last]) + potentials[last] == pytest.approx(total, abs=1e-9)
    assert np.log(right[0, 0]) + potentials[last] == pytest.approx(total, abs=1e-9)
    flavour.both_sums(spans, mine, filters)
    with np.errstate(divide="ignore"):  # where no way leads
        logs = np.log(left) + potentials, np.log(right) + potentials[last] - potentials
    slow_logs = filters.forward[:4, :n_cuts], filters.backward[:4, :n_cuts]
    for found, slow in zip(logs, slow_logs, strict=True):
        assert np.all((found == -np.inf) == (slow < 0.5 * LOG_ZERO))
        assert found[np.isfinite(found)] == pytest.approx(slow[np.isfinite(found)], abs=1e-9)


@flavours
@pytest.mark.parametrize("fits", [True, False], ids=["scaled", "logs"])
@pytest.mark.parametrize(
    ("n_topics", "n_active"), [(2, 1), (3, 3), (4, 2), (5, 1), (5, 3)], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_a_place_is_weighed_by_the_order_and_all_bags_of_active_topics(
    seed, n_topics, n_active, fits, flavour
):
    case = Case(seed, n_topics=n_topics, n_active=n_active)
    for topic in range(n_topics):
        tried, probabilities = case.place_law(topic)
        for uniform, gap in oracle.just_inside(probabilities):
            assert case.placed(flavour, fits, topic, uniform) == list(tried[gap])


@flavours
@pytest.mark.parametrize("seed", range(5))
def test_a_inactive_topic_goes_by_the_order_alone(seed, flavour):
    case = Case(seed, n_topics=4, n_active=2, spread=20.0)
    for topic in set(range(4)) - set(case.active.tolist()):
        others = [other for other in case.order.tolist() if other != topic]
        tried = [(*others[:gap], topic, *others[gap:]) for gap in range(4)]
        inversions = [oracle.inversions_by_order(4)[order] for order in tried]
        weights = np.exp([oracle.log_order(mine, case.dispersion) for mine in inversions])
        for uniform, gap in oracle.just_inside(weights / weights.sum()):
            assert case.placed(flavour, case.fits, topic, uniform) == list(tried[gap])


@flavours
@pytest.mark.parametrize("fits", [True, False], ids=["scaled", "logs"])
@pytest.mark.parametrize("n_active", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_bag_is_drawn_slot_by_slot_from_all_ways(seed, n_active, fits, flavour):
    case = Case(seed, n_active=n_active)
    order = case.restricted(case.order.tolist())
    ways = case.ways(order)

    def check(left, slot, uniforms):
        """Go through all that a slot may take, those behind it being drawn."""
        if slot < 0:
            [bag] = left
            assert case.drawn(flavour, fits, uniforms) == (fits, list(bag))
            return
        # By inversion the longest span comes first: it starts furthest to the left.
        sizes = sorted({bag[order[slot]] for bag in left}, reverse=True)
        parts = [{b: w for b, w in left.items() if b[order[slot]] == size} for size in sizes]
        logs = np.array([oracle.log_sum(list(part.values())) for part in parts])
        probabilities = np.exp(logs - oracle.log_sum(list(left.values())))
        for uniform, value in oracle.just_inside(probabilities):
            check(parts[value], slot - 1, [uniform, *uniforms])

    check(ways, len(order) - 1, [0.5] * (case.n_topics - len(order)))


@pytest.mark.parametrize("spread", [0.1, 5.0, 60.0, 300.0])
def test_scaled_numbers_and_logarithms_draw_the_same(spread):
    fast, fitted = 0, 0
    for seed in range(60):
        case = Case(seed, n_topics=7, n_active=5, n_cuts=11, spread=spread)
        fitted += case.fits
        for topic in range(7):
            uniform = case.rng.random()
            slow = case.placed(placement, False, topic, uniform)
            assert case.placed(placement, case.fits, topic, uniform) == slow
        uniforms = case.rng.random(7)
        on_scaled, bag = case.drawn(placement, case.fits, uniforms)
        assert (False, bag) == case.drawn(placement, False, uniforms)
        assert sum(bag) == case.cuts[-1]
        fast += on_scaled
    assert fast <= fitted
    assert fast == 60 or spread > 10
    assert fast > 0 or spread > 100
    assert fast < 60 or spread < 100  # both ways were seen


@flavours
@pytest.mark.parametrize("factor", [1e150, 1e-150])
def test_sums_that_leave_the_floats_are_made_on_logarithms(factor, flavour):
    case = Case(1, n_topics=4, n_active=3)
    uniforms = case.rng.random(4)
    assert case.drawn(flavour, True, uniforms)[0]
    expected = [case.placed(flavour, True, topic, 0.5) for topic in range(4)]
    drawn = case.drawn(flavour, False, uniforms)
    case.spans.linear_weights[:] *= factor
    case.spans.transposed[:] *= factor
    mine = int(case.active[0])
    others = flavour.without_topic(case.order, mine)
    assert not flavour.log_sums_at_gaps(case.spans, True, others, 0, case.filters)[0]
    assert [case.placed(flavour, True, topic, 0.5) for topic in range(4)] == expected
    with np.errstate(over="ignore"):
        assert case.drawn(flavour, True, uniforms) == drawn


def test_orders_hundreds_of_nats_better_than_the_present_one_are_weighed_right():
    # What was lost far below the floats must not come back far above them.
    fast = 0
    for seed in range(600):
        case = Case(seed, n_topics=6, n_active=5, n_cuts=8, spread=200.0)
        case.order = case.rng.permutation(6)  # not the order that the weights are relative to
        for topic, uniform in enumerate(case.rng.random(6)):
            slow = case.placed(placement, False, topic, uniform)
            assert case.placed(placement, case.fits, topic, uniform) == slow, (seed, topic)
        uniforms = case.rng.random(6)
        on_scaled, bag = case.drawn(placement, case.fits, uniforms)
        assert (False, bag) == case.drawn(placement, False, uniforms), seed
        fast += on_scaled
    assert fast > 10


@flavours
def test_sums_that_are_no_numbers_any_more_are_refused(flavour):
    case = Case(0, n_topics=6, n_active=6, n_cuts=6)
    scaled, flipped = case.spans.linear_weights, case.spans.transposed
    scaled[:] = flipped[:] = 0.0
    for n in range(4):  # 10⁹⁹ four times is infinite, and that times 0 is no number
        scaled[n, n, n + 1] = 1e99
    with np.errstate(over="ignore", invalid="ignore"):
        assert not flavour.both_sums_linear(case.spans, np.arange(6), case.filters)


@flavours
def test_a_span_that_weighs_too_much_is_told(flavour):
    case = Case(2, n_topics=4, n_active=3)
    assert case.scale(flavour)
    first = case.spans.active_index[case.restricted(case.order)[0]]
    # The first topic cannot have both: the best structure lacks one, and that span outweighs it.
    case.spans.log_weights[first, 3, 4] += 1000.0
    case.spans.log_weights[first, 0, 1] += 1200.0
    assert not case.scale(flavour)


@flavours
@settings(max_examples=30)
@given(seed=st.integers(0, 1000), gone=st.floats(-5000, -720))
def test_an_impossible_span_is_never_drawn(seed, gone, flavour):
    case = Case(seed, n_topics=4, n_active=3)
    case.spans.log_weights[1, :, 1:] += (
        gone  # the second active topic; columns that are no spans too
    )
    fits = case.scale(flavour)
    # Were it 10⁻³⁰⁴ instead, a span of 10¹⁰⁰ behind it would bring it back.
    starts, ends = np.triu_indices(4)
    assert np.all(case.spans.linear_weights[1, starts, ends + 1] == 0.0)
    assert np.all(case.spans.transposed[1, ends, starts] == 0.0)
    _, bag = case.drawn(flavour, fits, case.rng.random(4))
    assert bag[case.active[1]] == 0
    assert sum(bag) == case.cuts[-1]
