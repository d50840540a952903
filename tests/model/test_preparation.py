"""A document made ready: what is written down at once is what plain loops find."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

import oracle_inference
from permutopic.corpus import DocumentTokens
from permutopic.model.kernels import preparation
from permutopic.model.kernels.log_filters import LOG_ZERO
from permutopic.model.kernels.span_table import CutDocument, TopicFactors, gather_rows

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).preparation
flavours = pytest.mark.parametrize("flavour", [preparation, uncompiled], ids=["fast", "plain"])

N_WORDS = 9


def random_units(seed, n_units):
    """Units of random words, some without any, also at both ends."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, N_WORDS, rng.integers(0, 5)).tolist() for _ in range(n_units)]


def flat(units):
    """All words, and where units end."""
    words = np.array([word for unit in units for word in unit], dtype=np.int32)
    return words, np.cumsum([0, *map(len, units)])


def numbered(flavour, units):
    words, offsets = flat(units)
    numbers = np.full(N_WORDS, -1, dtype=np.int32)
    local = flavour.localize(DocumentTokens(words, offsets), numbers)
    assert np.all(numbers == -1)
    return local.tokens, local.words, local.reach, offsets


def random_counts(seed, n_topics):
    return np.random.default_rng(seed).poisson(2.0, (N_WORDS, n_topics)).astype(np.int32)


def rows_of(words, counts, beta):
    rows = np.full((-(-counts.shape[1] // 8), words.size, 8), np.nan)
    gather_rows(rows, words, counts, np.arange(counts.shape[1]), beta)
    return rows


@flavours
@pytest.mark.parametrize("seed", range(4))
def test_words_are_numbered_by_their_last_occurrence(seed, flavour):
    units = random_units(seed, 1 + seed % 6)
    tokens, words, reach, _ = numbered(flavour, units)
    flat_words = [word for unit in units for word in unit]
    expected = list(dict.fromkeys(reversed(flat_words)))
    assert words.tolist() == expected
    assert [expected[token] for token in tokens] == flat_words
    behind = [len({word for unit in units[n:] for word in unit}) for n in range(len(units) + 1)]
    assert reach.tolist() == behind


@flavours
@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, N_WORDS - 1), max_size=4), min_size=1, max_size=6))
def test_the_words_ahead_of_any_place_are_the_first_so_many(flavour, units):
    tokens, words, reach, offsets = numbered(flavour, units)
    assert words[tokens].tolist() == [word for unit in units for word in unit]
    for place, first in enumerate(offsets):
        assert set(tokens[first:].tolist()) == set(range(reach[place]))


@flavours
@pytest.mark.parametrize("n_topics", [3, 8, 9])
@pytest.mark.parametrize("seed", range(4))
def test_leaving_a_document_out_gives_the_counts_of_all_others(seed, n_topics, flavour):
    rng = np.random.default_rng(seed)
    units, others = random_units(seed, 6), random_counts(seed, n_topics)
    topics = rng.integers(0, n_topics, 6)
    counts = others.copy()
    for unit, topic in zip(units, topics, strict=True):
        np.add.at(counts, (unit, topic), 1)
    tokens, words, _, offsets = numbered(flavour, units)
    rows, held = rows_of(words, counts, 0.3), counts.sum(axis=0)
    flavour.remove_own_tokens(tokens, offsets, topics, rows, held)
    assert held.tolist() == others.sum(axis=0).tolist()
    for topic in range(n_topics):
        found = rows[topic // 8, :, topic % 8]
        assert found == pytest.approx(others[words, topic] + 0.3, rel=1e-12)


@flavours
@pytest.mark.parametrize("n_topics", [2, 8, 11])
@pytest.mark.parametrize("seed", range(4))
def test_units_are_scored_by_the_topics_words_one_by_one(seed, n_topics, flavour):
    units, counts = random_units(seed, 7), random_counts(seed, n_topics)
    tokens, words, _, offsets = numbered(flavour, units)
    scores = np.full((7, n_topics), np.nan)
    log_held = np.log(counts.sum(axis=0) + N_WORDS * 0.3)
    flavour.score_units(tokens, offsets, rows_of(words, counts, 0.3), log_held, scores)
    expected = [[oracle_inference.log_each(unit, held, 0.3) for held in counts.T] for unit in units]
    assert scores == pytest.approx(np.array(expected), rel=1e-12, abs=1e-12)


@flavours
def test_a_document_without_words_says_nothing(flavour):
    tokens, words, reach, offsets = numbered(flavour, [[], [], []])
    assert tokens.size == words.size == 0
    assert reach.tolist() == [0, 0, 0, 0]
    scores = np.full((3, 4), np.nan)
    rows = rows_of(words, random_counts(0, 4), 0.3)
    flavour.score_units(tokens, offsets, rows, np.zeros(4), scores)
    assert np.all(scores == 0.0)


@flavours
@settings(max_examples=60)
@given(seed=st.integers(0, 1000), n_units=st.integers(1, 9), n_topics=st.integers(2, 6))
def test_cuts_are_the_places_that_were_drawn_and_all_boundaries(seed, n_units, n_topics, flavour):
    rng = np.random.default_rng(seed)
    bag = rng.multinomial(n_units, rng.dirichlet(np.full(n_topics, 0.5)))
    order, cut_probabilities, uniforms = rng.permutation(n_topics), *rng.random((2, n_units + 1))
    cut_probabilities[[0, -1]] = 1.0
    laid = [topic for topic in order for _ in range(bag[topic])]
    expected = {place for place in range(n_units + 1) if uniforms[place] < cut_probabilities[place]}
    expected |= oracle.boundaries(laid)
    found = flavour.draw_cuts(cut_probabilities, bag, order, uniforms)
    assert found.tolist() == sorted(expected)


@flavours
@pytest.mark.parametrize("cuts", [[0, 7], [0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 3, 6, 7]])
def test_the_quick_table_has_the_sums_of_spans(cuts, flavour):
    scores = np.random.default_rng(0).normal(-30, 9, (7, 5))
    active, table = np.array([1, 2, 4]), np.full((3, len(cuts) - 1, 8), np.nan)
    flavour.fill_point_estimate(table, np.array(cuts), active, scores)
    for n, start, cut in np.ndindex(table.shape):
        if start < cut < len(cuts):
            expected = math.fsum(scores[cuts[start] : cuts[cut], active[n]])
            assert table[n, start, cut] == pytest.approx(expected, rel=1e-12)
        else:
            assert np.isnan(table[n, start, cut])


@flavours
@pytest.mark.parametrize("active", [[0], [2, 9], [1, 2, 4, 5, 8, 9, 10, 12, 15], range(17)])
def test_rows_of_some_topics_lie_side_by_side(active, flavour):
    active = np.array(active)
    by_topic = np.random.default_rng(1).random((24, 6))
    rows = by_topic.reshape(3, 8, 6).transpose(0, 2, 1).copy()
    packed = flavour.select_rows(rows, active)
    assert packed.shape == (-(-active.size // 8), 6, 8)
    side_by_side = packed.transpose(0, 2, 1).reshape(-1, 6)
    assert np.array_equal(side_by_side[: active.size], by_topic[active])
    assert np.all(side_by_side[active.size :] == 1.0)  # factors that change no product


@flavours
@pytest.mark.parametrize("active", [[1], [0, 2, 9], range(10)])
@pytest.mark.parametrize("block", [1, 4, 60])
@pytest.mark.parametrize("cuts", [[0, 7], range(8), [0, 2, 3, 6, 7]])
def test_the_table_of_some_topics_is_the_chain_rule(cuts, block, active, flavour):
    units, counts, cuts, active = random_units(4, 7), random_counts(4, 10), [*cuts], [*active]
    tokens, words, reach, offsets = numbered(flavour, units)
    rows = flavour.select_rows(rows_of(words, counts, 0.3), np.array(active))
    log_gamma = gammaln(np.arange(counts.sum() + tokens.size) + N_WORDS * 0.3)
    factors = TopicFactors(counts.sum(axis=0)[active], log_gamma, block)
    table = np.full((len(active), len(cuts) - 1, 8), np.nan)
    document = CutDocument(tokens, words, offsets[cuts], reach[cuts])
    flavour.fill_marginal(table, document, rows, factors)
    for n, (start, cut) in itertools.product(
        range(len(active)), itertools.combinations(range(len(cuts)), 2)
    ):
        span = [word for unit in units[cuts[start] : cuts[cut]] for word in unit]
        expected = oracle.log_span(span, counts[:, active[n]].tolist(), 0.3)
        assert table[n, start, cut] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def random_discount(seed):
    rng = np.random.default_rng(seed)
    cuts, active = np.array([0, 2, 3, 6, 7]), np.array([0, 3])
    table = np.full((2, 4, 8), LOG_ZERO)
    for start in range(4):
        table[:, start, start + 1 : 5] = rng.normal(-40, 10, (2, 4 - start))
    return table, cuts, rng.uniform(0.05, 1, 8), active, rng.uniform(0.05, 1, 4)


@flavours
def test_a_boundary_weighs_more_by_its_chance_and_a_topic_by_its_own(flavour):
    table, cuts, cut_probabilities, active, inclusion = random_discount(0)
    found = table.copy()
    flavour.weigh_inclusion(found, cuts, cut_probabilities, active, inclusion, 1.0)
    for n, start, cut in np.ndindex(table.shape):
        expected = table[n, start, cut]
        if start < cut < cuts.size:
            ends = (
                cut_probabilities[cuts[cut]] if cut < cuts.size - 1 else 1.0
            )  # the document's end is sure
            expected -= math.log(ends * inclusion[active[n]])
        assert found[n, start, cut] == pytest.approx(expected, rel=1e-12)


@flavours
@pytest.mark.parametrize("seed", range(3))
def test_what_was_discounted_can_be_taken_back(seed, flavour):
    table, *given = random_discount(seed)
    found = table.copy()
    for sign in (1.0, -1.0):
        flavour.weigh_inclusion(found, *given, sign)
    assert found == pytest.approx(table, rel=1e-13)
