"""Moves on scaled weights make the draws of those on logarithms, or say that they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.model.kernels import linear_filters, log_filters, placement
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.log_filters import LOG_ZERO, MoveSettings, make_filter_workspace
from permutopic.model.kernels.span_table import SpanTable


def a_table(seed, spread, n_topics=5, n_cuts=13):
    """Log weights of a document whose spans differ by some `spread` nats, and settings to draw."""
    rng = np.random.default_rng(seed)
    cuts = np.flatnonzero(np.append(rng.random(3 * n_cuts) < 0.4, True))
    cuts = np.append(0, cuts[cuts > 0])
    width = -(-cuts.size // LANES) * LANES
    table = np.full((n_topics, cuts.size - 1, width), LOG_ZERO)
    for start in range(cuts.size - 1):
        ends = slice(start + 1, cuts.size)
        table[:, start, ends] = rng.normal(0, spread, (n_topics, cuts.size - start - 1))
    settings = MoveSettings(
        np.log(rng.dirichlet(np.ones(n_topics))),
        rng.exponential(size=n_topics - 1),
        1.0,
        1,
        1,
        True,
    )
    return table, cuts, rng.permutation(n_topics), settings, rng


def prepared(table, cuts, order, settings):
    """The span table with linear weights, all topics active; whether they fit; a workspace."""
    filters, every = make_filter_workspace(table.shape[0], cuts.size), np.arange(table.shape[0])
    scaled, flipped = np.full_like(table, np.nan), np.full_like(table, np.nan)
    spans = SpanTable(cuts, every, every, settings.log_prevalence, table, scaled, flipped)
    linear_filters.find_potentials(table, cuts, order, settings.log_prevalence, filters)
    return placement.fill_linear_weights(spans, filters), spans, filters


def without(order, topic):
    return np.array([other for other in order if other != topic])


def refuses(spans, order, filters, uniforms):
    """Whether a bag is drawn, and each topic placed, in log space although weights are said to fit.

    The draws are those that the log weights have.
    """
    bags, refused = np.full((2, 5), -1), []
    for fits, bag in zip((True, False), bags, strict=True):
        drawn = placement.draw_bag_restricted(spans, fits, order, bag, filters, uniforms, True)
        assert not drawn or fits
        refused.append(not drawn)
    for topic in range(5):
        sums = (spans, True, without(order, topic), topic, filters)
        refused.append(not placement.log_sums_at_gaps(*sums)[0])
    if all(refused):
        assert bags[0].tolist() == bags[1].tolist()
    return all(refused)


@pytest.mark.parametrize("spread", [0.1, 3, 30, 60])
@pytest.mark.parametrize("seed", range(4))
def test_placing_a_topic_is_the_same_on_scaled_weights(seed, spread):
    table, cuts, order, settings, rng = a_table(seed, spread)
    fits, spans, filters = prepared(table, cuts, order, settings)
    for topic, uniform in enumerate(rng.random(5)):
        sums = (without(order, topic), topic, filters)
        done, fast = placement.log_sums_at_gaps(spans, fits, *sums)
        always, slow = placement.log_sums_at_gaps(spans, False, *sums)
        assert always
        assert done or spread >= 30  # moderate weights always fit
        if done:  # both up to one constant: linear sums are relative to the potentials
            assert np.allclose(np.exp(fast - fast.max()), np.exp(slow - slow.max()), atol=1e-12)
        orders = [order.copy(), order.copy()]
        for placed, linear in zip(orders, (fits, False), strict=True):
            given = (settings.dispersion, filters, uniform)
            placement.place_topic(spans, linear, placed, topic, *given)
        assert orders[0].tolist() == orders[1].tolist()


@pytest.mark.parametrize("spread", [0.1, 3, 30, 60])
@pytest.mark.parametrize("seed", range(4))
def test_drawing_a_bag_is_the_same_on_scaled_weights(seed, spread):
    table, cuts, order, settings, rng = a_table(seed, spread)
    fits, spans, filters = prepared(table, cuts, order, settings)
    uniforms = rng.random(5)
    fast, slow = np.full(5, -1), np.full(5, -1)
    done = placement.draw_bag_restricted(spans, fits, order, fast, filters, uniforms, False)
    log_filters.draw_bag(table, cuts, order, settings.log_prevalence, filters, slow, uniforms)
    assert slow.sum() == cuts[-1]
    assert fast.tolist() == slow.tolist()
    assert done or spread >= 30


def test_the_best_structure_of_the_present_order_weighs_one():
    table, cuts, order, settings, _ = a_table(0, 30)
    fits, spans, _ = prepared(table, cuts, order, settings)
    scaled = spans.linear_weights
    assert fits
    best = np.zeros(cuts.size)
    best[0] = 1.0
    for topic in order:
        old = best.copy()
        for start in range(cuts.size - 1):
            for cut in range(start + 1, cuts.size):
                best[cut] = max(best[cut], old[start] * scaled[topic, start, cut])
    assert best[-1] == pytest.approx(1.0)


def test_a_span_that_is_impossible_weighs_nothing_at_all():
    # Were it 10^-304 instead, a span of 10^100 behind it would bring it back.
    table, cuts, order, settings, _ = a_table(1, 1.0)
    table[2, 0, 1] = -5000.0
    _, spans, _ = prepared(table, cuts, order, settings)
    assert spans.linear_weights[2, 0, 1] == spans.transposed[2, 0, 0] == 0.0


def test_weights_far_above_those_of_the_present_order_are_refused():
    table, cuts, order, settings, _ = a_table(2, 1.0)
    table[3, 0, 2] += 1000.0  # the present order makes use of it …
    assert prepared(table, cuts, order, settings)[0]
    table[3, 0, 2] -= 1000.0
    last = cuts.size - 1
    table[order[0], last - 1, last] += 1000.0  # … but not of its first topic here and at the start
    table[order[0], 0, 1] += 1200.0
    assert not prepared(table, cuts, order, settings)[0]


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("factor", [1e200, np.nan])
def test_sums_of_one_side_beyond_the_bounds_are_refused(side, factor):
    table, cuts, order, settings, rng = a_table(3, 1.0)
    fits, spans, filters = prepared(table, cuts, order, settings)
    assert fits
    assert not refuses(spans, order, filters, rng.random(5))
    if side != "right":
        spans.linear_weights[:] *= factor
    if side != "left":
        spans.transposed[:] *= factor
    assert refuses(spans, order, filters, rng.random(5))


def test_totals_below_the_bounds_are_refused():
    table, cuts, order, settings, rng = a_table(3, 1.0)
    _, spans, filters = prepared(table, cuts, order, settings)
    spans.linear_weights[:] *= 1e-100
    spans.transposed[:] *= 1e-100
    assert refuses(spans, order, filters, rng.random(5))
