"""Rungs 3 and 4 for the inference on one document: compiled, uncompiled and by all structures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

from permutopic.model.inference import sampling
from permutopic.model.inference.sampling import Effort, Findings, Known, Page
from permutopic.model.kernels.log_filters import NEVER
from permutopic.model.priors import Variant
from permutopic.permutation import inversions_to_order

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).sampling
flavours = pytest.mark.parametrize("flavour", [sampling, uncompiled], ids=["fast", "plain"])

N_WORDS, BETA = 6, 0.3
# Places and topics left out at random, all the time; everything looked at.
FEW = Effort(2, 3, 2, 2, 3, 10.0, 0.4, False)
ALL = Effort(1, 1, 0, 64, 64, 0.0, 1.0, False)


class Case:
    """A document, what topics hold of all others, and random numbers for its visits.

    A seen document has a random structure, and its words are in the counts with it.
    """

    def __init__(self, seed, effort, *, n_topics=3, units=None, seen=True, variant=Variant.FULL):
        rng = np.random.default_rng([seed, n_topics])
        n_units = int(rng.integers(1, 6)) if units is None else len(units)
        self.units = units
        if units is None:
            lengths = rng.integers(0, 5, n_units)
            self.units = [rng.integers(0, N_WORDS, length).tolist() for length in lengths]
        self.effort, self.n_topics, self.n_units = effort, n_topics, n_units
        self.others = rng.poisson(3 * N_WORDS * rng.dirichlet(np.full(N_WORDS, 0.5), n_topics))
        self.concentration = rng.integers(0, 9, n_topics) + 0.6
        self.orders = variant != Variant.CONSTRAINED
        dispersion = rng.exponential(size=n_topics - 1) * (variant == Variant.FULL)
        self.shares = rng.dirichlet(np.full(n_topics, 2.0))
        self.inversions = np.array([rng.integers(n_topics - j) for j in range(n_topics - 1)])
        self.inversions *= self.orders
        self.order = inversions_to_order(self.inversions).tolist()
        self.bag = rng.multinomial(n_units, rng.dirichlet(np.ones(n_topics)))
        self.seen = seen
        self.known = self._known(dispersion)
        self.page = self._page(rng)
        self.dispersion = dispersion.tolist()

    def laid(self):
        return [topic for topic in self.order for _ in range(self.bag[topic])]

    def _known(self, dispersion):
        counts = self.others.T.astype(np.int32).copy()
        if self.seen:
            for unit, topic in zip(self.units, self.laid(), strict=True):
                np.add.at(counts, (unit, topic), 1)
        most = int(counts.sum()) + sum(map(len, self.units))
        return Known(
            counts,
            counts.sum(axis=0, dtype=np.int64),
            self.shares,
            dispersion,
            0.3,
            np.log(np.arange(1.0, N_WORDS + 1)),
            gammaln(np.arange(most + 1) + N_WORDS * BETA),
            gammaln(np.arange(self.n_units + 2) + 1.0),
            BETA,
            20,
            self.orders,
        )

    def _page(self, rng):
        effort, nothing = self.effort, np.empty(0, dtype=np.int64)
        each = effort.rounds * (2 * effort.placements + self.n_topics)
        each += self.n_units + 1 + self.n_topics
        return Page(
            np.array([word for unit in self.units for word in unit], dtype=np.int32),
            np.cumsum([0, *map(len, self.units)]),
            np.array(self.laid()) if self.seen else nothing,
            self.inversions if self.seen else nothing,
            rng.random(effort.visits * each),
            rng.standard_gamma(self.concentration, (effort.visits, self.n_topics)),
            rng.standard_exponential((effort.visits, self.n_units)),
        )

    def room(self):
        n_units, n_topics = self.n_units, self.n_topics
        n_samples = self.effort.visits * self.effort.rounds
        return Findings(
            np.full(n_units, -1),
            np.full((n_units, n_topics), np.nan),
            np.full(n_units, np.nan),
            np.full((n_samples, n_units), -1),
            np.full(1, np.nan),
            np.full((n_units, n_topics), np.nan),
            np.full(n_units, np.nan),
        )

    def inferred(self, flavour):
        numbers, findings = np.full(N_WORDS, -1, dtype=np.int32), self.room()
        before = [array.copy() for array in (self.known.word_counts, self.known.topic_words)]
        flavour.infer(self.page, self.known, self.effort, numbers, findings)
        assert np.all(numbers == -1)
        assert np.array_equal(self.known.word_counts, before[0])
        assert np.array_equal(self.known.topic_words, before[1])
        return findings

    def made_ready(self, flavour=uncompiled):
        numbers, findings = np.full(N_WORDS, -1, dtype=np.int32), self.room()
        ready = flavour.make_ready(self.page, self.known, numbers, self.effort, findings)
        return *ready, findings

    def document(self):
        return oracle.LoneDocument(
            self.units,
            self.others.tolist(),
            BETA,
            self.dispersion,
            quick=self.effort.quick,
            orders=self.orders,
        )

    def numbers_of(self, visit):
        """A visit's random numbers as the oracle takes them."""
        uniforms = np.split(self.page.uniforms, self.effort.visits)[visit]
        places, voices, rest = np.split(uniforms, np.cumsum([self.n_units + 1, self.n_topics]))
        return places, voices, rest, self.page.gammas[visit], self.page.exponentials[visit]


def assert_same(found, expected):
    for name in ("topics", "samples"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for name in ("probabilities", "boundaries", "total", "scores", "background"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9), name


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_topics=st.integers(3, 6),
    seen=st.booleans(),
    variant=st.sampled_from(list(Variant)),
    quick=st.booleans(),
    cuts=st.sampled_from([2, 64]),
    faint=st.sampled_from([0.0, 0.3, 10.0]),
)
def test_compiled_and_uncompiled_find_the_same(seed, n_topics, seen, variant, quick, cuts, faint):
    effort = FEW._replace(cuts=cuts, faint=faint, quick=quick)
    case = Case(seed, effort, n_topics=n_topics, seen=seen, variant=variant)
    assert_same(case.inferred(sampling), case.inferred(uncompiled))


@pytest.mark.parametrize("n_topics", [7, 8, 9])
@pytest.mark.parametrize("seen", [True, False])
def test_compiled_and_uncompiled_find_the_same_in_longer_documents(n_topics, seen):
    rng = np.random.default_rng(n_topics)
    units = [rng.integers(0, N_WORDS, rng.integers(0, 9)).tolist() for _ in range(21)]
    effort = FEW._replace(cuts=7, first_cuts=9, faint=1.0)
    case = Case(1, effort, n_topics=n_topics, units=units, seen=seen)
    assert_same(case.inferred(sampling), case.inferred(uncompiled))


ODD = {"no word": [[], [], []], "one unit": [[1, 2, 1]], "nothing at all": [[]]}


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("quick", [True, False])
def test_documents_with_next_to_nothing_in_them(quick, seen, units):
    for seed in range(3):
        case = Case(seed, FEW._replace(quick=quick), units=units, seen=seen)
        findings = case.inferred(sampling)
        assert_same(findings, case.inferred(uncompiled))
        assert findings.probabilities.sum(axis=1) == pytest.approx(np.ones(len(units)))


def assert_is_the_oracles(case, findings):
    """Follow all visits of a seen document, fed the same numbers."""
    desk, *_ = case.made_ready()
    effort, document = case.effort, case.document()
    order, bag = tuple(case.order), tuple(case.bag.tolist())
    samples, topics, ends = [], 0.0, 0.0
    for visit in range(effort.visits):
        chances, hearing = desk.chances.tolist(), desk.hearing.tolist()
        how = (chances, hearing, effort.rounds, effort.placements)
        numbers = case.numbers_of(visit)
        order, bag, found = oracle.visit_lone(document, order, bag, numbers, *how)
        for laid, mine, boundaries in found:
            samples.append(laid)
            topics, ends = topics + mine / len(found), ends + boundaries / len(found)
    assert findings.samples.tolist() == samples
    assert findings.probabilities == pytest.approx(topics / effort.visits, abs=1e-9)
    assert findings.boundaries == pytest.approx(ends / effort.visits, abs=1e-9)
    words = document.log_words(findings.topics.tolist())
    assert findings.total[0] == pytest.approx(words, rel=1e-9, abs=1e-9)


@settings(max_examples=120)
@given(
    seed=st.integers(0, 10_000),
    n_topics=st.integers(2, 4),
    variant=st.sampled_from(list(Variant)),
    quick=st.booleans(),
    cuts=st.sampled_from([1, 2, 64]),
    faint=st.sampled_from([0.0, 0.3, 10.0]),
)
def test_visits_draw_what_the_oracle_draws(seed, n_topics, variant, quick, cuts, faint):
    effort = FEW._replace(cuts=cuts, faint=faint, quick=quick)
    case = Case(seed, effort, n_topics=n_topics, variant=variant)
    assert_is_the_oracles(case, case.inferred(sampling))


@flavours
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_document_is_looked_through_before_it_is_visited(seed, seen, flavour):
    case = Case(seed, FEW._replace(faint=0.8), seen=seen)
    desk, order, bag, findings = case.made_ready(flavour)
    others = case.others.tolist()
    scores = [[oracle.log_each(unit, held, BETA) for held in others] for unit in case.units]
    assert findings.scores == pytest.approx(np.array(scores), abs=1e-9)
    background = [sum(math.log(word + 1) for word in unit) for unit in case.units]
    assert findings.background == pytest.approx(background, abs=1e-9)
    changes, held = oracle.look_through(np.array(scores), case.shares, 0.3)
    sure = [1.0 if mine.sum() >= 0.8 else 0.4 for mine in held.T]
    assert desk.hearing.tolist() == sure
    inner = desk.chances[1:-1]
    assert desk.chances[0] == desk.chances[-1] == 1.0
    if case.n_units > 2:
        even = 2 / 4 / case.n_units
        assert inner.sum() == pytest.approx(2, rel=1e-6)
        factor = ((inner - even) / changes[1:])[inner < 1]
        assert factor == pytest.approx(np.full(factor.size, factor.mean() if factor.size else 0))
    assert desk.held.tolist() == case.others.sum(axis=1).tolist()
    assert sorted(order.tolist()) == [0, 1, 2]
    assert bag.sum() == case.n_units
    if seen:
        assert order.tolist() == case.order
        assert bag.tolist() == case.bag.tolist()


def test_a_first_structure_keeps_the_canonical_order_where_all_documents_do():
    for seed in range(10):
        case = Case(seed, FEW, n_topics=4, seen=False, variant=Variant.CONSTRAINED)
        _, order, _, _ = case.made_ready(sampling)
        assert order.tolist() == [0, 1, 2, 3]


def test_a_first_structure_is_good():
    # Against the best of all, given θ̂ and the words of eq. 14; it is a start, no more.
    lost = []
    for seed in range(60):
        case = Case(seed, ALL._replace(quick=True), n_topics=4, seen=False)
        _, order, bag, _ = case.made_ready(sampling)
        document, log_shares = case.document(), np.log(case.shares)
        mine = document.log_weight(order.tolist(), bag.tolist(), log_shares)
        lost.append(document.best(log_shares) - mine - document.log_order(order.tolist()))
    assert min(lost) > -1e-9
    assert np.mean(lost) < 0.5


@flavours
@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_probabilities_are_those_of_all_bags_given_order_and_shares(seed, quick, flavour):
    case = Case(seed, ALL._replace(quick=quick), n_topics=4)
    document, shares = case.document(), case.page.gammas[0].copy()
    np.add.at(shares, np.sort(case.laid()), case.page.exponentials[0])
    log_shares = np.log(shares / shares.sum())
    logs = np.array([document.log_weight(case.order, bag, log_shares) for bag in document.bags])
    probabilities, boundaries = np.zeros((case.n_units, 4)), np.zeros(case.n_units)
    for bag, weight in zip(document.bags, np.exp(logs - oracle.log_sum(list(logs))), strict=True):
        laid = [topic for topic in case.order for _ in range(bag[topic])]
        probabilities[range(case.n_units), laid] += weight
        boundaries[list(oracle.boundaries(laid))] += weight
    findings = case.inferred(flavour)
    assert findings.probabilities == pytest.approx(probabilities, abs=1e-10)
    assert findings.boundaries == pytest.approx(boundaries, abs=1e-10)


def test_where_sums_are_not_to_be_had_samples_are_counted(monkeypatch):
    monkeypatch.setattr(uncompiled, "scale", lambda *_: False)
    for seed in range(8):
        case = Case(seed, FEW, n_topics=4)
        findings, fast = case.inferred(uncompiled), case.inferred(sampling)
        assert np.array_equal(findings.samples, fast.samples)
        changes = findings.samples[:, 1:] != findings.samples[:, :-1]
        assert findings.boundaries[1:] == pytest.approx(changes.mean(axis=0))
        for topic in range(4):
            share = (findings.samples == topic).mean(axis=0)
            assert findings.probabilities[:, topic] == pytest.approx(share)


@flavours
def test_shares_given_the_bag_are_gamma_variables_made_to_sum_to_one(flavour):
    gammas, exponentials = np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.4, 0.8])
    found = flavour.draw_shares(gammas, exponentials, np.array([1, 0, 3]))
    assert np.exp(found) == pytest.approx(np.array([0.6, 1.0, 3.4]) / 5.0)
    assert gammas.tolist() == [0.5, 1.0, 2.0]
    with_nothing = flavour.draw_shares(np.array([0.0, 1.0, 0.0]), exponentials, np.array([4, 0, 0]))
    assert np.all(np.isfinite(with_nothing))


@pytest.mark.statistical
def test_shares_are_a_dirichlet_variable_of_the_fit_and_the_bag():
    rng, concentration, bag = np.random.default_rng(0), np.array([0.3, 2.1, 5.4]), [2, 0, 3]
    gammas = rng.standard_gamma(concentration, (20_000, 3))
    exponentials = rng.standard_exponential((20_000, 5))
    shares = np.exp(
        [
            sampling.draw_shares(*mine, np.array(bag))
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
        effort = ALL._replace(visits=2, rounds=8, placements=2, quick=seed % 5 == 0)
        case = Case(seed, effort, n_topics=(2, 3, 4)[seed % 3], seen=seed % 2 == 0)
        findings = case.inferred(sampling)
        document, log_shares = case.document(), np.log(case.shares)
        topics = findings.topics.tolist()
        bag = [topics.count(topic) for topic in range(case.n_topics)]
        # The order of topics that the document does not use is not told: the best one counts.
        mine = max(
            document.log_weight(order, bag, log_shares) + document.log_order(order)
            for order in document.orders
            if [topic for topic in order for _ in range(bag[topic])] == topics
        )
        best = document.best(log_shares)
        assert mine <= best + 1e-9
        found.append(mine >= best - 1e-9)
    assert np.mean(found) >= 0.95


@flavours
def test_only_what_draws_have_used_is_looked_at_in_the_end(flavour):
    case = Case(0, ALL._replace(rounds=2), n_topics=5, units=[[0]] * 6)
    cuts, heard = np.array([0, 1, 3, 4, 5, 6]), np.array([0, 1, 3, 4])
    sheet = flavour.make_sheet(cuts, heard, np.zeros(5))
    sheet.table[:] = np.random.default_rng(0).normal(size=sheet.table.shape)
    findings = case.room()
    findings.samples[:] = [[4, 4, 4, 4, 0, 0], [1, 4, 4, 4, 4, 4]]
    findings.boundaries[:] = [0, 0, 0, 0.002, 0.002, 0.0005]  # cut 1 is in the last draw alone
    findings.probabilities[:] = 0.0
    findings.probabilities[0, 4] = findings.probabilities[5, 0] = 0.002
    part = flavour.likely_part(sheet, case.known, np.array([0, 1, 0, 0, 5]), findings)
    assert part.cuts.tolist() == [0, 1, 3, 4, 6]
    assert part.heard.tolist() == [0, 1, 4]  # topic 1 is in the last draw alone
    assert part.log_shares.tolist() == np.log(case.shares[[0, 1, 4]]).tolist()
    kept, topics = [0, 1, 2, 3, 5], [0, 1, 3]
    for n, start, cut in np.ndindex(part.table.shape):
        expected = NEVER
        if start < cut < 5:
            expected = sheet.table[topics[n], kept[start], kept[cut]]
        assert part.table[n, start, cut] == expected


@flavours
def test_a_word_of_a_seen_document_alone_is_new_without_it(flavour):
    # 20,000 tokens and a prior that is nothing beside them: left out, the prior must remain.
    case = Case(0, ALL, n_topics=3, units=[[0], [5] * 20_000, [1]])
    case.others[:, 5] = 0
    known = case._known(np.array(case.dispersion))
    total = np.arange(known.log_gamma.size)
    case.known = known._replace(word_prior=1e-12, log_gamma=gammaln(total + N_WORDS * 1e-12))
    findings = case.made_ready(flavour)[-1]
    others = case.others.tolist()
    expected = [oracle.log_each([5], held, 1e-12) * 20_000 for held in others]
    assert findings.scores[1] == pytest.approx(np.array(expected), rel=1e-6)
