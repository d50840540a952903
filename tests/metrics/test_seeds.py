from __future__ import annotations

import numpy as np
import pytest

from permutopic.errors import InputError
from permutopic.metrics.seeds import seed_test


def test_welch_by_hand():
    first, second = np.array([1.0, 2, 3, 4]), np.array([3.0, 5, 8])
    errors = first.var(ddof=1) / 4, second.var(ddof=1) / 3
    t = (first.mean() - second.mean()) / np.sqrt(sum(errors))
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 3 + errors[1] ** 2 / 2)
    draws = np.random.default_rng(0).standard_t(freedom, 400_000)
    expected = np.mean(np.abs(draws) >= abs(t))
    assert seed_test(first, second) == pytest.approx(expected, abs=0.004)
    assert seed_test(second, first) == pytest.approx(seed_test(first, second))


def test_two_methods_that_are_alike_differ_as_often_as_they_should():
    random = np.random.default_rng(1)
    found = [seed_test(random.normal(size=5), random.normal(size=5)) for _ in range(2000)]
    assert 0.02 < np.mean(np.array(found) < 0.05) < 0.065
    one = [seed_test(random.normal(size=5), [0.0]) for _ in range(2000)]
    assert 0.03 < np.mean(np.array(one) < 0.05) < 0.07


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0.5], [0.5], None),
        ([0.5], [0.9], None),
        ([0.5] * 3, [0.5] * 3, 1.0),
        ([0.5] * 3, [0.5 + 1e-15] * 3, 1.0),
        ([0.5] * 3, [0.9], 0.0),
        ([0.9], [0.5, 0.5], 0.0),
        ([1e-14, 2e-14], [1.0], 0.0),  # rounding error, beside a score of 1
        ([1.0], [1e-14, 2e-14], 0.0),
        ([1e-14, 2e-14], [-1.0], 0.0),
        ([-1.0], [1e-14, 2e-14], 0.0),
        ([1e6, 1e6 + 1e-7], [1e6], 1.0),
        ([1e6, 1e6], [1e6 + 1e-7], 1.0),
        ([1e6, 1e6], [1e6 + 1e-5], 0.0),
        ([0.0, 0.0], [0.0, 0.0], 1.0),
    ],
)
def test_scores_without_spread(first, second, expected):
    assert seed_test(first, second) == expected


def test_one_score_is_taken_as_certain():
    assert seed_test([0.5, 0.6, 0.7], [0.6]) == pytest.approx(1.0)
    assert seed_test([0.6], [0.5, 0.6, 0.7]) == pytest.approx(1.0)
    assert seed_test([0.5, 0.501, 0.502], [0.6]) < 0.001


@pytest.mark.parametrize("bad", [[], [np.nan], [[0.5]]])
def test_what_is_no_score_is_refused(bad):
    with pytest.raises(InputError, match="one per seed"):
        seed_test(bad, [0.5])
