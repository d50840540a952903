from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from permutopic.corpus import Corpus
from permutopic.dirichlet import draw_log_dirichlet
from permutopic.model.blocked import relabelling, relabelling_kernels
from permutopic.model.blocked.engine import TableEngine, default_cut_probability, every_position
from permutopic.model.blocked.moves import ResampleBlocks, blocked_moves
from permutopic.model.blocked.relabelling import RelabelTopics, relabel
from permutopic.model.joint import FastLogJoint, joint_terms, log_joint
from permutopic.model.kernels.log_filters import MoveSettings
from permutopic.model.mcmc.schedule import Stage
from permutopic.model.paper.moves import ResampleDispersion, paper_moves
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import initial_state, make_state
from permutopic.streams import Streams

import oracle
from audit import check_state
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False)


def random_text(sizes, seed=0):
    """A corpus of documents with so many units of six random words."""
    rng = np.random.default_rng(seed)
    documents = [[" ".join(rng.choice(list("abcdefghij"), 6)) for _ in range(n)] for n in sizes]
    return Corpus.from_paragraphs(documents)


CORPUS = random_text([5, 1, 7, 4, 6, 3])


def a_state(seed, variant=Variant.FULL):
    """A random state of four topics, and priors."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(6, topic=0.7, word=0.2, dispersion=1.4, variant=variant)
    state = initial_state(CORPUS, 4, priors, rng)
    if variant == Variant.FULL:
        state.dispersion[:] = rng.exponential(size=3)
    return state, priors


def normalised(log_weights):
    weights = np.exp(np.asarray(log_weights) - np.max(log_weights))
    return weights / weights.sum()


# Shares of the topics.


def test_shares_are_those_of_a_dirichlet():
    concentration = np.array([0.1, 2.0, 0.7, 5.0])
    rng = np.random.default_rng(0)
    shares = np.exp([draw_log_dirichlet(concentration, rng) for _ in range(20_000)])
    assert shares.sum(axis=1) == pytest.approx(np.ones(20_000))
    for k, mine in enumerate(shares.T):
        marginal = stats.beta(concentration[k], concentration.sum() - concentration[k])
        assert stats.kstest(mine, marginal.cdf).pvalue > 1e-4
        assert mine.mean() == pytest.approx(
            marginal.mean(), abs=5 * marginal.std() / math.sqrt(20_000)
        )
    assert np.corrcoef(shares[:, 1], shares[:, 3])[0, 1] < -0.5


def test_shares_too_small_for_a_float_have_finite_logarithms():
    rng = np.random.default_rng(0)
    for concentration in (1e-12, 1e-9, 1e-3):
        for _ in range(200):
            logs = draw_log_dirichlet(np.array([3.0, concentration, concentration]), rng)
            assert np.isfinite(logs).all()
            assert np.exp(logs).sum() == pytest.approx(1.0)
    tiny = [draw_log_dirichlet(np.array([3.0, 1e-3]), rng)[1] for _ in range(2_000)]
    # −a log of a share of concentration a is about exponential: its median is ln 2.
    assert np.median(tiny) == pytest.approx(-math.log(2) / 1e-3, rel=0.15)


class Watched:
    """An engine that only notes what it is asked for."""

    def __init__(self):
        self.asked = []

    def resample(self, state, documents, settings, rng_of):
        self.asked += [(document, settings, rng_of(document)) for document in documents]


def visits(state, priors, stage=None, **settings):
    engine = Watched()
    move = ResampleBlocks(engine, priors, **settings)
    arguments = () if stage is None else (stage,)
    move(state, lambda place: np.random.default_rng([7, place]), *arguments)
    return engine.asked


def test_every_document_is_visited_with_one_draw_of_the_shares():
    state, priors = a_state(0)
    asked = visits(state, priors, rounds=3, placements=2)
    assert [document for document, _, _ in asked] == list(range(6))
    [first, *others] = [settings for _, settings, _ in asked]
    assert all(settings is first for settings in others)
    used = state.bag.sum(axis=0) + priors.topic
    expected = draw_log_dirichlet(used, np.random.default_rng([7, 6]))
    assert first.log_prevalence.tolist() == expected.tolist()
    assert first.dispersion is state.dispersion
    assert first[2:] == (1.0, 3, 2, True)
    for document, _, rng in asked:
        assert rng.random() == np.random.default_rng([7, document]).random()


def test_shares_are_even_where_the_stage_says_so():
    state, priors = a_state(0)
    for _, settings, _ in visits(
        state, priors, Stage(inverse_temperature=0.05, uniform_prevalence=True)
    ):
        assert np.exp(settings.log_prevalence) == pytest.approx(np.full(4, 0.25))
        assert settings.inverse_temperature == 0.05
    _, settings, _ = visits(
        state, priors, Stage(inverse_temperature=0.4, uniform_prevalence=False)
    )[0]
    assert np.ptp(settings.log_prevalence) > 0
    assert settings.inverse_temperature == 0.4


def test_nothing_is_placed_where_all_documents_keep_one_order():
    state, priors = a_state(0, variant=Variant.CONSTRAINED)
    _, settings, _ = visits(state, priors, placements=2)[0]
    assert (settings.placements, settings.orders) == (0, False)
    state, priors = a_state(0, variant=Variant.UNIFORM)
    _, settings, _ = visits(state, priors, placements=2)[0]
    assert (settings.placements, settings.orders) == (2, True)


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize(
    "cut_probability", [every_position, default_cut_probability, lambda n: 0.3]
)
def test_sweeps_keep_the_counts_in_step(variant, cut_probability):
    state, priors = a_state(1, variant=variant)
    streams = Streams(3)
    before = state.copy()
    moves = blocked_moves(CORPUS, 4, priors, cut_probability=cut_probability)
    kinds = [type(move) for move in moves]
    full = [ResampleDispersion, RelabelTopics] * (variant == Variant.FULL)
    assert kinds == [ResampleBlocks, *full]
    for sweep in range(5):
        for number, move in enumerate(moves):
            move(state, lambda place, n=number, s=sweep: streams.at(s, n, place))
            check_state(CORPUS, state)
    assert (state.bag != before.bag).any()
    assert (state.inversions != before.inversions).any() == (variant != Variant.CONSTRAINED)


# Cuts.


def drawn_cuts(engine, state, documents, random_at):
    """The cuts of documents, as a visit draws them, and the logarithms of their probabilities."""
    settings = MoveSettings(np.zeros(4), state.dispersion, 1.0, 1, 1, True)
    batch = engine._make_batch(state, documents, settings, random_at)
    local = [engine.documents[d] for d in documents]
    cuts = np.split(batch.cuts.positions, batch.cuts.offsets[1:-1])
    tokens = np.split(batch.cuts.tokens, batch.cuts.offsets[1:-1])
    reach = np.split(batch.cuts.reach, batch.cuts.offsets[1:-1])
    for own, document, found, left in zip(cuts, local, tokens, reach, strict=True):
        assert found.tolist() == document.offsets[own].tolist()
        assert left.tolist() == document.reach[own].tolist()
    return cuts, batch.log_cut_probability.tolist()


def test_cuts_hold_all_boundaries_and_other_places_at_their_rate():
    state, priors = a_state(2)
    engine = TableEngine(CORPUS, 4, priors, cut_probability=lambda n: 0.3)
    rng = np.random.default_rng(0)
    seen = {"free": 0, "cut": 0}
    for _ in range(3_000):
        cuts_of_all, log_probabilities = drawn_cuts(engine, state, range(6), lambda d: rng)
        assert log_probabilities == [math.log(0.3)] * 6
        for document, cuts in enumerate(cuts_of_all):
            topics = oracle.layout(state.bag[document], state.inversions[document])
            forced = oracle.boundaries(topics) | {0, len(topics)}
            assert np.all(np.diff(cuts) > 0)
            assert forced <= set(cuts.tolist()) <= set(range(len(topics) + 1))
            seen["free"] += len(topics) + 1 - len(forced)
            seen["cut"] += len(set(cuts.tolist()) - forced)
    assert seen["free"] > 10_000
    assert stats.binomtest(seen["cut"], seen["free"], 0.3).pvalue > 1e-4


@pytest.mark.parametrize("cut_probability", [every_position, lambda n: 1.7])
def test_every_place_is_a_cut_without_drawing_a_number(cut_probability):
    state, priors = a_state(2)
    engine = TableEngine(CORPUS, 4, priors, cut_probability=cut_probability)
    streams = Streams(0)
    for document in range(6):
        cuts, log_probabilities = drawn_cuts(engine, state, [document], partial(streams.at, 0, 0))
        assert [own.tolist() for own in cuts] == [list(range(int(state.bag[document].sum()) + 1))]
        assert log_probabilities == [0.0]
    assert not engine.n_cut_numbers.any()


def test_random_numbers_of_a_document_do_not_depend_on_the_others():
    state, priors = a_state(2)
    engine = TableEngine(CORPUS, 4, priors, cut_probability=lambda n: 0.3)
    settings = MoveSettings(np.zeros(4), state.dispersion, 1.0, 2, 1, True)
    streams = Streams(5)
    together = engine._make_batch(state, range(6), settings, partial(streams.at, 3, 1))
    for d in range(6):
        alone = engine._make_batch(state, [d], settings, partial(streams.at, 3, 1))
        own = streams.at(3, 1, d).random(alone.numbers.size).tolist()
        first = int(together.move_offsets[d]) - int(engine.n_cut_numbers[d])
        assert alone.numbers.tolist() == own
        assert together.numbers[first : first + len(own)].tolist() == own
        moves = together.active_offsets[d] - together.move_offsets[d]
        assert moves == 2 * (2 + 4 + 3) == alone.active_offsets[0] - alone.move_offsets[0]
        assert len(own) == engine.n_cut_numbers[d] + moves + 4 + 2 * 2 * 1


def test_long_documents_have_cuts_by_the_root_of_their_units():
    assert [default_cut_probability(n) >= 1 for n in (1, 20, 21)] == [True, True, False]
    assert default_cut_probability(50) * 50 == pytest.approx(20)
    assert default_cut_probability(100) * 100 == pytest.approx(20)
    assert default_cut_probability(10_000) * 10_000 == pytest.approx(200)


def test_room_grows_with_the_longest_document():
    corpus = random_text([3, 150, 90])
    priors = Priors.for_documents(3)
    state = initial_state(corpus, 5, priors, np.random.default_rng(0))
    engine = TableEngine(corpus, 5, priors, cut_probability=every_position)
    assert engine.max_cuts < 151
    ResampleBlocks(engine, priors)(state, np.random.default_rng)
    check_state(corpus, state)
    assert engine.max_cuts >= 151


# The numbers of the topics.


@pytest.mark.parametrize("seed", range(6))
def test_relabelling_keeps_every_layout_and_all_lines_but_the_orders(seed):
    state, priors = a_state(seed)
    canon = np.random.default_rng(seed).permutation(4)
    new = state.copy()
    relabel(new, canon)
    check_state(CORPUS, new)
    for document in range(6):
        was, now = state.topics(document), new.topics(document)
        assert canon[now].tolist() == was.tolist()
        assert canon[new.order(document)].tolist() == state.order(document).tolist()
    before, after = joint_terms(state, priors), joint_terms(new, priors)
    assert after[:3] == pytest.approx(before[:3], rel=1e-12)
    assert after.dispersion == before.dispersion


@pytest.mark.parametrize("flavour", [relabelling_kernels, uncompiled.relabelling_kernels])
def test_precedences_are_counted_pair_by_pair(flavour):
    state, _ = a_state(5)
    earlier = np.zeros((4, 4), dtype=np.int64)
    flavour.count_precedences(state.inversions, earlier)
    for a, b in itertools.product(range(4), repeat=2):
        orders = [state.order(document).tolist() for document in range(6)]
        expected = sum(order.index(a) < order.index(b) for order in orders)
        assert earlier[a, b] == (expected if a != b else 0)


def inversions_by_topic(state, canon):
    """The sums of the inversion counts that the topics have once relabelled, by the old number."""
    new = state.copy()
    relabel(new, np.asarray(canon))
    totals = np.zeros(len(canon), dtype=np.int64)
    totals[np.asarray(canon)[:-1]] = new.inversions.sum(axis=0)
    return totals


@pytest.mark.parametrize("seed", range(5))
def test_a_number_is_weighed_by_the_joint_of_the_relabelled_state(seed):
    state, priors = a_state(seed)
    earlier = np.zeros((4, 4), dtype=np.int64)
    relabelling_kernels.count_precedences(state.inversions, earlier)
    start = np.random.default_rng(seed).permutation(4)
    for topic in range(4):
        others = [other for other in start.tolist() if other != topic]
        tried = [[*others[:place], topic, *others[place:]] for place in range(4)]
        joints = []
        for one in tried:
            new = state.copy()
            relabel(new, np.array(one))
            joints.append(log_joint(new, priors))
        edges = np.cumsum(normalised(joints))
        for uniform in np.random.default_rng(seed).random(200):
            canon = start.copy()
            totals = inversions_by_topic(state, canon)
            given = (topic, totals, earlier, state.dispersion, uniform)
            relabelling_kernels.place_topic_label(canon, *given)
            assert totals.tolist() == inversions_by_topic(state, canon).tolist()
            assert canon.tolist() == tried[int(np.searchsorted(edges, uniform))]


@pytest.mark.parametrize("seed", range(5))
def test_compiled_and_uncompiled_place_the_same_labels(seed):
    state, _ = a_state(seed)
    rng = np.random.default_rng(seed)
    canons = [np.arange(4), np.arange(4)]
    numbers = rng.random(4)
    for flavour, canon in zip(
        (relabelling_kernels, uncompiled.relabelling_kernels), canons, strict=True
    ):
        earlier = np.zeros((4, 4), dtype=np.int64)
        flavour.count_precedences(state.inversions, earlier)
        totals = np.append(state.inversions.sum(axis=0), 0)
        for topic in range(4):
            given = (totals, earlier, state.dispersion, numbers[topic])
            flavour.place_topic_label(canon, topic, *given)
        assert totals.tolist() == inversions_by_topic(state, canon).tolist()
        inversions = state.inversions.copy()
        flavour.relabel_inversions(inversions, np.argsort(canon))
        now = state.copy()
        relabel(now, canon)
        assert now.inversions.tolist() == inversions.tolist()
    assert canons[0].tolist() == canons[1].tolist()


@pytest.mark.parametrize("seed", range(5))
def test_documents_that_all_run_backwards_are_relabelled_in_one_move(seed):
    # Document by document there is no way out: each one that turns round alone loses its words.
    n_documents, n_topics = 30, 6
    words = "abcdef"
    corpus = Corpus.from_paragraphs([[w * 2 for w in words]] * n_documents)
    backwards = np.tile(np.arange(n_topics - 1, 0, -1), (n_documents, 1))
    bag = np.ones((n_documents, n_topics), dtype=np.int64)
    state = make_state(corpus, bag, backwards, np.full(n_topics - 1, 0.3))
    assert state.topics(0).tolist() == [5, 4, 3, 2, 1, 0]
    RelabelTopics()(state, lambda _: np.random.default_rng(seed))
    check_state(corpus, state)
    assert state.inversions.sum() == 0
    assert state.topics(0).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_canon_that_stays_is_not_written_again(monkeypatch):
    state, _ = a_state(0)
    state.inversions[:] = 0
    state.dispersion[:] = 50.0
    written = []
    monkeypatch.setattr(relabelling, "relabel", lambda *canon: written.append(canon))
    RelabelTopics()(state, lambda _: np.random.default_rng(0))
    assert written == []


# The rest.


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("seed", range(5))
def test_the_meter_reads_the_log_joint(variant, seed):
    state, priors = a_state(seed, variant=variant)
    log_joint_of = FastLogJoint.for_corpus(CORPUS, priors)
    assert log_joint_of(state) == pytest.approx(
        sum(oracle.log_joint(CORPUS, state, priors)), rel=1e-12
    )
    assert log_joint_of(state) == pytest.approx(log_joint(state, priors), rel=1e-12)
    one_topic = make_state(
        CORPUS,
        np.eye(4, dtype=np.int64)[[1] * 6] * CORPUS.document_sizes[:, None],
        state.inversions,
        state.dispersion,
    )
    assert one_topic.word_counts.max() == np.bincount(CORPUS.words).max()
    assert log_joint_of(one_topic) == pytest.approx(log_joint(one_topic, priors), rel=1e-12)


@pytest.mark.parametrize("stage", [Stage(inverse_temperature=0.5), Stage(uniform_prevalence=True)])
def test_the_papers_moves_refuse_to_anneal(stage):
    state, priors = a_state(0)
    structures, _ = paper_moves(CORPUS, 4, priors)
    before = state.copy()
    with pytest.raises(ValueError, match="do not anneal"):
        structures(state, lambda _: np.random.default_rng(0), stage)
    assert (state.bag == before.bag).all()
