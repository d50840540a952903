from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from permutopic.model.priors import Priors, Variant
from permutopic.model.state import check_state_arrays, initial_state, make_state
from permutopic.permutation import order_to_inversions

import oracle
from audit import check_state


def test_the_papers_example_layout():
    # Order (2,4,3,1) with bag {1,1,1,1,2,4,4} gives (2,4,4,1,1,1,1), counted from one.
    from permutopic.corpus import Corpus

    corpus = Corpus.from_paragraphs([["a"] * 7])
    inversions = order_to_inversions([1, 3, 2, 0])
    state = make_state(corpus, np.array([[4, 1, 0, 2]]), inversions[None, :], np.ones(3))
    assert (state.topics(0) + 1).tolist() == [2, 4, 4, 1, 1, 1, 1]


def test_layouts_and_counts_agree_with_the_oracle(drawn):
    corpus, state, _ = drawn
    counts = np.zeros((corpus.n_words, 4), dtype=int)
    for d, units in enumerate(oracle.documents_of(corpus)):
        topics = oracle.layout(state.bag[d].tolist(), state.inversions[d])
        assert state.topics(d).tolist() == topics
        for words, topic in zip(units, topics, strict=True):
            for word in words:
                counts[word, topic] += 1
    assert state.word_counts.tolist() == counts.tolist()
    assert state.topic_tokens.tolist() == counts.sum(axis=0).tolist()


@pytest.mark.parametrize("part", ["word_counts", "topic_tokens", "bag"])
def test_a_wrong_count_is_noticed(drawn, part):
    corpus, state, _ = drawn
    check_state(corpus, state)
    getattr(state, part).flat[0] += 1
    with pytest.raises(AssertionError):
        check_state(corpus, state)


def test_a_copy_stands_on_its_own(drawn):
    _, state, _ = drawn
    copy = state.copy()
    copy.bag[0, 0] += 1
    copy.word_counts[0, 0] += 1
    assert state.bag[0, 0] == copy.bag[0, 0] - 1
    assert state.word_counts[0, 0] == copy.word_counts[0, 0] - 1


@pytest.mark.parametrize("variant", list(Variant))
def test_a_chain_starts_inside_its_variant(drawn, variant):
    corpus, _, _ = drawn
    priors = Priors.for_documents(6, variant=variant)
    state = initial_state(corpus, 5, priors, np.random.default_rng(0))
    check_state(corpus, state)
    assert state.inversions.any() == (variant != Variant.CONSTRAINED)
    expected = {"full": 1.0, "uniform": 0.0, "constrained": np.inf}[variant]
    assert (state.dispersion == expected).all()


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("bag", lambda bag: bag[:, 1:], r"bag is int64 \(6, 3\), not int64 \(6, 4\)"),
        ("inversions", lambda v: v.astype(np.int32), "inversions is int32"),
        ("dispersion", lambda rho: -rho, "dispersion has a value that is no number from 0 up"),
        ("dispersion", lambda rho: rho * np.nan, "dispersion has a value that is no number"),
        ("bag", lambda bag: bag * (np.arange(6) != 2)[:, None], "bag has a document without units"),
        ("topic_tokens", lambda n: n[::-1].copy() + 1, "word_counts and topic_tokens disagree"),
    ],
)
def test_arrays_that_can_be_no_state_are_refused(drawn, part, change, message):
    corpus, state, _ = drawn
    sizes = corpus.n_documents, 4, corpus.n_words
    check_state_arrays(state, *sizes)
    with pytest.raises(ValueError, match=message):
        check_state_arrays(replace(state, **{part: change(getattr(state, part))}), *sizes)


def test_a_dispersion_prior_of_zero_starts_above_zero(drawn):
    priors = Priors.for_documents(6, dispersion=0.0)
    state = initial_state(drawn[0], 4, priors, np.random.default_rng(0))
    assert state.dispersion.tolist() == [1e-3] * 3


def test_the_tail_of_a_state_shares_its_arrays(drawn):
    _, state, _ = drawn
    tail = state.tail(4)
    assert tail.bag.tolist() == state.bag[4:].tolist()
    assert tail.inversions.tolist() == state.inversions[4:].tolist()
    for name, array in vars(tail).items():
        assert np.shares_memory(array, getattr(state, name)), name
