"""Drawing the classes of words: the right conditional, compiled and not, and counts that fit."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np
import pytest
from scipy.special import digamma, gammaln, polygamma

from permutopic.model.blocked import word_classes
from permutopic.model.blocked import word_classes_kernels as kernels
from permutopic.model.blocked.word_classes import ResampleClasses, draw_log_auxiliary
from permutopic.model.generate import generate
from permutopic.model.joint import class_term, joint_terms
from permutopic.model.mcmc.schedule import POSTERIOR, Stage
from permutopic.model.priors import Priors, SubjectPriors
from permutopic.model.state import make_state
from permutopic.streams import Streams

from audit import check_state
from kernel_source import load_modules

UNCOMPILED = load_modules(compile_it=False).word_classes_kernels
LOG_X = -3.7  # the sum of the logarithms of the auxiliary variables


def augmented_joint(corpus, state, priors):
    """The log joint with Γ(A) / Γ(A + N_d) replaced by x_d^A."""
    subject, sizes = priors.subject, np.diff(corpus.unit_offsets[corpus.document_offsets])
    total = subject.section + subject.document * subject.base_rates[state.subject_words].sum()
    taken_out = (gammaln(total) - gammaln(total + sizes)).sum()
    return sum(joint_terms(state, priors, corpus)) - taken_out + LOG_X * total


def with_classes(corpus, state, classes):
    return make_state(corpus, state.bag, state.inversions, state.dispersion, classes)


def probability_of_subject(corpus, state, priors, word, power=1.0):
    """P(the word is a subject word), by the whole joint with either class; the prior untempered."""
    logs = []
    for is_subject in (False, True):
        classes = state.subject_words.copy()
        classes[word] = is_subject
        joint = augmented_joint(corpus, with_classes(corpus, state, classes), priors)
        prior = class_term(classes)
        logs.append(prior + power * (joint - prior))
    return 1 / (1 + np.exp(logs[0] - logs[1]))


def resample(module, corpus, state, priors, words, uniforms, power=1.0):
    """Call the kernel on a copy of a state."""
    state, move = state.copy(), ResampleClasses(corpus, priors)
    of_documents = move.of_documents
    module.resample_classes(
        np.array(words),
        np.array(uniforms, dtype=float),
        move.index,
        state.all_topics(),
        state.subject_words,
        state.word_counts,
        state.topic_tokens,
        move.section_tokens,
        kernels.ClassTerms(
            move.word_prior,
            move.of_topics,
            of_documents.of_words + LOG_X * of_documents.expected,
            move.of_section,
        ),
        power,
    )
    return state


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("word", range(9))
def test_a_class_is_drawn_by_the_joint_over_both(drawn_with_subjects, word, power):
    corpus, state, priors = drawn_with_subjects
    for flip in (False, True):
        classes = state.subject_words ^ (flip & (np.arange(9) % 2 == 0))
        begun = with_classes(corpus, state, classes)
        expected = probability_of_subject(corpus, begun, priors, word, power)
        for uniform, is_subject in ((expected - 1e-7, True), (expected + 1e-7, False)):
            if 0 <= uniform < 1:
                found = resample(kernels, corpus, begun, priors, [word], [uniform], power)
                assert found.subject_words[word] == is_subject
                check_state(corpus, found)


@pytest.mark.parametrize("seed", range(5))
def test_compiled_and_uncompiled_draw_what_the_joint_says(drawn_with_subjects, seed):
    corpus, state, priors = drawn_with_subjects
    rng = np.random.default_rng(seed)
    words, uniforms = rng.permutation(9), rng.random(9)
    slow = state
    for word, uniform in zip(words, uniforms, strict=True):
        others = np.delete(slow.subject_words, word)
        if others.all():
            continue  # the only section word stays
        classes = slow.subject_words.copy()
        classes[word] = uniform < probability_of_subject(corpus, slow, priors, word)
        slow = with_classes(corpus, slow, classes)
    for module in (kernels, UNCOMPILED):
        found = resample(module, corpus, state, priors, words, uniforms)
        assert found.subject_words.tolist() == slow.subject_words.tolist()
        assert np.array_equal(found.word_counts, slow.word_counts)
        assert np.array_equal(found.topic_tokens, slow.topic_tokens)


@pytest.mark.parametrize("module", [kernels, UNCOMPILED], ids=["compiled", "uncompiled"])
def test_the_only_section_word_stays_one(drawn_with_subjects, module):
    corpus, state, priors = drawn_with_subjects
    classes = np.ones(9, dtype=bool)
    classes[4] = False
    alone = with_classes(corpus, state, classes)
    found = resample(module, corpus, alone, priors, [4, 4], [0.0, 0.0])
    assert found.subject_words.tolist() == classes.tolist()
    # Once another word is a section word, it may become a subject word.
    found = resample(module, corpus, alone, priors, [0, 4], [1 - 1e-12, 0.0])
    assert found.subject_words.tolist() == [False] + [True] * 8


def test_a_move_keeps_the_counts_and_the_structures(drawn_with_subjects):
    corpus, state, priors = drawn_with_subjects
    move, before = ResampleClasses(corpus, priors, share=1.0), state.copy()
    seen = set()
    for sweep in range(20):
        move(state, partial(Streams(3).at, sweep, 0))
        check_state(corpus, state)
        seen.add(tuple(state.subject_words))
    assert len(seen) > 1
    assert np.array_equal(state.bag, before.bag)
    assert np.array_equal(state.inversions, before.inversions)


def test_a_share_of_the_words_is_drawn(drawn_with_subjects, monkeypatch):
    corpus, state, priors = drawn_with_subjects
    drawn = []
    monkeypatch.setattr(
        word_classes.word_classes_kernels,
        "resample_classes",
        lambda words, *_: drawn.append(words.size),
    )
    move = ResampleClasses(corpus, priors, share=0.25)
    for sweep in range(400):
        move(state, partial(Streams(0).at, sweep, 0))
    assert np.mean(drawn) == pytest.approx(9 / 4, abs=0.3)


def test_a_stage_may_leave_the_classes_as_they_are(drawn_with_subjects):
    corpus, state, priors = drawn_with_subjects
    move, before = ResampleClasses(corpus, priors, share=1.0), state.copy()
    move(state, partial(Streams(0).at, 0, 0), Stage(0.1, classes=False))
    assert np.array_equal(state.subject_words, before.subject_words)
    assert POSTERIOR.classes


def test_the_papers_model_has_no_classes_to_draw(drawn):
    corpus, _, priors = drawn
    with pytest.raises(ValueError, match="no classes"):
        ResampleClasses(corpus, priors)


@pytest.mark.parametrize("total", [1e-3, 0.7, 300.0])
def test_the_auxiliary_variables_are_beta_variables(total):
    sizes = np.array([1, 3, 50, 0])
    rng = np.random.default_rng(1)
    drawn = np.array([draw_log_auxiliary(total, sizes, rng) for _ in range(20_000)])
    expected = (digamma(total) - digamma(total + sizes)).sum()
    spread = np.sqrt((polygamma(1, total) - polygamma(1, total + sizes)).sum() / drawn.size)
    assert abs(drawn.mean() - expected) < 4 * spread


def test_classes_that_the_words_show_are_found():
    # Half of the words follow topics, half documents: a chain from the wrong classes finds them.
    rates = np.full(60, 1 / 60)
    subject = SubjectPriors(rates, document=4.0, section=4.0)
    priors = Priors.for_documents(60, topic=1.0, word=0.1, subject=subject)
    shape = {"n_documents": 60, "units": 8, "unit_words": 30, "n_words": 60}
    corpus, truth = generate(4, priors, np.random.default_rng(2), **shape)
    state = with_classes(corpus, truth, np.zeros(60, dtype=bool))
    move = ResampleClasses(corpus, priors, share=0.5)
    for sweep in range(40):
        move(state, partial(Streams(0).at, sweep, 0))
    assert 5 < np.count_nonzero(truth.subject_words) < 55
    assert np.mean(state.subject_words == truth.subject_words) > 0.95


def test_priors_of_subject_words_are_checked():
    for rates in ([0.5, 0.0], [[1.0]], [1, 2]):
        with pytest.raises(ValueError, match="base_rates"):
            SubjectPriors(np.array(rates))
    with pytest.raises(ValueError, match="document"):
        SubjectPriors(np.ones(2) / 2, document=0.0)
    priors = SubjectPriors(np.ones(2) / 2)
    assert dataclasses.replace(priors, section=2.0).section == 2.0
