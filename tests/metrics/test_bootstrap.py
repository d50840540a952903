from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from permutopic.errors import InputError
from permutopic.metrics import Interval, alignment_f, bootstrap, bootstrap_interval, mean_pk
from permutopic.metrics.bootstrap import INTERVALS


def skewed(n_documents, seed=0):
    return np.random.default_rng(seed).exponential(size=(n_documents, 1))


@pytest.mark.parametrize("vectorized", [True, False])
@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_scipy_gives_the_same_interval_of_the_same_draws(method, level, vectorized):
    rows = skewed(25)
    ours = bootstrap_interval(
        rows, mean_pk, level=level, rounds=500, method=method, seed=3, vectorized=vectorized
    )
    theirs = stats.bootstrap(
        (rows[:, 0],),
        np.mean,
        confidence_level=level,
        n_resamples=500,
        method=method,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert ours == pytest.approx((*theirs, level))


def test_scipy_gives_the_same_interval_for_a_ratio_of_sums():
    random = np.random.default_rng(1)
    units = random.integers(1, 20, size=30)
    rows = np.stack([units, random.binomial(units, 0.6), random.binomial(units, 0.8)], axis=1)
    for method in INTERVALS:
        ours = bootstrap_interval(
            rows, alignment_f, rounds=400, method=method, seed=5, vectorized=True
        )
        theirs = stats.bootstrap(
            (np.arange(30),),
            lambda drawn, axis: alignment_f(rows[drawn]),
            n_resamples=400,
            method=method,
            rng=np.random.default_rng(5),
        ).confidence_interval
        assert ours[:2] == pytest.approx(tuple(theirs))


def test_the_interval_is_that_of_all_tables_that_could_be_drawn():
    rows = np.array([[0.0], [1.0], [5.0], [7.0]])
    every = [np.mean([rows[d, 0] for d in drawn]) for drawn in product(range(4), repeat=4)]
    low, high = np.quantile(every, [0.1, 0.9])
    drawn = bootstrap_interval(rows, mean_pk, level=0.8, rounds=40_000, vectorized=True)
    assert drawn == pytest.approx((low, high, 0.8), abs=1e-9)  # means are quarters


def coverage(method, interval=bootstrap_interval, n_experiments=400):
    """The share of 90% intervals that hold the true mean of 1."""
    held = 0
    for seed in range(n_experiments):
        rows = np.random.default_rng(seed).normal(1, 1, size=(40, 1))
        settings = {"rounds": 400, "method": method, "seed": 1000 + seed, "vectorized": True}
        low, high, _ = interval(rows, mean_pk, level=0.9, **settings)
        held += low <= 1 <= high
    return held / n_experiments


FOUR_ERRORS = 4 * np.sqrt(0.9 * 0.1 / 400)


@pytest.mark.statistical
@pytest.mark.parametrize("method", INTERVALS)
def test_nine_of_ten_intervals_hold_the_truth(method):
    assert abs(coverage(method) - 0.9) < FOUR_ERRORS


@pytest.mark.statistical
@pytest.mark.parametrize("method", INTERVALS)
def test_draws_of_twice_as_many_documents_are_noticed(monkeypatch, method):
    monkeypatch.setattr(bootstrap, "check_table", lambda rows, _: np.tile(rows, (2, 1)))
    assert abs(coverage(method) - 0.9) > FOUR_ERRORS


@pytest.mark.statistical
def test_a_tenth_left_out_on_either_side_is_noticed():
    def narrower(*arguments, level, **settings):
        return bootstrap_interval(*arguments, level=2 * level - 1, **settings)

    assert abs(coverage("percentile", narrower) - 0.9) > FOUR_ERRORS


def test_bca_follows_the_skew():
    rows = skewed(40, seed=2)
    mean = rows.mean()
    plain, corrected = (bootstrap_interval(rows, mean_pk, method=m, seed=1) for m in INTERVALS)
    assert corrected.low > plain.low
    assert corrected.high > plain.high
    assert corrected.low < mean < corrected.high


@pytest.mark.parametrize("method", INTERVALS)
def test_equal_rows_leave_no_room(method):
    interval = bootstrap_interval([[0.25]] * 5, mean_pk, method=method)
    assert interval == Interval(0.25, 0.25, 0.95)


def test_one_document_is_refused():
    with pytest.raises(InputError, match="needs two documents at least, not 1"):
        bootstrap_interval([[0.5]], mean_pk)


def test_a_level_near_which_bca_diverges_is_refused():
    rows = [[0.0]] * 60 + [[1.0]]  # the greatest skew that there is
    low, high, _ = bootstrap_interval(rows, mean_pk, level=0.9999, method="bca", rounds=2000)
    assert low < 1 / 61 < 3 / 61 < high
    with pytest.raises(InputError, match=r"level must be at most 0.9999 with method='bca', not 0"):
        bootstrap_interval(rows, mean_pk, level=0.99991, method="bca")
    assert bootstrap_interval(rows, mean_pk, level=0.99991, rounds=99).high > 1 / 61


def test_a_statistic_that_no_document_changes_alone_has_no_bca():
    rows = [[1.0], [2.0], [2.0], [2.0], [3.0]]
    assert bootstrap_interval(rows, np.median, rounds=200).high == 3
    with pytest.raises(InputError, match=r"leaving out one document never.*method='percentile'"):
        bootstrap_interval(rows, np.median, rounds=200, method="bca")


def test_draws_on_one_side_have_no_bca():
    rows = np.arange(8.0)[:, None]

    def spread(table):  # one that no table with a row drawn twice can reach
        return np.unique(table).size

    assert bootstrap_interval(rows, spread, rounds=50).high < 8
    with pytest.raises(InputError, match=r"on one side of the statistic.*take method='percentile'"):
        bootstrap_interval(rows, spread, rounds=50, method="bca")


@pytest.mark.parametrize("method", INTERVALS)
def test_neither_blocks_nor_stacking_change_the_result(monkeypatch, method):
    rows = np.random.default_rng(4).random((13, 2))
    settings = {"rounds": 300, "seed": 9, "method": method}
    expected = bootstrap_interval(rows, mean_pk, **settings, vectorized=True)
    assert expected == pytest.approx(bootstrap_interval(rows, mean_pk, **settings))
    for cells in (1, 5 * 26, 100 * 26):
        monkeypatch.setattr(bootstrap, "_BLOCK_SIZE", cells)
        assert bootstrap_interval(rows, mean_pk, **settings, vectorized=True) == expected


def test_tables_are_made_block_by_block():
    sizes = []

    def statistic(tables):
        sizes.append(tables.size)
        return mean_pk(tables)

    bootstrap_interval(skewed(3000), statistic, rounds=200, method="bca", vectorized=True)
    assert max(sizes) <= bootstrap._BLOCK_SIZE
    assert sum(sizes) == 200 * 3000 + 3000 + 3000 * 2999


def test_the_seed_is_all_the_chance_there_is():
    rows = skewed(20)
    intervals = [bootstrap_interval(rows, mean_pk, rounds=99, seed=seed) for seed in (1, 1, 2)]
    assert intervals[0] == intervals[1] != intervals[2]
    again = bootstrap_interval(rows, mean_pk, rounds=99, seed=np.random.default_rng(1))
    assert again == intervals[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 0}, "level must lie between 0 and 1, such as 0.95, not 0"),
        ({"level": 95}, "level must lie between 0 and 1, not 95"),
        ({"level": float("nan")}, "level must be a finite number"),
        ({"rounds": 0}, "rounds must be a whole number of at least 1"),
        ({"method": "basic"}, "method is one of percentile, bca, not 'basic'"),
        ({"seed": "x"}, "seed must be a whole number"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        bootstrap_interval([[0.1], [0.2]], mean_pk, **settings)


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match="rows must be a table"):
        bootstrap_interval([0.1, 0.2], mean_pk)
