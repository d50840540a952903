from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from permutopic.errors import InputError
from permutopic.metrics import (
    RandomizationTest,
    alignment_f,
    mean_pk,
    randomization,
    randomization_test,
)

tenths = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=8)
counts = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), *[st.integers(0, n)] * 4)),
    min_size=1,
    max_size=7,
)


def brute_force(pairs, statistic):
    """The share of all swaps that differ as much, with fractions: nothing is rounded."""

    def difference(swaps):
        first = [pair[swap] for pair, swap in zip(pairs, swaps, strict=True)]
        second = [pair[1 - swap] for pair, swap in zip(pairs, swaps, strict=True)]
        return abs(statistic(first) - statistic(second))

    swaps = list(product([0, 1], repeat=len(pairs)))
    observed = difference((0,) * len(pairs))
    return sum(difference(each) >= observed for each in swaps), len(swaps)


@given(tenths)
def test_all_swaps_give_the_p_of_brute_force_ties_and_all(pairs):
    expected = brute_force(
        [[Fraction(n, 10) for n in pair] for pair in pairs], lambda rows: sum(rows) / len(rows)
    )
    first, second = ([[row[side] / 10] for row in pairs] for side in (0, 1))
    result = randomization_test(first, second, mean_pk, rounds=1000)
    assert (result.at_least, result.rounds) == expected
    assert result.p_value == expected[0] / expected[1]
    assert result.exact


def exact_f(rows):
    units, recalled, precise = map(sum, zip(*rows, strict=True))
    if recalled + precise == 0:
        return Fraction(0)
    return Fraction(2 * recalled * precise, units * (recalled + precise))


@given(counts, st.booleans())
def test_the_same_holds_for_an_f_of_summed_counts(documents, vectorized):
    pairs = [((n, a, b), (n, c, d)) for n, a, b, c, d in documents]
    first, second = zip(*pairs, strict=True)
    result = randomization_test(first, second, alignment_f, rounds=200, vectorized=vectorized)
    assert (result.at_least, result.rounds) == brute_force(pairs, exact_f)
    assert result.difference == pytest.approx(float(exact_f(first) - exact_f(second)))


def rows(n_documents, seed, effect=0.0, n_columns=1):
    """Two systems on documents that differ much more from each other than the systems do."""
    random = np.random.default_rng(seed)
    hardness = random.normal(size=(n_documents, 1))
    noise = random.normal(scale=0.1, size=(2, n_documents, n_columns))
    return hardness + noise[0] + effect, hardness + noise[1]


def test_scipy_agrees_on_all_swaps():
    first, second = rows(10, 0, effect=0.05)
    ours = randomization_test(first, second, mean_pk, rounds=1024)
    theirs = permutation_test(
        (first[:, 0], second[:, 0]),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert ours.exact
    assert 0 < ours.p_value < 1
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.difference == pytest.approx(theirs.statistic)


@pytest.mark.parametrize("effect", [0.04, 0.1])
def test_random_swaps_come_near_to_all_swaps(effect):
    first, second = rows(12, 1, effect)
    exact = randomization_test(first, second, mean_pk, rounds=4096)
    drawn = randomization_test(first, second, mean_pk, rounds=4095, vectorized=True)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.rounds == 4095
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 4095)
    assert abs(drawn.p_value - exact.p_value) < 4 * error
    assert drawn.p_value == (drawn.at_least + 1) / 4096


def test_a_clear_difference_is_found_and_its_sign_kept():
    first, second = rows(40, 2, effect=0.3)
    result = randomization_test(first, second, mean_pk, rounds=999, vectorized=True)
    assert result.p_value == 1 / 1000  # the least that so many rounds can say
    assert result.at_least == 0
    back = randomization_test(second, first, mean_pk, rounds=999, vectorized=True)
    assert back.difference == -result.difference
    assert 0.2 < result.difference < 0.4
    assert back.p_value == result.p_value


def test_a_system_does_not_differ_from_itself():
    first, _ = rows(30, 3)
    assert randomization_test(first, first, mean_pk, rounds=99).p_value == 1
    assert randomization_test(first[:5], first[:5], mean_pk, rounds=99).p_value == 1


def test_one_document_can_prove_nothing():
    result = randomization_test([[1.0]], [[0.0]], mean_pk)
    assert result == RandomizationTest(1.0, 1.0, 2, 2, True)


def test_equal_differences_count_however_they_are_rounded():
    tenths = [(1, 2), (3, 4), (7, 6), (-2, -1), (9, 10), (1, 0)]
    at_least, n_swaps = brute_force(
        [[Fraction(n, 10) for n in pair] for pair in tenths], lambda rows: sum(rows) / len(rows)
    )
    first, second = (np.array(tenths)[:, [side]] / 10 for side in (0, 1))
    result = randomization_test(first, second, mean_pk, rounds=64)
    assert (result.at_least, result.rounds) == (at_least, n_swaps)
    found = [
        mean_pk(np.where(swaps, second, first)) - mean_pk(np.where(swaps, first, second))
        for swaps in (np.array(each)[:, None] for each in product([False, True], repeat=6))
    ]
    # Without the tolerance some of the equal ones would not count.
    assert np.count_nonzero(np.abs(found) >= abs(result.difference)) < at_least


@pytest.mark.parametrize("rounds", [500, 4096])
def test_neither_blocks_nor_stacking_change_the_result(monkeypatch, rounds):
    first, second = rows(12, 4, effect=0.05, n_columns=2)
    expected = randomization_test(first, second, mean_pk, rounds=rounds, seed=7, vectorized=True)
    assert expected == pytest.approx(
        randomization_test(first, second, mean_pk, rounds=rounds, seed=7), abs=1e-12
    )
    for cells in (1, 7 * 24, 100 * 24):
        monkeypatch.setattr(randomization, "_BLOCK_SIZE", cells)
        again = randomization_test(first, second, mean_pk, rounds=rounds, seed=7, vectorized=True)
        assert again == expected


def test_the_seed_is_all_the_chance_there_is():
    first, second = rows(30, 5, effect=0.02)
    results = [
        randomization_test(first, second, mean_pk, rounds=300, seed=seed).at_least
        for seed in (1, 1, np.random.default_rng(1), 2)
    ]
    assert results[0] == results[1] == results[2] != results[3]


def test_tables_are_made_block_by_block():
    sizes = []

    def statistic(tables):
        sizes.append(tables.size)
        return mean_pk(tables)

    first, second = rows(5000, 6)
    randomization_test(first, second, statistic, rounds=200, vectorized=True)
    assert max(sizes) <= randomization._BLOCK_SIZE
    assert sum(sizes) == 2 * (200 + 1) * 5000


# P-values under the null hypothesis, and bugs that would spoil them.

N_EXPERIMENTS, ROUNDS = 2000, 19


def null_p_values():
    return np.array(
        [
            randomization_test(*rows(20, 1000 + n), mean_pk, rounds=ROUNDS, seed=n, vectorized=True)
            .p_value
            for n in range(N_EXPERIMENTS)
        ]
    )  # fmt: skip


def is_uniform(p_values):
    """Whether p is each of 1/20 … 20/20 equally often, by χ² at 1 in 1,000."""
    steps = p_values * (ROUNDS + 1)
    if not np.allclose(steps, np.round(steps)) or steps.min() < 0.5:
        return False
    observed = np.bincount(np.round(steps).astype(int), minlength=ROUNDS + 2)[1:-1]
    expected = N_EXPERIMENTS / (ROUNDS + 1)
    return np.sum((observed - expected) ** 2 / expected) < 43.8  # χ²(19) at .999


def is_valid(p_values):
    """Whether p ≤ a no more often than a, for every a, give or take four standard errors."""
    levels = np.unique(p_values)
    shares = np.array([np.mean(p_values <= level) for level in levels])
    return np.all(shares <= levels + 4 * np.sqrt(levels * (1 - levels) / p_values.size))


@pytest.mark.statistical
def test_p_is_uniform_if_the_systems_are_alike():
    p_values = null_p_values()
    assert is_uniform(p_values)
    assert is_valid(p_values)


def unpaired(first, second, swaps):
    """Forget which rows belong together: shuffle all rows of both systems."""
    random = np.random.default_rng(swaps.sum())
    both = np.concatenate([first, second])
    mixed = np.stack([random.permutation(both) for _ in swaps])
    return mixed[:, : len(first)], mixed[:, len(first) :]


def one_sided(first, second, swaps):
    """Swap the first system's rows, and forget the second's."""
    return np.where(swaps[:, :, None], second, first), np.broadcast_to(
        second, (len(swaps), *second.shape)
    )


@pytest.mark.statistical
@pytest.mark.parametrize("bug", [unpaired, one_sided])
def test_rows_swapped_wrongly_are_noticed(monkeypatch, bug):
    monkeypatch.setattr(randomization, "_swapped", bug)
    assert not is_uniform(null_p_values())


@pytest.mark.statistical
def test_rows_swapped_too_seldom_are_noticed(monkeypatch):
    def seldom(n_documents, rounds, block, random):
        yield random.random((rounds, n_documents)) < 0.3

    monkeypatch.setattr(randomization, "_random_swaps", seldom)
    assert not is_uniform(null_p_values())


@pytest.mark.statistical
def test_a_p_without_what_was_observed_is_noticed(monkeypatch):
    monkeypatch.setattr(randomization, "_p_value", lambda count, rounds, exact: count / rounds)
    p_values = null_p_values()
    assert not is_uniform(p_values)
    assert not is_valid(p_values)


@pytest.mark.parametrize(
    ("first", "second", "settings", "message"),
    [
        ([[1]], [[1], [2]], {}, r"not of shape \(1, 1\) and \(2, 1\)"),
        ([[1, 2]], [[1]], {}, r"not of shape \(1, 2\) and \(1, 1\)"),
        ([[np.nan]], [[1]], {}, "first must be finite"),
        ([[1]], [["x"]], {}, "second must be a table of numbers"),
        ([[1]], [[1]], {"rounds": 0}, "rounds must be a whole number of at least 1, not 0"),
        ([[1]] * 20, [[1]] * 20, {"seed": -1}, "seed must be a whole number of at least 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(first, second, settings, message):
    with pytest.raises(InputError, match=message):
        randomization_test(first, second, mean_pk, **settings)
