"""Rung 8: bugs planted in the sampler, which rungs 6 and 7 have to catch.

The source of the kernels is loaded anew with one line changed; the package keeps its own.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.special import gammaln

from permutopic.model import moves
from permutopic.model.moves import make_spans
from permutopic.slice_sampling import slice_sample

from exact import p_values_after_one_sweep
from kernel_source import load_kernels
from statistical.cases import MOVES, TWO_DOCUMENTS, posterior_of
from statistical.geweke import geweke_scores, many_short_chains, one_chain, priors_for

pytestmark = pytest.mark.statistical

KERNEL_BUGS = {
    "a dropped Mallows factor": [
        ("log_weights[count] = score - dispersion * count", "log_weights[count] = score")
    ],
    "inversions off by one": [
        (
            "inversions[topic] = choose(log_weights, n_values, uniforms[topic])",
            "inversions[topic] = (choose(log_weights, n_values, uniforms[topic]) + 1) % n_values",
        )
    ],
    "the largest inversion count never tried": [
        (
            "choose(log_weights, n_values, uniforms[topic])",
            "choose(log_weights, n_values - 1, uniforms[topic])",
        )
    ],
    "a draw not put back into the topic's units": [("        counts.topic_units[new] += 1\n", "")],
    "a forgotten decrement of the document's words": [
        (
            "    add_words(words, order, bag, counts, -1)\n",
            "    old_order, old_bag = order.copy(), bag.copy()\n",
        ),
        (
            "    add_words(words, order, bag, counts, 1)\n",
            "    add_words(words, old_order, old_bag, counts, -1)\n"
            "    add_words(words, order, bag, counts, 1)\n",
        ),
    ],
    "draws walked topic by topic, as if sequences were counts": [
        ("picked = step + int(uniforms[step] * (n_draws - step))", "picked = step")
    ],
    "the prior of the topics left out": [
        ("prior = math.log(counts.topic_units[topic] + topic_prior)", "prior = 0.0")
    ],
    "topics behind the draw not moved along": [
        (
            "after += span_score(spans, words, counts, start + 1, start + 1 + size, topic)",
            "after += span_score(spans, words, counts, start, start + size, topic)",
        )
    ],
    "a word's earlier occurrences in the span not counted": [
        (
            "product *= counts.word_counts[word, topic] + spans.seen[word] + spans.word_prior",
            "product *= counts.word_counts[word, topic] + spans.word_prior",
        )
    ],
    "stale span scores from the last document": [
        ("    spans.reach[: words.offsets.size - 1, :] = 0\n", "")
    ],
}


class NoPriorOrders(moves.ResampleDispersion):
    """Resamples ρ as if nothing were known before the corpus."""

    def __call__(self, state, random_at):
        self.priors = dataclasses.replace(self.priors, strength=1e-6)
        super().__call__(state, random_at)


def slice_at_the_point(log_density, current, width, rng):
    """Take the slice at the density of the point itself, not at a height drawn below it."""

    class HeightForgotten:
        numbers = itertools.chain([0.0], iter(rng.random, None))

        def random(self):
            return next(self.numbers)

    return slice_sample(log_density, current, width, HeightForgotten())


def assert_enumeration_catches(make_moves, variant="full"):
    posterior = posterior_of(TWO_DOCUMENTS, 3, variant)
    for n_replicates in (2_000, 20_000):  # most bugs show in a tenth of what the test draws
        p_values = p_values_after_one_sweep(posterior, make_moves, n_replicates)
        if min(p_values.values()) < 1e-6:
            return
    pytest.fail(f"enumeration does not catch it: {p_values}")


def assert_geweke_catches(
    make_moves, variant="full", setting="telling words", draw_chain=one_chain
):
    priors = priors_for(variant, setting)
    for n_independent, n_chain in ((2_000, 4_000), (8_000, 24_000)):
        scores = geweke_scores(priors, make_moves, n_independent, n_chain, draw_chain=draw_chain)
        if max(map(abs, scores.values())) > 6:
            return
    pytest.fail(f"Geweke's test does not catch it: {scores}")


@pytest.fixture
def room_for_a_document_twice(monkeypatch):
    """A bug that counts a document twice looks further up the table of logΓ than there is."""

    def roomy(corpus, n_topics, priors):
        spans = make_spans(corpus, n_topics, priors)
        counts = np.arange(2 * corpus.n_tokens + 1)
        return spans._replace(log_gamma=gammaln(counts + corpus.n_words * priors.word))

    monkeypatch.setattr(moves, "make_spans", roomy)


@pytest.mark.usefixtures("room_for_a_document_twice")
@pytest.mark.parametrize("bug", KERNEL_BUGS)
def test_a_bug_in_the_kernels_is_caught(bug, monkeypatch):
    monkeypatch.setattr(moves, "kernels", load_kernels(KERNEL_BUGS[bug]))
    assert_enumeration_catches(MOVES["all"])
    setting = "few topics" if bug.startswith("draws walked") else "telling words"
    assert_geweke_catches(MOVES["all"], setting=setting)


@pytest.mark.parametrize(
    ("variant", "bug"),
    [
        ("constrained", "the prior of the topics left out"),
        ("constrained", "topics behind the draw not moved along"),
        ("uniform", "the prior of the topics left out"),
        ("uniform", "inversions off by one"),
    ],
)
def test_a_bug_is_caught_in_the_other_variants_too(variant, bug, monkeypatch):
    monkeypatch.setattr(moves, "kernels", load_kernels(KERNEL_BUGS[bug]))
    assert_enumeration_catches(MOVES["all"], variant)
    assert_geweke_catches(MOVES["all"], variant)


@pytest.mark.parametrize(
    ("alone", "bug"),
    [("bag", "the prior of the topics left out"), ("inversions", "a dropped Mallows factor")],
)
def test_a_bug_is_caught_in_a_move_alone(alone, bug, monkeypatch):
    monkeypatch.setattr(moves, "kernels", load_kernels(KERNEL_BUGS[bug]))
    assert_enumeration_catches(MOVES[alone])
    assert_geweke_catches(MOVES[alone], draw_chain=many_short_chains)


def test_a_bug_in_the_conditional_of_the_dispersion_is_caught():
    def alone(corpus, n_topics, priors):
        return [NoPriorOrders(priors)]

    def with_structures(corpus, n_topics, priors):
        return [MOVES["all"](corpus, n_topics, priors)[0], NoPriorOrders(priors)]

    assert_enumeration_catches(alone)
    assert_geweke_catches(alone, draw_chain=many_short_chains)
    assert_enumeration_catches(with_structures)
    assert_geweke_catches(with_structures)


def test_a_bug_in_the_slice_sampler_is_caught(monkeypatch):
    monkeypatch.setattr(moves, "slice_sample", slice_at_the_point)
    assert_enumeration_catches(MOVES["all"])
    assert_geweke_catches(MOVES["all"])


def test_a_forgotten_decrement_that_only_enumeration_sees(monkeypatch):
    # A draw still counted while it is resampled makes the chain stickier, and biases it through
    # the normaliser alone: too little for Geweke's test at this size.
    planted = [("        counts.topic_units[old] -= 1\n", "")]
    monkeypatch.setattr(moves, "kernels", load_kernels(planted))
    assert_enumeration_catches(MOVES["all"], "constrained")


def test_the_kernels_loaded_anew_without_a_bug_pass(monkeypatch):
    monkeypatch.setattr(moves, "kernels", load_kernels())
    posterior = posterior_of(TWO_DOCUMENTS, 3, "full")
    p_values = p_values_after_one_sweep(posterior, MOVES["all"], n_replicates=20_000)
    assert min(p_values.values()) > 1e-4, p_values
