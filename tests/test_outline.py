from __future__ import annotations

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import make_state
from permutopic.outline import make_outline, telling_words

CORPUS = Corpus.from_paragraphs([["the sea the sea", "the hill"], ["the hill hill the"]])
VOCABULARY = CORPUS.vocabulary  # hill, sea, the


def state_with(dispersion):
    bag = np.array([[1, 1, 0], [0, 1, 0]])
    return make_state(CORPUS, bag, np.zeros((2, 2), dtype=int), np.array(dispersion))


def test_an_outline_by_hand():
    first, second, third = make_outline(
        state_with([1.5, 0.5]), Priors.for_documents(2), VOCABULARY, n_words=1
    )
    assert (first.words, first.document_share, first.mean_units) == (("sea",), 0.5, 1.0)
    assert (second.words, second.document_share, second.mean_units) == (("hill",), 1.0, 1.0)
    assert (third.words, third.document_share, third.mean_units) == ((), 0.0, 0.0)
    assert (first.dispersion, second.dispersion, third.dispersion) == (1.5, 0.5, None)


@pytest.mark.parametrize("variant", [Variant.CONSTRAINED, Variant.UNIFORM])
def test_other_variants_have_no_dispersion_to_show(variant):
    entries = make_outline(state_with([0, 0]), Priors.for_documents(2, variant=variant), VOCABULARY)
    assert {entry.dispersion for entry in entries} == {None}


def test_telling_words_are_frequent_here_and_rare_elsewhere():
    counts = state_with([0, 0]).word_counts
    assert [VOCABULARY[w] for w in telling_words(counts, 0)] == ["sea", "the"]
    assert [VOCABULARY[w] for w in telling_words(counts, 1)] == ["hill", "the"]
    assert telling_words(counts, 2).size == 0
