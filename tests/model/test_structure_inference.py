"""Structures of documents given a state: the right posterior, and the same in any company."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.special import gammaln

import oracle_inference
from permutopic.model.generate import generate
from permutopic.model.inference.preparing import InferenceSettings
from permutopic.model.inference.structures import StructureInference
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import State

import oracle
from by_hand import make_encoded

N_WORDS, BETA = 40, 0.5


def without(corpus, state, number):
    """The state of all other documents."""
    tokens, topics = corpus.document(number).tokens, state.topics(number)
    own = np.zeros_like(state.word_counts)
    np.add.at(own, (tokens.words, np.repeat(topics, np.diff(tokens.offsets))), 1)
    return State(
        np.delete(state.bag, number, axis=0),
        np.delete(state.inversions, number, axis=0),
        state.dispersion,
        state.word_counts - own,
        state.topic_tokens - own.sum(axis=0),
        state.subject_words,
    )


def units_of(document):
    words, offsets = document.tokens
    return [words[a:b].tolist() for a, b in itertools.pairwise(offsets.tolist())]


def assert_same(found, expected):
    for name, array in found._asdict().items():
        assert array.tobytes() == getattr(expected, name).tobytes(), name


@pytest.fixture(scope="module")
def made():
    """A corpus whose words leave some doubt, the state it was drawn from, and the priors."""
    priors = Priors.for_documents(12, topic=0.8, word=BETA)
    rng = np.random.default_rng(1)
    sizes = [1, 3, 8, 30, 50, 12, 9, 40, 7, 20, 33, 64]
    shape = {"n_documents": 12, "units": sizes, "unit_words": 4, "n_words": N_WORDS}
    return *generate(6, priors, rng, **shape), priors


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("seen", [False, True])
def test_a_document_has_the_same_result_in_any_company(made, seen, fast):
    corpus, state, priors = made
    given = [(corpus.document(number), number if seen else -1) for number in range(12)]
    settings = {"n_samples": 20, "fast": fast, "seed": 3}
    alone = [StructureInference(state, priors, **settings).infer(*each) for each in given]
    one = StructureInference(state, priors, **settings)
    for number in [11, 0, 5, 5, 3, 11]:
        assert_same(one.infer(*given[number]), alone[number])
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda each: one.infer(*each), given * 3)
        for found, expected in zip(results, alone * 3, strict=True):
            assert_same(found, expected)


def test_what_is_known_already_changes_nothing(made):
    corpus, state, priors = made
    first = StructureInference(state, priors, n_samples=5)
    document = corpus.document(4)
    expected = first.infer(document)
    again = StructureInference(state, priors, n_samples=5, fitted=first.fitted)
    assert_same(again.infer(document), expected)


def test_another_seed_makes_other_draws_of_the_same_posterior(made):
    corpus, state, priors = made
    document = corpus.document(4)
    one, other = (
        StructureInference(state, priors, n_samples=200, seed=seed).infer(document)
        for seed in (0, 1)
    )
    assert not np.array_equal(one.samples, other.samples)
    assert one.probabilities == pytest.approx(other.probabilities, abs=0.15)
    assert one.scores.tobytes() == other.scores.tobytes()


@pytest.mark.parametrize("n_samples", [1, 15, 16, 17, 40])
def test_there_are_as_many_samples_as_asked_for(made, n_samples):
    corpus, state, priors = made
    found = StructureInference(state, priors, n_samples=n_samples).infer(corpus.document(3))
    assert found.samples.shape == (n_samples, 30)
    assert found.samples.min() >= 0
    assert found.samples.max() < 6
    for topics in [found.topics, *found.samples]:  # each topic is one run
        assert 1 + np.count_nonzero(np.diff(topics)) == np.unique(topics).size


def test_the_state_is_left_as_it_is_bit_for_bit(made):
    corpus, state, priors = made
    before = state.copy()
    inference = StructureInference(state, priors, n_samples=16)
    for number, seen in itertools.product(range(12), (False, True)):
        inference.infer(corpus.document(number), number if seen else -1)
    for name, array in vars(before).items():
        assert array.tobytes() == getattr(state, name).tobytes(), name


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("seen", [False, True])
def test_probabilities_are_probabilities(made, number, seen):
    corpus, state, priors = made
    given = corpus.document(number), number if seen else -1
    found = StructureInference(state, priors, n_samples=48).infer(*given)
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(found.topics.size))
    assert found.probabilities.min() >= 0
    assert found.boundaries[0] == 0
    assert np.all((found.boundaries >= 0) & (found.boundaries <= 1 + 1e-9))
    held = np.bincount(corpus.words, minlength=N_WORDS) + BETA
    logs = np.log(held / held.sum())
    expected = [logs[unit].sum() for unit in units_of(given[0])]
    assert found.background == pytest.approx(expected)


@pytest.mark.statistical
@pytest.mark.parametrize("seen", [False, True])
def test_probabilities_are_the_means_of_many_samples(made, seen):
    corpus, state, priors = made
    for number in (2, 5, 9):
        given = corpus.document(number), number if seen else -1
        found = StructureInference(state, priors, n_samples=2_000).infer(*given)
        for topic in range(6):
            share = (found.samples == topic).mean(axis=0)
            assert found.probabilities[:, topic] == pytest.approx(share, abs=0.06)
        changes = (found.samples[:, 1:] != found.samples[:, :-1]).mean(axis=0)
        assert found.boundaries[1:] == pytest.approx(changes, abs=0.06)
        assert np.any((changes > 0.1) & (changes < 0.9))  # else nothing was tested


class Tiny:
    """A corpus small enough to write down every structure of a document, given all others.

    Its documents leave doubt, but not between two structures with two topics changed about: from
    one to the other there is no short way, and many more samples would be needed.
    """

    def __init__(self, variant, seed=2):
        self.priors = Priors.for_documents(4, topic=0.9, word=0.5, variant=variant)
        rng = np.random.default_rng(seed)
        shape = {"n_documents": 4, "units": [4, 5, 6, 3], "unit_words": 2, "n_words": 6}
        dispersion = [0.8, 0.5] if variant == Variant.FULL else None
        made = generate(3, self.priors, rng, **shape, dispersion=dispersion)
        self.corpus, self.state = made

    def exact(self, number, *, fast, seen):
        """Probabilities of topics and of boundaries, by enumeration."""
        others = without(self.corpus, self.state, number) if seen else self.state
        orders = self.priors.variant != Variant.CONSTRAINED
        document = oracle_inference.LoneDocument(
            units_of(self.corpus.document(number)),
            others.word_counts.T.tolist(),
            self.priors.word,
            others.dispersion,
            fast=fast,
            orders=orders,
        )
        concentration = others.bag.sum(axis=0) + self.priors.topic
        every = list(itertools.product(document.orders, document.bags))
        logs = [document.log_posterior(*one, concentration) for one in every]
        n_units, total = len(document.units), oracle.log_sum(logs)
        topics, ends = np.zeros((n_units, 3)), np.zeros(n_units)
        for (order, bag), log_weight in zip(every, logs, strict=True):
            laid = [topic for topic in order for _ in range(bag[topic])]
            share = np.exp(log_weight - total)
            topics[range(n_units), laid] += share
            ends[list(oracle.boundaries(laid))] += share
        return topics, ends


@pytest.mark.statistical
@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("seen", [False, True])
def test_probabilities_of_a_tiny_document_are_exact(variant, fast, seen):
    tiny = Tiny(variant)
    inference = StructureInference(tiny.state, tiny.priors, n_samples=24_000, fast=fast)
    for number in range(4):
        found = inference.infer(tiny.corpus.document(number), number if seen else -1)
        topics, ends = tiny.exact(number, fast=fast, seen=seen)
        assert found.probabilities == pytest.approx(topics, abs=0.03)
        assert found.boundaries == pytest.approx(ends, abs=0.03)


@pytest.mark.parametrize("fast", [False, True])
def test_the_words_are_as_probable_as_the_structure_makes_them(made, fast):
    corpus, state, priors = made
    inference = StructureInference(state, priors, n_samples=16, fast=fast)
    for number in (0, 4, 11):
        document = corpus.document(number)
        topics = inference.infer(document).topics
        counts, total = np.zeros((N_WORDS, 6)), 0.0
        np.add.at(
            counts, (document.tokens.words, np.repeat(topics, np.diff(document.tokens.offsets))), 1
        )
        before, held = state.word_counts + BETA, state.topic_tokens + N_WORDS * BETA
        if fast:
            total = np.sum(counts * np.log(before / held))
        else:
            total = np.sum(gammaln(before + counts) - gammaln(before))
            total -= np.sum(gammaln(held + counts.sum(axis=0)) - gammaln(held))
        found = inference.infer(document).log_likelihood[0]
        assert found == pytest.approx(total, rel=1e-9)


def test_a_document_longer_than_the_tables_that_are_kept(made):
    corpus, state, priors = made
    inference = StructureInference(state, priors, n_samples=4)
    short = corpus.document(5)
    before = inference.infer(short)
    sizes = inference.fitted.log_gamma.size, inference.fitted.log_factorial.size
    rng = np.random.default_rng(0)
    words = rng.integers(0, N_WORDS, sizes[0] + 5_000, dtype=np.int32)
    offsets = np.sort(rng.integers(0, words.size, sizes[1] + 400))
    offsets[[0, -1]] = 0, words.size
    found = inference.infer(make_encoded(words, offsets))
    counts = np.zeros((N_WORDS, 6))
    np.add.at(counts, (words, np.repeat(found.topics, np.diff(offsets))), 1)
    prior, held = state.word_counts + BETA, state.topic_tokens + N_WORDS * BETA
    total = np.sum(gammaln(prior + counts) - gammaln(prior))
    total -= np.sum(gammaln(held + counts.sum(axis=0)) - gammaln(held))
    assert found.log_likelihood[0] == pytest.approx(total, rel=1e-9)
    longer = inference.fitted
    assert longer.log_gamma.size > sizes[0]
    assert longer.log_factorial.size > sizes[1]
    assert longer.log_gamma == pytest.approx(gammaln(np.arange(longer.log_gamma.size) + 20.0))
    factorials = gammaln(np.arange(longer.log_factorial.size) + 1.0)
    assert longer.log_factorial == pytest.approx(factorials)
    assert_same(inference.infer(short), before)


@pytest.mark.parametrize("fast", [False, True])
def test_ten_thousand_units_are_put_where_they_belong(fast):
    priors = Priors.for_documents(20, topic=2.0, word=0.1)
    rng = np.random.default_rng(4)
    units = [10_000, *[30] * 19]
    shape = {"n_documents": 20, "units": units, "unit_words": 4, "n_words": 200}
    corpus, state = generate(6, priors, rng, **shape)
    others = without(corpus, state, 0)
    found = StructureInference(others, priors, n_samples=8, fast=fast).infer(corpus.document(0))
    truth = state.topics(0)
    assert np.unique(truth).size > 3
    assert np.mean(found.topics == truth) > 0.95
    assert np.mean(found.samples == truth) > 0.95
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(10_000))


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("offsets", [[0, 0], [0, 0, 0, 0], [0, 2], [0, 0, 2, 2]])
def test_documents_with_next_to_nothing_in_them(made, offsets, fast):
    _, state, priors = made
    document = make_encoded(np.array([5, 7], dtype=np.int32)[: offsets[-1]], np.array(offsets))
    found = StructureInference(state, priors, n_samples=20, fast=fast).infer(document)
    n_units = len(offsets) - 1
    assert found.samples.shape == (20, n_units)
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(n_units))
    assert np.isfinite(found.log_likelihood[0])
    if offsets[-1] == 0:
        assert found.log_likelihood[0] == 0
        assert np.all(found.scores == 0)


@pytest.mark.statistical
def test_a_unit_without_words_has_the_topics_that_any_unit_may_have(made):
    _, state, priors = made
    document = make_encoded(np.empty(0, dtype=np.int32), np.array([0, 0]))
    found = StructureInference(state, priors, n_samples=20_000).infer(document)
    shares = state.bag.sum(axis=0) + priors.topic
    assert found.probabilities[0] == pytest.approx(shares / shares.sum(), abs=0.02)


def test_a_seen_document_is_judged_without_its_own_words(made):
    corpus, state, priors = made
    others = StructureInference(without(corpus, state, 8), priors, n_samples=16)
    found = StructureInference(state, priors, n_samples=16).infer(corpus.document(8), 8)
    assert found.scores == pytest.approx(others.infer(corpus.document(8)).scores, rel=1e-9)
    new = StructureInference(state, priors, n_samples=16).infer(corpus.document(8))
    assert new.scores.max(axis=1).sum() > found.scores.max(axis=1).sum()


def test_a_seen_document_begins_where_the_fit_has_it(made):
    corpus, state, priors = made
    inference = StructureInference(state, priors, n_samples=1)
    work = InferenceSettings(1, 1, 1, 32, 32, 0.03, 0.1, False)
    for number in range(12):
        given = inference._input(corpus.document(number), number, work)
        assert given.topics.tolist() == state.topics(number).tolist()
        assert given.inversions.tolist() == state.inversions[number].tolist()
        given = inference._input(corpus.document(number), -1, work)
        assert given.topics.size == given.inversions.size == 0


def test_the_constrained_model_keeps_the_canonical_order():
    tiny = Tiny(Variant.CONSTRAINED)
    inference = StructureInference(tiny.state, tiny.priors, n_samples=64)
    for number in range(4):
        found = inference.infer(tiny.corpus.document(number))
        for topics in [found.topics, *found.samples]:
            assert np.all(np.diff(topics) >= 0)


@pytest.mark.parametrize("more", [-1, 0, 1, 5000])
def test_tables_grow_with_the_longest_document(drawn, more):
    corpus, state, priors = drawn
    inference = StructureInference(state, priors, n_samples=1)
    n_units = inference.fitted.log_factorial.size + more
    n_all = inference.fitted.log_gamma.size + more
    fitted = inference._fitted_for(n_all - corpus.n_tokens, n_units)
    assert fitted.log_factorial.size > n_units  # the last entry is that of a document in one topic
    assert fitted.log_gamma.size > n_all
    assert fitted.log_factorial[n_units] == gammaln(n_units + 1.0)
    assert fitted.log_gamma[n_all] == gammaln(n_all + corpus.n_words * priors.word)
    assert inference._fitted_for(1, 1).log_gamma is fitted.log_gamma  # they are kept


def test_segments_are_as_many_as_in_other_documents_however_long(drawn):
    corpus, state, priors = drawn
    inference = StructureInference(state, priors, n_samples=1)
    segments = np.count_nonzero(state.bag)
    boundaries, positions = segments - 6, corpus.n_units - 6
    share = (boundaries + 1) / (positions + 2)
    assert inference._fitted_for(1, 1).switch == pytest.approx(share)
    a_document = (boundaries + 1) / 7
    assert inference._fitted_for(1, 101).switch == pytest.approx(a_document / 100)
