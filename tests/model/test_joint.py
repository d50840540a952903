from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from permutopic.corpus import Corpus
from permutopic.model.joint import joint_terms, log_joint
from permutopic.model.priors import Priors, Variant
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
