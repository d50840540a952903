from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from permutopic import mallows
from permutopic.errors import InputError

from audit import all_inversions

DISPERSIONS = [0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.999, 1.0, 1.5, 20.0, 500.0]


def weights(rho, m):
    return np.exp(-rho * np.arange(m))


@pytest.mark.parametrize("rho", DISPERSIONS)
@pytest.mark.parametrize("m", [2, 3, 10, 40])
def test_normaliser_and_mean_are_the_sums_they_stand_for(rho, m):
    assert mallows.log_normalizer(rho, m) == pytest.approx(np.log(weights(rho, m).sum()), abs=1e-13)
    direct = (np.arange(m) * weights(rho, m)).sum() / weights(rho, m).sum()
    assert mallows.mean_inversions(rho, m) == pytest.approx(direct, rel=1e-11, abs=1e-300)


def test_limits_at_zero():
    assert mallows.log_normalizer(0, 7) == np.log(7)
    assert mallows.mean_inversions(0, 7) == 3
    assert mallows.mean_inversions(1e-9, 1001) == pytest.approx(500, rel=1e-6)


def test_large_dispersion_neither_overflows_nor_warns():
    assert mallows.log_normalizer(500, 10) == 0
    assert 0 < mallows.mean_inversions(500, 10) < 1e-200
    assert mallows.log_pmf([0] * 9, [500.0] * 9) == 0
    assert mallows.log_pmf([[0, 0], [1, 0]], [np.inf, 1.0])[1] == -np.inf
    assert mallows.mean_inversions(np.inf, 5) == 0


@pytest.mark.parametrize("inversions", [[3, 0], [-1, 0], [0, 2]])
def test_counts_that_no_order_has_are_impossible(inversions):
    assert mallows.log_pmf(inversions, [1.0, 1.0]) == -np.inf


@given(st.floats(1e-2, 50), st.integers(2, 30))
def test_the_mean_is_minus_the_slope_of_the_normaliser(rho, m):
    step = 1e-4
    slope = (mallows.log_normalizer(rho + step, m) - mallows.log_normalizer(rho - step, m)) / (
        2 * step
    )
    assert mallows.mean_inversions(rho, m) == pytest.approx(-slope, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6])
def test_all_orders_together_have_probability_one(n_items):
    rho = np.linspace(0, 2.5, n_items - 1)
    total = np.exp([mallows.log_pmf(v, rho) for v in all_inversions(n_items)]).sum()
    assert total == pytest.approx(1, abs=1e-12)


def test_one_probability_worked_by_hand():
    # Two items, ρ = log 2: in order with weight 1, swapped with weight 1/2.
    assert np.exp(mallows.log_pmf([1], [np.log(2)])) == pytest.approx(float(Fraction(1, 3)))


def test_draws_follow_the_model():
    rho = np.array([0.4, 0.0, 2.0])
    drawn = mallows.draw_inversions(rho, np.random.default_rng(1), 40_000)
    every = list(all_inversions(4))
    seen = [np.count_nonzero((drawn == v).all(axis=1)) for v in every]
    expected = 40_000 * np.exp([mallows.log_pmf(v, rho) for v in every])
    assert sum(seen) == 40_000
    assert stats.chisquare(seen, expected).pvalue > 1e-3


def test_draws_at_infinite_dispersion_keep_the_order():
    drawn = mallows.draw_inversions([np.inf, 500.0], np.random.default_rng(1), 100)
    assert not drawn.any()


@pytest.mark.parametrize("m", [2, 5, 12])
@pytest.mark.parametrize("rho0", [0.3, 1.0, 4.0])
def test_the_prior_peaks_at_the_dispersion_it_expects(m, rho0):
    grid = np.linspace(0.01, 8, 4000)
    mean = mallows.mean_inversions(rho0, m)
    peak = grid[np.argmax(mallows.log_prior(grid, m, mean, 3.0))]
    assert peak == pytest.approx(rho0, abs=0.002)
    assert mallows.mode_of_dispersion(m, float(mean)) == pytest.approx(rho0)


def test_the_prior_of_a_plain_float_is_the_same_prior():
    density = mallows.log_prior_of_float(5, 0.7, 12.0)
    for rho in (1e-9, 0.2, 3.0, 400.0):
        assert density(rho) == pytest.approx(float(mallows.log_prior(rho, 5, 0.7, 12.0)), rel=1e-12)


# The last two pile up at zero: more inversions than a uniform order has.
@pytest.mark.parametrize(
    ("m", "mean", "strength"), [(3, 0.5, 0.1), (5, 0.7, 12.0), (4, 1.5, 3.0), (3, 1.6, 20.0)]
)
def test_independent_dispersions_follow_their_density(m, mean, strength):
    drawn = mallows.draw_dispersion(m, mean, strength, np.random.default_rng(2), 3000)

    def density(rho):
        return np.exp(-strength * (rho * mean + np.log(weights(rho, m).sum())))

    total = integrate.quad(density, 0, np.inf)[0]
    below = [integrate.quad(density, 0, rho)[0] / total for rho in drawn[:400]]
    assert (drawn > 0).all()
    assert stats.kstest(below, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(("mean", "strength"), [(0.0, 1.0), (2.0, 1.0), (0.5, 0.0)])
def test_improper_densities_are_refused(mean, strength):
    with pytest.raises(InputError, match="density of a dispersion"):
        mallows.draw_dispersion(3, mean, strength, np.random.default_rng(0))
