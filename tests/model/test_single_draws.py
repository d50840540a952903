"""Rungs 1, 3 and 4 of the ladder: counts, exact conditionals, compiled = uncompiled = oracle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.mallows import log_prior_of_float
from permutopic.model.generate import generate
from permutopic.model.joint import joint_terms, log_joint
from permutopic.model.kernels.categorical import draw_index
from permutopic.model.kernels.orders import fill_order
from permutopic.model.paper import single_draws
from permutopic.model.paper.moves import ResampleDispersion, make_span_scores
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import initial_state, make_state
from permutopic.permutation import inversions_to_order

import oracle
from audit import all_inversions, check_state
from kernel_source import load_kernels

uncompiled = load_kernels(compile_it=False)


def counts_of(state):
    return single_draws.TopicCounts(state.word_counts, state.topic_tokens, state.bag.sum(axis=0))


def document_taken_out(corpus, state, document):
    """The kernel's inputs for one document, its words out of the counts."""
    words, counts = corpus.document(document).tokens, counts_of(state)
    single_draws.add_tokens(words, state.order(document), state.bag[document], counts, -1)
    return words, counts


def normalised(log_weights):
    weights = np.exp(np.asarray(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def a_corpus(seed, variant=Variant.FULL, n_topics=3):
    """A tiny random corpus with a random state that did not make it."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(3, topic=0.6, word=0.3, dispersion=0.8, variant=variant)
    sizes = rng.integers(1, 6, 3)
    corpus, _ = generate(
        n_topics,
        priors,
        rng,
        n_documents=3,
        units=sizes,
        unit_words=rng.integers(1, 6, sizes.sum()),
        n_words=5,
        dispersion=rng.exponential(size=n_topics - 1) if variant == Variant.FULL else None,
    )
    state = initial_state(corpus, n_topics, priors, rng)
    if variant == Variant.FULL:
        state.dispersion[:] = rng.exponential(size=n_topics - 1)
    return corpus, state, priors


@pytest.mark.parametrize("n_topics", [2, 3, 5])
def test_the_kernel_builds_every_order(n_topics):
    order = np.empty(n_topics, dtype=np.int64)
    for inversions in all_inversions(n_topics):
        fill_order(order, np.array(inversions))
        assert order.tolist() == inversions_to_order(inversions).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_taking_a_document_out_and_putting_it_back_changes_nothing(seed):
    corpus, state, _ = a_corpus(seed)
    before = state.copy()
    for document in range(3):
        words, counts = document_taken_out(corpus, state, document)
        assert counts.topic_tokens.sum() == corpus.n_tokens - words.words.size
        single_draws.add_tokens(words, state.order(document), state.bag[document], counts, 1)
    assert np.array_equal(before.word_counts, state.word_counts)
    assert np.array_equal(before.topic_tokens, state.topic_tokens)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fill", ["lazy", "full"])
@pytest.mark.parametrize("block", [1, 3, None])
def test_span_scores_are_differences_of_the_log_joint(seed, fill, block):
    corpus, state, priors = a_corpus(seed)
    spans = make_span_scores(corpus, 3, priors)
    if block is not None:
        spans = spans._replace(block=block)
    for document in range(3):
        state_now = state.copy()
        words, counts = document_taken_out(corpus, state_now, document)
        without = joint_terms(state_now, priors).words
        spans.reach[:] = 0
        if fill == "full":
            single_draws.score_all_spans(spans, words, counts)
        n_units = words.offsets.size - 1
        for start, end, topic in itertools.product(range(n_units), range(n_units + 1), range(3)):
            if start < end:
                added = state_now.copy()
                for word in words.words[words.offsets[start] : words.offsets[end]]:
                    added.word_counts[word, topic] += 1
                expected = joint_terms(added, priors).words - without
                score = single_draws.span_score(spans, words, counts, start, end, topic)
                assert score == pytest.approx(expected, abs=1e-9)
        assert not spans.seen.any()


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("seed", range(4))
def test_the_conditional_of_a_draw_is_the_normalised_joint(seed, variant):
    corpus, state, priors = a_corpus(seed, variant)
    for document in range(3):
        for old in np.flatnonzero(state.bag[document]):
            now = state.copy()
            words, counts = document_taken_out(corpus, now, document)
            bag, order = now.bag[document], now.order(document)
            bag[old] -= 1
            counts.topic_units[old] -= 1
            log_weights = np.empty(3)
            spans = make_span_scores(corpus, 3, priors)
            single_draws.draw_log_weights(
                spans, words, counts, order, bag, priors.topic, log_weights
            )
            joint = []
            for new in range(3):
                moved = state.bag.copy()
                moved[document, old] -= 1
                moved[document, new] += 1
                candidate = make_state(corpus, moved, state.inversions, state.dispersion)
                terms = joint_terms(candidate, priors)
                joint.append(sum(terms) - terms.arrangements)
            assert normalised(log_weights) == pytest.approx(normalised(joint), rel=1e-9)


@pytest.mark.parametrize("variant", [Variant.FULL, Variant.UNIFORM])
@pytest.mark.parametrize("seed", range(4))
def test_the_conditional_of_an_inversion_count_is_the_normalised_joint(seed, variant):
    corpus, state, priors = a_corpus(seed, variant, n_topics=4)
    for document, topic in itertools.product(range(3), range(3)):
        now = state.copy()
        words, counts = document_taken_out(corpus, now, document)
        log_weights = np.full(4, np.nan)
        n_values = single_draws.inversion_log_weights(
            make_span_scores(corpus, 4, priors),
            words,
            counts,
            now.order(document),
            now.bag[document],
            topic,
            now.dispersion[topic],
            log_weights,
        )
        assert n_values == 4 - topic
        joint = []
        for value in range(n_values):
            moved = state.inversions.copy()
            moved[document, topic] = value
            candidate = make_state(corpus, state.bag, moved, state.dispersion)
            joint.append(log_joint(candidate, priors))
        assert normalised(log_weights[:n_values]) == pytest.approx(normalised(joint), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_conditional_of_a_dispersion_is_the_joint_as_its_function(seed, monkeypatch):
    _, state, priors = a_corpus(seed, n_topics=4)
    asked = []

    def watched(values, mean, strength):
        asked.append((values, mean, strength))
        return log_prior_of_float(values, mean, strength)

    monkeypatch.setattr("permutopic.model.paper.moves.log_prior_of_float", watched)
    ResampleDispersion(priors)(state.copy(), lambda _: np.random.default_rng(0))
    grid = [0.01, 0.4, 1.3, 7.0]
    for j, arguments in enumerate(asked):
        joint = []
        for rho in grid:
            moved = state.copy()
            moved.dispersion[j] = rho
            joint.append(log_joint(moved, priors))
        found = [log_prior_of_float(*arguments)(rho) for rho in grid]
        assert np.diff(found) == pytest.approx(np.diff(joint), rel=1e-6, abs=1e-6)
    assert len(asked) == 3


@given(st.floats(0, 1, exclude_max=True), st.lists(st.floats(-800, 800), min_size=1, max_size=6))
def test_choosing_inverts_the_distribution(uniform, log_weights):
    log_weights = np.array(log_weights)
    value = draw_index(log_weights, log_weights.size, uniform)
    cumulative = np.cumsum(normalised(log_weights))
    assert (cumulative[value - 1] if value else 0) <= uniform + 1e-9
    assert uniform < cumulative[value] + 1e-9


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(list(Variant)),
    st.sampled_from([(True, True), (True, False), (False, True)]),
    st.booleans(),
)
def test_compiled_uncompiled_and_oracle_make_the_same_moves(seed, variant, parts, fill_first):
    corpus, state, priors = a_corpus(seed, variant)
    rng = np.random.default_rng(seed)
    dispersion = np.zeros(2) if variant == Variant.CONSTRAINED else state.dispersion
    states = [state.copy() for _ in range(3)]
    for document in range(3):
        n_draws = 2 * int(state.bag[document].sum()) * parts[0]
        n_inversions = 2 * parts[1] * (variant != Variant.CONSTRAINED)
        bag_uniforms, inversion_uniforms = rng.random(n_draws), rng.random(n_inversions)
        for flavour, mine in zip((single_draws, uncompiled), states, strict=False):
            flavour.resample_structure(
                corpus.document(document).tokens,
                mine.bag[document],
                mine.inversions[document],
                counts_of(mine),
                make_span_scores(corpus, 3, priors),
                priors.topic,
                dispersion,
                bag_uniforms,
                inversion_uniforms,
                fill_first,
            )
        oracle.visit(corpus, states[2], priors, document, bag_uniforms, inversion_uniforms)
    for mine in states[:2]:
        check_state(corpus, mine)
        assert mine.bag.tolist() == states[2].bag.tolist()
        assert mine.inversions.tolist() == states[2].inversions.tolist()
