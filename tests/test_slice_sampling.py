from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from permutopic import mallows
from permutopic.slice_sampling import slice_sample


@pytest.mark.parametrize("width", [0.1, 1.0, 30.0])
def test_one_step_leaves_an_exponential_as_it_is(width):
    rng = np.random.default_rng(5)
    start = rng.exponential(2.0, 4000)
    after = [slice_sample(lambda x: -x / 2, x, width, rng) for x in start]
    assert stats.kstest(after, stats.expon(scale=2).cdf).pvalue > 1e-3
    assert not np.allclose(after, start)


@pytest.mark.parametrize("mean", [0.1, 0.9, 1.2, 1.9])
def test_one_step_leaves_the_conditional_of_a_dispersion_as_it_is(mean):
    # 1.2 and 1.9 lie above the uniform mean of 1: the density piles up at zero.
    rng = np.random.default_rng(6)
    exact = mallows.draw_dispersion(3, mean, 25.0, rng, 8000)
    density = mallows.log_prior_of_float(3, mean, 25.0)
    after = np.array([slice_sample(density, x, 1.0, rng) for x in exact[:4000]])
    assert after.min() > 0
    assert stats.ks_2samp(after, exact[4000:]).pvalue > 1e-3


def test_a_start_at_the_very_peak_comes_back():
    # A height drawn as zero leaves the peak alone in its slice: shrinking must end there.
    class HalfAfterZero:
        numbers = itertools.chain([0.0], itertools.repeat(0.5))

        def random(self):
            return next(self.numbers)

    assert slice_sample(lambda x: -abs(x - 1), 1.0, 1.0, HalfAfterZero()) == pytest.approx(1.0)


def test_the_density_is_never_asked_below_or_at_zero():
    def log_density(x):
        assert x > 0
        return -x * math.sqrt(x)

    rng = np.random.default_rng(7)
    x = 1e-12
    for _ in range(500):
        x = slice_sample(log_density, x, 1.0, rng)
