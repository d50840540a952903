from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from permutopic import mallows
from permutopic.errors import InputError
from permutopic.model.generate import generate, redraw_words
from permutopic.model.priors import Priors, Variant

from audit import check_state


def test_the_drawn_corpus_fits_the_drawn_state(drawn):
    corpus, state, _ = drawn
    check_state(corpus, state)
    assert corpus.document_sizes.tolist() == [5, 1, 7, 4, 6, 3]
    assert (np.diff(corpus.unit_offsets) == 6).all()
    assert corpus.headings == tuple(f"topic {topic}" for topic in state.all_topics())


def test_the_same_generator_gives_the_same_corpus():
    priors = Priors.for_documents(5)
    first, second = (
        generate(3, priors, np.random.default_rng(9), n_documents=5)[0].fingerprint
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("variant", list(Variant))
def test_orders_and_dispersion_follow_the_variant(variant):
    priors = Priors.for_documents(2000, variant=variant)
    _, state = generate(
        3, priors, np.random.default_rng(1), n_documents=2000, units=1, unit_words=1, n_words=2
    )
    if variant == Variant.CONSTRAINED:
        assert not state.inversions.any()
        assert np.isinf(state.dispersion).all()
        return
    if variant == Variant.UNIFORM:
        assert not state.dispersion.any()
    for j, m in enumerate((3, 2)):
        expected = 2000 * np.exp(
            -state.dispersion[j] * np.arange(m) - mallows.log_normalizer(state.dispersion[j], m)
        )
        seen = np.bincount(state.inversions[:, j], minlength=m)
        assert stats.chisquare(seen, expected).pvalue > 1e-3


def test_a_given_dispersion_is_used():
    priors = Priors.for_documents(3)
    _, state = generate(
        3, priors, np.random.default_rng(1), n_documents=50, units=1, dispersion=[0.5, 400.0]
    )
    assert state.dispersion.tolist() == [0.5, 400.0]
    assert not state.inversions[:, 1].any()


def test_words_of_one_topic_share_a_distribution(drawn):
    corpus, state, _ = drawn
    sharp = Priors.for_documents(6, word=1e-3)
    again, recounted = redraw_words(corpus, state, sharp, np.random.default_rng(2))
    check_state(again, recounted)
    assert again.fingerprint != corpus.fingerprint
    # With so small a concentration a topic is one word, nearly.
    assert recounted.word_counts.max(axis=0).sum() > 0.9 * corpus.n_tokens


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dispersion": [np.nan, 1.0]}, "dispersion must be 2 numbers from 0 up"),
        ({"dispersion": [-1.0, 1.0]}, "dispersion must be 2 numbers"),
        ({"dispersion": 1.0}, "dispersion must be 2 numbers"),
        ({"units": 0}, "units must be one whole number from 1 up, or 4 of them"),
        ({"units": [1, 2]}, "units must be"),
        ({"unit_words": 1.5}, "unit_words must be"),
        ({"n_documents": 0}, "n_documents must be a whole number of at least 1, not 0"),
        ({"n_words": 0}, "n_words must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, message):
    asked = {"n_documents": 4, "units": 2, **change}
    with pytest.raises(InputError, match=message):
        generate(3, Priors.for_documents(4), np.random.default_rng(0), **asked)


def test_a_variant_keeps_its_dispersion():
    priors = Priors.for_documents(4, variant="constrained")
    with pytest.raises(InputError, match="the constrained variant has a dispersion of its own"):
        generate(3, priors, np.random.default_rng(0), dispersion=[0.0, 0.0])


@pytest.mark.parametrize("values", [(1e6, 1e6, 0.0, 1e6), (1e-12, 1e-12, 500.0, 1e-12)])
def test_the_widest_priors_can_be_drawn_from(values):
    corpus, state = generate(3, Priors(*values), np.random.default_rng(0), n_documents=3)
    check_state(corpus, state)


def test_one_topic_is_refused():
    with pytest.raises(InputError, match="at least 2"):
        generate(1, Priors.for_documents(3), np.random.default_rng(0))
