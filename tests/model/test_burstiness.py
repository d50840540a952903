from __future__ import annotations

import math

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.model.burstiness import find_bursty_words
from permutopic.model.priors import Priors, SubjectPriors, Variant
from permutopic.model.state import initial_state

import oracle
from audit import check_state


def bursty_by_loops(corpus, threshold):
    documents = oracle.documents_of(corpus)
    found = []
    for word in range(corpus.n_words):
        holding = sum(word in unit for units in documents for unit in units)
        share = holding / sum(map(len, documents))
        expected = sum(1 - math.exp(-share * len(units)) for units in documents)
        n_documents = sum(any(word in unit for unit in units) for units in documents)
        found.append(n_documents < threshold * expected)
    return found


@pytest.mark.parametrize("threshold", [0.5, 0.8, 1.0])
def test_bursty_words_are_those_of_the_definition(drawn_with_subjects, threshold):
    corpus, _, _ = drawn_with_subjects
    expected = bursty_by_loops(corpus, threshold)
    found = find_bursty_words(corpus, threshold)
    assert found.tolist() == (expected if not all(expected) else [False] * 9)


def test_a_word_of_one_document_is_bursty_and_one_of_all_is_not():
    corpus = Corpus.from_paragraphs([[f"name{n} was", f"name{n} is", f"name{n}"] for n in range(9)])
    words = dict(zip(corpus.vocabulary, find_bursty_words(corpus).tolist(), strict=True))
    assert not words.pop("was")
    assert not words.pop("is")
    assert all(words.values())


def test_where_all_words_are_bursty_none_is_taken_for_one():
    corpus = Corpus.from_paragraphs([[f"name{n}"] * 5 for n in range(9)])
    assert not find_bursty_words(corpus).any()


@pytest.mark.parametrize("variant", list(Variant))
def test_a_chain_with_subject_words_starts_at_the_bursty_ones(drawn_with_subjects, variant):
    corpus, _, _ = drawn_with_subjects
    priors = Priors.for_documents(5, variant=variant, subject=SubjectPriors.for_corpus(corpus))
    state = initial_state(corpus, 3, priors, np.random.default_rng(0))
    assert state.subject_words.tolist() == find_bursty_words(corpus).tolist()
    check_state(corpus, state)
    paper = initial_state(corpus, 3, Priors.for_documents(5), np.random.default_rng(0))
    assert not paper.subject_words.any()
