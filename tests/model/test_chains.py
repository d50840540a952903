"""The loop of a chain, its plan, and chains side by side: with moves that only take notes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.model.blocked.moves import ResampleBlocks, blocked_moves
from permutopic.model.blocked.pruning import PruneTopics
from permutopic.model.blocked.relabelling import RelabelTopics
from permutopic.model.fitting import fit_chains
from permutopic.model.joint import FastLogJoint, log_joint
from permutopic.model.mcmc.chain import Chain
from permutopic.model.mcmc.chains import run_chain, run_chains
from permutopic.model.mcmc.plan import Plan
from permutopic.model.mcmc.sampler import has_plateaued, sample
from permutopic.model.mcmc.schedule import POSTERIOR, Schedule
from permutopic.model.paper.moves import ResampleDispersion
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import initial_state
from permutopic.streams import Streams

CORPUS = Corpus.from_paragraphs([["salt sea", "snow", "ice"], ["sea", "snow ice"]] * 3)
PRIORS = Priors.for_documents(6)


class Notes:
    """A move that changes ρ alone, and notes what it was called with."""

    def __init__(self):
        self.stages, self.draws = [], []

    def __call__(self, state, random_at, stage=POSTERIOR):
        self.stages.append(stage)
        self.draws.append(random_at(3).random())
        state.dispersion[:] = len(self.stages)


def a_state(seed=0):
    return initial_state(CORPUS, 3, PRIORS, np.random.default_rng(seed))


def run(n_sweeps, joints=None, moves=(), **settings):
    """Run a chain whose log joints are given: what is known of its sweeps."""
    values = iter(joints or range(n_sweeps))
    sweeps = sample(a_state(), moves, lambda _: next(values), Streams(5, 2), n_sweeps, **settings)
    return [info for _, info in sweeps]


def test_every_move_is_told_the_stage_of_its_sweep():
    first, second = Notes(), Notes()
    schedule = Schedule(n_annealing=10)
    sweeps = run(14, moves=[first, second], schedule=schedule)
    assert first.stages == second.stages == [schedule.stage(sweep) for sweep in range(14)]
    assert [n for n, stage in enumerate(first.stages) if stage.prune] == [5, 7, 9]
    assert [info.inverse_temperature for info in sweeps] == [
        stage.inverse_temperature for stage in first.stages
    ]


def test_every_move_of_every_sweep_has_random_numbers_of_its_own():
    first, second = Notes(), Notes()
    run(3, moves=[first, second])
    streams = Streams(5, 2)
    for move, notes in enumerate((first, second)):
        assert notes.draws == [streams.at(sweep, move, 3).random() for sweep in range(3)]


def test_a_sweep_reports_what_was_done():
    sweeps = run(3, joints=[7.0, 8.0, 9.0])
    assert [info.sweep for info in sweeps] == [1, 2, 3]
    assert [info.log_joint for info in sweeps] == [7.0, 8.0, 9.0]
    assert {info.n_sweeps for info in sweeps} == {3}
    assert {info.chain for info in sweeps} == {2}
    assert sweeps[-1].topics_in_use == np.unique(a_state().all_topics()).size


def test_a_chain_stops_when_its_draws_no_longer_gain():
    rising, level = [1.0, 2.0, 3.0, 4.0], [4.0] * 20
    # Four draws at 4 are no better than the four before them, of which the last are at 4 too.
    assert len(run(24, [*rising, *level], patience=2)) == 4 + 3
    assert len(run(24, [*rising, *level])) == 24
    assert len(run(24, list(range(24)), patience=2)) == 24


def test_sweeps_that_anneal_stop_no_chain():
    joints = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 1.0, 2.0, 3.0, 3.0, 3.0, 2.0]
    sweeps = run(12, joints, patience=2, schedule=Schedule(n_annealing=6))
    assert len(sweeps) == 12
    assert len(run(12, joints, patience=2)) == 4


def test_a_plateau_takes_twice_the_patience():
    assert not has_plateaued([4.0, 3.0, 2.0], 2)
    assert has_plateaued([4.0, 3.0, 2.0, 1.0], 2)
    assert has_plateaued([1.0, 1.0], 1)
    assert not has_plateaued([9.0, 1.0, 2.0], 1)


@pytest.mark.parametrize(
    ("n_sweeps", "annealing"), [(1, 0), (2, 1), (3, 2), (4, 3), (10, 7), (100, 70)]
)
def test_seven_of_ten_sweeps_anneal_and_the_last_one_is_a_draw(n_sweeps, annealing):
    plan = Plan.of(n_sweeps)
    assert (plan.n_sweeps, plan.schedule) == (n_sweeps, Schedule(annealing))
    draws = [sweep for sweep in range(n_sweeps) if plan.counts_as_draw(sweep)]
    assert draws == list(range(annealing, n_sweeps))


def test_a_plan_that_does_not_anneal_draws_in_its_second_half_and_never_stops_early():
    plan = Plan.of(7, anneals=False)
    assert (plan.n_sweeps, plan.schedule, plan.patience) == (7, Schedule(), None)
    assert [sweep for sweep in range(7) if plan.counts_as_draw(sweep)] == [3, 4, 5, 6]


def test_patience_is_ten_draws_unless_a_chain_is_to_run_to_its_end():
    assert Plan.of(50).patience == 10
    assert Plan.of(50, early_stop=False).patience is None


def taking_notes(noted, **also):
    """Make the moves of a chain: one that takes notes, kept with the settings it was made with."""

    def make_moves(corpus, n_topics, priors, *, n_threads, log_joint):
        move = Notes()
        noted.append((move, n_threads, log_joint))
        return [move, *also.values()]

    return make_moves


def test_a_chain_leaves_its_traces_and_the_dispersions_of_its_draws():
    noted, seen = [], []
    plan = Plan.of(10)
    chain = run_chain(
        CORPUS, 3, PRIORS, plan, taking_notes(noted), 8, 4, n_threads=3, on_sweep=seen.append
    )
    ((move, n_threads, joint),) = noted
    assert n_threads == 3
    assert [stage.prune for stage in move.stages] == [
        plan.schedule.stage(sweep).prune for sweep in range(10)
    ]
    assert chain.number == 4
    assert {info.chain for info in seen} == {4}
    assert chain.log_joints.tolist() == [info.log_joint for info in seen]
    assert chain.inverse_temperatures.tolist() == [stage[0] for stage in move.stages]
    assert chain.dispersions.tolist() == [[8, 8], [9, 9], [10, 10]]
    assert chain.drawn_log_joints.tolist() == chain.log_joints[-3:].tolist()
    assert joint(chain.state) == pytest.approx(log_joint(chain.state, PRIORS))


def test_the_draws_of_a_chain_that_stopped_early_are_its_last():
    numbers = np.arange(6.0)
    chain = Chain(0, None, numbers, np.ones(6), np.zeros((2, 1)))
    assert chain.drawn_log_joints.tolist() == [4.0, 5.0]
    none = Chain(0, None, numbers, np.ones(6), np.zeros((0, 1)))
    assert none.drawn_log_joints.size == 0


def test_a_chain_starts_where_its_seed_and_number_say():
    def start(seed, number):
        plan = Plan.of(1)
        return run_chain(CORPUS, 3, PRIORS, plan, lambda *_, **__: [], seed, number).state

    def bag_and_order(state):
        return state.bag.tolist(), state.inversions.tolist()

    assert bag_and_order(start(1, 0)) == bag_and_order(start(1, 0))
    assert bag_and_order(start(1, 0)) != bag_and_order(start(1, 1))
    assert bag_and_order(start(1, 0)) != bag_and_order(start(2, 0))


@pytest.mark.parametrize(
    ("n_chains", "n_threads", "each"), [(1, 5, 5), (2, 5, 2), (4, 2, 1), (3, 3, 1), (3, 1, 1)]
)
def test_threads_are_shared_among_chains_that_run_side_by_side(n_chains, n_threads, each):
    noted = []
    chains = run_chains(
        CORPUS,
        3,
        PRIORS,
        Plan.of(3),
        taking_notes(noted),
        8,
        n_chains=n_chains,
        n_threads=n_threads,
    )
    assert [chain.number for chain in chains] == list(range(n_chains))
    assert [threads for _, threads, _ in noted] == [each] * n_chains
    alone = [
        run_chain(CORPUS, 3, PRIORS, Plan.of(3), taking_notes([]), 8, n) for n in range(n_chains)
    ]
    assert [c.log_joints.tolist() for c in chains] == [c.log_joints.tolist() for c in alone]


def test_chains_report_every_sweep_one_at_a_time():
    seen, busy = [], threading.Lock()

    def note(info):
        assert busy.acquire(blocking=False)
        seen.append((info.chain, info.sweep))
        busy.release()

    run_chains(
        CORPUS,
        3,
        PRIORS,
        Plan.of(4),
        taking_notes([]),
        8,
        n_chains=3,
        n_threads=3,
        on_sweep=note,
    )
    assert sorted(seen) == [(chain, sweep) for chain in range(3) for sweep in range(1, 5)]


def test_a_chain_that_fails_stops_the_others():
    def fail(info):
        if info.chain == 1:
            raise KeyboardInterrupt

    noted = []
    with pytest.raises(KeyboardInterrupt):
        run_chains(
            CORPUS,
            3,
            PRIORS,
            Plan.of(30_000, early_stop=False),
            taking_notes(noted),
            8,
            n_chains=2,
            n_threads=2,
            on_sweep=fail,
        )
    assert all(len(move.stages) < 30_000 for move, *_ in noted)


@pytest.mark.parametrize("variant", list(Variant))
def test_the_default_moves_are_those_of_the_variant_and_prune_last_given_a_log_joint(variant):
    priors = Priors.for_documents(6, variant=variant)
    kinds = [ResampleBlocks]
    if variant == Variant.FULL:
        kinds += [ResampleDispersion, RelabelTopics]
    assert [type(move) for move in blocked_moves(CORPUS, 3, priors)] == kinds
    joint = FastLogJoint.for_corpus(CORPUS, priors)
    moves = blocked_moves(CORPUS, 3, priors, log_joint=joint)
    assert [type(move) for move in moves] == [*kinds, PruneTopics]


def test_a_fit_prunes_in_the_sweeps_of_its_schedule_alone(monkeypatch):
    pruned = []

    def note(self, state, random_at, stage=POSTERIOR):
        pruned.append(stage.prune)

    monkeypatch.setattr(PruneTopics, "__call__", note)
    fit_chains(CORPUS, 3, PRIORS, 0, sampler="blocked", n_sweeps=20, early_stop=True)
    schedule = Plan.of(20).schedule
    assert pruned == [schedule.stage(sweep).prune for sweep in range(20)]
    assert pruned.count(True) == 3
