from __future__ import annotations

import math

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.mallows import mode_of_dispersion
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import make_state
from permutopic.topics import NamedTopics, count_words_and_headings

DOCUMENTS = [["the sea the sea", "the hill", "the town"], ["the hill hill the"]]
CORPUS = Corpus.from_paragraphs(DOCUMENTS * 5)
VOCABULARY = CORPUS.vocabulary  # hill, sea, the, town


def outline(dispersion, priors=None, n_words=10):
    bag = np.array([[1, 1, 1], [0, 1, 0]] * 5)
    state = make_state(CORPUS, bag, np.zeros((10, 2), dtype=int), np.array(dispersion))
    counts = count_words_and_headings(CORPUS, state.all_topics(), 3)
    priors = Priors.for_documents(2) if priors is None else priors
    return NamedTopics.from_state(state, counts, priors, VOCABULARY).outline(n_words)


def test_an_outline_by_hand():
    first, second, third = outline([1.5, 0.5], n_words=1)
    assert (first.words, first.document_share, first.mean_units) == (("sea",), 0.5, 1.0)
    assert (second.words, second.document_share, second.mean_units) == (("hill",), 1.0, 1.0)
    assert (third.words, third.document_share, third.mean_units) == (("town",), 0.5, 1.0)
    assert (first.dispersion, second.dispersion, third.dispersion) == (1.5, 0.5, None)
    names = [(entry.name, entry.named_by) for entry in (first, second, third)]
    assert names == [("sea, the", "words"), ("hill, the", "words"), ("town, the", "words")]


def test_how_likely_a_topic_is_to_be_in_place_depends_on_how_many_follow():
    first, second, third = outline([1.5, 1.5])
    assert first.in_place == pytest.approx(1 / (1 + math.exp(-1.5) + math.exp(-3)))
    assert second.in_place == pytest.approx(1 / (1 + math.exp(-1.5)))
    assert (first.firmness, second.firmness, third.firmness) == ("firm", "firm", None)
    assert third.in_place is None


@pytest.mark.parametrize(
    ("odds", "word"),
    [(100, "fixed"), (9.1, "fixed"), (8.9, "firm"), (4.1, "firm"), (3.9, "loose"), (2.1, "loose"),
     (1.9, "wanders"), (1, "wanders")],
)  # fmt: skip
def test_a_word_means_the_same_in_every_row(odds, word):
    rho = math.log(odds)
    assert [entry.firmness for entry in outline([rho, rho])] == [word, word, None]


@pytest.mark.parametrize(("n_documents", "word"), [(9, None), (10, "firm")])
def test_a_word_for_the_dispersion_takes_ten_documents(n_documents, word):
    corpus = Corpus.from_paragraphs([["sea", "hill"]] * n_documents)
    bag, inversions = np.ones((n_documents, 2), dtype=int), np.zeros((n_documents, 1), dtype=int)
    state = make_state(corpus, bag, inversions, np.array([1.5]))
    counts = count_words_and_headings(corpus, state.all_topics(), 2)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(2), corpus.vocabulary)
    assert shown.outline(1)[0].firmness == word


@pytest.mark.parametrize("variant", [Variant.CONSTRAINED, Variant.UNIFORM])
def test_other_variants_have_no_dispersion_to_show(variant):
    entries = outline([0, 0], Priors.for_documents(2, variant=variant))
    assert {entry.dispersion for entry in entries} == {None}
    assert {entry.firmness for entry in entries} == {None}


def test_topics_that_no_document_uses_do_not_make_others_wander():
    bag = np.array([[1, 0, 1, 0], [1, 0, 1, 0]])
    corpus = Corpus.from_paragraphs([["a", "b"], ["a", "b"]])
    orders = np.array([[0, 1, 0], [3, 1, 0]])  # 0 2 1 3, and 2 1 3 0
    state = make_state(corpus, bag, orders, np.array([0.1, 0.2, 0.3]))
    counts = count_words_and_headings(corpus, state.all_topics(), 4)
    priors = Priors.for_documents(2)
    entries = NamedTopics.from_state(state, counts, priors, corpus.vocabulary).outline(1)
    # Among the two in use, topic 0 comes first in one document and last in the other.
    mean = (1 + priors.strength * priors.mean_inversions(2)[0]) / (2 + priors.strength)
    assert entries[0].dispersion == pytest.approx(mode_of_dispersion(2, mean))
    assert entries[0].in_place == pytest.approx(1 / (1 + math.exp(-entries[0].dispersion)))
    assert entries[0].firmness is None  # two documents are too few to say
    assert [entry.dispersion for entry in entries[1:]] == [None, None, None]
