"""Merging, by hand: what is shown changes, what was sampled does not."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic import ContentModel, InputError
from permutopic.corpus import Corpus
from permutopic.mallows import mode_of_dispersion
from permutopic.model.priors import Priors
from permutopic.model.state import make_state
from permutopic.permutation import order_to_inversions
from permutopic.topics import ShownTopics, gather_evidence
from permutopic.topics.view import merge_homes

# Four topics of one word each. Document 0 has 3 units of topic 0, then 1, 2; document 1 is 2 0 3 1.
CORPUS = Corpus.from_paragraphs([["a", "a", "a", "b", "c"], ["c", "a", "d", "d", "b"]])
BAG = np.array([[3, 1, 1, 0], [1, 1, 1, 2]])
ORDERS = [[0, 1, 2, 3], [2, 0, 3, 1]]


@pytest.fixture
def shown():
    inversions = np.array([order_to_inversions(order) for order in ORDERS])
    state = make_state(CORPUS, BAG, inversions, np.array([1.0, 2.0, 3.0]))
    evidence = gather_evidence(CORPUS, state.all_topics(), 4)
    return ShownTopics.of(state, evidence, Priors.for_documents(2), CORPUS.vocabulary)


def test_nothing_merged_is_the_state_itself(shown):
    assert shown.view.bag is shown.state.bag
    assert shown.view.dispersion is shown.state.dispersion
    assert shown.view.orders.tolist() == ORDERS
    assert shown.topics(1).tolist() == [2, 0, 3, 3, 1]


def test_counts_add_up(shown):
    view = shown.merged([0, 2]).view
    assert view.homes.tolist() == [0, 1, 0, 2]
    assert view.bag.tolist() == [[4, 1, 0], [2, 1, 2]]
    assert view.word_counts.tolist() == [[4, 0, 0], [0, 2, 0], [2, 0, 0], [0, 0, 2]]
    assert view.word_segments.tolist() == [[2, 0, 0], [0, 2, 0], [2, 0, 0], [0, 0, 1]]


def test_every_unit_keeps_its_place_in_its_document(shown):
    merged = shown.merged([0, 2])
    assert merged.topics(0).tolist() == [0, 0, 0, 1, 0]  # what lay between the parts still does
    assert merged.topics(1).tolist() == [0, 0, 2, 2, 1]


def test_a_merged_topic_stands_where_its_largest_part_does(shown):
    assert shown.merged([1, 3]).view.homes.tolist() == [0, 1, 2, 1]  # 2 units each: the first
    assert shown.merged([0, 3]).view.homes.tolist() == [0, 1, 2, 0]
    late = merge_homes(np.arange(4), [0, 3], np.array([1, 1, 1, 5]))
    assert late.tolist() == [2, 0, 1, 2]


def test_orders_follow_the_largest_part_in_each_document(shown):
    view = shown.merged([0, 3]).view  # in document 1 topic 3 has two units, topic 0 one
    assert view.orders.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert view.inversions.tolist() == [[0, 0], [1, 1]]


def test_dispersion_is_the_most_likely_value_given_merged_orders(shown):
    merged = shown.merged([0, 3])
    priors = Priors.for_documents(2)
    expected = [
        mode_of_dispersion(m, (seen + priors.strength * v) / (2 + priors.strength))
        for m, seen, v in zip((3, 2), (1, 1), priors.mean_inversions(3), strict=True)
    ]
    assert merged.view.dispersion == pytest.approx(expected)


def test_merging_twice_is_merging_all_at_once(shown):
    once, twice = shown.merged([0, 1, 3]), shown.merged([1, 3]).merged([0, 1])
    assert once.view.homes.tolist() == twice.view.homes.tolist()
    assert np.array_equal(once.view.orders, twice.view.orders)


def test_names_given_by_the_user_stay_with_their_topics(shown):
    named = shown.renamed({1: "Second", 3: "Fourth"})
    merged = named.merged([0, 1])
    assert [name.text for name in merged.names][:1] == ["Second"]  # the only part with a name
    assert merged.names[2].text == "Fourth"
    other = named.merged(["second", "fourth"], name="Both")
    assert other.names[1].text == "Both"
    back = merged.unmerged()
    assert [name.source for name in back.names] == ["words", "words", "words", "user"]
    assert back.view.homes.tolist() == [0, 1, 2, 3]


def test_an_automatic_name_yields_to_a_users(shown):
    name = shown.merged([1, 2]).names[1].text
    merged = shown.renamed({0: name}).merged([1, 2])
    assert [each.text for each in merged.names][:2] == [name, f"{name} (1)"]


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([1], "two different topics or more"),
        ([1, "1"], "two different topics or more"),
        ([], "two different topics or more"),
        ([0, 1, 2, 3], "would leave no outline"),
        ([0, 4], "a number from 0 to 3"),
        ("01", "a list of numbers or names"),
        (1, "a list of numbers or names"),
    ],
)
def test_what_cannot_be_merged_is_refused(shown, topics, message):
    with pytest.raises(InputError, match=message):
        shown.merged(topics)


def test_a_name_that_another_topic_was_given_is_refused(shown):
    with pytest.raises(InputError, match="would both be called 'Same'"):
        shown.renamed({0: "Same"}).merged([1, 2], name="Same")


DOCUMENTS = [["salt sea", "snow hill", "town hall"], ["sea salt", "hall town"]] * 6


@pytest.fixture
def model():
    return ContentModel(3, n_sweeps=30, n_chains=2, keep="all", random_state=0).fit(DOCUMENTS)


def test_a_model_shows_its_merged_topics_everywhere(model):
    before = model.topic_probabilities()
    sampled, prevalence = model.state_.all_topics(), model.prevalence_.copy()
    assert model.merge_topics([0, 1], name="Nature") is model
    assert model.topic_names_[0] == "Nature"
    assert len(model.topic_names_) == len(model.outline()) == 2
    assert model.bags_.shape == (12, 2)
    assert model.orders_.shape == (12, 2)
    assert model.dispersion_.shape == (1,)
    assert model.word_distributions_.shape == (2, 6)
    assert model.word_distributions_.sum(axis=1) == pytest.approx(1)
    assert model.prevalence_ == pytest.approx([prevalence[:2].sum(), prevalence[2]])
    homes = np.array([0, 0, 1])
    assert np.array_equal(model.prediction().topics, homes[sampled])
    merged = model.topic_probabilities()
    assert merged == pytest.approx(np.stack([before[:, :2].sum(axis=1), before[:, 2]], axis=1))
    assert np.array_equal(model.state_.all_topics(), sampled)
    model.unmerge_topics()
    assert model.bags_.shape == (12, 3)
    assert np.array_equal(model.topic_probabilities(), before)


def test_names_and_merging_are_saved_with_the_model(model, tmp_path):
    model.merge_topics([1, 2]).rename_topics({0: "First"})
    model.save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert again.topic_names_ == model.topic_names_
    assert again.outline() == model.outline()
    assert all(np.array_equal(*pair) for pair in zip(again.topics_, model.topics_, strict=True))
    again.unmerge_topics()
    assert len(again.topic_names_) == 3
    assert again.topic_names_[0] == "First"
    again.rename_topics({"First": None})
    fresh = model.fit(DOCUMENTS)  # a new fit forgets names and merging
    assert fresh.topic_names_ == again.topic_names_


def test_the_same_model_gets_the_same_names(model):
    again = ContentModel(3, n_sweeps=30, n_chains=2, random_state=0).fit(DOCUMENTS)
    assert again.topic_names_ == model.topic_names_
    assert len(set(model.topic_names_)) == 3


@pytest.mark.parametrize("variant", ["constrained", "uniform"])
def test_other_variants_keep_their_fixed_dispersion(variant):
    model = ContentModel(3, variant=variant, n_sweeps=5, random_state=0).fit(DOCUMENTS)
    before = set(model.dispersion_.tolist())
    assert set(model.merge_topics([0, 1]).dispersion_.tolist()) == before
