"""Rungs 3 and 4 for the span table: every entry is a difference of log joints."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from permutopic.corpus import Corpus
from permutopic.model.blocked.engine import TableEngine
from permutopic.model.blocked.packing import localize_corpus
from permutopic.model.joint import joint_terms
from permutopic.model.kernels import span_table
from permutopic.model.kernels.preparation import at_cuts
from permutopic.model.kernels.span_table import (
    TopicFactors,
    fill_spans,
    gather_rows,
    make_scratch,
)
from permutopic.model.priors import Priors
from permutopic.model.state import initial_state

import oracle
from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).span_table

PRIORS = Priors.for_documents(3, topic=0.6, word=0.3)


def a_corpus(seed, sizes=(1, 4, 11), most_words=6, n_words=7):
    """Documents of so many units of random words, some units without any."""
    rng = np.random.default_rng(seed)
    documents = []
    for size in sizes:
        lengths = rng.integers(0, most_words, size)
        lengths[rng.integers(size)] += 1  # a document has a word
        units = [rng.integers(0, n_words, length) for length in lengths]
        documents.append([" ".join(f"w{word}" for word in unit) for unit in units])
    documents.append([" ".join(f"w{word}" for word in range(n_words))])
    return Corpus.from_paragraphs(documents, tokens="whitespace")


def cut_document_of(corpus, document, cuts=None):
    """The document as the engine prepares it, with all its cuts or some."""
    local = localize_corpus(corpus)[document]
    cuts = np.arange(local.offsets.size) if cuts is None else np.array(cuts)
    return at_cuts(local, cuts)


def some_of_the_cuts(n_units, rng):
    inner = np.flatnonzero(rng.random(n_units - 1) < 0.5) + 1
    return [0, *inner.tolist(), n_units]


def filled(text, held, beta, *, block=20, shares=1, module=span_table):
    """The table of a document under topics that hold `held[w, k]` of each word.

    All room is full of NaN before, so that nothing unwritten can pass for a number.
    """
    n_topics, n_cuts = held.shape[1], text.cut_tokens.size
    rows = np.full((-(-n_topics // 8), text.words.size, 8), np.nan)
    module.gather_rows(rows, text.words, held.astype(np.int32), np.arange(held.shape[1]), beta)
    totals = held.sum(axis=0)
    counts = np.arange(totals.max() + text.tokens.size + 1)
    factors = TopicFactors(totals, gammaln(counts + held.shape[0] * beta), block)
    table = np.full((n_topics, n_cuts - 1, n_cuts + 3), np.nan)
    for share in range(shares):
        scratch = make_scratch(text.words.size, n_cuts)
        for room in scratch:
            room[:] = np.nan
        module.fill_spans(table, text, rows, factors, scratch, share, shares)
    return table


def assert_is_the_oracles(table, text, held, beta, rel=1e-12):
    n_cuts, ends, tokens = text.cut_tokens.size, text.cut_tokens, text.words[text.tokens]
    for topic, start in np.ndindex(held.shape[1], n_cuts - 1):
        assert np.isnan(table[topic, start, : start + 1]).all()
        assert np.isnan(table[topic, start, n_cuts:]).all()
        for cut in range(start + 1, n_cuts):
            span = tokens[ends[start] : ends[cut]].tolist()
            expected = oracle.log_span(span, held[:, topic].tolist(), beta)
            assert table[topic, start, cut] == pytest.approx(expected, rel=rel, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_topics", [2, 3, 8, 9])
@pytest.mark.parametrize("block", [1, 3, 50])
def test_entries_are_differences_of_the_log_joint(seed, n_topics, block):
    corpus = a_corpus(seed)
    state = initial_state(corpus, n_topics, PRIORS, np.random.default_rng(seed))
    for document in range(3):
        without = state.copy()
        units = corpus.units_of(document)
        for unit, topic in enumerate(state.topics(document), units.start):
            words = corpus.words[corpus.unit_offsets[unit] : corpus.unit_offsets[unit + 1]]
            np.subtract.at(without.word_counts, (words, topic), 1)
        base = joint_terms(without, PRIORS).words
        text = cut_document_of(corpus, document)
        table = filled(text, without.word_counts, PRIORS.word, block=block)
        for start, end in itertools.combinations(range(units.stop - units.start + 1), 2):
            first, last = corpus.unit_offsets[[units.start + start, units.start + end]]
            for topic in {0, n_topics // 2, n_topics - 1}:
                added = without.copy()
                np.add.at(added.word_counts, (corpus.words[first:last], topic), 1)
                expected = joint_terms(added, PRIORS).words - base
                assert table[topic, start, end] == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 12),
    n_topics=st.sampled_from([2, 3, 4, 5, 7, 8, 9, 16, 20]),
    block=st.sampled_from([1, 2, 7, 60]),
    beta=st.sampled_from([0.1, 1e-3, 40.0]),
    every=st.booleans(),
)
def test_entries_are_the_oracles_for_any_topics_cuts_and_blocks(
    seed, size, n_topics, block, beta, every
):
    corpus = a_corpus(seed, (size,))
    rng = np.random.default_rng(seed)
    text = cut_document_of(corpus, 0, None if every else some_of_the_cuts(size, rng))
    held = rng.poisson(2.0, (corpus.n_words, n_topics))
    table = filled(text, held, beta, block=block)
    assert_is_the_oracles(table, text, held, beta)
    assert np.array_equal(
        table, filled(text, held, beta, block=block, module=uncompiled), equal_nan=True
    )


@pytest.mark.parametrize("beta", [1e-12, 1e-6, 1e6])
@pytest.mark.parametrize("most", [0, 3, 2_000_000_000])
def test_long_products_of_great_and_tiny_factors_lose_nothing(beta, most):
    # Over a thousand factors, from 1e-12 for a word that no topic holds up to two thousand million.
    rng = np.random.default_rng(0)
    corpus = a_corpus(1, (5,), most_words=500, n_words=400)
    held = rng.integers(0, most + 1, (corpus.n_words, 3))
    held[rng.random(held.shape) < 0.8] = 0
    held[:, 2] = 0
    text = cut_document_of(corpus, 0)
    tokens, ends = text.words[text.tokens], text.cut_tokens
    assert tokens.size > 1000
    rows = np.full((1, text.words.size, 8), np.nan)
    gather_rows(rows, text.words, held.astype(np.int32), np.arange(held.shape[1]), beta)
    # The factors alone: a table of logΓ up to such totals would not fit into memory.
    no_total, no_log_gamma = np.zeros(3, dtype=np.int64), np.zeros(tokens.size + 1)
    blocks = [1, TableEngine(corpus, 3, dataclasses.replace(PRIORS, word=beta)).block]
    if most > corpus.n_tokens:  # more than there are in the corpus, so the engine's is too long
        blocks[1] = min(blocks[1], 30)
    for block in blocks:
        table = np.full((3, 5, 8), np.nan)
        factors = TopicFactors(no_total, no_log_gamma, block)
        fill_spans(table, text, rows, factors, make_scratch(text.words.size, 6), 0, 1)
        for topic, start in itertools.product(range(3), range(5)):
            seen, logs = [0] * corpus.n_words, []
            for cut in range(start + 1, 6):
                for word in tokens[ends[cut - 1] : ends[cut]]:
                    logs.append(math.log(held[word, topic] + seen[word] + beta))
                    seen[word] += 1
                assert table[topic, start, cut] == pytest.approx(math.fsum(logs), rel=1e-12)


def test_units_without_words_weigh_nothing():
    corpus = Corpus.from_paragraphs([["", "", "a a", "", "b"], ["a b"]], tokens="whitespace")
    held = np.array([[1, 4], [2, 0]])
    table = filled(cut_document_of(corpus, 0), held, 0.5)
    assert table[:, 0, 1:3].tolist() == [[0.0, 0.0]] * 2
    assert table[:, 3, 4].tolist() == [0.0] * 2
    assert table[:, 0, 3].tolist() == table[:, 1, 4].tolist() == table[:, 2, 3].tolist()
    under_topic_1 = math.log(4.5 / 5 * 5.5 / 6 * 0.5 / 7)
    assert table[1, 0, 5] == pytest.approx(under_topic_1, rel=1e-12)


@pytest.mark.parametrize("n_topics", [3, 9])
@pytest.mark.parametrize("size", [1, 3, 4, 5, 13])
@pytest.mark.parametrize("shares", [2, 3, 5])
def test_shares_of_the_starts_make_the_same_table(shares, size, n_topics):
    corpus = a_corpus(size, (size,))
    text = cut_document_of(corpus, 0)
    held = np.random.default_rng(size).poisson(2.0, (corpus.n_words, n_topics))
    whole, split = filled(text, held, 0.2), filled(text, held, 0.2, shares=shares)
    assert whole.tobytes() == split.tobytes()


def test_every_share_writes_starts_of_its_own():
    corpus = a_corpus(0, (13,))
    text = cut_document_of(corpus, 0)
    held = np.ones((corpus.n_words, 2), dtype=np.int64)
    rows = np.empty((1, text.words.size, 8))
    gather_rows(rows, text.words, held.astype(np.int32), np.arange(held.shape[1]), 0.2)
    log_gamma = gammaln(np.arange(text.tokens.size + 8) + 1.4)
    factors = TopicFactors(held.sum(axis=0), log_gamma, 20)
    written = []
    for share in range(3):
        table = np.full((2, 13, 16), np.nan)
        fill_spans(table, text, rows, factors, make_scratch(text.words.size, 14), share, 3)
        written.append(set(np.flatnonzero(np.isfinite(table[0, :, 13])).tolist()))
    assert written == [{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}, {12}]


@pytest.mark.parametrize("seed", range(5))
def test_words_are_numbered_so_that_those_ahead_come_first(seed):
    corpus = a_corpus(seed)
    for document in range(3):
        text = cut_document_of(corpus, document)
        units = corpus.units_of(document)
        offsets = corpus.unit_offsets[units.start : units.stop + 1]
        assert text.words[text.tokens].tolist() == corpus.words[offsets[0] : offsets[-1]].tolist()
        for cut, token in enumerate(text.cut_tokens):
            ahead = set(text.tokens[token:].tolist())
            assert ahead == set(range(text.reach[cut]))
