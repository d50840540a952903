from __future__ import annotations

import itertools
import math

import pytest

from permutopic.model.mcmc.schedule import POSTERIOR, Schedule, Stage


def inverse_temperatures(schedule, n_sweeps):
    return [schedule.stage(sweep).inverse_temperature for sweep in range(n_sweeps)]


def test_the_posterior_is_untempered_with_shares_drawn():
    assert Stage(inverse_temperature=1.0, uniform_prevalence=False) == POSTERIOR


def test_without_annealing_all_sweeps_are_of_the_posterior():
    assert all(Schedule().stage(sweep) == POSTERIOR for sweep in range(3))
    assert all(Schedule(n_annealing=0).stage(sweep) == POSTERIOR for sweep in (0, 1, 10**9))


@pytest.mark.parametrize("n_annealing", [1, 7, 80])
@pytest.mark.parametrize("first", [0.005, 0.02, 0.9])
def test_temperatures_climb_by_equal_factors_and_stay_at_one(n_annealing, first):
    schedule = Schedule(n_annealing=n_annealing, first_inverse_temperature=first)
    found = inverse_temperatures(schedule, n_annealing + 3)
    assert found[0] == pytest.approx(first)
    assert found[n_annealing:] == [1.0] * 3
    assert found[n_annealing - 1] < 1
    climb = itertools.pairwise(found[: n_annealing + 1])
    factors = [after / before for before, after in climb]
    assert factors == pytest.approx([math.exp(-math.log(first) / n_annealing)] * n_annealing)


def test_shares_are_even_below_a_temperature():
    schedule = Schedule(n_annealing=8, first_inverse_temperature=2.0**-8, prevalence_from=0.25)
    assert inverse_temperatures(schedule, 9) == [2.0 ** (sweep - 8) for sweep in range(9)]
    even = [schedule.stage(sweep).uniform_prevalence for sweep in range(9)]
    assert even == [True] * 6 + [False] * 3  # at 0.25 itself they are drawn


def test_shares_may_be_drawn_all_the_way_or_even_all_the_way():
    schedule = Schedule(n_annealing=5, prevalence_from=0.0)
    assert not any(schedule.stage(sweep).uniform_prevalence for sweep in range(6))
    schedule = Schedule(n_annealing=5, prevalence_from=2.0)
    assert [schedule.stage(sweep).uniform_prevalence for sweep in range(6)] == [True] * 5 + [False]


def test_topics_are_pruned_at_the_ends_of_given_shares_of_the_annealing():
    schedule = Schedule(n_annealing=10, prune_at=(0.5, 0.8, 1.0))
    assert [sweep for sweep in range(20) if schedule.stage(sweep).prune] == [4, 7, 9]
    never = Schedule(n_annealing=10, prune_at=())
    assert not any(never.stage(sweep).prune for sweep in range(20))


def test_by_default_annealing_begins_at_a_twentieth_and_prunes_three_times():
    schedule = Schedule(n_annealing=100)
    stages = [schedule.stage(sweep) for sweep in range(120)]
    assert stages[0].inverse_temperature == pytest.approx(0.05)
    assert [sweep for sweep, stage in enumerate(stages) if stage.prune] == [59, 79, 99]
    assert all(stage.uniform_prevalence for stage in stages[:100])
    assert stages[100:] == [POSTERIOR] * 20
