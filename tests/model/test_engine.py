"""Threads in the engine: the same bits for any number, and nobody left waiting."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from permutopic.model.blocked import engine, helpers, resampling
from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.generate import generate
from permutopic.model.inference.structures import StructureInference
from permutopic.model.kernels import preparation
from permutopic.model.paper.moves import make_span_scores
from permutopic.model.priors import Priors
from permutopic.model.state import initial_state
from permutopic.permutation import inversions_to_order
from permutopic.streams import Streams

from audit import check_state


@pytest.fixture(scope="module")
def corpus_and_priors():
    priors = Priors.for_documents(8)
    corpus, _ = generate(
        11, priors, np.random.default_rng(0), n_documents=8, units=40, unit_words=15, n_words=200
    )
    return corpus, priors


def swept(corpus, priors, **settings):
    state = initial_state(corpus, 11, priors, np.random.default_rng(1))
    for sweep in range(3):
        for number, move in enumerate(blocked_moves(corpus, 11, priors, **settings)):
            move(state, partial(Streams(5).at, sweep, number))
    check_state(corpus, state)
    return state


@pytest.mark.parametrize("n_threads", [2, 3, 7])
@pytest.mark.parametrize("cut_probability", [engine.every_position, engine.default_cut_probability])
def test_threads_change_nothing(corpus_and_priors, cut_probability, n_threads, monkeypatch):
    calls, submit = [], helpers.ThreadPoolExecutor.submit

    def counted(self, function, *args, **settings):
        calls.append(function)
        return submit(self, function, *args, **settings)

    monkeypatch.setattr(helpers.ThreadPoolExecutor, "submit", counted)
    monkeypatch.setattr(helpers.Helpers, "_judge", lambda _: None)  # the machine may be busy
    alone = swept(*corpus_and_priors, cut_probability=cut_probability)
    assert not calls
    together = swept(*corpus_and_priors, cut_probability=cut_probability, n_threads=n_threads)
    assert len(calls) == 3 * 2 * (n_threads - 1)  # helpers are on trial: two batches a sweep
    for name, array in vars(alone).items():
        assert np.array_equal(array, getattr(together, name)), name


def test_a_visit_does_not_wait_for_threads_that_do_not_come(corpus_and_priors):
    from threading import Event

    corpus, priors = corpus_and_priors
    [move, *_] = blocked_moves(corpus, 11, priors, n_threads=2)
    release = Event()
    busy = move.engine.helpers._pool.submit(release.wait)  # the only helper has something to do
    try:
        state = initial_state(corpus, 11, priors, np.random.default_rng(1))
        move(state, partial(Streams(5).at, 0, 0))
    finally:
        release.set()
    busy.result()
    check_state(corpus, state)


def test_an_interrupt_before_the_visit_leaves_nobody_waiting(corpus_and_priors, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    corpus, priors = corpus_and_priors
    [move, *_] = blocked_moves(corpus, 11, priors, n_threads=3)
    state = initial_state(corpus, 11, priors, np.random.default_rng(1))
    move(state, partial(Streams(5).at, 0, 0))
    monkeypatch.setattr(resampling, "resample_batch", interrupted)
    before = state.copy()
    with pytest.raises(KeyboardInterrupt):
        move(state, partial(Streams(5).at, 1, 0))
    move.engine.helpers._pool.shutdown(wait=True)  # would never end if a thread still waited
    assert np.array_equal(state.word_counts, before.word_counts)


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_the_places_that_were_drawn_and_all_boundaries(seed):
    rng = np.random.default_rng(seed)
    n_topics, n_units = rng.integers(2, 7), rng.integers(1, 12)
    bag = rng.multinomial(n_units, np.full(n_topics, 1 / n_topics))
    inversions = np.array([rng.integers(n_topics - j) for j in range(n_topics - 1)])
    cut_probability, draws = rng.random(), rng.random(n_units + 1)
    expected = draws < cut_probability
    expected[np.cumsum(bag[inversions_to_order(inversions)])] = True
    expected[0] = True
    order = inversions_to_order(inversions)
    found = preparation.draw_cuts(np.full(n_units + 1, cut_probability), bag, order, draws)
    assert found.tolist() == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize("word_prior", [0.1, 1e-12, 1e6])
def test_running_products_of_a_block_fit_a_float(corpus_and_priors, word_prior):
    corpus, priors = corpus_and_priors
    priors = replace(priors, word=word_prior)
    fitted = StructureInference(
        initial_state(corpus, 11, priors, np.random.default_rng(1)), priors, n_samples=1
    )._fitted_for(1, 1)
    largest = max(corpus.n_tokens + 1 + word_prior, 1 / word_prior)
    for block in (
        engine.TableEngine(corpus, 11, priors).block,
        make_span_scores(corpus, 11, priors).block,
        fitted.block,
    ):
        # Long enough to be worth it, and short enough for products of factors or of their inverses.
        assert 250 < block * np.log10(largest) < 306
