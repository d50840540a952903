"""Rung 7: Geweke's joint test, for every variant and every set of moves."""

from __future__ import annotations

import pytest

from statistical.cases import MOVES
from statistical.geweke import SETTINGS, geweke_scores, many_short_chains, priors_for

pytestmark = pytest.mark.statistical

# Some 20 dependent scores a case, Student t with 39 degrees: beyond 5 once in 4,000 cases.
BOUND = 5


@pytest.mark.parametrize("moves", ["all", "blocked, random cuts"])
def test_the_prior_and_a_short_chain_agree(moves):
    scores = geweke_scores(priors_for("full"), MOVES[moves], 2_000, 4_000)
    assert len(scores) > 20
    assert max(map(abs, scores.values())) < BOUND, scores


@pytest.mark.ladder
@pytest.mark.parametrize("variant", ["full", "constrained", "uniform"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_prior_and_the_chain_agree(variant, setting):
    scores = geweke_scores(priors_for(variant, setting), MOVES["all"], 8_000, 24_000)
    assert max(map(abs, scores.values())) < BOUND, scores


def test_the_prior_and_a_short_chain_with_classes_agree():
    scores = geweke_scores(priors_for("subjects"), MOVES["blocked, random cuts"], 2_000, 4_000)
    assert "subject words" in scores
    assert max(map(abs, scores.values())) < BOUND, scores


@pytest.mark.ladder
@pytest.mark.parametrize(
    "variant", ["full", "constrained", "uniform", "subjects", "constrained, subjects"]
)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("moves", ["blocked", "blocked, random cuts"])
def test_the_prior_and_the_chain_of_blocked_moves_agree(moves, variant, setting):
    scores = geweke_scores(priors_for(variant, setting), MOVES[moves], 2_400, 6_000)
    assert max(map(abs, scores.values())) < BOUND, scores


@pytest.mark.ladder
@pytest.mark.parametrize(
    ("variant", "moves"),
    [
        ("full", "bag"),
        ("full", "inversions"),
        ("full", "dispersion"),
        ("constrained", "bag"),
        ("uniform", "bag"),
        ("uniform", "inversions"),
    ],
)
def test_each_move_alone_leaves_the_joint_as_it_is(variant, moves):
    scores = geweke_scores(
        priors_for(variant), MOVES[moves], 8_000, 8_000, draw_chain=many_short_chains
    )
    assert max(map(abs, scores.values())) < BOUND, scores


@pytest.mark.ladder
@pytest.mark.parametrize(
    ("variant", "moves"),
    [
        ("full", "blocked bag"),
        ("full", "placements"),
        ("full", "relabel"),
        ("uniform", "random cuts"),
        ("subjects", "classes"),
    ],
)
def test_each_blocked_move_alone_leaves_the_joint_as_it_is(variant, moves):
    scores = geweke_scores(
        priors_for(variant), MOVES[moves], 2_400, 2_400, draw_chain=many_short_chains
    )
    assert max(map(abs, scores.values())) < BOUND, scores
