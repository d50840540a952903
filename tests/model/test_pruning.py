from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.dirichlet import log_marginal
from permutopic.mallows import draw_inversions
from permutopic.model.blocked.engine import TableEngine
from permutopic.model.blocked.pruning import PruneTopics
from permutopic.model.blocked.relabelling import move_empty_last
from permutopic.model.joint import FastLogJoint, log_joint
from permutopic.model.mcmc.schedule import POSTERIOR, Stage
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import make_state
from permutopic.streams import Streams

from audit import check_state

BEACH, HILL = "salt sea waves sand " * 3, "hills snow rocks ice " * 3
PRUNING = Stage(0.9, uniform_prevalence=False, prune=True)


def beach_told_twice(variant=Variant.FULL):
    """Documents of two topics, half of which have the first one under another number."""
    corpus = Corpus.from_paragraphs([[BEACH, BEACH, HILL, HILL]] * 8)
    bag = np.array([[2, 0, 2], [0, 2, 2]] * 4)
    fixed = variant.fixed_dispersion
    dispersion = np.full(2, 1.0 if fixed is None else fixed)
    state = make_state(corpus, bag, np.zeros((8, 2), dtype=np.int64), dispersion)
    return corpus, state, Priors.for_documents(8, variant=variant)


def prune(corpus, state, priors, stage=PRUNING, seed=0):
    move = PruneTopics(
        TableEngine(corpus, 3, priors), priors, FastLogJoint.for_corpus(corpus, priors)
    )
    move(state, partial(Streams(seed).at, 0, 0), stage)


@pytest.mark.parametrize("variant", list(Variant))
def test_a_topic_that_is_another_once_more_is_pruned(variant):
    corpus, state, priors = beach_told_twice(variant)
    before = log_joint(state, priors)
    prune(corpus, state, priors)
    check_state(corpus, state)
    assert np.count_nonzero(state.bag.sum(axis=0)) == 2
    assert log_joint(state, priors) > before
    assert all(np.unique(state.topics(d)[:2]).size == 1 for d in range(8))
    if variant == Variant.FULL:
        assert state.bag[:, 2].sum() == 0
        assert all(state.order(d)[-1] == 2 for d in range(8))


def test_mergers_are_weighed_by_the_marginals_of_the_counts_as_they_are(monkeypatch):
    corpus, state, priors = beach_told_twice()
    weigh, weighed = PruneTopics._best_merger, []

    def recorded(self, state, topic, log_rising):
        words = state.word_counts.T
        alone = log_marginal(words, priors.word)
        together = log_marginal(words + words[topic], priors.word)
        gains = together - alone - alone[topic]
        others = [k for k in np.flatnonzero(words.any(axis=1)) if k != topic]
        expected = max(gains[others]) if words[topic].any() else -np.inf
        gain = weigh(self, state, topic, log_rising)
        assert gain == pytest.approx(expected, rel=1e-12, abs=1e-9)
        weighed.append((gain, np.count_nonzero(state.topic_tokens)))
        return gain

    monkeypatch.setattr(PruneTopics, "_best_merger", recorded)
    prune(corpus, state, priors)
    gains, in_use = zip(*weighed, strict=True)
    assert set(in_use) == {2, 3}  # a topic was emptied on the way
    assert min(gains) < 0 < max(gains)


def test_topics_that_are_needed_stay_to_the_last_unit():
    corpus, state, priors = beach_told_twice()
    state = make_state(corpus, np.array([[2, 2, 0]] * 8), state.inversions, state.dispersion)
    before = state.copy()
    prune(corpus, state, priors)
    assert state.bag.tolist() == before.bag.tolist()
    assert state.word_counts.tolist() == before.word_counts.tolist()


def test_nothing_is_pruned_where_the_posterior_is_drawn_from():
    corpus, state, priors = beach_told_twice()
    for stage in (POSTERIOR, Stage(0.5)):
        before = state.copy()
        prune(corpus, state, priors, stage)
        assert state.bag.tolist() == before.bag.tolist()


def test_one_topic_in_use_is_left_alone():
    corpus = Corpus.from_paragraphs([[BEACH]] * 3)
    bag, inversions = np.array([[1, 0, 0]] * 3), np.zeros((3, 2), dtype=np.int64)
    state = make_state(corpus, bag, inversions, np.ones(2))
    prune(corpus, state, Priors.for_documents(3))
    assert state.bag.tolist() == bag.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_empty_topics_go_last_and_nothing_else_moves(seed):
    rng = np.random.default_rng(seed)
    corpus = Corpus.from_paragraphs([["a b", "b c", "c d e", "e"]] * 6)
    bag = np.zeros((6, 5), dtype=np.int64)
    bag[:, [1, 3, 4]] = rng.multinomial(4, [1 / 3] * 3, 6)
    inversions = draw_inversions(np.full(4, 0.3), rng, 6)
    state = make_state(corpus, bag, inversions, np.arange(1.0, 5.0))
    before = state.copy()
    move_empty_last(state, 9.0)
    check_state(corpus, state)
    numbers = {1: 0, 3: 1, 4: 2}
    for d in range(6):
        assert state.topics(d).tolist() == [numbers[t] for t in before.topics(d)]
        kept = [numbers[t] for t in before.order(d) if t in numbers]
        assert state.order(d).tolist() == [*kept, 3, 4]
    assert state.dispersion.tolist() == [2.0, 4.0, 9.0, 1.0]


def test_a_topic_that_had_no_dispersion_gets_that_of_the_prior_which_is_never_zero():
    for expected, rho0 in ((1e-3, 0.0), (0.7, 0.7)):
        corpus, state, _ = beach_told_twice()
        prune(corpus, state, Priors.for_documents(8, dispersion=rho0))
        assert state.bag[:, 1].any()  # the topic that was last is now the second
        assert state.dispersion[1] == expected


def three_topics_in_a_hot_state(seed):
    """Documents of three topics, and a state as it is before words have a say: drawn at random."""
    rng = np.random.default_rng(seed)

    def paragraph(topic):
        words = [f"{topic}{n}" for n in rng.integers(8, size=6)]
        return " ".join(words + [f"{rng.choice(list('abc'))}{n}" for n in rng.integers(8, size=2)])

    corpus = Corpus.from_paragraphs([[paragraph(topic) for topic in "aabbcc"] for _ in range(12)])
    bag, inversions = rng.multinomial(6, [1 / 3] * 3, 12), draw_inversions(np.ones(2), rng, 12)
    return corpus, make_state(corpus, bag, inversions, np.ones(2)), Priors.for_documents(12)


def test_a_trial_is_not_higher_because_its_documents_were_resampled_and_the_others_not():
    hot = Stage(0.3, uniform_prevalence=True, prune=True)
    in_use = []
    for seed in range(10):
        corpus, state, priors = three_topics_in_a_hot_state(seed)
        prune(corpus, state, priors, hot, seed)
        check_state(corpus, state)
        in_use.append(np.count_nonzero(state.bag.any(axis=0)))
    # Against the state as it was, a topic was emptied for each of these seeds.
    assert in_use.count(3) >= 8


def test_a_topic_is_kept_where_its_documents_do_better_with_it():
    corpus, state, priors = beach_told_twice()
    engine, present = TableEngine(corpus, 3, priors), 1.0
    random_at = partial(Streams(0).at, 0, 0)
    for without, with_it, expected in ((0.0, 9.0, 0.0), (3.0, 2.0, 3.0), (3.0, 4.0, 4.0)):
        joints, seen = iter([without, with_it]), []

        def log_joint(found, joints=joints, seen=seen):
            seen.append(found)
            return next(joints)

        move = PruneTopics(engine, priors, log_joint)
        found, joint = move._better_without(state, 0, random_at, present)
        assert joint == expected
        assert len(seen) == (1 if without <= present else 2)
        assert found is seen[-1 if expected == with_it else 0]
        assert not seen[0].bag[:, 0].any()
        assert seen[0].bag.sum(axis=1).tolist() == found.bag.sum(axis=1).tolist()


def test_where_no_merger_pays_nothing_is_resampled(monkeypatch):
    corpus, state, priors = beach_told_twice()
    state = make_state(corpus, np.array([[2, 2, 0]] * 8), state.inversions, state.dispersion)
    asked = []
    monkeypatch.setattr(PruneTopics, "_resample", lambda *given: asked.append(given))
    prune(corpus, state, priors)
    assert not asked
