"""Rung 6: draws from the enumerated posterior are still draws from it after a sweep."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import oracle
from exact import p_values_after_one_sweep
from statistical.cases import MOVES, ONE_DOCUMENT, SHARE, TWO_DOCUMENTS, posterior_of

pytestmark = pytest.mark.statistical

CASES = [
    *(("full", moves) for moves in MOVES if moves != "classes"),
    ("subjects", "classes"),
    ("subjects", "blocked"),
    ("subjects", "blocked, random cuts"),
    ("subjects", "blocked, few active"),
    ("constrained, subjects", "blocked"),
    ("uniform, subjects", "blocked"),
    ("constrained", "bag"),
    ("constrained", "all"),
    ("uniform", "bag"),
    ("uniform", "inversions"),
    ("uniform", "all"),
    ("constrained", "blocked bag"),
    ("constrained", "random cuts"),
    ("constrained", "blocked"),
    ("uniform", "blocked bag"),
    ("uniform", "placements"),
    ("uniform", "blocked"),
    ("uniform", "blocked, random cuts"),
    ("constrained", "blocked, few active"),
    ("uniform", "blocked, few active"),
]


def assert_a_sweep_leaves_it(corpus, n_topics, variant, moves):
    posterior = posterior_of(corpus, n_topics, variant)
    p_values = p_values_after_one_sweep(posterior, MOVES[moves], n_replicates=20_000)
    # 108 p-values in all: one below 1e-4 by chance is a thing of one run in 90.
    assert min(p_values.values()) > 1e-4, p_values


@pytest.mark.parametrize(("variant", "moves"), SHARE)
def test_a_sweep_leaves_the_posterior_of_two_documents_as_it_is(variant, moves):
    assert_a_sweep_leaves_it(TWO_DOCUMENTS, 3, variant, moves)


@pytest.mark.ladder
@pytest.mark.parametrize(("variant", "moves"), [case for case in CASES if case not in SHARE])
def test_a_sweep_of_other_moves_leaves_it_as_it_is_too(variant, moves):
    assert_a_sweep_leaves_it(TWO_DOCUMENTS, 3, variant, moves)


@pytest.mark.ladder
@pytest.mark.parametrize(("variant", "moves"), CASES)
def test_a_sweep_leaves_the_posterior_of_one_document_as_it_is(variant, moves):
    assert_a_sweep_leaves_it(ONE_DOCUMENT, 4, variant, moves)


def test_the_share_is_of_the_cases():
    assert set(SHARE) <= set(CASES)


def test_the_grid_integrates_the_dispersion_as_a_quadrature_does():
    posterior = posterior_of(TWO_DOCUMENTS, 3, "full")
    for j, total in ((0, 0), (0, 3), (1, 2)):
        expected = oracle.expected_inversions(0.9, 3 - j)

        def density(rho, total=total, expected=expected, j=j):
            log_sum = np.log(np.exp(-rho * np.arange(3 - j)).sum())
            return np.exp(-rho * (total + 1.5 * expected) - 3.5 * log_sum)

        exact = integrate.quad(density, 0, np.inf, epsabs=0)[0]
        assert posterior._mass(j, total)[-1] == pytest.approx(exact, rel=1e-5)
