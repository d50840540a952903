from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic import dirichlet

sequences = st.lists(st.integers(0, 3), min_size=1, max_size=12)
concentrations = st.floats(0.01, 10)


def counts_of(sequence):
    return np.bincount(sequence, minlength=4)


@given(sequences, concentrations)
def test_the_marginal_is_the_product_of_predictives(sequence, concentration):
    total = 0.0
    for n_seen, outcome in enumerate(sequence):
        seen = sequence[:n_seen].count(outcome)
        total += np.log((seen + concentration) / (n_seen + 4 * concentration))
    assert dirichlet.log_marginal(counts_of(sequence), concentration) == pytest.approx(total)


def test_all_sequences_together_have_probability_one():
    total = sum(
        np.exp(dirichlet.log_marginal(np.bincount(s, minlength=3), 0.3))
        for s in itertools.product(range(3), repeat=5)
    )
    assert total == pytest.approx(1, abs=1e-12)


def test_the_marginal_works_row_by_row():
    counts = np.array([[3, 0, 1], [0, 0, 0]])
    rows = dirichlet.log_marginal(counts, 0.5)
    assert rows[0] == pytest.approx(float(dirichlet.log_marginal(counts[0], 0.5)))
    assert rows[1] == 0


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_the_coefficient_counts_sequences(counts):
    expected = math.factorial(sum(counts)) / math.prod(map(math.factorial, counts))
    assert np.exp(dirichlet.log_multinomial_coefficient(counts)) == pytest.approx(expected)


def test_the_mean_is_equation_14():
    assert dirichlet.mean([[3, 1]], 0.5).tolist() == [[3.5 / 5, 1.5 / 5]]
