"""Rungs 3 and 4 for the inference on one document: compiled, uncompiled and by all structures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

import oracle_inference
from permutopic.corpus import DocumentTokens
from permutopic.model.inference import sampling
from permutopic.model.inference.preparing import (
    FittedCounts,
    InferenceInput,
    InferenceSettings,
    PosteriorSummary,
)
from permutopic.model.kernels.log_filters import LOG_ZERO
from permutopic.model.priors import Variant
from permutopic.permutation import inversions_to_order

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).sampling
flavours = pytest.mark.parametrize("flavour", [sampling, uncompiled], ids=["fast", "plain"])

N_WORDS, BETA = 6, 0.3
# Places and topics left out at random, all the time; everything looked at.
FEW = InferenceSettings(2, 3, 2, 2, 3, 10.0, 0.4, False)
ALL = InferenceSettings(1, 1, 0, 64, 64, 0.0, 1.0, False)


class Case:
    """A document, what topics hold of all others, and random numbers for its visits.

    A seen document has a random structure, and its words are in the counts with it.
    """

    def __init__(self, seed, work, *, n_topics=3, units=None, seen=True, variant=Variant.FULL):
        rng = np.random.default_rng([seed, n_topics])
        n_units = int(rng.integers(1, 6)) if units is None else len(units)
        self.units = units
        if units is None:
            lengths = rng.integers(0, 5, n_units)
            self.units = [rng.integers(0, N_WORDS, length).tolist() for length in lengths]
        self.work, self.n_topics, self.n_units = work, n_topics, n_units
        self.others = rng.poisson(3 * N_WORDS * rng.dirichlet(np.full(N_WORDS, 0.5), n_topics))
        self.concentration = rng.integers(0, 9, n_topics) + 0.6
        self.orders = variant != Variant.CONSTRAINED
        dispersion = rng.exponential(size=n_topics - 1) * (variant == Variant.FULL)
        self.prevalence = rng.dirichlet(np.full(n_topics, 2.0))
        self.inversions = np.array([rng.integers(n_topics - j) for j in range(n_topics - 1)])
        self.inversions *= self.orders
        self.order = inversions_to_order(self.inversions).tolist()
        self.bag = rng.multinomial(n_units, rng.dirichlet(np.ones(n_topics)))
        self.seen = seen
        self.fitted = self._fitted(dispersion)
        self.input = self._input(rng)
        self.dispersion = dispersion.tolist()

    def laid(self):
        return [topic for topic in self.order for _ in range(self.bag[topic])]

    def _fitted(self, dispersion):
        counts = self.others.T.astype(np.int32).copy()
        if self.seen:
            for unit, topic in zip(self.units, self.laid(), strict=True):
                np.add.at(counts, (unit, topic), 1)
        most = int(counts.sum()) + sum(map(len, self.units))
        return FittedCounts(
            counts,
            counts.sum(axis=0, dtype=np.int64),
            self.prevalence,
            dispersion,
            0.3,
            np.log(np.arange(1.0, N_WORDS + 1)),
            gammaln(np.arange(most + 1) + N_WORDS * BETA),
            gammaln(np.arange(self.n_units + 2) + 1.0),
            BETA,
            N_WORDS * BETA,
            20,
            self.orders,
        )

    def _input(self, rng):
        work, nothing = self.work, np.empty(0, dtype=np.int64)
        each = work.rounds * (2 * work.placements + self.n_topics)
        each += self.n_units + 1 + self.n_topics
        words = np.array([word for unit in self.units for word in unit], dtype=np.int32)
        return InferenceInput(
            DocumentTokens(words, np.cumsum([0, *map(len, self.units)])),
            np.array(self.laid()) if self.seen else nothing,
            self.inversions if self.seen else nothing,
            rng.random(work.visits * each),
            rng.standard_gamma(self.concentration, (work.visits, self.n_topics)),
            rng.standard_exponential((work.visits, self.n_units)),
        )

    def room(self):
        n_units, n_topics = self.n_units, self.n_topics
        n_samples = self.work.visits * self.work.rounds
        return PosteriorSummary(
            np.full(n_units, -1),
            np.full((n_units, n_topics), np.nan),
            np.full(n_units, np.nan),
            np.full((n_samples, n_units), -1),
            np.full(1, np.nan),
            np.full((n_units, n_topics), np.nan),
            np.full(n_units, np.nan),
        )

    def inferred(self, flavour):
        numbers, summary = np.full(N_WORDS, -1, dtype=np.int32), self.room()
        before = [array.copy() for array in (self.fitted.word_counts, self.fitted.topic_tokens)]
        flavour.infer_structure(self.input, self.fitted, self.work, numbers, summary)
        assert np.all(numbers == -1)
        assert np.array_equal(self.fitted.word_counts, before[0])
        assert np.array_equal(self.fitted.topic_tokens, before[1])
        return summary

    def prepared_by(self, flavour=uncompiled):
        numbers, summary = np.full(N_WORDS, -1, dtype=np.int32), self.room()
        ready = flavour.prepare_document(self.input, self.fitted, numbers, self.work, summary)
        return *ready, summary

    def document(self):
        return oracle_inference.LoneDocument(
            self.units,
            self.others.tolist(),
            BETA,
            self.dispersion,
            fast=self.work.fast,
            orders=self.orders,
        )

    def numbers_of(self, visit):
        """A visit's random numbers as the oracle takes them."""
        uniforms = np.split(self.input.uniforms, self.work.visits)[visit]
        places, voices, rest = np.split(uniforms, np.cumsum([self.n_units + 1, self.n_topics]))
        return places, voices, rest, self.input.gammas[visit], self.input.exponentials[visit]


def assert_same(found, expected):
    for name in ("topics", "samples"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for name in ("probabilities", "boundaries", "log_likelihood", "scores", "background"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9), name


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_topics=st.integers(3, 6),
    seen=st.booleans(),
    variant=st.sampled_from(list(Variant)),
    fast=st.booleans(),
    cuts=st.sampled_from([2, 64]),
    presence_threshold=st.sampled_from([0.0, 0.3, 10.0]),
)
def test_compiled_and_uncompiled_find_the_same(
    seed, n_topics, seen, variant, fast, cuts, presence_threshold
):
    work = FEW._replace(cuts=cuts, presence_threshold=presence_threshold, fast=fast)
    case = Case(seed, work, n_topics=n_topics, seen=seen, variant=variant)
    assert_same(case.inferred(sampling), case.inferred(uncompiled))


@pytest.mark.parametrize("n_topics", [7, 8, 9])
@pytest.mark.parametrize("seen", [True, False])
def test_compiled_and_uncompiled_find_the_same_in_longer_documents(n_topics, seen):
    rng = np.random.default_rng(n_topics)
    units = [rng.integers(0, N_WORDS, rng.integers(0, 9)).tolist() for _ in range(21)]
    work = FEW._replace(cuts=7, first_cuts=9, presence_threshold=1.0)
    case = Case(1, work, n_topics=n_topics, units=units, seen=seen)
    assert_same(case.inferred(sampling), case.inferred(uncompiled))


ODD = {"no word": [[], [], []], "one unit": [[1, 2, 1]], "nothing at all": [[]]}


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("fast", [True, False])
def test_documents_with_next_to_nothing_in_them(fast, seen, units):
    for seed in range(3):
        case = Case(seed, FEW._replace(fast=fast), units=units, seen=seen)
        summary = case.inferred(sampling)
        assert_same(summary, case.inferred(uncompiled))
        assert summary.probabilities.sum(axis=1) == pytest.approx(np.ones(len(units)))


def assert_is_the_oracles(case, summary):
    """Follow all visits of a seen document, fed the same numbers."""
    prepared, *_ = case.prepared_by()
    work, document = case.work, case.document()
    order, bag = tuple(case.order), tuple(case.bag.tolist())
    samples, topics, ends = [], 0.0, 0.0
    for visit in range(work.visits):
        cut_probabilities, inclusion = (
            prepared.cut_probabilities.tolist(),
            prepared.inclusion.tolist(),
        )
        settings = (cut_probabilities, inclusion, work.rounds, work.placements)
        numbers = case.numbers_of(visit)
        order, bag, found = oracle_inference.visit_lone(document, order, bag, numbers, *settings)
        for laid, mine, boundaries in found:
            samples.append(laid)
            topics, ends = topics + mine / len(found), ends + boundaries / len(found)
    assert summary.samples.tolist() == samples
    assert summary.probabilities == pytest.approx(topics / work.visits, abs=1e-9)
    assert summary.boundaries == pytest.approx(ends / work.visits, abs=1e-9)
    words = document.log_words(summary.topics.tolist())
    assert summary.log_likelihood[0] == pytest.approx(words, rel=1e-9, abs=1e-9)


@settings(max_examples=120)
@given(
    seed=st.integers(0, 10_000),
    n_topics=st.integers(2, 4),
    variant=st.sampled_from(list(Variant)),
    fast=st.booleans(),
    cuts=st.sampled_from([1, 2, 64]),
    presence_threshold=st.sampled_from([0.0, 0.3, 10.0]),
)
def test_visits_draw_what_the_oracle_draws(seed, n_topics, variant, fast, cuts, presence_threshold):
    work = FEW._replace(cuts=cuts, presence_threshold=presence_threshold, fast=fast)
    case = Case(seed, work, n_topics=n_topics, variant=variant)
    assert_is_the_oracles(case, case.inferred(sampling))


@flavours
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_document_is_looked_through_before_it_is_visited(seed, seen, flavour):
    case = Case(seed, FEW._replace(presence_threshold=0.8), seen=seen)
    prepared, order, bag, summary = case.prepared_by(flavour)
    others = case.others.tolist()
    scores = [
        [oracle_inference.log_each(unit, held, BETA) for held in others] for unit in case.units
    ]
    assert summary.scores == pytest.approx(np.array(scores), abs=1e-9)
    background = [sum(math.log(word + 1) for word in unit) for unit in case.units]
    assert summary.background == pytest.approx(background, abs=1e-9)
    changes, held = oracle_inference.forward_backward(np.array(scores), case.prevalence, 0.3)
    sure = [1.0 if mine.sum() >= 0.8 else 0.4 for mine in held.T]
    assert prepared.inclusion.tolist() == sure
    inner = prepared.cut_probabilities[1:-1]
    assert prepared.cut_probabilities[0] == prepared.cut_probabilities[-1] == 1.0
    if case.n_units > 2:
        even = 2 / 4 / case.n_units
        assert inner.sum() == pytest.approx(2, rel=1e-6)
        factor = ((inner - even) / changes[1:])[inner < 1]
        assert factor == pytest.approx(np.full(factor.size, factor.mean() if factor.size else 0))
    assert prepared.topic_tokens.tolist() == case.others.sum(axis=1).tolist()
    assert sorted(order.tolist()) == [0, 1, 2]
    assert bag.sum() == case.n_units
    if seen:
        assert order.tolist() == case.order
        assert bag.tolist() == case.bag.tolist()


def test_a_first_structure_keeps_the_canonical_order_where_all_documents_do():
    for seed in range(10):
        case = Case(seed, FEW, n_topics=4, seen=False, variant=Variant.CONSTRAINED)
        _, order, _, _ = case.prepared_by(sampling)
        assert order.tolist() == [0, 1, 2, 3]


def test_a_first_structure_is_good():
    # Against the best of all, given θ̂ and the words of eq. 14; it is a start, no more.
    lost = []
    for seed in range(60):
        case = Case(seed, ALL._replace(fast=True), n_topics=4, seen=False)
        _, order, bag, _ = case.prepared_by(sampling)
        document, log_prevalence = case.document(), np.log(case.prevalence)
        mine = document.log_weight(order.tolist(), bag.tolist(), log_prevalence)
        lost.append(document.best(log_prevalence) - mine - document.log_order(order.tolist()))
    assert min(lost) > -1e-9
    assert np.mean(lost) < 0.5


@flavours
@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_probabilities_are_those_of_all_bags_given_order_and_shares(seed, fast, flavour):
    case = Case(seed, ALL._replace(fast=fast), n_topics=4)
    document, shares = case.document(), case.input.gammas[0].copy()
    np.add.at(shares, np.sort(case.laid()), case.input.exponentials[0])
    log_prevalence = np.log(shares / shares.sum())
    logs = np.array([document.log_weight(case.order, bag, log_prevalence) for bag in document.bags])
    probabilities, boundaries = np.zeros((case.n_units, 4)), np.zeros(case.n_units)
    for bag, weight in zip(document.bags, np.exp(logs - oracle.log_sum(list(logs))), strict=True):
        laid = [topic for topic in case.order for _ in range(bag[topic])]
        probabilities[range(case.n_units), laid] += weight
        boundaries[list(oracle.boundaries(laid))] += weight
    summary = case.inferred(flavour)
    assert summary.probabilities == pytest.approx(probabilities, abs=1e-10)
    assert summary.boundaries == pytest.approx(boundaries, abs=1e-10)


def test_where_sums_are_not_to_be_had_samples_are_counted(monkeypatch):
    monkeypatch.setattr(uncompiled, "fill_linear_weights", lambda *_: False)
    for seed in range(8):
        case = Case(seed, FEW, n_topics=4)
        summary, fast = case.inferred(uncompiled), case.inferred(sampling)
        assert np.array_equal(summary.samples, fast.samples)
        changes = summary.samples[:, 1:] != summary.samples[:, :-1]
        assert summary.boundaries[1:] == pytest.approx(changes.mean(axis=0))
        for topic in range(4):
            share = (summary.samples == topic).mean(axis=0)
            assert summary.probabilities[:, topic] == pytest.approx(share)


@flavours
def test_shares_given_the_bag_are_gamma_variables_made_to_sum_to_one(flavour):
    gammas, exponentials = np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.4, 0.8])
    found = flavour.draw_log_prevalence(gammas, exponentials, np.array([1, 0, 3]))
    assert np.exp(found) == pytest.approx(np.array([0.6, 1.0, 3.4]) / 5.0)
    assert gammas.tolist() == [0.5, 1.0, 2.0]
    with_nothing = flavour.draw_log_prevalence(
        np.array([0.0, 1.0, 0.0]), exponentials, np.array([4, 0, 0])
    )
    assert np.all(np.isfinite(with_nothing))


@pytest.mark.statistical
def test_shares_are_a_dirichlet_variable_of_the_fit_and_the_bag():
    rng, concentration, bag = np.random.default_rng(0), np.array([0.3, 2.1, 5.4]), [2, 0, 3]
    gammas = rng.standard_gamma(concentration, (20_000, 3))
    exponentials = rng.standard_exponential((20_000, 5))
    shares = np.exp(
        [
            sampling.draw_log_prevalence(*mine, np.array(bag))
            for mine in zip(gammas, exponentials, strict=True)
        ]
    )
    shape = concentration + bag
    for topic in range(3):
        beta = stats.beta(shape[topic], shape.sum() - shape[topic])
        assert stats.kstest(shares[:, topic], beta.cdf).pvalue > 1e-3
    assert shares.mean(axis=0) == pytest.approx(shape / shape.sum(), abs=0.01)


def test_the_most_probable_structure_of_a_tiny_document_is_nearly_always_found():
    found = []
    for seed in range(150):
        work = ALL._replace(visits=2, rounds=8, placements=2, fast=seed % 5 == 0)
        case = Case(seed, work, n_topics=(2, 3, 4)[seed % 3], seen=seed % 2 == 0)
        summary = case.inferred(sampling)
        document, log_prevalence = case.document(), np.log(case.prevalence)
        topics = summary.topics.tolist()
        bag = [topics.count(topic) for topic in range(case.n_topics)]
        # The order of topics that the document does not use is not told: the best one counts.
        mine = max(
            document.log_weight(order, bag, log_prevalence) + document.log_order(order)
            for order in document.orders
            if [topic for topic in order for _ in range(bag[topic])] == topics
        )
        best = document.best(log_prevalence)
        assert mine <= best + 1e-9
        found.append(mine >= best - 1e-9)
    assert np.mean(found) >= 0.95


@flavours
def test_only_what_draws_have_used_is_looked_at_in_the_end(flavour):
    case = Case(0, ALL._replace(rounds=2), n_topics=5, units=[[0]] * 6)
    cuts, active = np.array([0, 1, 3, 4, 5, 6]), np.array([0, 1, 3, 4])
    spans = flavour.make_span_table(cuts, active, np.zeros(5))
    spans.log_weights[:] = np.random.default_rng(0).normal(size=spans.log_weights.shape)
    summary = case.room()
    summary.samples[:] = [[4, 4, 4, 4, 0, 0], [1, 4, 4, 4, 4, 4]]
    summary.boundaries[:] = [0, 0, 0, 0.002, 0.002, 0.0005]  # cut 1 is in the last draw alone
    summary.probabilities[:] = 0.0
    summary.probabilities[0, 4] = summary.probabilities[5, 0] = 0.002
    part = flavour.likely_subtable(spans, case.fitted, np.array([0, 1, 0, 0, 5]), summary)
    assert part.cuts.tolist() == [0, 1, 3, 4, 6]
    assert part.active.tolist() == [0, 1, 4]  # topic 1 is in the last draw alone
    assert part.log_prevalence.tolist() == np.log(case.prevalence[[0, 1, 4]]).tolist()
    kept, topics = [0, 1, 2, 3, 5], [0, 1, 3]
    for n, start, cut in np.ndindex(part.log_weights.shape):
        expected = LOG_ZERO
        if start < cut < 5:
            expected = spans.log_weights[topics[n], kept[start], kept[cut]]
        assert part.log_weights[n, start, cut] == expected


@flavours
def test_a_word_of_a_seen_document_alone_is_new_without_it(flavour):
    # 20,000 tokens and a prior that is nothing beside them: left out, the prior must remain.
    case = Case(0, ALL, n_topics=3, units=[[0], [5] * 20_000, [1]])
    case.others[:, 5] = 0
    known = case._fitted(np.array(case.dispersion))
    total = np.arange(known.log_gamma.size)
    case.fitted = known._replace(
        word_prior=1e-12,
        section_prior=N_WORDS * 1e-12,
        log_gamma=gammaln(total + N_WORDS * 1e-12),
    )
    summary = case.prepared_by(flavour)[-1]
    others = case.others.tolist()
    expected = [oracle_inference.log_each([5], held, 1e-12) * 20_000 for held in others]
    assert summary.scores[1] == pytest.approx(np.array(expected), rel=1e-6)
