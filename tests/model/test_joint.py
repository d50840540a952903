from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from permutopic.corpus import Corpus
from permutopic.model.joint import FastLogJoint, class_term, joint_terms, log_joint
from permutopic.model.priors import Priors, SubjectPriors, Variant
from permutopic.model.state import initial_state, make_state

import oracle


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("seed", range(5))
def test_every_line_equals_the_oracles(drawn, variant, seed):
    corpus, _, _ = drawn
    priors = Priors.for_documents(6, topic=0.7, word=0.2, dispersion=1.4, variant=variant)
    rng = np.random.default_rng(seed)
    state = initial_state(corpus, 4, priors, rng)
    if variant == Variant.FULL:
        state.dispersion[:] = rng.exponential(size=3)
    expected = oracle.log_joint(corpus, state, priors)
    assert list(joint_terms(state, priors)) == pytest.approx(list(expected), rel=1e-10, abs=1e-9)
    assert log_joint(state, priors) == pytest.approx(sum(expected), rel=1e-12)


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("seed", range(5))
def test_every_line_equals_the_oracles_with_subject_words(drawn_with_subjects, variant, seed):
    corpus, state, priors = drawn_with_subjects
    priors = dataclasses.replace(priors, variant=variant)
    rng = np.random.default_rng(seed)
    other = initial_state(corpus, 3, priors, rng)
    classes = rng.random(corpus.n_words) < rng.random()
    classes[rng.integers(corpus.n_words)] = False
    state = make_state(corpus, other.bag, other.inversions, other.dispersion, classes)
    expected = oracle.log_joint(corpus, state, priors)
    found = joint_terms(state, priors, corpus)
    assert list(found) == pytest.approx(list(expected), rel=1e-10, abs=1e-9)
    fast = FastLogJoint.for_corpus(corpus, priors)
    assert fast(state) == pytest.approx(sum(expected), rel=1e-12)
    state.subject_words[:] = False  # the same object again, with other classes
    same = make_state(corpus, state.bag, state.inversions, state.dispersion)
    state.word_counts[:], state.topic_tokens[:] = same.word_counts, same.topic_tokens
    assert fast(state) == pytest.approx(log_joint(state, priors, corpus), rel=1e-12)


def test_without_a_subject_word_the_words_are_as_probable_as_in_the_papers_model(
    drawn_with_subjects,
):
    corpus, state, priors = drawn_with_subjects
    plain = make_state(corpus, state.bag, state.inversions, state.dispersion)
    with_subjects = joint_terms(plain, priors, corpus)
    paper = joint_terms(plain, dataclasses.replace(priors, subject=None))
    assert with_subjects[:5] == paper[:5]
    assert with_subjects.subjects == pytest.approx(0, abs=1e-9)
    assert (paper.classes, paper.subjects) == (0, 0)


def test_the_joint_of_subject_words_needs_the_corpus(drawn_with_subjects):
    _, state, priors = drawn_with_subjects
    with pytest.raises(ValueError, match="needs the corpus"):
        joint_terms(state, priors)


def test_all_classes_have_probability_one():
    classes = itertools.product([False, True], repeat=5)
    logs = [class_term(np.array(each)) for each in classes if not all(each)]
    assert logsumexp(logs) == pytest.approx(0, abs=1e-12)


def test_all_documents_of_a_length_have_probability_one():
    # The words of two documents, summed over all that they could be, given the structure.
    blank = Corpus.from_paragraphs([["a b", "c a"], ["a b"]])
    subject = SubjectPriors(np.array([0.5, 0.3, 0.2]), document=1.3, section=0.8)
    priors = Priors.for_documents(2, word=0.4, subject=subject)
    bag, inversions = np.array([[1, 1], [0, 1]]), np.array([[1], [0]])
    logs = []
    for words in itertools.product(range(3), repeat=6):
        corpus = dataclasses.replace(blank, words=np.array(words, dtype=np.int32))
        state = make_state(corpus, bag, inversions, np.ones(1), np.array([False, True, False]))
        terms = joint_terms(state, priors, corpus)
        logs.append(terms.words + terms.subjects)
    assert logsumexp(logs) == pytest.approx(0, abs=1e-9)


def test_all_structures_of_a_document_have_prior_probability_one():
    # Without words the joint is the prior of counts and inversions, given ρ.
    corpus = Corpus.from_paragraphs([["a", "a", "a"]])
    priors = Priors.for_documents(1, topic=0.4)
    logs = []
    for bag in itertools.product(range(4), repeat=3):
        if sum(bag) == 3:
            for inversions in itertools.product(range(3), range(2)):
                state = make_state(
                    corpus, np.array([bag]), np.array([inversions]), np.array([0.8, 0.3])
                )
                terms = joint_terms(state, priors)
                logs.append(terms.draws + terms.arrangements + terms.orders)
    assert logsumexp(logs) == pytest.approx(0, abs=1e-12)


def test_uniform_is_the_full_model_at_zero_dispersion(drawn):
    _, state, priors = drawn
    state.dispersion[:] = 0
    uniform = dataclasses.replace(priors, variant=Variant.UNIFORM)
    assert joint_terms(state, uniform).orders == pytest.approx(joint_terms(state, priors).orders)
