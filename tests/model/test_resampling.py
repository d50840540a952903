"""Resampling a document: counts, and whole visits beside an oracle that shares no code."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.corpus import Corpus
from permutopic.model.blocked import resampling
from permutopic.model.blocked.engine import ACTIVE, TableEngine
from permutopic.model.blocked.packed import ActiveLimits
from permutopic.model.blocked.packing import localize_corpus
from permutopic.model.blocked.postings import make_postings
from permutopic.model.kernels.log_filters import MoveSettings
from permutopic.model.kernels.orders import write_topics
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import initial_state, make_state

import oracle
from audit import check_state
from kernel_source import load_modules, put_in_place
from tiny import a_corpus

uncompiled = load_modules(compile_it=False)
VARIANTS = list(Variant)


@pytest.mark.parametrize("flavour", [resampling, uncompiled.resampling])
@pytest.mark.parametrize("seed", range(5))
def test_words_leave_the_counts_piece_by_piece_and_come_back(seed, flavour):
    corpus, state, _ = a_corpus(seed)
    before = state.copy()
    counts = resampling.TokenCounts(state.word_counts, state.topic_tokens)
    for document in range(3):
        local = localize_corpus(corpus)[document]
        postings, offsets = make_postings(local), local.offsets
        topics = np.full(offsets.size - 1, -1)
        structure = (state.order(document), state.bag[document])
        pieces = [0, postings.words.size // 2, postings.words.size]
        write_topics(topics, *structure)
        flavour.add_topic_tokens(counts.topics, offsets, *structure, -1)
        for first, last in itertools.pairwise(pieces):
            flavour.update_word_counts(postings, topics, counts.words, -1, first, last)
        assert topics.tolist() == oracle.layout(before.bag[document], before.inversions[document])
        expected = np.zeros_like(state.word_counts)
        for other in {0, 1, 2} - {document}:
            labels = oracle.layout(before.bag[other], before.inversions[other])
            for unit, topic in zip(oracle.documents_of(corpus)[other], labels, strict=True):
                np.add.at(expected, (unit, topic), 1)
        assert state.word_counts.tolist() == expected.tolist()
        assert state.topic_tokens.tolist() == expected.sum(axis=0).tolist()
        write_topics(topics, *structure)
        flavour.add_topic_tokens(counts.topics, offsets, *structure, 1)
        for first, last in itertools.pairwise(pieces):
            flavour.update_word_counts(postings, topics, counts.words, 1, first, last)
        check_state(corpus, state)


def assert_same_visits(
    corpus, state, priors, seed, cut_probability, inverse_temperature, rounds, placements, active
):
    """Visit every document compiled, uncompiled and by the oracle, fed the same numbers."""
    n_topics = state.n_topics
    log_prevalence = np.log(np.random.default_rng(seed).dirichlet(np.ones(n_topics)))
    orders = priors.variant != Variant.CONSTRAINED
    placements *= orders
    settings = MoveSettings(
        log_prevalence, state.dispersion, inverse_temperature, rounds, placements, orders
    )
    states = [state.copy() for _ in range(3)]
    for mine, loaded in zip(states, (None, uncompiled), strict=False):
        with pytest.MonkeyPatch.context() as monkeypatch:
            if loaded is not None:
                put_in_place(monkeypatch, loaded)
            engine = TableEngine(
                corpus, n_topics, priors, cut_probability=lambda _: cut_probability, active=active
            )
            engine.resample(mine, range(3), settings, lambda d: np.random.default_rng([seed, d]))
        check_state(corpus, mine)
    for document in range(3):
        oracle.visit_blocked(
            corpus,
            states[2],
            priors,
            document,
            log_prevalence,
            cut_probability,
            active,
            np.random.default_rng([seed, document]),
            inverse_temperature,
            rounds,
            placements,
        )
    for mine in states[:2]:
        assert mine.bag.tolist() == states[2].bag.tolist()
        assert mine.inversions.tolist() == states[2].inversions.tolist()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    variant=st.sampled_from(VARIANTS),
    most_units=st.sampled_from([4, 11]),
    cut_probability=st.sampled_from([1.0, 0.5, 0.2]),
    inverse_temperature=st.sampled_from([1.0, 0.2]),
    rounds=st.integers(1, 3),
    placements=st.integers(0, 2),
    active=st.sampled_from([ACTIVE, ActiveLimits(9.0, 0.4, 2.5), ActiveLimits(1.2, 0.3, 0.0)]),
)
def test_compiled_uncompiled_and_oracle_make_the_same_visits(
    seed, variant, most_units, cut_probability, inverse_temperature, rounds, placements, active
):
    corpus, state, priors = a_corpus(seed, variant, most_units=most_units)
    state = with_a_spare_topic(corpus, state, seed)
    assert_same_visits(
        corpus,
        state,
        priors,
        seed,
        cut_probability,
        inverse_temperature,
        rounds,
        placements,
        active,
    )


def with_a_spare_topic(corpus, state, seed):
    """The state with topic 0 in the first document alone, or nowhere."""
    bag = state.bag.copy()
    for document in range(seed % 2, len(bag)):
        bag[document, -1] += bag[document, 0]
        bag[document, 0] = 0
    return make_state(corpus, bag, state.inversions, state.dispersion)


def themed_corpus(seed, variant):
    """Units of one theme each, and topics that hold one theme or none: words that say it all.

    A word that a topic does not hold costs 28 nats, and a unit has up to 80 of them.
    """
    rng = np.random.default_rng(seed)
    themes = [rng.integers(0, 3, rng.integers(2, 5)), np.arange(3), np.arange(3)]
    documents = [
        [" ".join(f"t{theme}w{w}" for w in rng.integers(0, 6, rng.integers(1, 81))) for theme in of]
        for of in themes
    ]
    corpus = Corpus.from_paragraphs(documents, tokens="whitespace")
    priors = Priors.for_documents(3, topic=0.6, word=1e-12, variant=variant)
    state = initial_state(corpus, 3, priors, rng)
    bag, inversions = state.bag, state.inversions
    bag[1:] = rng.choice([(1, 1, 1), (0, 2, 1), (1, 0, 2)])
    inversions[1:] = 0
    return corpus, make_state(corpus, bag, inversions, state.dispersion), priors


@pytest.mark.parametrize("variant", VARIANTS)
def test_visits_are_the_same_where_weights_leave_the_floats(variant, monkeypatch):
    done = []

    def noted(name, kernel, spans, fits, *arguments):
        found = kernel(spans, fits, *arguments)
        good = found if name == "draw_bag_restricted" else fits and found[0]
        done.append((name, "linear" if good else "logs"))
        return found

    for user, name in (("resampling", "draw_bag_restricted"), ("placement", "log_sums_at_gaps")):
        module = getattr(uncompiled, user)
        monkeypatch.setattr(module, name, partial(noted, name, getattr(module, name)))
    for seed in range(25):
        for cut_probability in (1.0, 0.5):
            corpus, state, priors = themed_corpus(seed, variant)
            assert_same_visits(corpus, state, priors, seed, cut_probability, 1.0, 2, 1, ACTIVE)
    for way in ("linear", "logs"):  # both ways of drawing were seen
        assert done.count(("draw_bag_restricted", way)) > 10
        if variant != Variant.CONSTRAINED:
            assert done.count(("log_sums_at_gaps", way)) > 10
