"""Rungs 1, 3 and 4 for the blocked moves on one document.

What a kernel chooses from is seen by standing in for `choose` in the uncompiled source: every
distribution is noted, and the choice is the test's. Rung 4 then ties the compiled kernels to it.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from permutopic.corpus import Corpus
from permutopic.model import block_kernels
from permutopic.model.block_kernels import NEVER, Draws, make_filters
from permutopic.model.engine import TableEngine
from permutopic.model.joint import joint_terms
from permutopic.model.priors import Priors, Variant
from permutopic.model.span_table import Text
from permutopic.model.state import check_state, initial_state, make_state

import oracle
from kernel_source import load_modules, put_in_place

uncompiled = load_modules(compile_it=False)
LOG_FACTORIAL = gammaln(np.arange(20) + 1.0)


def a_corpus(seed, variant=Variant.FULL, n_topics=3, most_units=5):
    """A tiny random corpus, some units without words, with a random state."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(3, topic=0.6, word=0.3, dispersion=0.8, variant=variant)
    documents = []
    for size in rng.integers(1, most_units + 1, 3):
        units = [rng.integers(0, 4, rng.integers(0, 4)) for _ in range(size)]
        documents.append([" ".join(f"w{word}" for word in unit) for unit in units])
        documents[-1][0] += " w0"  # a document has a word
    corpus = Corpus.from_paragraphs(documents, tokens="whitespace")
    state = initial_state(corpus, n_topics, priors, rng)
    if variant == Variant.FULL:
        state.dispersion[:] = rng.exponential(size=n_topics - 1)
    return corpus, state, priors


class Case:
    """One document with θ, cuts and a table of weights, and all its structures enumerated.

    The table is filled by the oracle, so that the kernels here are tested alone.
    """

    def __init__(self, seed, variant, *, n_topics=3, most_units=5, kept=1.0, temperature=1.0):
        rng = np.random.default_rng(seed)
        self.corpus, self.state, self.priors = a_corpus(seed, variant, n_topics, most_units)
        self.n_topics, self.n_units = n_topics, int(self.state.bag[0].sum())
        self.log_shares = np.log(rng.dirichlet(np.ones(n_topics)))
        inner = range(1, self.n_units)
        cuts = [0, *(cut for cut in inner if rng.random() < kept or kept == 1), self.n_units]
        self.cuts = np.array(cuts)
        self.how = Draws(
            self.log_shares, self.state.dispersion, temperature, 1, 1, variant != "constrained"
        )
        self.filters = make_filters(n_topics, len(cuts))
        self.table = self._scores(-(-len(cuts) // 8) * 8)
        block_kernels.weigh_spans(
            self.table, self.cuts, LOG_FACTORIAL, temperature, math.log(kept), self.filters
        )
        self.all = oracle.BlockedDocument(
            self.corpus, self.state, self.priors, 0, self.log_shares, cuts, kept, temperature
        )
        self.orders = list(oracle.inversions_by_order(n_topics))
        if variant == Variant.CONSTRAINED:
            self.orders = self.orders[:1]

    def _scores(self, width):
        units = oracle.documents_of(self.corpus)
        held = np.zeros((self.n_topics, self.corpus.n_words), dtype=int)
        for document in (1, 2):
            for words, topic in zip(units[document], self.state.topics(document), strict=True):
                np.add.at(held, (topic, words), 1)
        table = np.full((self.n_topics, self.cuts.size - 1, width), np.nan)
        for topic, (i, j) in itertools.product(
            range(self.n_topics), itertools.combinations(range(self.cuts.size), 2)
        ):
            span = [w for unit in units[0][self.cuts[i] : self.cuts[j]] for w in unit]
            table[topic, i, j] = oracle.log_span(span, held[topic], self.priors.word)
        return table


class Script:
    """Stands in for `choose`: notes what there was to choose from, and takes what it is told."""

    def __init__(self, monkeypatch, picks):
        self.picks, self.probabilities = list(picks), []
        monkeypatch.setattr(uncompiled.block_kernels, "choose", self)

    def __call__(self, log_weights, n_values, uniform):
        self.probabilities.append(normalised(log_weights[:n_values]))
        return self.picks[len(self.probabilities) - 1]


def normalised(log_weights):
    weights = np.exp(np.asarray(log_weights) - np.max(log_weights))
    return weights / weights.sum()


VARIANTS = list(Variant)
SITUATIONS = [(1.0, 1.0), (0.4, 1.0), (1.0, 0.3), (0.4, 0.3)]
situations = pytest.mark.parametrize(("kept", "temperature"), SITUATIONS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_oracle_weighs_structures_by_the_joint(variant):
    # Given θ the draws are independent: n log θ takes the place of the line that integrates it out.
    case = Case(3, variant)
    ours, joints = [], []
    for order, bag in itertools.product(case.orders, case.all.bags):
        bags, inversions = case.state.bag.copy(), case.state.inversions.copy()
        bags[0], inversions[0] = bag, oracle.inversions_by_order(3)[order]
        moved = make_state(case.corpus, bags, inversions, case.state.dispersion)
        terms = joint_terms(moved, case.priors)
        joints.append(sum(terms) - terms.draws + np.dot(bag, case.log_shares))
        ours.append(case.all.log_weight(order, bag))
    assert len(ours) > 10
    assert normalised(ours) == pytest.approx(normalised(joints), rel=1e-9)


@pytest.mark.parametrize("flavour", [block_kernels, uncompiled.block_kernels])
def test_spans_are_weighed_by_size_cuts_and_temperature(flavour):
    scores = np.random.default_rng(0).normal(-20, 9, (3, 4, 8))
    table, cuts = scores.copy(), np.array([0, 1, 4, 5, 9])
    filters = make_filters(3, 5)
    flavour.weigh_spans(table, cuts, LOG_FACTORIAL, 0.25, math.log(0.2), filters)
    for topic, start, cut in np.ndindex(table.shape):
        if start < cut < cuts.size:
            penalty = math.log(math.factorial(cuts[cut] - cuts[start])) + math.log(0.2)
            expected = 0.25 * scores[topic, start, cut] - penalty
            assert table[topic, start, cut] == pytest.approx(expected, rel=1e-12)
        else:
            assert table[topic, start, cut] == NEVER


def ways(case, topics, start, end):
    """All log weights with which these topics, in this order, cover what is between two cuts."""
    if not topics:
        return [0.0] if start == end else []
    found = []
    for cut in range(start, end + 1):
        rest = ways(case, topics[1:], cut, end)
        size = case.cuts[cut] - case.cuts[start]
        mine = case.table[topics[0], start, cut] if cut > start else 0.0
        found += [mine + size * case.log_shares[topics[0]] + other for other in rest]
    return found


def assert_log_sums(found, expected):
    """Compare log sums; where nothing leads the weight is next to nothing."""
    for mine, true in zip(found, expected, strict=True):
        if true == -math.inf:
            assert mine < 0.5 * NEVER
        else:
            assert mine == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize("flavour", [block_kernels, uncompiled.block_kernels])
@pytest.mark.parametrize("most_units", [4, 12])
@pytest.mark.parametrize("seed", range(6))
def test_filters_sum_over_all_that_lies_before_and_after(seed, most_units, flavour):
    case = Case(seed, Variant.FULL, most_units=most_units, kept=(1.0, 0.6)[seed % 2])
    last, order = case.cuts.size - 1, case.orders[seed]
    flavour.filter_forward(case.table, case.cuts, np.array(order), case.log_shares, case.filters)
    after = case.filters.after
    after[3] = NEVER
    after[3, last] = 0.0
    for slot in (2, 1, 0):
        flavour.pass_backward(
            case.table,
            order[slot],
            case.log_shares[order[slot]],
            case.cuts,
            after,
            slot + 1,
            slot,
            case.filters,
        )
    for slot, (sums, topics) in itertools.product(
        range(4), ((case.filters.before, order), (after, order))
    ):
        if sums is after:
            expected = [ways(case, topics[slot:], cut, last) for cut in range(last + 1)]
        else:
            expected = [ways(case, topics[:slot], 0, cut) for cut in range(last + 1)]
        assert_log_sums(sums[slot], [oracle.log_sum(found) for found in expected])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
@situations
def test_the_sum_over_all_bags_is_the_joint_of_the_order(seed, variant, kept, temperature):
    case = Case(seed, variant, n_topics=4, kept=kept, temperature=temperature)
    found, expected = [], []
    for order in case.orders:
        block_kernels.filter_forward(
            case.table, case.cuts, np.array(order), case.log_shares, case.filters
        )
        inversions = oracle.inversions_by_order(4)[order]
        prior = oracle.log_order(inversions, case.state.dispersion) if variant == "full" else 0.0
        found.append(case.filters.before[4, case.cuts.size - 1] + prior)
        expected.append(case.all.log_total(order))
    assert len(found) == (1 if variant == "constrained" else 24)
    assert normalised(found) == pytest.approx(normalised(expected), rel=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
@situations
def test_the_law_of_the_bag_is_the_normalised_joint(seed, variant, kept, temperature, monkeypatch):
    case = Case(seed, variant, kept=kept, temperature=temperature)
    order = case.orders[seed % len(case.orders)]
    place = {int(cut): number for number, cut in enumerate(case.cuts)}
    weights = [case.all.log_weight(order, bag) for bag in case.all.bags]
    expected, found = normalised(weights), []
    for bag in case.all.bags:
        starts = np.cumsum([0, *(bag[topic] for topic in order)])[:-1].tolist()
        if any(start not in place for start in starts):
            found.append(0.0)
            continue
        script = Script(monkeypatch, [place[start] for start in reversed(starts)])
        drawn = np.full(3, -1)
        uncompiled.block_kernels.draw_bag(
            case.table,
            case.cuts,
            np.array(order),
            case.log_shares,
            case.filters,
            drawn,
            np.full(3, 0.5),
        )
        assert drawn.tolist() == list(bag)
        chosen = zip(script.probabilities, script.picks, strict=True)
        found.append(math.prod(probabilities[pick] for probabilities, pick in chosen))
    assert sum(found) == pytest.approx(1.0)
    assert found == pytest.approx(expected.tolist(), rel=1e-9, abs=1e-15)


def test_random_cuts_leave_structures_with_more_boundaries_their_share():
    # Said without words: one unit each for two topics, or both for one, the place being a cut.
    found = {}
    for kept in (1.0, 0.1):
        table = np.zeros((2, 2, 8))
        cuts, filters = np.arange(3), make_filters(2, 3)
        block_kernels.weigh_spans(table, cuts, LOG_FACTORIAL, 1.0, math.log(kept), filters)
        bag = np.zeros(2, dtype=np.int64)
        drawn = []
        for uniforms in np.random.default_rng(0).random((20_000, 2)):
            block_kernels.draw_bag(
                table, cuts, np.arange(2), np.log([0.5, 0.5]), filters, bag, uniforms
            )
            drawn.append(bag[0] == 1)
        found[kept] = np.mean(drawn)
    # θ²/2! each for both units in one topic, θ² for one each: 1/2; times 1/p it is 10/11.
    assert found[1.0] == pytest.approx(1 / 2, abs=5 * math.sqrt(0.25 / 20_000))
    assert found[0.1] == pytest.approx(10 / 11, abs=5 * math.sqrt(10 / 121 / 20_000))


@pytest.mark.parametrize("variant", [Variant.FULL, Variant.UNIFORM])
@pytest.mark.parametrize("seed", range(3))
@situations
def test_a_place_is_weighed_by_the_joint_over_all_bags(
    seed, variant, kept, temperature, monkeypatch
):
    case = Case(seed, variant, n_topics=4, kept=kept, temperature=temperature)
    for order, topic in ((case.orders[5 * seed + 2], topic) for topic in range(4)):
        others = [other for other in order if other != topic]
        tried = [(*others[:gap], topic, *others[gap:]) for gap in range(4)]
        expected = normalised([case.all.log_total(one) for one in tried])
        for gap in range(4):
            script = Script(monkeypatch, [gap])
            placed = np.array(order)
            uncompiled.block_kernels.place_topic(
                case.table, case.cuts, placed, topic, case.how, case.filters, 0.5
            )
            assert placed.tolist() == list(tried[gap])
            assert script.probabilities[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("variant", [Variant.FULL, Variant.UNIFORM])
@pytest.mark.parametrize("temperature", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_an_inversion_count_is_weighed_by_the_joint(seed, temperature, variant, monkeypatch):
    case = Case(seed, variant, n_topics=4, temperature=temperature)
    orders = oracle.orders_by_inversions(4)
    rng = np.random.default_rng(seed)
    for bag in rng.permutation(case.all.bags)[:6]:
        picks = [int(rng.integers(4 - j)) for j in range(3)]
        inversions = case.state.inversions[0].copy()
        order = np.array(orders[tuple(inversions.tolist())])
        script = Script(monkeypatch, picks)
        uncompiled.block_kernels.draw_inversions(
            case.table, order, inversions, bag, case.how, case.filters, np.full(3, 0.5)
        )
        assert inversions.tolist() == picks
        assert order.tolist() == list(orders[tuple(picks)])
        now = case.state.inversions[0].tolist()
        for j in range(3):
            tried = [(*now[:j], value, *now[j + 1 :]) for value in range(4 - j)]
            weights = [case.all.log_weight(orders[one], bag.tolist()) for one in tried]
            assert script.probabilities[j] == pytest.approx(normalised(weights), rel=1e-9)
            now[j] = picks[j]


@pytest.mark.parametrize("n_topics", [2, 3, 4, 5])
def test_inversions_are_written_for_every_order(n_topics):
    for order, expected in oracle.inversions_by_order(n_topics).items():
        inversions = np.full(n_topics - 1, -1)
        block_kernels.write_inversions(inversions, np.array(order))
        assert tuple(inversions.tolist()) == expected


@pytest.mark.parametrize("flavour", [block_kernels, uncompiled.block_kernels])
@pytest.mark.parametrize("seed", range(5))
def test_words_leave_the_counts_and_come_back(seed, flavour):
    corpus, state, priors = a_corpus(seed)
    before = state.copy()
    for document in range(3):
        tokens, words, offsets, reach = TableEngine(corpus, 3, priors).documents[document]
        text = Text(tokens, words, offsets, reach)
        rows = np.empty((1, words.size, 8))
        structure = (
            state.bag[document],
            state.inversions[document],
            state.word_counts,
            state.topic_words,
        )
        flavour.take_out(text, offsets, *structure, rows, 0.25)
        kept = [other for other in range(3) if other != document]
        expected = np.zeros_like(state.word_counts)
        for other in kept:
            topics = oracle.layout(before.bag[other], before.inversions[other])
            for unit, topic in zip(oracle.documents_of(corpus)[other], topics, strict=True):
                np.add.at(expected, (unit, topic), 1)
        assert state.word_counts.tolist() == expected.tolist()
        assert state.topic_words.tolist() == expected.sum(axis=0).tolist()
        assert rows[0, :, :3].tolist() == (expected[words] + 0.25).tolist()
        flavour.move_words(text, offsets, *structure, 1)
        check_state(corpus, state)


def test_a_topic_kept_out_by_its_share_gets_nothing():
    case = Case(1, Variant.FULL, most_units=12)
    shares = case.log_shares.copy()
    shares[1] = -1e5
    rng = np.random.default_rng(0)
    bag = np.empty(3, dtype=np.int64)
    for order in case.orders:
        for _ in range(50):
            block_kernels.draw_bag(
                case.table, case.cuts, np.array(order), shares, case.filters, bag, rng.random(3)
            )
            assert bag.sum() == case.n_units
            assert bag[1] == 0


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    variant=st.sampled_from(VARIANTS),
    most_units=st.sampled_from([4, 11]),
    kept=st.sampled_from([1.0, 0.5, 0.2]),
    temperature=st.sampled_from([1.0, 0.2]),
    rounds=st.integers(1, 3),
    placements=st.integers(0, 2),
)
def test_compiled_uncompiled_and_oracle_make_the_same_visits(
    seed, variant, most_units, kept, temperature, rounds, placements
):
    corpus, state, priors = a_corpus(seed, variant, most_units=most_units)
    rng = np.random.default_rng(seed)
    log_shares = np.log(rng.dirichlet(np.ones(3)))
    orders = variant != Variant.CONSTRAINED
    placements *= orders
    how = Draws(log_shares, state.dispersion, temperature, rounds, placements, orders)
    states = [state.copy() for _ in range(3)]
    for mine, loaded in zip(states, (None, uncompiled), strict=False):
        with pytest.MonkeyPatch.context() as monkeypatch:
            if loaded is not None:
                put_in_place(monkeypatch, loaded)
            engine = TableEngine(corpus, 3, priors, kept=lambda _: kept)
            for document in range(3):
                engine.visit(mine, document, how, np.random.default_rng([seed, document]))
        check_state(corpus, mine)
    for document in range(3):
        oracle.visit_blocked(
            corpus,
            states[2],
            priors,
            document,
            log_shares,
            kept,
            np.random.default_rng([seed, document]),
            temperature,
            rounds,
            placements,
        )
    for mine in states[:2]:
        assert mine.bag.tolist() == states[2].bag.tolist()
        assert mine.inversions.tolist() == states[2].inversions.tolist()
