"""Merging, by hand: what is shown changes, what was sampled does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from permutopic import ContentModel, InputError
from permutopic.corpus import Corpus
from permutopic.mallows import mode_of_dispersion
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import make_state
from permutopic.permutation import order_to_inversions
from permutopic.topics import NamedTopics, count_words_and_headings
from permutopic.topics.view import check_merge_map, merge_shown_topics

# Four topics of one word each. Document 0 has 3 units of topic 0, then 1, 2; document 1 is 2 0 3 1.
CORPUS = Corpus.from_paragraphs([["a", "a", "a", "b", "c"], ["c", "a", "d", "d", "b"]])
BAG = np.array([[3, 1, 1, 0], [1, 1, 1, 2]])
ORDERS = [[0, 1, 2, 3], [2, 0, 3, 1]]


@pytest.fixture
def shown():
    inversions = np.array([order_to_inversions(order) for order in ORDERS])
    state = make_state(CORPUS, BAG, inversions, np.array([1.0, 2.0, 3.0]))
    counts = count_words_and_headings(CORPUS, state.all_topics(), 4)
    return NamedTopics.from_state(state, counts, Priors.for_documents(2), CORPUS.vocabulary)


def test_nothing_merged_is_the_state_itself(shown):
    assert shown.view.bag is shown.state.bag
    assert shown.view.dispersion is shown.state.dispersion
    assert shown.view.orders.tolist() == ORDERS
    assert shown.topics(1).tolist() == [2, 0, 3, 3, 1]


def test_counts_add_up(shown):
    view = shown.merged([0, 2]).view
    assert view.merge_map.tolist() == [0, 1, 0, 2]
    assert view.bag.tolist() == [[4, 1, 0], [2, 1, 2]]
    assert view.word_counts.tolist() == [[4, 0, 0], [0, 2, 0], [2, 0, 0], [0, 0, 2]]
    assert view.word_segments.tolist() == [[2, 0, 0], [0, 2, 0], [2, 0, 0], [0, 0, 1]]


def test_every_unit_keeps_its_position_in_its_document(shown):
    merged = shown.merged([0, 2])
    assert merged.topics(0).tolist() == [0, 0, 0, 1, 0]  # what lay between the parts still does
    assert merged.topics(1).tolist() == [0, 0, 2, 2, 1]


def test_a_merged_topic_stands_where_its_largest_part_does(shown):
    assert shown.merged([1, 3]).view.merge_map.tolist() == [0, 1, 2, 1]  # 2 units each: the first
    assert shown.merged([0, 3]).view.merge_map.tolist() == [0, 1, 2, 0]
    late = merge_shown_topics(np.arange(4), [0, 3], np.array([1, 1, 1, 5]))
    assert late.tolist() == [2, 0, 1, 2]


def test_orders_follow_the_largest_part_in_each_document(shown):
    view = shown.merged([0, 3]).view  # in document 1 topic 3 has two units, topic 0 one
    assert view.orders.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert view.inversions.tolist() == [[0, 0], [1, 1]]
    other = shown.merged([1, 2]).view  # one unit each in document 1: the larger in the corpus, or 1
    assert other.orders.tolist() == [[0, 1, 2], [0, 2, 1]]


def test_the_largest_part_in_the_document_counts_before_that_in_the_corpus():
    corpus = Corpus.from_paragraphs([["a"] * 5 + ["b"], ["a", "b", "c", "c"]])
    bag = np.array([[5, 1, 0], [1, 1, 2]])
    state = make_state(corpus, bag, np.zeros((2, 2), dtype=int), np.ones(2))
    counts = count_words_and_headings(corpus, state.all_topics(), 3)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(2), corpus.vocabulary)
    assert shown.merged([0, 2]).view.orders.tolist() == [[0, 1], [1, 0]]


def test_a_part_that_a_document_lacks_stands_where_the_largest_of_the_corpus_would():
    corpus = Corpus.from_paragraphs([["a", "b"], ["b"], ["a", "c", "c"]])
    bag = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 2]])
    orders = np.array([order_to_inversions(order) for order in ([0, 1, 2], [0, 1, 2], [0, 1, 2])])
    state = make_state(corpus, bag, orders, np.ones(2))
    counts = count_words_and_headings(corpus, state.all_topics(), 3)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(3), corpus.vocabulary)
    view = shown.merged([0, 2]).view  # two units each in the corpus: the first decides
    assert view.orders.tolist() == [[0, 1], [0, 1], [1, 0]]


def test_of_parts_with_as_many_units_in_a_document_the_larger_in_the_corpus_decides():
    corpus = Corpus.from_paragraphs([["a", "b", "c"], ["a", "c", "c"]])
    bag = np.array([[1, 1, 1], [1, 0, 2]])
    state = make_state(corpus, bag, np.zeros((2, 2), dtype=int), np.ones(2))
    counts = count_words_and_headings(corpus, state.all_topics(), 3)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(2), corpus.vocabulary)
    view = shown.merged([0, 2]).view  # shown topics: b, then a + c, of which c is the larger
    assert view.merge_map.tolist() == [1, 0, 1]
    assert view.orders.tolist() == [[0, 1], [0, 1]]


def test_segments_of_parts_add_up_even_in_one_document(shown):
    assert shown.merged([0, 1]).view.segments.tolist() == [4, 2, 1]


def test_dispersion_is_the_most_likely_value_given_merged_orders(shown):
    merged = shown.merged([0, 3])
    priors = Priors.for_documents(2)
    expected = [
        mode_of_dispersion(m, (seen + priors.strength * v) / (2 + priors.strength))
        for m, seen, v in zip((3, 2), (1, 1), priors.mean_inversions(3), strict=True)
    ]
    assert merged.view.dispersion == pytest.approx(expected)


def test_topics_may_be_named_for_merging_in_any_order(shown):
    assert texts(shown.merged([3, 0, "c"])) == ["a + c + d", "b"]


def test_words_that_distinguish_nothing_are_ranked_by_tokens_and_not_by_segments():
    corpus = Corpus.from_paragraphs([["p p p p q"], ["q"]])
    bag = np.array([[1, 0], [1, 0]])
    state = make_state(corpus, bag, np.zeros((2, 1), dtype=int), np.ones(1))
    counts = count_words_and_headings(corpus, state.all_topics(), 2)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(2), corpus.vocabulary)
    assert [corpus.vocabulary[word] for word in shown.view.ranked_words[0]] == ["p", "q"]


def test_merging_twice_is_merging_all_at_once(shown):
    once, twice = shown.merged([0, 1, 3]), shown.merged([1, 3]).merged([0, 1])
    assert once.view.merge_map.tolist() == twice.view.merge_map.tolist()
    assert np.array_equal(once.view.orders, twice.view.orders)


def texts(shown):
    return [name.text for name in shown.names]


def test_a_merged_topic_is_called_after_its_parts(shown):
    assert texts(shown) == ["a", "b", "c", "d"]
    assert texts(shown.merged([0, 2])) == ["a + c", "b", "d"]
    assert [name.source for name in shown.merged([0, 2]).names] == ["words"] * 3
    by_user = shown.renamed({2: "Third"}).merged([0, 2])
    assert [name.source for name in by_user.names] == ["user", "words", "words"]
    assert texts(shown.merged([0, 2], name="Both")) == ["Both", "b", "d"]
    assert texts(shown.merged([0, 2]).merged([0, 1])) == ["a + c + b", "d"]


def test_other_topics_keep_their_names_and_parts_have_theirs_again(shown):
    named = shown.renamed({1: "Second", 3: "Fourth"})
    merged = named.merged([0, 1])
    assert texts(merged) == ["a + Second", "c", "Fourth"]
    assert texts(named.merged(["second", "fourth"], name="Both")) == ["a", "Both", "c"]
    assert texts(merged.renamed({0: "x", 1: "y"}).unmerged()) == ["a", "Second", "y", "Fourth"]
    assert texts(merged.renamed({0: "x"}).renamed({0: None})) == ["a + Second", "c", "Fourth"]


def test_a_name_too_long_for_all_parts_is_made_of_words(shown):
    named = shown.renamed({0: "x" * 60, 1: "y" * 60})
    assert texts(named.merged([0, 1]))[0] == "a, b"
    longest = shown.renamed({0: "x" * 38, 1: "y" * 39}).merged([0, 1])
    assert texts(longest)[0] == f"{'x' * 38} + {'y' * 39}"
    assert texts(shown.renamed({0: "x" * 39, 1: "y" * 39}).merged([0, 1]))[0] == "a, b"


def test_an_unused_topic_lends_no_name_to_those_it_is_merged_with():
    corpus = Corpus.from_paragraphs([["a", "b"]] * 2)
    bag = np.array([[1, 0, 1, 0]] * 2)
    state = make_state(corpus, bag, np.zeros((2, 3), dtype=int), np.ones(3))
    counts = count_words_and_headings(corpus, state.all_topics(), 4)
    shown = NamedTopics.from_state(state, counts, Priors.for_documents(2), corpus.vocabulary)
    assert texts(shown) == ["a", "(unused)", "b", "(unused) (3)"]
    assert texts(shown.merged([0, 1])) == ["a", "b", "(unused)"]
    assert texts(shown.merged([1, 3])) == ["a", "(unused)", "b"]


@pytest.mark.parametrize(
    "merge_map", [[0, 1, 0, 2], [1, 0, 1, 2], [0, 0, 0, 0], [2, 0, 1, 2], [0, 1, 2, 3]]
)
def test_a_stored_merge_map_is_numbered_by_one_part_of_each_topic(merge_map):
    found = check_merge_map(merge_map, 4)
    assert (found.tolist(), found.dtype) == (merge_map, np.int64)


@pytest.mark.parametrize(
    ("merge_map", "message"),
    [
        ([0, 1, 2], "not one number for each topic"),
        ([0, 1, 2, 3, 4], "not one number for each topic"),
        ([0.0, 1.0, 2.0, 3.0], "not one number for each topic"),
        ("0123", "not one number for each topic"),
        ([0, 2, 1, 3], "not numbered in canonical order"),
        ([1, 0, 2, 1], "not numbered in canonical order"),
        ([0, 2, 3, 3], "not numbered in canonical order"),
        ([1, 2, 3, 4], "not numbered in canonical order"),
        ([-1, 0, 1, 2], "not numbered in canonical order"),
    ],
)
def test_a_stored_merge_map_that_cannot_be_is_refused(merge_map, message):
    with pytest.raises(ValueError, match=message):
        check_merge_map(merge_map, 4)


def test_taking_merging_back_is_never_refused(shown):
    clash = shown.renamed({0: "Same"}).merged([0, 1], name="Two").renamed({1: "Same"})
    assert texts(clash) == ["Two", "Same", "d"]
    assert texts(clash.unmerged()) == ["Same", "b", "Same (2)", "d"]


def test_all_topics_can_be_made_one(shown):
    one = shown.merged([0, 1, 2, 3], name="All")
    assert one.view.dispersion.shape == (0,)
    assert one.view.orders.tolist() == [[0], [0]]
    [entry] = one.outline(2)
    assert (entry.name, entry.dispersion, entry.document_share) == ("All", None, 1.0)


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([1], "two different topics or more"),
        ([1, "1"], "two different topics or more"),
        ([], "two different topics or more"),
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
    merge_map = np.array([0, 0, 1])
    assert np.array_equal(model.prediction().topics, merge_map[sampled])
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


def stored(shown):
    """Return the topics as a model folder gives them back."""
    return NamedTopics.from_dict(
        shown.as_dict(), shown.arrays(), shown.state, shown.priors, shown.vocabulary
    )


def test_names_of_merged_parts_are_saved_too(shown):
    named = shown.renamed({1: "Second"}).merged([0, 1])
    assert texts(stored(named)) == ["a + Second", "c", "d"]
    assert texts(stored(named).unmerged()) == ["a", "Second", "c", "d"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"headings": "Uses"}, "headings is not a list of strings"),
        ({"headings": [3]}, "headings is not a list of strings"),
        ({"homes": [0, 1]}, "not one number for each topic"),
        ({"automatic": [{"of": [0], "text": "a", "source": "words"}]}, "a topic has no name"),
        ({"given": [{"of": [0], "text": "12"}]}, "is no number"),
    ],
)
def test_stored_names_that_cannot_be_are_refused(shown, changes, message):
    saved = {**shown.as_dict(), **changes}
    rest = shown.arrays(), shown.state, shown.priors, shown.vocabulary
    with pytest.raises(ValueError, match=message):
        NamedTopics.from_dict(saved, *rest)


def test_stored_counts_of_other_words_are_refused(shown):
    arrays = {name: table[:-1] for name, table in shown.arrays().items()}
    with pytest.raises(ValueError, match="word_segments and word_counts disagree"):
        NamedTopics.from_dict(shown.as_dict(), arrays, shown.state, shown.priors, shown.vocabulary)


def test_a_merged_topic_without_a_stored_name_is_refused(shown):
    saved = shown.merged([0, 1]).as_dict()
    saved["automatic"] = [item for item in saved["automatic"] if item["of"] != [0, 1]]
    with pytest.raises(ValueError, match="a topic has no name"):
        NamedTopics.from_dict(saved, shown.arrays(), shown.state, shown.priors, shown.vocabulary)


def test_counts_of_more_documents_are_added_to_those_shown(shown):
    merged = shown.merged([0, 2])
    more = merged.extended(shown.state, shown.counts)
    assert more.view.word_segments.tolist() == (2 * merged.view.word_segments).tolist()
    assert texts(more) == texts(merged)


def test_a_fixed_dispersion_is_that_of_all_topics_but_the_last(shown):
    fixed = replace(shown, priors=Priors.for_documents(2, variant=Variant.CONSTRAINED))
    assert fixed.merged([0, 1]).view.dispersion.tolist() == [np.inf, np.inf]


def test_topics_merged_again_do_not_have_the_name_of_the_last_time(shown):
    once = shown.merged([0, 1], name="Both").unmerged()
    assert texts(once.merged([0, 1])) == ["a + b", "c", "d"]


def test_the_same_model_gets_the_same_names(model):
    again = ContentModel(3, n_sweeps=30, n_chains=2, random_state=0).fit(DOCUMENTS)
    assert again.topic_names_ == model.topic_names_
    assert len(set(model.topic_names_)) == 3


@pytest.mark.parametrize("variant", ["constrained", "uniform"])
def test_other_variants_keep_their_fixed_dispersion(variant):
    model = ContentModel(3, variant=variant, n_sweeps=5, random_state=0).fit(DOCUMENTS)
    [fixed] = set(model.dispersion_.tolist())
    assert model.merge_topics([0, 1]).dispersion_.tolist() == [fixed]


def test_what_was_done_by_hand_shows_in_what_is_saved(shown):
    assert not NamedTopics.has_user_changes(shown.as_dict())
    assert NamedTopics.has_user_changes(shown.renamed({0: "Mine"}).as_dict())
    assert NamedTopics.has_user_changes(shown.merged([0, 1]).as_dict())
    assert not NamedTopics.has_user_changes(shown.merged([0, 1]).unmerged().as_dict())
    assert not any(map(NamedTopics.has_user_changes, (None, [], {}, {"homes": "01"})))
    assert NamedTopics.has_user_changes({"homes": [[1]]})  # damaged: nobody knows, so it stays
