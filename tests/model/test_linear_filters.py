"""Moves on scaled weights make the draws of those on logarithms, or say that they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.model.kernels import linear_filters, log_filters
from permutopic.model.kernels.log_filters import LOG_ZERO, MoveSettings, make_filter_workspace
from permutopic.model.kernels.span_table import LANES


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
    filters = make_filter_workspace(table.shape[0], cuts.size)
    scaled, flipped = np.full_like(table, np.nan), np.full_like(table, np.nan)
    linear_filters.find_potentials(table, cuts, order, settings.log_prevalence, filters)
    fits = [
        linear_filters.to_linear_weights(
            table, scaled, flipped, cuts, settings.log_prevalence[topic], topic, filters
        )
        for topic in range(table.shape[0])
    ]
    return all(fits), scaled, flipped, filters


@pytest.mark.parametrize("spread", [0.1, 3, 30, 60])
@pytest.mark.parametrize("seed", range(4))
def test_placing_a_topic_is_the_same_on_scaled_weights(seed, spread):
    table, cuts, order, settings, rng = a_table(seed, spread)
    fits, scaled, flipped, filters = prepared(table, cuts, order, settings)
    for topic, uniform in enumerate(rng.random(5)):
        fast, slow = order.copy(), order.copy()
        done = fits and linear_filters.place_topic_linear(
            scaled, flipped, cuts.size, fast, topic, settings, filters, uniform
        )
        log_filters.place_topic(table, cuts, slow, topic, settings, filters, uniform)
        assert fast.tolist() == (slow if done else order).tolist()
        assert done or spread >= 30  # moderate weights always fit


@pytest.mark.parametrize("spread", [0.1, 3, 30, 60])
@pytest.mark.parametrize("seed", range(4))
def test_drawing_a_bag_is_the_same_on_scaled_weights(seed, spread):
    table, cuts, order, settings, rng = a_table(seed, spread)
    fits, scaled, flipped, filters = prepared(table, cuts, order, settings)
    uniforms = rng.random(5)
    fast, slow = np.full(5, -1), np.full(5, -1)
    done = fits and linear_filters.draw_bag_linear(
        scaled, flipped, cuts, order, filters, fast, uniforms
    )
    log_filters.draw_bag(table, cuts, order, settings.log_prevalence, filters, slow, uniforms)
    assert slow.sum() == cuts[-1]
    assert fast.tolist() == (slow if done else np.full(5, -1)).tolist()
    assert done or spread >= 30


def test_the_best_structure_of_the_present_order_weighs_one():
    table, cuts, order, settings, _ = a_table(0, 30)
    fits, scaled, _, _ = prepared(table, cuts, order, settings)
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
    _, scaled, flipped, _ = prepared(table, cuts, order, settings)
    assert scaled[2, 0, 1] == flipped[2, 0, 0] == 0.0


def test_weights_far_above_those_of_the_present_order_are_refused():
    table, cuts, order, settings, _ = a_table(2, 1.0)
    table[3, 0, 2] += 1000.0  # the present order makes use of it …
    assert prepared(table, cuts, order, settings)[0]
    table[3, 0, 2] -= 1000.0
    last = cuts.size - 1
    table[order[0], last - 1, last] += 1000.0  # … but not of its first topic here and at the start
    table[order[0], 0, 1] += 1200.0
    assert not prepared(table, cuts, order, settings)[0]


def test_sums_beyond_the_bounds_are_refused_and_leave_everything_alone():
    table, cuts, order, settings, rng = a_table(3, 1.0)
    _, scaled, flipped, filters = prepared(table, cuts, order, settings)
    scaled *= 1e60
    flipped *= 1e60
    bag, before = np.full(5, -1), order.copy()
    uniforms = rng.random(5)
    assert not linear_filters.draw_bag_linear(scaled, flipped, cuts, order, filters, bag, uniforms)
    assert not linear_filters.place_topic_linear(
        scaled, flipped, cuts.size, order, 1, settings, filters, 0.5
    )
    assert bag.tolist() == [-1] * 5
    assert order.tolist() == before.tolist()
    scaled *= 1e-200
    flipped *= 1e-200
    assert not linear_filters.draw_bag_linear(scaled, flipped, cuts, order, filters, bag, uniforms)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("factor", [1e200, np.nan])
def test_sums_of_one_side_beyond_the_bounds_are_refused(side, factor):
    table, cuts, order, settings, rng = a_table(3, 1.0)
    _, scaled, flipped, filters = prepared(table, cuts, order, settings)
    (scaled if side == "left" else flipped)[:] *= factor
    bag, before = np.full(5, -1), order.copy()
    assert not linear_filters.draw_bag_linear(
        scaled, flipped, cuts, order, filters, bag, rng.random(5)
    )
    assert not linear_filters.place_topic_linear(
        scaled, flipped, cuts.size, order, 1, settings, filters, 0.5
    )
    assert bag.tolist() == [-1] * 5
    assert order.tolist() == before.tolist()


def test_totals_below_the_bounds_are_refused():
    table, cuts, order, settings, rng = a_table(3, 1.0)
    _, scaled, flipped, filters = prepared(table, cuts, order, settings)
    scaled *= 1e-100
    flipped *= 1e-100
    bag, before = np.full(5, -1), order.copy()
    assert not linear_filters.draw_bag_linear(
        scaled, flipped, cuts, order, filters, bag, rng.random(5)
    )
    for topic in range(5):
        assert not linear_filters.place_topic_linear(
            scaled, flipped, cuts.size, order, topic, settings, filters, 0.5
        )
    assert bag.tolist() == [-1] * 5
    assert order.tolist() == before.tolist()
